"""Photographs on their way into an answer: what is refused, what is held, and that nobody reaches another's."""

from __future__ import annotations

import io
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis.strategies import floats
from PIL import Image

from annotate.errors import RefusedError
from annotate.photos.pending import (
    HELD_SECONDS,
    MAX_PHOTOS,
    MAX_PHOTOS_PER_PERSON,
    MAX_POSE_DISTANCE_M,
    MAX_WAITING_PHOTOS,
    WHICH,
    PendingPhotoStore,
    Which,
    demand_fit,
    drawn_box,
)
from annotate.ports import Examined, FaceBox
from tests.annotate.asking import Clock

FACE = FaceBox(40, 20, 30, 30)
JOINTS = ((0.0, 0.9, 0.1), (0.1, 0.5, 0.0))
SEEN = Examined(
    people=1, size=150, faces=(FACE,), pose_distance=0.1, mirrored=0.3, other=0.3, joints=JOINTS, estimator="fake"
)
PAIR: Mapping[Which, bytes] = {"current": b"one", "target": b"two"}


def photograph(red: int = 0) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (120, 160), (red, 90, 200)).save(made, "JPEG", exif=_exif())
    return made.getvalue()


def _exif() -> Image.Exif:
    exif = Image.Exif()
    exif[0x010E] = "at home"
    return exif


def photos(seen: Examined = SEEN, now: Callable[[], float] | None = None) -> PendingPhotoStore:
    return PendingPhotoStore(lambda *_: seen, now or Clock())


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"people": 2}, "photo_several_people"),
        ({"size": 90.0}, "photo_person_small"),
        ({"pose_distance": 0.3, "mirrored": 0.28}, "photo_pose_far"),
        ({"pose_distance": 0.3, "mirrored": 0.1}, "photo_pose_mirrored"),
        ({"pose_distance": 0.15, "other": 0.08}, "photo_pose_other"),
        ({"pose_distance": 0.4, "mirrored": 0.1, "other": 0.15}, "photo_pose_other"),
        ({"pose_distance": 0.45, "other": 0.3}, "photo_pose_far"),
    ],
)
def test_what_does_not_fit_is_refused(changed: dict[str, float], code: str) -> None:
    with pytest.raises(RefusedError) as refused:
        demand_fit(replace(SEEN, **changed), 1280)  # type: ignore[arg-type]

    assert refused.value.code == code


def test_how_small_a_person_is_is_said_in_shares_since_the_photograph_was_made_smaller() -> None:
    with pytest.raises(RefusedError, match="less than 10 % of the photograph's longer side"):
        demand_fit(replace(SEEN, size=90.0), 1280)


def test_a_pose_that_cannot_be_measured_in_its_picture_stands_in_nobodys_way() -> None:
    demand_fit(replace(SEEN, pose_distance=None, mirrored=None, other=0.01), 1280)
    demand_fit(replace(SEEN, other=None), 1280)


def test_a_pose_between_both_of_the_pair_is_good_enough() -> None:
    demand_fit(replace(SEEN, pose_distance=0.14, other=0.1), 1280)


@given(pose_distance=floats(0, 1), mirrored=floats(0, 1), other=floats(0, 1))
def test_who_is_nearest_to_the_pose_itself_is_never_told_of_another(
    pose_distance: float, mirrored: float, other: float
) -> None:
    seen = replace(
        SEEN, pose_distance=pose_distance, mirrored=max(pose_distance, mirrored), other=max(pose_distance, other)
    )
    if pose_distance <= MAX_POSE_DISTANCE_M:
        demand_fit(seen, 1280)
        return
    with pytest.raises(RefusedError) as refused:
        demand_fit(seen, 1280)
    assert refused.value.code == "photo_pose_far"


def test_a_photograph_is_compared_with_its_own_pose_first() -> None:
    compared = []

    def examine(_: bytes, *pair: bytes) -> Examined:
        compared.append(pair)
        return SEEN

    dark = PendingPhotoStore(examine, Clock())
    for which in WHICH:
        dark.receive("ann", "task", which, photograph(), PAIR)
    assert compared == [(b"one", b"two"), (b"two", b"one")]


def test_only_what_was_approved_as_it_is_becomes_an_answer() -> None:
    dark = photos()
    first = dark.receive("ann", "task", "current", photograph(), PAIR)
    again = dark.paint(first, strength=5, drawn=(FACE,))
    target = dark.receive("ann", "task", "target", photograph(200), PAIR)

    for approved in ([], [first.id, target.id], [again.id]):
        with pytest.raises(RefusedError, match="tick"):
            dark.answer("ann", "task", approved)
    answer = dark.answer("ann", "task", [again.id, target.id])

    assert answer["current"] == again.private
    assert b"at home" not in answer["current"]
    assert answer["checks"]["current"] == {
        "estimator": "fake",
        "person_px": 150,
        "apart_m": 0.1,
        "joints_m": JOINTS,
        "faces_found": 1,
        "faces_drawn": 1,
        "strength": 5,
    }
    dark.settle("ann", "task")
    assert dark.answer("ann", "task", [again.id, target.id]) == answer
    assert not any(photo.original for photo in dark.of("ann", "task").values())


def test_without_a_face_nothing_can_be_approved_until_one_is_drawn() -> None:
    dark = photos(replace(SEEN, faces=()))
    photo = dark.receive("ann", "task", "current", photograph(), PAIR)
    assert photo.private is None

    assert dark.paint(photo, strength=3, drawn=(drawn_box([0.2, 0.1, 0.3, 0.3], photo.size),)).private is not None


@pytest.mark.parametrize("box", [None, [1, 2, 3], ["a", 0, 1, 1], [float("nan"), 0, 1, 1], [True, 0, 1, 1]])
def test_what_is_no_box_is_refused(box: object) -> None:
    with pytest.raises(RefusedError):
        drawn_box(box, (100, 100))


def test_the_same_photograph_twice_is_refused() -> None:
    dark = photos()
    ids = [dark.receive("ann", "task", which, photograph(), PAIR).id for which in ("current", "target")]

    with pytest.raises(RefusedError) as refused:
        dark.answer("ann", "task", ids)
    assert refused.value.code == "photo_twice"


def test_nobody_reaches_anothers_photograph_and_none_is_held_for_long() -> None:
    clock = Clock()
    dark = photos(now=clock)
    photo = dark.receive("ann", "task", "current", photograph(), PAIR)
    with pytest.raises(RefusedError):
        dark.find("ben", photo.id)
    assert dark.find("ann", photo.id) == photo

    clock.pass_by(HELD_SECONDS)

    with pytest.raises(RefusedError):
        dark.find("ann", photo.id)
    assert dark.of("ann", "task") == {}


def test_only_so_many_are_held() -> None:
    dark = photos()
    for number in range(MAX_PHOTOS + 1):
        dark.receive(f"{number}", "task", "current", photograph(), PAIR)

    assert dark.of("0", "task") == {}
    assert dark.of("1", "task")


def test_a_person_who_gives_many_photographs_pushes_out_only_their_own() -> None:
    dark = photos()
    dark.receive("ann", "task", "current", photograph(), PAIR)
    for number in range(MAX_PHOTOS):
        dark.receive("mallory", f"{number // 2}", WHICH[number % 2], photograph(), PAIR)

    assert dark.of("ann", "task")
    last = range(MAX_PHOTOS // 2 - MAX_PHOTOS_PER_PERSON // 2, MAX_PHOTOS // 2)
    assert [number for number in range(MAX_PHOTOS // 2) if dark.of("mallory", f"{number}")] == list(last)


def test_photographs_of_a_kept_answer_make_room_before_those_that_wait_for_approval() -> None:
    dark = photos()
    for task in ("waiting", "kept"):
        for which in WHICH:
            dark.receive("ann", task, which, photograph(), PAIR)
    dark.settle("ann", "kept")

    dark.receive("ann", "next", "current", photograph(), PAIR)

    assert set(dark.of("ann", "waiting")) == set(WHICH)
    assert set(dark.of("ann", "kept")) == {"target"}


def test_few_wait_while_one_photograph_is_looked_at_and_others_are_told_so_at_once() -> None:
    begun, go_on, looked = threading.Event(), threading.Event(), []

    def examine(*_: bytes) -> Examined:
        looked.append(threading.get_ident())
        begun.set()
        assert go_on.wait(30)
        return SEEN

    dark, people, presses = PendingPhotoStore(examine, Clock()), MAX_WAITING_PHOTOS + 6, 14
    answers: Counter[str] = Counter()

    def give(person: int) -> None:
        try:
            dark.receive(f"{person}", "task", "current", photograph(), PAIR)
            answers["kept"] += 1
        except RefusedError as error:
            answers[error.code] += 1

    with ThreadPoolExecutor(people * presses) as pool:
        first = pool.submit(give, 0)
        assert begun.wait(30)
        others = [pool.submit(give, person) for _ in range(presses) for person in range(people)]
        told = threading.Event()
        while sum(answers.values()) < people * presses - MAX_WAITING_PHOTOS + 1 and not told.wait(0.01):
            assert not first.done()
        assert answers["kept"] == 0
        go_on.set()
        for one in (first, *others):
            one.result(30)

    assert answers["kept"] == MAX_WAITING_PHOTOS == len(looked)
    assert answers["photo_another"] >= presses
    assert answers["photo_busy"] >= 6 * presses
    dark.receive("0", "task", "target", photograph(), PAIR)  # there is room again

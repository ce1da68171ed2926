"""Photographs on their way into an answer: what is refused, what is held, and that nobody reaches another's."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

import pytest
from PIL import Image

from annotate.errors import RefusedError
from annotate.ports import Examined
from annotate.privacy import FaceBox
from annotate.real_pairs import HELD_SECONDS, MOST_HELD, DarkRoom, demand_fit, drawn_box
from tests.annotate.asking import Clock

FACE = FaceBox(40, 20, 30, 30)
SEEN = Examined(people=1, size=150, faces=(FACE,), apart=0.1, mirrored=0.3, estimator="fake")


def photograph(red: int = 0) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (120, 160), (red, 90, 200)).save(made, "JPEG", exif=_exif())
    return made.getvalue()


def _exif() -> Image.Exif:
    exif = Image.Exif()
    exif[0x010E] = "at home"
    return exif


def room(seen: Examined = SEEN, now: Callable[[], float] | None = None) -> DarkRoom:
    return DarkRoom(lambda *_: seen, now or Clock())


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"people": 2}, "photo_several_people"),
        ({"size": 90.0}, "photo_person_small"),
        ({"apart": 0.3, "mirrored": 0.28}, "photo_pose_far"),
        ({"apart": 0.3, "mirrored": 0.1}, "photo_pose_mirrored"),
    ],
)
def test_what_does_not_fit_is_refused(changed: dict[str, float], code: str) -> None:
    with pytest.raises(RefusedError) as refused:
        demand_fit(replace(SEEN, **changed))  # type: ignore[arg-type]

    assert refused.value.code == code


def test_a_pose_that_cannot_be_measured_in_its_picture_stands_in_nobodys_way() -> None:
    demand_fit(replace(SEEN, apart=None, mirrored=None))


def test_only_what_was_approved_as_it_is_becomes_an_answer() -> None:
    dark = room()
    first = dark.receive("ann", "task", "current", photograph(), b"")
    again = dark.paint(first, strength=5, drawn=(FACE,))
    target = dark.receive("ann", "task", "target", photograph(200), b"")

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
        "faces_found": 1,
        "faces_drawn": 1,
        "strength": 5,
    }
    dark.settle("ann", "task")
    assert dark.answer("ann", "task", [again.id, target.id]) == answer
    assert not any(photo.original for photo in dark.of("ann", "task").values())


def test_without_a_face_nothing_can_be_approved_until_one_is_drawn() -> None:
    dark = room(replace(SEEN, faces=()))
    photo = dark.receive("ann", "task", "current", photograph(), b"")
    assert photo.private is None

    assert dark.paint(photo, strength=3, drawn=(drawn_box([0.2, 0.1, 0.3, 0.3], photo.size),)).private is not None


@pytest.mark.parametrize("said", [None, [1, 2, 3], ["a", 0, 1, 1], [float("nan"), 0, 1, 1], [True, 0, 1, 1]])
def test_what_is_no_box_is_refused(said: object) -> None:
    with pytest.raises(RefusedError):
        drawn_box(said, (100, 100))


def test_the_same_photograph_twice_is_refused() -> None:
    dark = room()
    ids = [dark.receive("ann", "task", which, photograph(), b"").id for which in ("current", "target")]

    with pytest.raises(RefusedError) as refused:
        dark.answer("ann", "task", ids)
    assert refused.value.code == "photo_twice"


def test_nobody_reaches_anothers_photograph_and_none_is_held_for_long() -> None:
    clock = Clock()
    dark = room(now=clock)
    photo = dark.receive("ann", "task", "current", photograph(), b"")
    with pytest.raises(RefusedError):
        dark.find("ben", photo.id)
    assert dark.find("ann", photo.id) == photo

    clock.pass_by(HELD_SECONDS)

    with pytest.raises(RefusedError):
        dark.find("ann", photo.id)
    assert dark.of("ann", "task") == {}


def test_only_so_many_are_held() -> None:
    dark = room()
    for number in range(MOST_HELD + 1):
        dark.receive(f"{number}", "task", "current", photograph(), b"")

    assert dark.of("0", "task") == {}
    assert dark.of("1", "task")

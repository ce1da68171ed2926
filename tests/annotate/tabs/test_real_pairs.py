"""The desk "Real pair" pressed as a page would, and as nobody should: nothing is stored that was not approved."""

from __future__ import annotations

import asyncio
import base64
import io
import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from PIL import Image

from annotate.campaigns.campaign import PICTURES, picture_name
from annotate.kinds.real_pair import RealPair
from annotate.photos import MAX_WAITING_PHOTOS
from annotate.ports import BodySeen, Examine, Examined, FaceBox, Photographs, Ports
from annotate.tabs import real_pairs
from annotate.tabs.controller import AnnotationController
from annotate.tabs.real_pairs import PHOTOGRAPH_TERMS
from annotate.tasks.admission import Rate, RateLimits
from annotate.tasks.scheduler import CLAIM_SECONDS
from demo.tabs.annotate import examiner, page_services
from fmp_models.data.statistics import broken_rules
from tests.annotate.asking import UNLIMITED, MakeRig, ServiceRig, campaign_json, collect, item
from tests.annotate.tabs.test_controller import IDENTITY, Guest
from tests.loops import run_aside
from tests.thoroughness import some, thorough

if TYPE_CHECKING:
    from fmp_models.estimators.mediapipe import MediaPipeEstimator

JOINTS = tuple((0.01 * n, -0.02 * n, 0.0) for n in range(22))
SEEN = Examined(
    people=1,
    size=400.0,
    faces=(FaceBox(40, 20, 30, 30),),
    pose_distance=0.1,
    mirrored=0.3,
    other=0.3,
    joints=JOINTS,
    estimator="by hand",
)


class PairVisitor(Guest):
    """A guest at this desk, whose photographs lie in a folder."""

    def __init__(self, folder: Path, examine: Examine, like: str = "") -> None:
        self.folder = folder
        items = [item(1, current=like, target=like)] if like else [item(1), item(2)]
        self.rig: ServiceRig = collect(folder, campaign_json(items, kinds=["real_pair"], voices={"real_pair": 9}))
        take = Photographs(examine, lambda path: (folder / path).read_bytes())
        self.rig.service.ports = Ports(broken_rules, take)
        super().__init__(AnnotationController(self.rig.service, IDENTITY, page_services(), cast("Any", None)))

    def another(self) -> Guest:
        """Somebody else at the same desk."""
        return Guest(self.controller)

    def choose(self, **more: object) -> dict[str, Any]:
        offers = self.press("sit", kind="real_pair")["html"].split('data-offer="')[1:]
        return self.press("choose", kind="real_pair", **{"offer": offers[0].partition('"')[0], "agreed": True, **more})

    def send(self, which: str, image: Image.Image, token: str) -> dict[str, Any]:
        image.save(self.folder / "sent.png")
        return self.press("photograph", kind="real_pair", token=token, which=which, upload="sent.png")

    def send_both(self, token: str) -> list[str]:
        """Give two photographs, and what each of them is called when it comes back."""
        return [
            photo_id(self.send(which, Image.new("RGB", (120, 160), colour), token))
            for which, colour in (("current", "red"), ("target", "blue"))
        ]

    def submit(self, token: str, approved: list[str]) -> None:
        reply = self.press("give", kind="real_pair", token=token, fields={"text": "Sit.", "approved": approved})
        assert reply["kept"]

    def kept(self) -> list[RealPair]:
        return [event.payload for event in self.rig.store.live() if isinstance(event.payload, RealPair)]


def photo_id(reply: dict[str, Any]) -> str:
    assert reply["outcome"] == "part", reply
    return str(reply["html"].partition('data-photo="')[2].partition('"')[0])


def code(reply: dict[str, Any]) -> str:
    assert reply["outcome"] == "refused", reply
    return str(reply["code"])


@pytest.fixture
def visitor(tmp_path: Path) -> PairVisitor:
    return PairVisitor(tmp_path, lambda *_: SEEN)


def test_nothing_is_kept_before_both_photographs_are_approved_as_they_are(visitor: PairVisitor) -> None:
    token = visitor.choose()["token"]
    first, target = visitor.send_both(token)
    painted = photo_id(visitor.press("paint", kind="real_pair", photo=first, strength=5))

    for approved in ([], [painted], [target], [first, target], [painted, "0" * 32]):
        fields = {"text": "Stand up.", "approved": approved}
        assert code(visitor.press("give", kind="real_pair", token=token, fields=fields)) == "faces_unapproved"
    assert visitor.kept() == []

    fields = {"text": "Stand up.", "approved": [painted, target]}
    assert visitor.press("give", kind="real_pair", token=token, fields=fields)["kept"]
    (pair,) = visitor.kept()
    assert pair.text == "Stand up."
    assert pair.checks["current"]["strength"] == 5
    assert pair.checks["target"]["joints_m"] == [list(joint) for joint in JOINTS]
    assert ("ADD", "Stand") in pair.edits


def test_what_is_kept_is_never_what_a_page_calls_a_photograph(visitor: PairVisitor) -> None:
    token = visitor.choose()["token"]
    approved = visitor.send_both(token)
    forged = {"text": "Sit.", "approved": approved, "current": "FFD8FF", "target": "FFD8FF", "checks": "{}"}

    assert visitor.press("give", kind="real_pair", token=token, fields=forged)["kept"]

    (pair,) = visitor.kept()
    for picture in (pair.current, pair.target):
        with Image.open(io.BytesIO(picture)) as opened:
            assert opened.size == (120, 160)
    assert pair.checks["target"]["estimator"] == "by hand"


def test_a_photograph_without_a_face_found_is_kept_only_with_a_box_drawn(tmp_path: Path) -> None:
    visitor = PairVisitor(tmp_path, lambda *_: replace(SEEN, faces=(), pose_distance=None, mirrored=None, other=None))
    token = visitor.choose()["token"]
    ids = visitor.send_both(token)
    fields = {"text": "Sit.", "approved": ids}
    assert code(visitor.press("give", kind="real_pair", token=token, fields=fields)) == "faces_unapproved"

    boxed = [photo_id(visitor.press("paint", kind="real_pair", photo=one, box=[0.1, 0.1, 0.3, 0.3])) for one in ids]

    visitor.submit(token, boxed)


def test_terms_of_photographs_come_before_any(visitor: PairVisitor) -> None:
    assert code(visitor.choose(agreed=False)) == "consent_missing"
    assert code(visitor.choose(agreed="yes")) == "consent_missing"
    assert code(visitor.send("current", Image.new("RGB", (120, 160)), "0" * 32)) == "consent_missing"
    assert [event.kind for event in visitor.rig.store.live()] == []

    assert visitor.choose()["token"]

    (agreed,) = visitor.rig.store.live(kind="consent")
    assert getattr(agreed.payload, "wording", None) == PHOTOGRAPH_TERMS


def test_nobody_reaches_anothers_photograph_or_task(visitor: PairVisitor) -> None:
    token = visitor.choose()["token"]
    first, target = visitor.send_both(token)
    other = visitor.another()
    other.press("sit", kind="real_pair")

    assert code(other.press("paint", kind="real_pair", photo=first, strength=1)) == "photo_gone"
    fields = {"text": "Sit.", "approved": [first, target]}
    assert code(other.press("give", kind="real_pair", token=token, fields=fields)) == "photo_gone"
    assert code(other.press("edits", kind="real_pair", token=token, text="Sit.")) == "task_unknown"
    assert visitor.kept() == []


def test_photographs_are_taken_however_long_ago_their_pair_was_chosen(visitor: PairVisitor) -> None:
    token = visitor.choose()["token"]
    visitor.rig.clock.pass_by(CLAIM_SECONDS + 1)
    first = photo_id(visitor.send("current", Image.new("RGB", (120, 160), "red"), token))
    visitor.rig.clock.pass_by(CLAIM_SECONDS + 1)
    target = photo_id(visitor.send("target", Image.new("RGB", (120, 160), "blue"), token))

    assert visitor.press("sit", kind="real_pair")["token"] == token
    visitor.submit(token, [first, target])


def test_two_pairs_in_two_tabs_are_both_re_enacted(visitor: PairVisitor) -> None:
    offers = visitor.press("sit", kind="real_pair")["html"].split('data-offer="')[1:]
    chosen = [
        visitor.press("choose", kind="real_pair", offer=offer.partition('"')[0], agreed=True)["token"]
        for offer in offers
    ]
    assert len(chosen) == 2

    approved = [visitor.send_both(token) for token in chosen]

    for token, both in zip(chosen, approved, strict=True):
        visitor.submit(token, both)


@pytest.mark.parametrize("held", ["begun", "taken back"])
def test_terms_that_changed_are_shown_over_a_begun_pair_and_agreed_to_with_a_photograph(
    visitor: PairVisitor, held: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = visitor.choose()["token"]
    if held == "taken back":
        visitor.submit(token, visitor.send_both(token))
    monkeypatch.setattr(real_pairs, "PHOTOGRAPH_TERMS", "photographs-new")

    reply = visitor.press("sit" if held == "begun" else "undo", kind="real_pair", event=token)
    assert "fmp-agree-photographs" in reply["html"]
    photo = {"kind": "real_pair", "token": reply["token"], "which": "current", "upload": "sent.png"}
    Image.new("RGB", (120, 160), "red").save(visitor.folder / "sent.png")
    assert code(visitor.press("photograph", **photo)) == "consent_missing"
    photo_id(visitor.press("photograph", **photo, agreed=True, page_language="hi"))

    assert "fmp-agree-photographs" not in visitor.press("sit", kind="real_pair")["html"]
    agreed = {getattr(one.payload, "wording", ""): one.language for one in visitor.rig.store.live(kind="consent")}
    assert agreed == {PHOTOGRAPH_TERMS: "", "photographs-new": "hi"}


def test_changes_of_the_description_are_told_by_a_process_that_never_showed_it(visitor: PairVisitor) -> None:
    token = visitor.choose()["token"]
    other = Guest(AnnotationController(visitor.rig.service, IDENTITY, page_services(), cast("Any", None)))
    other.guest = visitor.guest

    told_ = other.press("edits", kind="real_pair", token=token, text="Sit down.")

    assert "<ins>Sit " in told_["html"]


def test_a_text_of_any_length_is_measured_before_anything_is_done_to_it(
    visitor: PairVisitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = visitor.choose()["token"]
    cleaned: list[int] = []
    clean = real_pairs.cleaned_text
    monkeypatch.setattr(real_pairs, "cleaned_text", lambda text: clean((cleaned.append(len(text)), text)[1]))

    assert code(visitor.press("edits", kind="real_pair", token=token, text="a " * 5_000_000)) == "text_too_long"
    assert cleaned == []
    assert visitor.press("edits", kind="real_pair", token=token, text="Sit.")["outcome"] == "part"
    assert cleaned == [4]


def test_answers_without_photographs_count_as_requests(visitor: PairVisitor) -> None:
    token = visitor.choose()["token"]
    visitor.rig.service.limits = RateLimits(replace(UNLIMITED, person=Rate(at_once=5, a_minute=0.001)))
    fields = {"text": "Sit.", "approved": []}

    codes = [code(visitor.press("give", kind="real_pair", token=token, fields=fields)) for _ in range(7)]

    assert codes == ["photo_gone"] * 5 + ["too_fast"] * 2


@pytest.mark.parametrize("leaving", ["put_back", "forget"])
def test_a_person_who_leaves_takes_the_photographs_along(visitor: PairVisitor, leaving: str) -> None:
    token = visitor.choose()["token"]
    first, _ = visitor.send_both(token)

    visitor.press(leaving, kind="real_pair", token=token)

    assert code(visitor.press("paint", kind="real_pair", photo=first, strength=1)) == "photo_gone"


def test_the_photographs_as_they_came_are_forgotten_with_the_answer(visitor: PairVisitor) -> None:
    token = visitor.choose()["token"]
    ids = visitor.send_both(token)
    visitor.submit(token, ids)

    assert code(visitor.press("paint", kind="real_pair", photo=ids[0], strength=1)) == "photo_gone"
    visitor.submit(token, ids)  # a thanks that was lost
    assert len(visitor.kept()) == 1


def test_a_pair_sent_again_to_an_app_that_was_started_since_is_thanked_for_and_not_called_gone(
    visitor: PairVisitor,
) -> None:
    token = visitor.choose()["token"]
    fields = {"text": "Sit.", "approved": visitor.send_both(token)}
    assert visitor.press("give", kind="real_pair", token=token, fields=fields)["given"] == 1

    def again(**changed: object) -> dict[str, Any]:
        return visitor.press("give", kind="real_pair", token=token, fields={**fields, **changed})

    visitor.controller = AnnotationController(
        visitor.rig.service, IDENTITY, page_services(), cast("Any", None)
    )  # which holds no photograph
    reply = again()
    assert (reply["kept"], reply["given"]) == (True, 1)
    assert len(visitor.kept()) == 1
    assert code(again(text="Stand up.")) == "answer_twice"
    stranger = visitor.another()
    stranger.sit("real_pair")
    assert code(stranger.press("give", kind="real_pair", token=token, fields=fields)) == "photo_gone"
    visitor.press("undo", kind="real_pair", event=token)
    assert code(again()) == "answer_changed_elsewhere"


@pytest.mark.parametrize(
    ("press", "refused"),
    [
        ({"action": "photograph", "which": "both"}, "answer_malformed"),
        ({"action": "photograph", "which": "current", "upload": ["x"]}, "answer_malformed"),
        ({"action": "photograph", "which": "current", "upload": "x" * 2000}, "answer_malformed"),
        ({"action": "photograph", "which": "current", "token": "0" * 32}, "task_unknown"),
        ({"action": "paint", "strength": 9}, "answer_malformed"),
        ({"action": "paint", "box": [0, 0, "1", 1]}, "answer_malformed"),
        ({"action": "paint", "photo": "0" * 32}, "photo_gone"),
        ({"action": "edits", "text": "word " * 20_000}, "text_too_long"),
    ],
)
def test_what_no_page_sends_is_refused(visitor: PairVisitor, press: dict[str, Any], refused: str) -> None:
    token = visitor.choose()["token"]
    first, _ = visitor.send_both(token)

    event_data = {"kind": "real_pair", "token": token, "photo": first, "upload": "sent.png", **press}
    assert code(visitor.press(**event_data)) == refused


@pytest.mark.real
@pytest.mark.parametrize(
    ("make", "refused"),
    some(
        [
            (lambda person: Image.new("RGB", person.size, "white"), "photo_nobody"),
            (
                lambda person: beside(person, person.resize((person.width * 3 // 4, person.height * 3 // 4))),
                "photo_several_people",
            ),
            (lambda person: on_white(person, person.height * 110 // 560), "photo_person_small"),
            (lambda person: person, "photo_pose_far"),
        ],
        2,
    ),
    ids=["nobody", "several people", "too small", "too far"],
)
def test_a_photograph_that_cannot_serve_is_refused_with_its_reason_and_not_held(
    make: Callable[[Image.Image], Image.Image],
    refused: str,
    shared_photograph_bytes: Callable[[str], bytes],
    estimator: MediaPipeEstimator,
    tmp_path: Path,
) -> None:
    """A person who stands, where a lunge with lifted arms is to be re-enacted."""
    lunge = jpeg(opened(shared_photograph_bytes("photos/warrior2.jpg")))
    pictures = tmp_path / "campaign" / PICTURES
    pictures.mkdir(parents=True)
    (pictures / picture_name(lunge)).write_bytes(lunge)
    visitor = PairVisitor(tmp_path, examiner(estimator), picture_name(lunge))
    token = visitor.choose()["token"]

    reply = visitor.send("current", make(opened(shared_photograph_bytes("photos/standing.jpg"))), token)

    assert code(reply) == refused
    assert 'fmp-review"' not in visitor.press("sit", kind="real_pair")["html"]
    assert visitor.kept() == []


def opened(data: bytes) -> Image.Image:
    with Image.open(io.BytesIO(data)) as image:
        return image.convert("RGB")


def jpeg(image: Image.Image) -> bytes:
    image.thumbnail((640, 640))
    made = io.BytesIO()
    image.save(made, "JPEG")
    return made.getvalue()


def beside(one: Image.Image, other: Image.Image) -> Image.Image:
    both = Image.new("RGB", (one.width + other.width, one.height), "white")
    both.paste(one, (0, 0))
    both.paste(other, (one.width, one.height - other.height))
    return both


def on_white(person: Image.Image, height: int) -> Image.Image:
    """Return the same photograph, much smaller, on a white wall."""
    small = person.resize((person.width * height // person.height, height))
    wall = Image.new("RGB", (height * 3, height * 3), "white")
    wall.paste(small, (height, height))
    return wall


def test_a_moment_of_a_camera_is_looked_at_with_leave_and_nothing_of_it_is_kept(tmp_path: Path) -> None:
    visitor, looked = PairVisitor(tmp_path, lambda *_: SEEN), list[bytes]()
    somebody, wall, large = (moment_of(side, colour) for side, colour in ((320, "red"), (320, "white"), (641, "red")))

    def watch(picture: bytes) -> BodySeen | None:
        looked.append(picture)
        return BodySeen(missing=None, points=((0.5, 0.1),)) if picture == somebody else None

    given = visitor.rig.service.ports.photographs
    assert given is not None
    visitor.rig.service.ports = Ports(broken_rules, replace(given, watch=watch))
    moment = base64.b64encode(somebody).decode()
    bomb = base64.b64encode(large).decode()
    for wrong in ("no base64!", base64.b64encode(b"no picture").decode(), bomb, "A" * 150_001, 7):
        assert code(visitor.press("watch", kind="real_pair", moment=wrong, agreed=True)) == "answer_malformed"
    assert code(visitor.another().press("watch", kind="real_pair", moment=moment)) == "consent_missing"
    assert looked == []
    token = visitor.choose()["token"]
    before = list(visitor.rig.store.live())

    reply = visitor.press("watch", kind="real_pair", token=token, moment=moment)
    nobody = visitor.press("watch", kind="real_pair", token=token, moment=base64.b64encode(wall).decode())

    assert (reply["seen"], reply["whole"], reply["points"]) == (True, True, ((0.5, 0.1),))
    assert (nobody["seen"], nobody["whole"], nobody["points"]) == (False, False, ())
    assert list(visitor.rig.store.live()) == before
    assert looked == [somebody, wall]


def test_a_moment_of_the_camera_is_looked_at_for_a_task_of_this_kind_and_one_alone_at_a_time(tmp_path: Path) -> None:
    visitor, looked, meanwhile = PairVisitor(tmp_path, lambda *_: SEEN), list[bytes](), list[str]()
    token, other = visitor.choose()["token"], visitor.another()
    moment = base64.b64encode(moment_of(320, "red")).decode()

    def watch(picture: bytes) -> BodySeen | None:
        looked.append(picture)
        if len(looked) == 1:  # somebody else's moment comes while this one is looked at
            meanwhile.append(code(visitor.press("watch", kind="real_pair", token=token, moment=moment)))
        return None

    given = visitor.rig.service.ports.photographs
    assert given is not None
    visitor.rig.service.ports = Ports(broken_rules, replace(given, watch=watch))
    for held in ("0" * 32, token):
        event_data = {"kind": "real_pair", "token": held, "moment": moment, "agreed": True}
        assert code(other.press("watch", **event_data)) == "task_unknown"
    assert looked == []

    assert visitor.press("watch", kind="real_pair", token=token, moment=moment)["seen"] is False
    assert meanwhile == ["photo_busy"]
    assert visitor.press("watch", kind="real_pair", token=token, moment=moment)["seen"] is False
    assert len(looked) == 2


def test_no_moment_is_looked_at_where_the_campaign_asks_for_no_photographs(make_rig: MakeRig, tmp_path: Path) -> None:
    rig = make_rig([item(1)], kinds=["vote"], voices={"vote": 9})
    take = Photographs(lambda *_: SEEN, lambda path: (tmp_path / path).read_bytes())
    rig.service.ports = Ports(broken_rules, take)
    guest = Guest(AnnotationController(rig.service, IDENTITY, page_services(), cast("Any", None)))
    token = guest.press("sit", kind="vote")["token"]
    moment = base64.b64encode(moment_of(320, "red")).decode()

    reply = guest.press("watch", kind="real_pair", token=token, moment=moment, agreed=True)

    assert code(reply) == "kind_not_asked"


def moment_of(side: int, colour: str) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (side, 40), colour).save(made, "JPEG")
    return made.getvalue()


GUESTS, PRESSES = 12, 14


class Crowd:
    """Guests who press "photograph" at once, while somebody else votes, as the page's server answers them."""

    def __init__(self, folder: Path, examine: Examine) -> None:
        items = [item(number) for number in range(1, GUESTS + 1)]
        voices = {"real_pair": GUESTS, "vote": 9}
        self.rig = collect(folder, campaign_json(items, kinds=["real_pair", "vote"], voices=voices))
        take = Photographs(examine, lambda path: (folder / path).read_bytes())
        self.rig.service.ports = Ports(broken_rules, take)
        self.controller = AnnotationController(self.rig.service, IDENTITY, page_services(), cast("Any", None))
        self.voter, self.told = Guest(self.controller), Counter[str]()
        self.voter.press("sit", kind="vote")
        self.presses = []
        for _ in range(GUESTS):
            guest = Guest(self.controller)
            offer = guest.press("sit", kind="real_pair")["html"].split('data-offer="')[1].partition('"')[0]
            token = guest.press("choose", kind="real_pair", offer=offer, agreed=True)["token"]
            press = {"action": "photograph", "kind": "real_pair", "token": token, "which": "current", "upload": "sent"}
            self.presses.append({**press, "guest": guest.guest, "language": "en"})

    async def press(self, message: dict[str, Any]) -> dict[str, Any]:
        event = cast("Any", SimpleNamespace(_data={"number": 7, **message}))
        return await self.controller.act_aside(event, None, cast("Any", SimpleNamespace()))

    async def photograph(self, message: dict[str, Any]) -> None:
        reply = await self.press(message)
        self.told[reply.get("code", reply["outcome"])] += 1

    async def wait_of_others(self, done: Callable[[], bool]) -> float:
        """All photographs at once; give the longest wait of a press about something else until it is ``done``."""
        giving = [asyncio.create_task(self.photograph(press)) for _ in range(PRESSES) for press in self.presses]
        longest, message = 0.0, {"action": "sit", "kind": "vote", "guest": self.voter.guest, "language": "en"}
        while not done():
            await asyncio.sleep(0.05)
            begun = time.perf_counter()
            assert (await asyncio.wait_for(self.press(message), 10))["outcome"] == "shown"
            longest = max(longest, time.perf_counter() - begun)
        await asyncio.gather(*giving)
        return longest


def test_photographs_of_many_keep_nobody_from_other_presses(tmp_path: Path) -> None:
    go_on = threading.Event()

    def examine(*_: bytes) -> Examined:
        assert go_on.wait(30)
        return SEEN

    crowd, voted = Crowd(tmp_path, examine), 0
    Image.new("RGB", (120, 160), "red").save(tmp_path / "sent", "PNG")

    def done() -> bool:
        nonlocal voted
        voted += 1
        if voted > 5 and sum(crowd.told.values()) >= GUESTS * PRESSES - MAX_WAITING_PHOTOS:
            go_on.set()
        return go_on.is_set()

    assert run_aside(crowd.wait_of_others(done)) < 1

    assert crowd.told["part"] >= MAX_WAITING_PHOTOS
    assert set(crowd.told) == {"part", "photo_busy", "photo_another"}
    assert sum(crowd.told.values()) == GUESTS * PRESSES


@thorough
def test_photographs_of_52_megapixels_by_many_take_a_gigabyte_and_keep_nobody_waiting(tmp_path: Path) -> None:
    Image.new("RGB", (7211, 7211), "red").save(tmp_path / "sent", "WEBP", quality=0, method=0)
    crowd, ended = Crowd(tmp_path, lambda *_: SEEN), threading.Event()

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")

    before, largest = resident(), [0]

    def measure() -> None:
        while not ended.wait(0.02):
            largest[0] = max(largest[0], resident())

    measuring = threading.Thread(target=measure)
    measuring.start()
    try:
        longest = run_aside(crowd.wait_of_others(lambda: sum(crowd.told.values()) == GUESTS * PRESSES))
    finally:
        ended.set()
        measuring.join()

    assert longest < 1
    assert largest[0] - before < 1_300_000_000
    assert crowd.told["part"] >= 1
    assert set(crowd.told) <= {"part", "photo_busy", "photo_another"}

"""A small campaign on the disk, and a collection over it, for tests of asking."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image

from annotate.campaigns.campaign import FILE, PICTURES, Campaign, picture_name
from annotate.identity import Annotator, IdentitySettings, identify
from annotate.kinds.registry import TASK_KINDS
from annotate.ports import Ports
from annotate.storage.store import Store, open_store
from annotate.tasks.admission import Rate, RateLimits, Rates
from annotate.tasks.service import AnnotationService

KEY = bytes(range(32))
MODELS = ("model-ash", "model-birch", "model-cedar")
SENTENCES = ("Raise your left arm a little.", "Bend both knees.", "Lower the right hand to your side.")
LONG = "Lift your left arm until the elbow is level with one shoulder, then bend that knee slowly while keeping \
the other foot flat on this wooden floor and turn your chest towards the window."
HINDI = "अपनी बाईं बांह को थोड़ा ऊपर उठाएं"
_DRAWN = [(number, which) for number in range(40) for which in (0, 1, 10, 11, 12, 13)]
UNLIMITED = Rates(*[Rate(at_once=10**9, a_minute=10**9)] * len(fields(Rates)))


class Clock:
    """Seconds since 1970 that pass only when they are told to."""

    def __init__(self) -> None:
        self.time = 1_000_000_000.0

    def __call__(self) -> float:
        return self.time

    def pass_by(self, seconds: float) -> None:
        self.time += seconds


@cache
def picture(*colour: int) -> bytes:
    """Give a small JPEG of one colour."""
    made = io.BytesIO()
    Image.new("RGB", (8, 8), tuple(colour)).save(made, "JPEG")
    return made.getvalue()


def text(name: str, language: str, words: str, *kinds: str, source: str = "") -> dict[str, Any]:
    """Give a text as a campaign's file has it."""
    return {"id": name, "language": language, "source": source or name, "text": words, "kinds": list(kinds)}


def item(number: int, **changes: object) -> dict[str, Any]:
    """Give an item with a text of each model and one to judge, in English."""
    texts = [text(model, "en", words, "vote") for model, words in zip(MODELS, SENTENCES, strict=True)]
    texts.append(
        text("reference-1", "en", f"Raise your left arm {number} times.", "verify", "translate", "real_pair", "repair")
    )
    about = {"uid": f"{number}_0_0_0_0", "current": colour(number, 0), "target": colour(number, 1), "texts": texts}
    return {**about, **changes}


def item_to_find(number: int) -> dict[str, Any]:
    """Give an item with four candidates, the third of which is its target."""
    candidates = [colour(number, 10 + place) for place in range(4)]
    return item(
        number,
        target=candidates[2],
        candidates=candidates,
        answer=2,
        to_describe=False,
        texts=[text("reference-find", "en", "Take the third.", "find")],
    )


def gold(number: int) -> dict[str, Any]:
    """Give a gold item of votes, whose first text is right."""
    texts = [text(f"text-{place}", "en", words, "vote") for place, words in enumerate(SENTENCES)]
    return item(number, texts=texts, gold={"kind": "vote", "relevant": ["text-0"]})


@cache
def colour(number: int, which: int) -> str:
    """Name the picture of an item; `write` makes it."""
    return picture_name(picture(number % 250, which * 10, 7))


def campaign_json(items: Sequence[dict[str, Any]], **changes: object) -> dict[str, Any]:
    """Give a campaign as its file has it."""
    lacking = {"repair", "compare", "judge", "fool"} | ({"questions"} - {name.removeprefix("own_") for name in changes})
    plain = {
        "version": 1,
        "name": "small",
        "title": {"en": "Small", "hi": "छोटा"},
        "kinds": [kind for kind in TASK_KINDS if kind not in lacking],
        "languages": ["en", "hi"],
        "voices": {"vote": 3, "verify": 3, "write": 2},
        "items": list(items),
    }
    return {**plain, **changes}


def write(folder: Path, campaign: dict[str, Any]) -> Path:
    """Write a campaign with its pictures."""
    (folder / PICTURES).mkdir(parents=True, exist_ok=True)
    file_text = json.dumps(campaign)
    for number, which in _DRAWN:
        if colour(number, which) in file_text:
            (folder / PICTURES / colour(number, which)).write_bytes(picture(number % 250, which * 10, 7))
    (folder / FILE).write_text(file_text, encoding="utf-8")
    return folder


@dataclass
class ServiceRig:
    """A collection and what stands behind it."""

    service: AnnotationService
    store: Store
    clock: Clock

    def person(self, name: str, *, is_owner: bool = False) -> Annotator:
        """Return a person with a login."""
        settings = IdentitySettings(KEY, admins=frozenset({name} if is_owner else ()))
        return identify(name, None, settings)


MakeRig = Callable[..., ServiceRig]  # the fixture `make_rig`


@cache
def _empty_store() -> bytes:
    """Return the file of an empty store, made once: making its tables takes longer than most tests."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "store.sqlite"
        open_store(path).close()
        return path.read_bytes()


def collect(folder: Path, campaign: dict[str, Any], where: str | Path | None = None, **changes: object) -> ServiceRig:
    """Open an annotation service over a new campaign and store; other people's texts are known at once."""
    clock = Clock()
    if where is None:
        where = folder / "store.sqlite"
        if not where.exists():
            folder.mkdir(parents=True, exist_ok=True)
            where.write_bytes(_empty_store())
    store = open_store(where, now=clock)
    service = AnnotationService(
        campaign=Campaign.open(write(folder / "campaign", campaign)),
        store=store,
        key=KEY,
        ports=Ports(broken_rules=lambda text, **_: ("symbols",) if "@" in text else ()),
        **{
            "now": clock,
            "limits": RateLimits(UNLIMITED),
            **changes,
        },
    )
    service.scheduler.stale_seconds = 0
    return ServiceRig(service, store, clock)

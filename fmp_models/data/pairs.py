"""Pairs: their names and those of their pictures, and the splits of the paper's Appendix E.1.

The release writes names as ``13_19_4_13_1`` and ``current_13_19_4_13_1``. Captioning is split by room, retrieval by
animation.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Literal

from fmp_models.common import LANGUAGES
from fmp_models.errors import BadInputError

Moment = Literal["current", "target"]
MOMENTS: tuple[Moment, Moment] = ("current", "target")

TEXT_COLUMNS = tuple(f"descriptions_{code}" for code in LANGUAGES)

WIDE_FROM = 5000  # capture number of the first wide pair of a unit, above that of any other pair

_NUMBER = "(0|[1-9][0-9]{0,3})"
_UID = re.compile("_".join([_NUMBER] * 5))


@dataclass(frozen=True, order=True)
class Uid:
    """The identifier of a pair: animation, room, character, capture point and spot, all counted from 0."""

    animation: int
    room: int
    character: int
    capture: int
    spot: int

    def __str__(self) -> str:
        """Return the uid as the release writes it."""
        return f"{self.animation}_{self.room}_{self.character}_{self.capture}_{self.spot}"


@dataclass(frozen=True, order=True)
class PictureName:
    """One of the two pictures of a pair; its text is the file name without the ending."""

    uid: Uid
    moment: Moment

    def __str__(self) -> str:
        """Return the file name of the release without ``.png``."""
        return f"{self.moment}_{self.uid}"


def parse_uid(text: str) -> Uid:
    """Parse ``animation_room_character_capture_spot``; raise ``BadInputError("uid_malformed")`` for anything else."""
    match = _UID.fullmatch(text)
    if match is None:
        raise BadInputError("uid_malformed", text=text[:80])
    return Uid(*(int(number) for number in match.groups()))


def picture_of(name: str) -> PictureName | None:
    """Return the result of :func:`parse_picture`, or ``None`` if the name is not that of a pair's picture."""
    try:
        return parse_picture(name)
    except BadInputError:
        return None


def parse_picture(path: str) -> PictureName:
    """Parse the picture name in a released path, ignoring folder and ending; raise ``BadInputError`` if it has none."""
    stem = PurePosixPath(path.replace("\\", "/")).stem
    moment, _, uid = stem.partition("_")
    for known in MOMENTS:
        if moment == known:
            return PictureName(parse_uid(uid), known)
    raise BadInputError("uid_malformed", text=stem[:80])


# The uid counts rooms from 0, the paper from 1; both count animations from 0.
VAL_UNSEEN_ROOMS = frozenset({19, 20})
TEST_UNSEEN_ROOMS = frozenset({21, 22})
TRAIN_ROOMS = frozenset(range(25)) - VAL_UNSEEN_ROOMS - TEST_UNSEEN_ROOMS

VAL_UNSEEN_ANIMATIONS = frozenset({6, 16})
TEST_UNSEEN_ANIMATIONS = frozenset({7})

CAPTIONING_SIZES: Mapping[str, int] = MappingProxyType(
    {"train": 5973, "val_seen": 562, "val_unseen": 563, "test_unseen": 593}
)
RETRIEVAL_SIZES: Mapping[str, int] = MappingProxyType({"train": 4227, "val_unseen": 1184, "test_unseen": 1369})
PAPER_PAIRS = sum(CAPTIONING_SIZES.values())
MAX_PAIRS = 300_000  # of a simulated dataset: the capture number of a uid has four digits


def captioning_split(uid: Uid) -> str:
    """Return ``train``, ``val_unseen`` or ``test_unseen`` by room; ``val_seen`` is drawn from ``train`` rooms."""
    if uid.room in VAL_UNSEEN_ROOMS:
        return "val_unseen"
    return "test_unseen" if uid.room in TEST_UNSEEN_ROOMS else "train"


def retrieval_split(uid: Uid) -> str:
    """Return ``train``, ``val_unseen`` or ``test_unseen`` by animation."""
    if uid.animation in VAL_UNSEEN_ANIMATIONS:
        return "val_unseen"
    return "test_unseen" if uid.animation in TEST_UNSEEN_ANIMATIONS else "train"


def scaled_sizes(pairs: int, sizes: Mapping[str, int] = CAPTIONING_SIZES) -> dict[str, int]:
    """Return ``sizes`` scaled in proportion from the paper's 7,691 captioning pairs to ``pairs``.

    The captioning sizes add up to ``pairs``. Every split gets at least one row if there are enough.
    """
    total = round(sum(sizes.values()) * pairs / PAPER_PAIRS)
    shares = {split: size * total / sum(sizes.values()) for split, size in sizes.items()}
    least = 1 if total >= len(sizes) else 0
    scaled = {split: max(least, int(share)) for split, share in shares.items()}
    by_remainder = sorted(sizes, key=lambda split: scaled[split] - shares[split])
    while sum(scaled.values()) < total:
        scaled[by_remainder.pop(0)] += 1
    scaled["train"] -= sum(scaled.values()) - total
    return scaled


def draw_captioning(
    uids: Iterable[Uid], seed: int, sizes: Mapping[str, int] = CAPTIONING_SIZES
) -> dict[str, list[Uid]]:
    """Draw up to ``sizes`` pairs for each split, balanced by character; the order of ``uids`` does not matter.

    If there are too few pairs, ``val_seen`` is filled before ``train``.
    """
    pools = _pools(((captioning_split(uid), uid) for uid in uids), seed)
    pools["val_seen"] = pools["train"][: sizes["val_seen"]]
    pools["train"] = pools["train"][sizes["val_seen"] :]
    return {split: sorted(pools[split][:size]) for split, size in sizes.items()}


def draw_retrieval(uids: Iterable[Uid], seed: int, sizes: Mapping[str, int] = RETRIEVAL_SIZES) -> dict[str, list[Uid]]:
    """Draw up to ``sizes`` pairs for each split, balanced by character, from the pairs that have candidates."""
    pools = _pools(((retrieval_split(uid), uid) for uid in uids), seed)
    return {split: sorted(pools[split][:size]) for split, size in sizes.items()}


def _pools(placed: Iterable[tuple[str, Uid]], seed: int) -> defaultdict[str, list[Uid]]:
    """Return the shuffled pairs of each split, interleaved by character so that every prefix is balanced."""
    lots: defaultdict[str, defaultdict[int, list[Uid]]] = defaultdict(lambda: defaultdict(list))
    for split, uid in placed:
        lots[split][uid.character].append(uid)
    pools: defaultdict[str, list[Uid]] = defaultdict(list)
    for split, characters in lots.items():
        for character, drawn in characters.items():
            drawn.sort()
            random.Random(f"{seed} {split} {character}").shuffle(drawn)
        rounds = zip_longest(*(characters[character] for character in sorted(characters)))
        pools[split] = [uid for one_each in rounds for uid in one_each if uid is not None]
    return pools

"""Answers joined into pairs: accepted texts with their translations, pictures and joints, as the rows of a dataset."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.campaigns import REAL_SPLIT, Campaign, TextStatus, text_statuses
from annotate.kinds import SOURCE_LANGUAGE, VERIFY, RealPair, Translation
from annotate.records import Event, counted

_REAL_FROM = 9000  # capture number of the second re-enactment of a pair
_UID = re.compile(r"(\d{1,4})_(\d{1,4})_(\d{1,4})_(\d{1,4})_(\d{1,4})")
_POSES = ("current", "target")
_JOINTS = ("current_joints", "target_joints")
_NUMBERS = ("animation", "room", "character")

Row = dict[str, Any]


@dataclass(frozen=True)
class Collected:
    """Rows by split, and the number of texts that were left out, by reason."""

    rows: Mapping[str, Sequence[Row]]
    left_out: Mapping[str, int]


def collect_descriptions(events: Iterable[Event], campaign: Campaign) -> Collected:
    """Return the pairs with an accepted text; texts of another status are left out, and their translations with them.

    The texts of a row are in the order of their English originals, followed by those without an original. A campaign
    that asks nobody to verify accepts every text that is not set aside.
    """
    living = counted(events, campaign.name)
    good = {"accepted"} if VERIFY.key in campaign.kinds else {"accepted", "waiting"}
    accepted: dict[str, list[TextStatus]] = {}
    left_out: Counter[str] = Counter()
    for entry in text_statuses(living, campaign):
        if entry.status in good:
            accepted.setdefault(entry.item, []).append(entry)
        elif entry.author or entry.scores:
            left_out[f"text {entry.status.replace('_', ' ')}"] += 1
    translations: dict[tuple[str, str], dict[str, str]] = {}
    for event in living:
        if isinstance(event.payload, Translation):
            translations.setdefault((event.item, event.payload.of), {})[event.language] = event.payload.text
    rows: dict[str, list[Row]] = {}
    for item in campaign.items:
        if item.gold is None and item.uid in accepted:
            texts = {language: list[str]() for language in campaign.languages}
            originals = sorted(accepted[item.uid], key=lambda entry: entry.text.language != SOURCE_LANGUAGE)
            for entry in originals:
                translated = translations.pop((item.uid, entry.text.id), {})
                for language, text in {**translated, entry.text.language: entry.text.text}.items():
                    texts.setdefault(language, []).append(text)
            row = _row(item.uid, texts, (campaign.picture(name) for name in (item.current, item.target)))
            joints = dict(zip(_JOINTS, item.joints or (None, None), strict=True))
            rows.setdefault(item.split or "train", []).append({**row, **joints})
    left_out["translation of a text left out"] = sum(len(texts) for texts in translations.values())
    return Collected(rows, +left_out)


def collect_photographs(events: Iterable[Event], campaign: Campaign) -> Collected:
    """Return people's re-enacted pairs with the texts that they rewrote.

    A pair has the uid of the one that it re-enacts; further people's have captures from ``_REAL_FROM`` on.
    """
    rows: list[Row] = []
    of_pair: Counter[str] = Counter()
    for event in counted(events, campaign.name):
        real = event.payload
        if isinstance(real, RealPair):
            row = _row(
                _name_of(real.pair, of_pair[real.pair]),
                {event.language: real.descriptions},
                (real.current, real.target),
            )
            joints = [real.checks.get(which, {}).get("joints_m") for which in _POSES]
            rows.append({**row, **dict(zip(_JOINTS, joints, strict=True))})
            of_pair[real.pair] += 1
    return Collected({REAL_SPLIT: rows} if rows else {}, {})


def _name_of(uid: str, earlier: int) -> str:
    """Return the uid of a re-enactment, given the number of ``earlier`` ones of the same pair."""
    match = _UID.fullmatch(uid)
    return f"{match[1]}_{match[2]}_{match[3]}_{_REAL_FROM + earlier}_{match[5]}" if earlier and match else uid


def _row(uid: str, texts: Mapping[str, Sequence[str]], pictures: Iterable[bytes]) -> Row:
    return {
        "uid": uid,
        **{name: {"bytes": data, "path": f"{name}_{uid}.jpg"} for name, data in zip(_POSES, pictures, strict=True)},
        **{f"descriptions_{language}": list(of_language) for language, of_language in texts.items()},
        **_numbers(uid),
    }


def _numbers(uid: str) -> Row:
    """Return the numbers in the name of a simulated pair; None for any other name."""
    match = _UID.fullmatch(uid)
    return {name: int(match[place]) if match else None for place, name in enumerate(_NUMBERS, 1)}

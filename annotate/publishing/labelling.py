"""Export of people's photographs as a folder to label by eye, in the form of ``docs/real_pairs.md``.

No slot is labelled here. The texts and votes of people are listed with each pair to help with labelling.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from annotate.errors import RefusedError
from annotate.kinds.real_pair import RealPair
from annotate.kinds.verify import Rating
from annotate.kinds.vote import Vote
from annotate.kinds.write import Description
from annotate.records.events import Event

LABELLING = "real-pairs"  # a format of the export command
_PICTURES = "images"
_TRUTH = "truth.json"


def export_pairs(living: Iterable[Event], out: Path) -> int:
    """Write the photographs of ``living`` events and their ``truth.json``, and return the number of pairs.

    The folder must be new or empty; it stays empty if there is no pair. Raise :class:`RefusedError`:
    ``folder_not_empty``, ``folder_unusable``.
    """
    by_item: dict[tuple[str, str], list[Event]] = {}
    for event in living:
        by_item.setdefault((event.campaign, event.item), []).append(event)
    try:
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise RefusedError("folder_not_empty", path=str(out))
        pairs = [
            _pair(out, event, event.payload, events)
            for events in by_item.values()
            for event in events
            if isinstance(event.payload, RealPair)
        ]
        if pairs:
            (out / _TRUTH).write_text(f"{json.dumps(pairs, ensure_ascii=False, indent=1)}\n", encoding="utf-8")
    except OSError:
        raise RefusedError("folder_unusable", path=str(out)) from None
    return len(pairs)


def _pair(out: Path, event: Event, pair: RealPair, events: Sequence[Event]) -> dict[str, Any]:
    """Return a pair without labels and without annotators."""
    (out / _PICTURES).mkdir(exist_ok=True)
    names = {which: f"{_PICTURES}/{event.id}_{which}.jpg" for which in ("current", "target")}
    for which, name in names.items():
        (out / name).write_bytes(getattr(pair, which))
    return {
        "id": event.id,
        **names,
        "truth": {},
        "must": [],
        "texts": [{"language": event.language, "text": pair.text, "of": "photographs"}, *_descriptions(events)],
        "votes": [
            {
                "language": vote_event.language,
                "relevant": vote_event.payload.relevant,
                "fluent": vote_event.payload.fluent,
            }
            for vote_event in events
            if isinstance(vote_event.payload, Vote)
        ],
        "note": "Not labelled yet.",
    }


def _descriptions(events: Sequence[Event]) -> list[dict[str, Any]]:
    """Return the descriptions of the re-enacted pair, with the scores that other people gave them."""
    scores: dict[tuple[str, str], list[int]] = {}
    for event in events:
        if isinstance(event.payload, Rating):
            scores.setdefault((event.language, event.payload.text), []).append(event.payload.score)
    return [
        {
            "language": event.language,
            "text": event.payload.text,
            "of": "re-enacted pair",
            "scores": scores.get((event.language, event.id), []),
        }
        for event in events
        if isinstance(event.payload, Description)
    ]

"""Who may write the correction: what a visitor reads of each model before choosing one."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from demo.interface_texts import Text, joined, languages, text
from fmp_models.bounded import read_bounded
from fmp_models.errors import BadInputError
from fmp_models.hub.references import CHECKPOINTS, bundled_names
from fmp_models.speakers import GEOMETRY

_RESULTS = "evaluation.json"
_SPLIT, _SHARE = "test_unseen", "clause_agreement"
_MOST_BYTES = 1_000_000  # of a file with results


@dataclass(frozen=True)
class Speaker:
    """One model: its ``id``, its ``name``, what it does, and for the one that is chosen at first why it is."""

    id: str
    name: Text
    about: Text
    reason: Text | None


def speakers(models: Iterable[str], bundled: Path = CHECKPOINTS) -> tuple[Speaker, ...]:
    """All of ``models``, the default first; none where there is nothing to choose."""
    given = tuple(models)
    return tuple(_speaker(model, given, bundled) for model in given) if len(given) > 1 else ()


def _speaker(model: str, models: tuple[str, ...], bundled: Path) -> Speaker:
    kind = "geometry" if model == GEOMETRY.id else "trained"
    reason = _reason(kind, models, bundled) if model == models[0] else None
    return Speaker(model, text(f"models.{kind}", name=model), text(f"models.{kind}_about"), reason)


def _reason(kind: str, models: tuple[str, ...], bundled: Path) -> Text:
    """Why ``kind`` is chosen at first, with what was measured of the first trained model, where it was."""
    trained = next((model for model in models if model != GEOMETRY.id), None)
    shares = [] if trained is None else _shares(trained, bundled)
    if not shares:
        return text(f"models.{kind}_first")
    return text(f"models.{kind}_first_measured", shares=joined(shares))


def _shares(model: str, bundled: Path) -> list[Text]:
    """How many steps in a hundred agree with the joints, in each language; empty where nobody measured it."""
    if model not in bundled_names(bundled):
        return []
    try:
        measured = json.loads(read_bounded(bundled / model / _RESULTS, _MOST_BYTES))["splits"][_SPLIT]
        return [
            text(f"models.share_{code}", percent=round(100 * float(measured[code][_SHARE])))
            for code in languages()
            if code in measured
        ]
    except (BadInputError, OSError, ValueError, KeyError, TypeError):
        return []

"""Model choices: descriptions of the correction models that a visitor can select."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from demo.i18n import Text, joined, languages, text
from fmp_models.errors import BadInputError
from fmp_models.evaluation.paper_tables.kept_tables import read_results
from fmp_models.evaluation.real.results import KEPT, RealResults
from fmp_models.hub.references import CHECKPOINTS, bundled_names
from fmp_models.inference.model_names import GEOMETRY


@dataclass(frozen=True)
class SpeakerChoice:
    """One model: its ``id``, ``name`` and description; ``reason`` says why the default model is the default."""

    id: str
    name: Text
    about: Text
    reason: Text | None


def speakers(models: Iterable[str], bundled: Path = CHECKPOINTS) -> tuple[SpeakerChoice, ...]:
    """Return the choices of ``models``, the default first; empty if there is only one model."""
    ids = tuple(models)
    return tuple(_speaker(model, ids, bundled) for model in ids) if len(ids) > 1 else ()


def _speaker(model: str, models: tuple[str, ...], bundled: Path) -> SpeakerChoice:
    kind = "geometry" if model == GEOMETRY.id else "trained"
    reason = _reason(kind, models, bundled) if model == models[0] else None
    has_several = kind == "trained" and sum(model_name != GEOMETRY.id for model_name in models) > 1
    name = text("models.trained_named", name=model) if has_several else text(f"models.{kind}")
    return SpeakerChoice(model, name, text(f"models.{kind}_about"), reason)


def _reason(kind: str, models: tuple[str, ...], bundled: Path) -> Text:
    """Return the reason for the default ``kind``, with the results of both kinds on real photographs if known."""
    trained = next((model for model in models if model != GEOMETRY.id), None)
    results = None if trained is None else _kept_results(trained, bundled)
    if trained is None or results is None:
        return text(f"models.{kind}_first")
    first_shares, other_shares = (
        _shares(results, model) for model in (models[0], trained if kind == "geometry" else GEOMETRY.id)
    )
    if not first_shares or not other_shares:
        return text(f"models.{kind}_first")
    pairs = max(result.pairs for result in results.results)
    return text(f"models.{kind}_first_measured", pairs=pairs, own=joined(first_shares), others=joined(other_shares))


def _kept_results(model: str, bundled: Path) -> RealResults | None:
    """Return the stored results of a bundled model; None if there are none."""
    if model not in bundled_names(bundled):
        return None
    try:
        return read_results(RealResults, bundled / model / KEPT)
    except BadInputError:
        return None


def _shares(results: RealResults, model: str) -> list[Text]:
    """Return the share of correct steps among the judged ones, by language; of several pose models the first counts."""
    by_language = {
        result.language: result for result in reversed(results.results) if result.model == model and result.judged
    }
    return [
        text(
            f"models.share_{code}",
            right=round(by_language[code].right * by_language[code].judged),
            judged=by_language[code].judged,
        )
        for code in languages()
        if code in by_language
    ]

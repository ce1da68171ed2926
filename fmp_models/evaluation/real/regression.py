"""Regression check on real pairs: whether results are worse than earlier ones, beyond the earlier intervals."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from fmp_models.errors import BadInputError
from fmp_models.evaluation.real.results import Key, RealResult, RealResults

_MORE_IS_BETTER = {"right": True, "must": True, "opposite": False}


def demand_comparable(earlier: RealResults, fingerprint: str, correction_models: Collection[Key], path: Path) -> None:
    """Raise ``against_other`` if the earlier results are of other pairs, or of none of these models.

    Results that do not tell their pairs are accepted.
    """
    same_pairs = earlier.data is None or earlier.data.fingerprint == fingerprint
    if not same_pairs or not any(result.key in correction_models for result in earlier.results):
        raise BadInputError("against_other", path=str(path))


def regressions(earlier: RealResults, now: RealResults) -> list[str]:
    """Return a sentence for each value that got worse, for models in both results.

    Without an interval, any change for the worse counts.
    """
    before = {result.key: result for result in earlier.results}
    return [line for result in now.results if result.key in before for line in _worse(before[result.key], result)]


def _worse(before: RealResult, now: RealResult) -> Iterator[str]:
    for name, more_is_better in _MORE_IS_BETTER.items():
        value, earlier = float(getattr(now, name)), float(getattr(before, name))
        low, high = before.intervals.get(name) or (earlier, earlier)
        if value < low if more_is_better else value > high:
            model, pose, language = now.key
            verb, bound = ("fell", f"below {low:.3f}") if more_is_better else ("rose", f"above {high:.3f}")
            yield f"{name} of {model} with {pose} in {language} {verb} from {earlier:.3f} to {value:.3f}, {bound}"

"""JSON of the advice on a frame: points in thousandths of the frame, texts in every language."""

from __future__ import annotations

from typing import Any

import numpy as np

from demo.i18n import languages, text
from demo.views.highlighted_joints import highlighted_joints
from fmp_models.coach.coaching import Advice, SpokenCue
from fmp_models.describe.trainer_steps import TrainerStep, step_text, unseen_step
from fmp_models.geometry.lexicon import Part
from fmp_models.pose import Array


def advice_json(advice: Advice) -> dict[str, Any]:
    """Return advice as plain lists and dictionaries, ready for ``json.dumps``."""
    # If the whole body is off, only the hips are highlighted rather than every joint.
    off = ((one.side, Part.HIPS if one.part is Part.BODY else one.part) for one in advice.off)
    drawn = advice.drawn
    return {
        "phase": advice.phase.value,
        "goal": advice.goal,
        "instruction": None if advice.step is None else _texts(advice.step),
        "unseen": _unseen(advice),
        "said": advice.said,
        "sayings": [_words(saying, advice) for saying in advice.sayings],
        "held": round(advice.held, 3),
        "seconds": advice.seconds,
        "distances": advice.distances,
        "best": advice.best,
        "nearness": advice.nearness,
        "joints": None if drawn is None else _places(drawn.places),
        "ghost": None if drawn is None else _places(drawn.ghost),
        "hidden": [] if drawn is None else np.flatnonzero(drawn.hidden).tolist(),
        "off": list(highlighted_joints(off).joints),
    }


def _unseen(advice: Advice) -> dict[str, str] | None:
    """Return the texts about what the camera does not show; None if it shows everything."""
    if advice.outside is not None:
        return text(f"live.outside_{advice.outside}").by_language
    return None if advice.covered is None else _texts(unseen_step((advice.covered,)))


def _texts(step: TrainerStep) -> dict[str, str]:
    """Return a step as a sentence in every language."""
    return {language: step_text(step, language) or "" for language in languages()}


def _words(saying: SpokenCue, advice: Advice) -> dict[str, str]:
    if saying is SpokenCue.MOVE and advice.step is not None:
        return _texts(advice.step)
    if saying is SpokenCue.COVERED and advice.covered is not None:
        return _texts(unseen_step((advice.covered,)))
    if saying is SpokenCue.UNSEEN:
        return text(f"live.outside_{advice.outside}").by_language
    return text(f"live.say_{saying.value}").by_language


def _places(places: Array | None) -> list[list[int]] | None:
    """Return points in thousandths; points far outside, where nothing is drawn, are clipped."""
    return None if places is None else np.clip(np.round(places * 1000), -9999, 9999).astype(int).tolist()

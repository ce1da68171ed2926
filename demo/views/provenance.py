"""Provenance: where an answer came from, and how long it took; the lines at its end."""

from __future__ import annotations

from collections.abc import Mapping

from demo.i18n import Text, interface_texts, joined, text
from fmp_models.inference.corrector import ModelName

_REVISION = 12  # characters of a revision that tell it from every other


def sources(
    model_kind: tuple[str, Text], model: ModelName, estimator: str, milliseconds: Mapping[str, float], drawing: float
) -> list[tuple[str, Text]]:
    """The lines on who answered, who looked, and the milliseconds of each step, ``drawing`` the figures among them.

    ``model_kind`` is the key of what the ``model`` gave, and in words what the model is.
    """
    gave, described = model_kind
    steps = {step: took for step, took in milliseconds.items() if step != "total"}
    steps |= {"figures": drawing, "total": milliseconds["total"] + drawing}
    times = [
        text("source.step", name=_known(f"milliseconds.{step}", step), milliseconds=round(took))
        for step, took in steps.items()
    ]
    return [
        (gave, joined([described, _plain(f"({model.id} {model.revision[:_REVISION]})")], " ")),
        ("source.estimator", _plain(estimator)),
        ("source.time", joined(times, " · ")),
    ]


def _known(key: str, otherwise: str) -> Text:
    return text(key) if key in interface_texts()["en"] else _plain(otherwise)


def _plain(words: str) -> Text:
    return Text(dict.fromkeys(interface_texts(), words))

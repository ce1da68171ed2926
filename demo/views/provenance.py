"""Provenance: the lines at the end of an answer with its model, estimator and duration."""

from __future__ import annotations

from collections.abc import Mapping

from demo.i18n import Text, interface_texts, joined, text
from fmp_models.inference.model_names import ModelName

_REVISION = 12  # characters of a revision that identify it


def sources(
    model_kind: tuple[str, Text], model: ModelName, estimator: str, milliseconds: Mapping[str, float], drawing: float
) -> list[tuple[str, Text]]:
    """Return the lines with the model, the estimator and the time of each step; ``drawing`` is the time of the figures.

    ``model_kind`` is the key of the model's output and the description of the model.
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

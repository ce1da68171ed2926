"""Scores of texts about what changed in a room: whether they name the type of change and the thing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fmp_models.languages import MARKS, change_words, normalised
from fmp_models.metrics import Measurement

# Shares of texts that name the type of change, the thing, and both; of both, with and without changes of light or view.
CHANGE_SCORES = ("type_right", "thing_right", "change_right", "change_right_plain", "change_right_distracted")

Things = list[tuple[str, str]]  # kinds and colours


def change_measurements(
    texts: Sequence[str], language: str, changes: Sequence[Mapping[str, Any]]
) -> dict[str, Measurement]:
    """Return :data:`CHANGE_SCORES`; pairs without a change only count for the type."""
    reads = [read_change(text, language) for text in texts]
    changed = np.array([change["kind"] is not None for change in changes])
    types = np.array([read == {change["type"]} for (read, _), change in zip(reads, changes, strict=True)])
    things = np.array([_names(read, change) for (_, read), change in zip(reads, changes, strict=True)])
    distracted = change_groups(changes)["distracted"]
    rows = {"thing_right": changed, "change_right": changed}
    rows |= {"change_right_plain": changed & ~distracted, "change_right_distracted": changed & distracted}
    right = {name: things if name == "thing_right" else types & things for name in rows}
    return {
        "type_right": Measurement.mean(types),
        **{name: Measurement.mean(np.where(of, right[name], np.nan)) for name, of in rows.items()},
    }


def _names(things: Sequence[tuple[str, str]], change: Mapping[str, Any]) -> bool:
    """Return whether things in a text begin with the one that changes, and for a swapped one with the new one, too."""
    wanted = [(change["kind"], change["colour"])]
    wanted += [(change["new_kind"], change["new_colour"])] * (change["new_kind"] is not None)
    return things[:1] == wanted[:1] and wanted[-1] in things


def change_groups(changes: Sequence[Mapping[str, Any]]) -> dict[str, NDArray[np.bool_]]:
    """Return the pairs with and without changes of light or view, and those of each type."""
    distracted = np.array([change["light"] or change["view"] for change in changes], dtype=bool)
    types = np.array([change["type"] for change in changes])
    return {
        "plain": ~distracted,
        "distracted": distracted,
        **{name: types == name for name in np.unique(types).tolist()},
    }


def read_change(text: str, language: str) -> tuple[set[str], Things]:
    """Return the types of change that words of a text tell, and the coloured things that it names, in order."""
    kinds, colours, types = _forms(language)
    words = [word.strip(MARKS) for word in normalised(text).split()]
    things = [(kinds[kind], colours[colour]) for colour, kind in pairwise(words) if colour in colours and kind in kinds]
    return {types[word] for word in words if word in types}, things


@cache
def _forms(language: str) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Return the kind, colour or type of change of each word."""
    words = change_words(language)
    kinds = {normalised(of[form]): kind for kind, of in words["things"].items() for form in ("plain", "of")}
    colours = {normalised(form): colour for colour, forms in words["colours"].items() for form in forms.values()}
    return kinds, colours, {normalised(word): kind for kind, of in words["types"].items() for word in of}

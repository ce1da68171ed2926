"""Reading of texts about what changed in a room: the types of change and the things that they name."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

from fmp_models.languages.language_data import MARKS, change_words, normalised

Things = list[tuple[str, str]]  # kinds and colours


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

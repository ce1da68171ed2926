"""Audits of four-choice questions: how often the words alone give the right answer away.

A file is a JSON list of questions in the form of CoSIm (Kim et al., NAACL 2022). No picture and no training is needed,
so that every accuracy can stand beside what its wording explains.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from fmp_models.errors import BadInputError
from fmp_models.files import read_json

CHOICES = 4
BIASES = {
    "medoid": "medoid",
    "shortest": "shortest",
    "longest": "longest",
    "change_overlap": "overlap with the change",
    "own_share_change_overlap": "words shared with the other choices, plus overlap with the change",
}
_MAX_BYTES = 100_000_000
_MAX_CHARS = 10_000
_EXAMPLE = (
    '[{"question": "Is it tidy?", "answer_orig": "No.", "change": "The bed is made.", '
    '"answer_choices": ["yes", "no", "it is", "never"], "answer_label": 0}]'
)
_PER_CENT = 100
_EQUAL = 9  # decimals to which equal scores agree
_WORD = re.compile(r"\w+")

_Text = Annotated[str, Field(max_length=_MAX_CHARS)]


class _Entry(BaseModel):
    question: _Text = ""
    answer_orig: _Text = ""
    change: _Text
    answer_choices: Annotated[list[_Text], Field(min_length=CHOICES, max_length=CHOICES)]
    answer_label: Annotated[int, Field(ge=0, lt=CHOICES, strict=True)]


_ENTRIES: TypeAdapter[list[_Entry]] = TypeAdapter(Annotated[list[_Entry], Field(min_length=1)])


@dataclass(frozen=True)
class ChoiceQuestion:
    """A question with its initial ``response``, the imagined ``change``, four ``choices``, and which is right."""

    question: str
    response: str
    change: str
    choices: tuple[str, ...]
    answer: int


def read_choices(path: Path) -> list[ChoiceQuestion]:
    """Read the questions of a file.

    Raise :class:`BadInputError`: the errors of ``read_json``, and ``json_unexpected`` also for an empty list.
    """
    try:
        entries = _ENTRIES.validate_python(read_json(path, _MAX_BYTES, _EXAMPLE))
    except ValidationError:
        raise BadInputError("json_unexpected", path=str(path), example=_EXAMPLE) from None
    return [
        ChoiceQuestion(one.question, one.answer_orig, one.change, tuple(one.answer_choices), one.answer_label)
        for one in entries
    ]


def audit_choices(questions: Sequence[ChoiceQuestion]) -> dict[str, Any]:
    """Return in per cent how often each bias picks the right choice, and the lengths and vocabularies of the texts.

    ``medoid`` takes the first of equal choices; for the others, equal choices share the point. Lengths are mean words,
    vocabularies count different words.
    """
    right = np.array([choice_points(one) for one in questions])
    texts: dict[str, list[list[str]]] = {name: [] for name in ("question", "response", "change", "right", "wrong")}
    for one in questions:
        for name in ("question", "response", "change"):
            texts[name].append(_words(getattr(one, name)))
        for place, choice in enumerate(one.choices):
            texts["right" if place == one.answer else "wrong"].append(_words(choice))
    return {
        "n": len(questions),
        "chance": _PER_CENT / CHOICES,
        **{bias: float(share) for bias, share in zip(BIASES, _PER_CENT * right.mean(axis=0), strict=True)},
        "lengths": {name: float(np.mean([len(words) for words in of_name])) for name, of_name in texts.items()},
        "vocabularies": {name: len({word for words in of_name for word in words}) for name, of_name in texts.items()},
    }


def audit_lines(audit: dict[str, Any]) -> str:
    """Return an audit as lines of text."""
    lines = [f"{audit['n']:,} questions, chance {audit['chance']:.1f} %"]
    lines += [f"{title}: {audit[bias]:.1f} %" for bias, title in BIASES.items()]
    lines += [
        f"{name}: {length:.1f} words, {audit['vocabularies'][name]:,} different ones"
        for name, length in audit["lengths"].items()
    ]
    return "\n".join(lines)


def choice_points(one: ChoiceQuestion) -> list[float]:
    """Return what the right choice earns under each bias, in the order of ``BIASES``."""
    choices, change = [_words(choice) for choice in one.choices], {*_words(one.change)}
    others = [choices[:place] + choices[place + 1 :] for place in range(CHOICES)]
    alike = [sum(_dice(words, other) for other in of_one) for words, of_one in zip(choices, others, strict=True)]
    lengths = [float(len(words)) for words in choices]
    overlap = [_share(words, change) for words in choices]
    own = [
        sum(_share(words, {*other}) for other in of_one) / len(of_one)
        for words, of_one in zip(choices, others, strict=True)
    ]
    medoid = float(int(np.argmax(np.round(alike, _EQUAL))) == one.answer)
    scores = ([-length for length in lengths], lengths, overlap, [sum(both) for both in zip(own, overlap, strict=True)])
    return [medoid, *(_split(of_choices, one.answer) for of_choices in scores)]


def _split(scores: Sequence[float], answer: int) -> float:
    """Return 1 if the right choice alone has the highest score, a share if it ties with others, and 0 otherwise."""
    rounded = np.round(scores, _EQUAL)
    best = rounded == rounded.max()
    return float(best[answer] / best.sum())


def _share(words: Sequence[str], others: set[str]) -> float:
    """Return the share of the different words that are among the others."""
    return len({*words} & others) / max(len({*words}), 1)


def _dice(first: Sequence[str], second: Sequence[str]) -> float:
    shared = sum((Counter(first) & Counter(second)).values())
    return 2 * shared / max(len(first) + len(second), 1)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())

"""Judge how far everyday phrases are done as a bystander expects: ``python -m tests.everyday.judge``.

The phrases are the development half, or the further ones for development; of the half that was kept for the first
figure only the counts are printed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fmp_models.errors import BadInputError
from fmp_models.inference.demonstration import demonstrate_description
from fmp_models.languages.language_data import LANGUAGES
from fmp_models.pose import JOINTS, Array, Pose
from tests.everyday.contact_sheet import Cell, draw_sheet, save_sheet
from tests.everyday.expectations import Missed, missed
from tests.everyday.starts import STARTS

FOLDER = Path(__file__).parent
COLUMNS = 8  # of a sheet


class Phrase(NamedTuple):
    """What somebody says to a body at ``start``, and what a bystander expects to see in the end."""

    id: str
    language: str
    text: str
    start: str
    expect: list[str]


class Outcome(NamedTuple):
    """What came of a phrase: the last body, the expectations it misses, and the steps that were read or not."""

    phrase: Phrase
    end: Array
    missed: list[Missed]
    steps: list[str]

    @property
    def line(self) -> str:
        """What is wrong, with the values measured."""
        faults = "; ".join(f"{fault.expectation} ({fault.value:.2f})" for fault in self.missed)
        return f"{self.phrase.id} {self.phrase.text!r} ({self.phrase.start})\n    missed: {faults}\n    " + " | ".join(
            self.steps
        )

    @property
    def cell(self) -> Cell:
        """The figure of a contact sheet."""
        fault = f"{self.missed[0].expectation} ({self.missed[0].value:.2f})" if self.missed else ""
        return Cell(f"{self.phrase.text} ({self.phrase.id[-3:]})", STARTS[self.phrase.start], self.end, fault=fault)


def phrases(languages: Sequence[str] = LANGUAGES, *, held: bool = False, more: bool = False) -> list[Phrase]:
    """Read the development half, the one held back or the further phrases for development."""
    name = "phrases_held.json" if held else "phrases_more.json" if more else "phrases.json"
    rows: list[dict[str, Any]] = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    return [Phrase(**row) for row in rows if row["language"] in languages]


def judge(phrase: Phrase) -> Outcome:
    """Have the phrase done by a figure and compare the last body with the first."""
    start = STARTS[phrase.start]
    try:
        done = demonstrate_description(phrase.text, None, Pose(start, np.ones(len(JOINTS))), None)
    except BadInputError as error:
        return Outcome(phrase, start, missed(phrase.expect, start, start), [f"refused: {error.code}"])
    steps = [
        f"{'done' if step.carried else 'not done' if step.clauses or step.shape else 'unread'}: {step.text.strip()}"
        for step in done.steps
    ]
    return Outcome(phrase, done.poses[-1], missed(phrase.expect, start, done.poses[-1]), steps)


def report(outcomes: Sequence[Outcome], *, counts_only: bool) -> Iterator[str]:
    """Say how many phrases of each language are done, and what each of the others misses."""
    for language in dict.fromkeys(outcome.phrase.language for outcome in outcomes):
        of_language = [outcome for outcome in outcomes if outcome.phrase.language == language]
        done = sum(not outcome.missed for outcome in of_language)
        yield f"{language}: {done} of {len(of_language)} done as expected"
        if not counts_only:
            yield from (outcome.line for outcome in of_language if outcome.missed)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what was found, and draw a sheet where one is asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.everyday.judge", description=__doc__)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--held", action="store_true", help="the half that is held back; only counts are printed")
    which.add_argument("--more", action="store_true", help="the further phrases for development")
    parser.add_argument("--language", nargs="+", choices=LANGUAGES, default=LANGUAGES)
    parser.add_argument("--sheet", type=Path, help="draw the last bodies into this PNG file")
    asked = parser.parse_args(arguments)
    outcomes = [judge(phrase) for phrase in phrases(asked.language, held=asked.held, more=asked.more)]
    print("\n".join(report(outcomes, counts_only=asked.held)))
    if asked.sheet is not None:
        save_sheet(draw_sheet([outcome.cell for outcome in outcomes], COLUMNS), asked.sheet)


if __name__ == "__main__":
    main()

"""Views of an edited text, round by round with the reason of each edit, and of the text about an imagined target."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from demo.i18n import Text, error_text, languages, lent_text, render, text
from demo.views.correction import about
from fmp_models.common import ADD, DELETE, KEEP, Edit, Operation, text_after
from fmp_models.counterfactual import LISTED_EDITS, Group, ImaginedText, edit_phrase, part_words
from fmp_models.editing import EditedText, Reason, replay_edits
from fmp_models.errors import BadInputError
from fmp_models.geometry import on_bones_of
from fmp_models.languages import SENTENCE_ENDS
from fmp_models.pose import BONES, JOINTS, PosePair, joints_as_json


@dataclass(frozen=True)
class EditRun:
    """Adjacent words that are kept, deleted or added; ``gap`` is the space before them, if they have one."""

    op: Operation
    text: str
    gap: str


def edited_html(edited: EditedText) -> str:
    """Return the HTML of an edited text with every round of its edits; only the last round is visible."""
    counts = {op: sum(one.op == op and not one.token.isspace() for one in edited.operations) for op in (DELETE, ADD)}
    return _outcome(
        "edited",
        edited=edited,
        rounds=[tuple(edit_runs(replay_edits(edited.operations, number))) for number in range(edited.rounds + 1)],
        reasons=tuple(edit_reasons(edited)),
        rewords=any(operation.reason == "wording" for operation in edited.operations),
        deleted=counts[DELETE],
        added=counts[ADD],
        judged=any(clause.agrees is not None for clause in edited.clauses),
    )


def imagined_html(said: ImaginedText, pair: PosePair) -> str:
    """Return the HTML of the text about an imagined target, with the figures of the real and of the imagined one."""
    poses = [joints_as_json(on_bones_of(pair.current, pose)) for pose in (pair.target, said.target)]
    lit = [joint for edit in said.edits if edit.group is not Group.TURN for joint in edit.joints]
    figures = json.dumps({"joints": JOINTS, "bones": BONES, "poses": poses, "lit": lit})
    new_steps = [step for step, new in said.steps if new]
    values = {"said": said, "figures": figures, "new_steps": new_steps, "number": secrets.token_hex(4)}
    return render("imagined.html", kind="fmp-imagined", outcome="imagined", **values)


@cache
def imaginable() -> list[tuple[Text, list[tuple[str, Text]]]]:
    """Return the parts whose ends can be imagined, each with these ends: a change as it is asked for, and its text."""
    parts: dict[str, tuple[Text, list[tuple[str, Text]]]] = {}
    for edit in LISTED_EDITS:
        part, end = (_begun({one: words(edit, one) for one in languages()}) for words in (part_words, edit_phrase))
        parts.setdefault(part.default, (part, []))[1].append((end.default, end))
    return [*parts.values()]


def _begun(by_language: dict[str, str]) -> Text:
    return lent_text({language: phrase[0].upper() + phrase[1:] for language, phrase in by_language.items()})


def edit_refusal_html(error: BadInputError) -> str:
    """Return the HTML of an error about a text to edit or about one of its photographs."""
    return _outcome("refusal", sentence=error_text(error), **about(error))


def edit_fault_html() -> str:
    """Return the HTML of an internal error; the details are in the log."""
    return _outcome("refusal", sentence=text("faults.ours"), about="", place="")


def edit_runs(edits: Iterable[Edit]) -> Iterator[EditRun]:
    """Yield the edits as runs, from which the text can be read; white space alone is never marked."""
    after_word = False
    for op, group in groupby(edits, key=lambda edit: edit[0]):
        words = [word for _, word in group]
        written = text_after((KEEP, word) for word in words)
        gap = " " if after_word and not words[0].isspace() else ""
        yield EditRun(KEEP if written.isspace() else op, written, gap)
        after_word = not words[-1].isspace()


def edit_reasons(edited: EditedText) -> Iterator[tuple[Reason, str]]:
    """Yield the clauses that were false, then those that were missing, each after its reason."""
    ends = "".join(SENTENCE_ENDS)
    for clause in edited.removed:
        yield "false", clause.text.rstrip(ends)
    words = [one for one in edited.operations if one.op != DELETE and not one.token.isspace()]
    for clause in edited.clauses:
        if any(one.op == ADD and one.reason == "missing" for one in words[slice(*clause.words)]):
            yield "missing", clause.text.rstrip(ends)


def _outcome(outcome: str, **values: object) -> str:
    return render("edited.html", kind="fmp-edited", outcome=outcome, number=secrets.token_hex(4), **values)

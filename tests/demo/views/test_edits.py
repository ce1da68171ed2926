"""What the page shows of an edited text: its words in every round, the reason of each edit, and its counts."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given

from demo.i18n import text
from demo.views.edits import EditRun, edit_reasons, edit_refusal_html, edit_runs, edited_html
from fmp_models.common.edits import word_edits
from fmp_models.describe import CheckedClause
from fmp_models.editing.edited import EditedText
from fmp_models.editing.operations import EditOperation, in_rounds, replay_edits
from fmp_models.errors import BadInputError
from fmp_models.geometry.lexicon import Clause, Direction, Part, Side
from fmp_models.inference.correction import ModelName
from tests.spaced_texts import SPACED

RAISE = Clause(Side.LEFT, Part.ARM, Direction.UP)


def clause(written: str, words: tuple[int, int], *, agrees: bool | None = True) -> CheckedClause:
    return CheckedClause(written, RAISE, agrees, 0.9, words)


def edited(
    given_text: str,
    operations: tuple[EditOperation, ...],
    clauses: tuple[CheckedClause, ...] = (),
    removed: tuple[CheckedClause, ...] = (),
) -> EditedText:
    whole = EditedText(given_text, "", "en", operations, clauses, removed, ModelName("rules", "1"))
    return EditedText(given_text, whole.after(99), "en", operations, clauses, removed, whole.model)


MENDED = edited(
    "Raise your left arm. Smile.",
    (
        EditOperation("KEEP", "Raise"),
        EditOperation("KEEP", "your"),
        EditOperation("DELETE", "left", 1, "false"),
        EditOperation("ADD", "right", 1, "false"),
        EditOperation("KEEP", "arm."),
        EditOperation("KEEP", "Smile."),
        EditOperation("ADD", "Bend", 1, "missing"),
        EditOperation("ADD", "both", 2, "missing"),
        EditOperation("ADD", "knees.", 3, "missing"),
    ),
    (clause("Raise your right arm.", (0, 4)), clause("Bend both knees.", (5, 8))),
    (clause("Raise your left arm.", (0, 4), agrees=False),),
)


@given(SPACED, SPACED)
def test_of_every_round_the_given_and_the_edited_words_can_be_read(old: str, new: str) -> None:
    operations = in_rounds(word_edits(old, new))
    last = max((operation.round for operation in operations), default=0)

    rounds = [list(edit_runs(replay_edits(operations, number))) for number in range(last + 1)]

    def words(runs: list[EditRun], hidden: str) -> list[str]:
        return " ".join(run.text for run in runs if run.op != hidden).split()

    assert all(words(runs, "ADD") == old.split() for runs in rounds)
    assert words(rounds[-1], "DELETE") == new.split()
    assert all("".join(run.gap + run.text for run in runs).split() == words(runs, "") for runs in rounds)
    assert {run.op for run in rounds[0]} <= {"KEEP"}
    assert not [run for runs in rounds for run in runs if run.op != "KEEP" and not run.text.strip()]


def test_deleted_and_added_words_are_marked_and_told_once_per_run() -> None:
    html = edited_html(MENDED)
    rounds = re.findall(r'<p class="fmp-round"[^>]*>.*?</p>', html, re.DOTALL)
    plain = [" ".join(unescape(re.sub(r"<[^>]+>", "", one)).split()) for one in rounds]

    assert [" hidden" in one.partition(">")[0] for one in rounds] == [True, True, True, False]
    assert plain[0] == MENDED.given
    assert plain[-1] == "Raise your deleted: left added: right arm. Smile. added: Bend both knees."
    assert (rounds[-1].count("<del>"), rounds[-1].count("<ins>")) == (1, 2)
    assert text("edit.steps", count=5, deleted=1, added=4).default in unescape(html)
    assert 'max="3"' in html


def test_each_edit_has_its_reason() -> None:
    assert list(edit_reasons(MENDED)) == [
        ("false", "Raise your left arm"),
        ("missing", "Bend both knees"),
    ]


@pytest.mark.parametrize(("agrees", "key"), [(True, "edit.right"), (None, "edit.unjudged")])
def test_a_text_that_stays_is_said_to_be_right_only_if_it_was_judged(agrees: bool | None, key: str) -> None:  # noqa: FBT001
    html = edited_html(edited("Smile.", (EditOperation("KEEP", "Smile."),), (clause("Smile.", (0, 1), agrees=agrees),)))

    assert text(key).default in html
    assert "<input" not in html
    assert "take-text" not in html


def test_what_a_visitor_wrote_is_escaped() -> None:
    attack = '<script>alert(1)</script>"'
    html = edited_html(
        edited(
            attack,
            (EditOperation("DELETE", attack, 1, "false"), EditOperation("ADD", attack, 1)),
            removed=(clause(attack, (0, 1)),),
        )
    )

    assert "<script" not in html


def test_a_refusal_says_which_photograph_it_is_about() -> None:
    assert 'data-about="target"' in edit_refusal_html(BadInputError("photo_missing").about("target"))
    assert "data-about" not in edit_refusal_html(BadInputError("description_empty"))

from __future__ import annotations

import pytest

from fmp_models.commands.table import TABLES
from fmp_models.evaluation.captioners import CAPTION_SCORES
from fmp_models.evaluation.paper_tables.plans import PlannedRow, plan_of, runs
from fmp_models.evaluation.retrievers import RETRIEVAL_SCORES, UNTRAINED
from fmp_models.languages.language_data import LANGUAGES
from fmp_models.training.config import read_config
from tests.nonempty import nonempty


@pytest.mark.parametrize("table", TABLES)
def test_every_row_rests_on_a_run_and_every_column_is_measured(table: str) -> None:
    plan = plan_of(table)
    known = RETRIEVAL_SCORES if "accuracy" in plan.columns else CAPTION_SCORES
    assert set(plan.columns) <= set(known)
    for row in plan.rows:
        assert row.run in {None, *UNTRAINED, *runs()}
        for split in plan.splits:
            for language in plan.languages:
                paper = row.of_paper(split, language)
                assert paper is None or set(paper) <= set(known)


def test_runs_have_recipes_and_start_from_runs_of_their_own_kind() -> None:
    for run in nonempty(runs().values()):
        assert all(run.path(language).is_file() for language in LANGUAGES)
        assert run.start is None or runs()[run.start].kind == run.kind


def test_a_language_has_its_own_recipe_where_the_paper_has_one() -> None:
    run = runs()["captioner-rl"]
    rates = {code: read_config(run.path(code), "captioner", "paper")["engine"]["rate"] for code in LANGUAGES}
    assert rates == {"en": 1e-6, "hi": 5e-6}


@pytest.mark.parametrize(
    ("table", "row", "split", "language", "column", "value"),
    [
        ("2", "V-only", "val_seen", "hi", "cider", 0.0437),
        ("3", "with RL", "val_seen", "en", "bleu4", 0.1869),
        ("3", "without joints", "val_seen", "hi", "meteor", 0.2755),
        ("5", "character 5", "val_unseen", "en", "cider", 0.1059),
        ("7", "V-only", "test_unseen", "hi", "accuracy", 0.32),
        ("7", "human", "test_unseen", "en", "accuracy", 0.96),
        ("9", "V+L", "test_unseen", "en", "cider", 0.064),
        ("9", "V+L", "val_unseen", "hi", "body_part_match", 1.77),
    ],
)
def test_the_papers_numbers_are_the_papers(  # noqa: PLR0913, PLR0917  a place in a table
    table: str, row: str, split: str, language: str, column: str, value: float
) -> None:
    (planned_row,) = [one for one in plan_of(table).rows if one.name == row]
    paper = planned_row.of_paper(split, language)
    assert paper is not None
    assert paper[column] == pytest.approx(value)


def test_main_rows_have_three_seeds() -> None:
    assert [len(row.seeds) for row in plan_of("2").rows if row.paper] == [3, 3, 3]
    assert [len(row.seeds) for row in plan_of("7").rows if row.name == "V+L"] == [3]


@pytest.mark.parametrize("table", [table for table in TABLES if table.startswith("levers")])
def test_everything_is_compared_with_runs_that_lack_one_thing_each(table: str) -> None:
    whole, *others = [runs()[str(row.run)] for row in plan_of(table).rows]
    assert not whole.changes
    assert all(run.changes and run.config == whole.config and run.joints == "estimated" for run in others)
    recipe = read_config(whole.path("en"), whole.kind, "photographs", {})
    for run in others:
        changed = read_config(whole.path("en"), whole.kind, "photographs", run.changes)
        assert changed != recipe, run.changes


def test_a_row_without_numbers_of_the_paper_has_none() -> None:
    assert PlannedRow("ours").of_paper("val_seen", "en") is None

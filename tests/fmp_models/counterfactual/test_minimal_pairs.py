"""Minimal pairs: as many as are asked for, by kind of edit, and what texts and rankings do with them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fmp_models.counterfactual.edits import updated_clauses
from fmp_models.counterfactual.minimal_pairs import draw_minimal_pairs
from fmp_models.data.sample import FOLDER
from fmp_models.geometry import Clause, Degree, Direction, Part, Relation, Side
from fmp_models.pose import PosePair
from tests.bodies import Arm, Body, random_pairs
from tests.commands import run_here
from tests.thoroughness import thorough

PAIRS = {str(number): pair for number, pair in enumerate(random_pairs(6, seed=5))}


def test_minimal_pairs_have_one_two_and_three_edits_and_a_seed_repeats_them() -> None:
    found, dropped = draw_minimal_pairs(PAIRS, 6, seed=1)
    assert [len(one.edits) for one in found] == [1, 2, 3, 1, 2, 3]
    assert dropped.total() > 0
    again, _ = draw_minimal_pairs(PAIRS, 6, seed=1)
    assert [one.edits for one in again] == [one.edits for one in found]


def test_what_the_joints_show_changed_is_said_anew_and_the_rest_as_before() -> None:
    start, raised, higher = (Body(left_arm=Arm(lift=lift)).pose() for lift in (5, 60, 150))
    arm = Clause(Side.LEFT, Part.ARM, Direction.UP)
    above = Clause(Side.LEFT, Part.HAND, Direction.REACH, Degree.PLAIN, (Relation.ABOVE_HEAD,))
    both = frozenset(replace(clause, side=side) for clause in (arm, above) for side in Side.BOTH.each)
    pairs = PosePair(start, raised), PosePair(start, higher)
    assert updated_clauses(both, frozenset(), *pairs) == {clause for clause in both if clause.side is Side.RIGHT}
    assert updated_clauses(frozenset(), both, *pairs) == {arm, above}


def test_the_command_prints_shares_by_kind_and_what_was_dropped(tmp_path: Path) -> None:
    out = tmp_path / "shares.json"
    done = run_here("minimal-pairs", FOLDER, "--edits", "3", "--seed", "4", "--out", out)
    assert done.returncode == 0, done.stderr
    assert "Imagine " in done.stdout
    assert "dropped: " in done.stdout
    report = json.loads(out.read_text())
    assert report["shares"]["all: edits"]["edits"] == 3
    assert report["shares"]["groups: 1"]["edits"] == 1
    assert 0 <= report["shares"]["all: edits"]["retriever"] <= 100


@thorough
def test_the_bundled_captioner_follows_an_edit() -> None:
    done = run_here("minimal-pairs", FOLDER, "--edits", "1", "--seed", "4", "--model", "captioner", "--json")
    assert done.returncode == 0, done.stderr
    assert {"captioner", "fresh", "fresh_edited"} <= {*json.loads(done.stdout)["shares"]["all: edits"]}


@pytest.mark.parametrize(
    ("option", "value"), [("--edits", 0), ("--edits", 10**9), ("--seed", -1), ("--language", "xx"), ("--split", "no")]
)
def test_an_option_that_cannot_be_used_is_refused(option: str, value: object) -> None:
    done = run_here("minimal-pairs", FOLDER, option, value)
    assert (done.returncode, done.stdout) == (2, "")

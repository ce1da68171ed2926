from __future__ import annotations

from pathlib import Path

import pytest

from fmp_models.errors import BadInputError
from fmp_models.estimators.select import choose_estimator
from fmp_models.evaluation.real.answers import EvaluatedModel, RememberingEstimator, judged_answers
from fmp_models.evaluation.real.model_columns import read_real_photographs
from fmp_models.evaluation.real.pairs import read_real_pairs
from fmp_models.evaluation.real.questions import QUESTIONS, ask_questions, read_questions
from fmp_models.evaluation.real.scoring import shares
from fmp_models.hub.models import Kind
from fmp_models.inference.backends import load_correction_model
from fmp_models.inference.retrieval.retriever_registry import Retrievers
from fmp_models.inference.retrieval.target_finder import TargetFinder
from tests.commands import run_command
from tests.fmp_models.evaluation.real.folders import SQUAT, make_folder
from tests.fmp_models.evaluation.real.test_questions import folder_of
from tests.retrievers import ColourEstimator, save_retriever
from tests.taught_captioners import save_taught
from tests.thoroughness import thorough


def silent(_: str) -> None:
    """Hear nothing."""


@thorough
def test_a_captioner_is_judged_by_what_it_says_unrepaired(pose_model: Path, tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "mine", SQUAT)
    save_taught(tmp_path / "taught", {"en": ("bend both knees .",)})
    estimator = choose_estimator(str(pose_model), tmp_path, silent).estimator

    real = read_real_photographs("captioner", folder, None, estimator)
    found = real.columns(tmp_path / "taught", "en", silent)

    correction_model = load_correction_model(str(tmp_path / "taught"), repairs=False)
    judged = judged_answers(
        read_real_pairs(folder), EvaluatedModel(RememberingEstimator(estimator), correction_model, "en"), silent
    )
    expected = shares(judged)
    assert expected.judged
    assert found == {"right": expected.right, "opposite": expected.opposite, "must": expected.must}


def test_a_retriever_is_judged_by_what_is_found_with_it(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    (folder / QUESTIONS).rename(tmp_path / "asked.json")
    save_retriever(tmp_path / "tiny", "en")

    real = read_real_photographs("retriever", folder, tmp_path / "asked.json", ColourEstimator())
    found = real.columns(tmp_path / "tiny", "en", silent)

    finder = TargetFinder(ColourEstimator(), Retrievers(str(tmp_path / "tiny")))
    expected = ask_questions(read_questions(tmp_path / "asked.json", folder)[0], folder, finder, "en", silent)
    assert found == {"first": expected.first, "in_three": expected.in_three}


@pytest.mark.parametrize("kind", ["captioner", "retriever"])
def test_a_folder_without_what_is_asked_is_refused(tmp_path: Path, kind: Kind) -> None:
    with pytest.raises(BadInputError, match="cannot be read"):
        read_real_photographs(kind, tmp_path, None, ColourEstimator())


@thorough
def test_a_table_without_columns_of_real_photographs_refuses_them(tmp_path: Path) -> None:
    done = run_command("table", "2", "--dataset", tmp_path, "--runs", tmp_path / "runs", "--real", tmp_path)
    assert done.returncode == 2
    assert done.stderr.strip() == "Table 2 has no columns for real photographs; please omit --real."

"""Table columns for one trained model on real photographs: ``table --real``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fmp_models.estimators.base import PoseEstimator
from fmp_models.evaluation.real.answers import EvaluatedModel, RememberingEstimator, judged_answers
from fmp_models.evaluation.real.pairs import LabelledPairs, read_real_pairs
from fmp_models.evaluation.real.questions import QUESTIONS, RetrievalQuestion, ask_questions, read_questions
from fmp_models.evaluation.real.scoring import shares
from fmp_models.hub.models import Kind
from fmp_models.inference.backends import load_correction_model
from fmp_models.inference.retrieval.retriever_registry import Retrievers
from fmp_models.inference.retrieval.target_finder import TargetFinder

REAL_PHOTOGRAPHS = "real photographs"  # the name of this column group in place of a split's


@dataclass(frozen=True)
class RealPhotographs:
    """Labelled pairs for captioners, or questions for retrievers, about the pictures in ``folder``."""

    folder: Path
    questions: Path | None
    estimator: RememberingEstimator
    pairs_or_questions: LabelledPairs | list[RetrievalQuestion]

    def columns(self, model: Path, language: str, say: Callable[[str], None]) -> Mapping[str, float]:
        """Return shares from 0 to 1 by column: of a captioner's unrepaired clauses, or of a target finder's answers."""
        if isinstance(self.pairs_or_questions, LabelledPairs):
            correction_model = load_correction_model(str(model), say, repairs=False)
            pair_shares = shares(
                judged_answers(self.pairs_or_questions, EvaluatedModel(self.estimator, correction_model, language), say)
            )
            return {"right": pair_shares.right, "opposite": pair_shares.opposite, "must": pair_shares.must}
        finder = TargetFinder(self.estimator, Retrievers(str(model), say=say))
        result = ask_questions(self.pairs_or_questions, self.folder, finder, language, say)
        return {"first": result.first, "in_three": result.in_three}


def read_real_photographs(
    kind: Kind, folder: Path, questions: Path | None, estimator: PoseEstimator
) -> RealPhotographs:
    """Read the pairs or questions for a kind of model; raises as ``read_real_pairs`` and ``read_questions``."""
    if kind == "captioner":
        return RealPhotographs(folder, None, RememberingEstimator(estimator), read_real_pairs(folder))
    retrieval_questions, _ = read_questions(questions or folder / QUESTIONS, folder)
    return RealPhotographs(folder, questions, RememberingEstimator(estimator), retrieval_questions)

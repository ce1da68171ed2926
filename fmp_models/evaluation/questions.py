"""Retrieval questions about real photographs in people's own words, and the ranks of their answers.

The file is JSON: ``[{"id", "current", "candidates": [...], "answer", "texts": {"en": ..., "hi": ...}}]``.
Pictures are paths in a folder, and the answer is an index from 0. ``kind`` may name a group of questions.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from scipy.stats import binomtest

from fmp_models.common import MAX_BYTES, MAX_CANDIDATES, MIN_CANDIDATES
from fmp_models.errors import BadInputError
from fmp_models.evaluation.real_pairs import picture_in
from fmp_models.evaluation.stored_results import QuestionsResult
from fmp_models.files import read_bounded, read_json
from fmp_models.inference import TargetFinder
from fmp_models.languages import LANGUAGES

_log = logging.getLogger(__name__)
QUESTIONS_FILE = "questions.json"
_MAX_BYTES = 10_000_000
_EXAMPLE = '[{"id": "squat", "current": "a.jpg", "candidates": ["b.jpg", "c.jpg"], "answer": 1, "texts": {"en": "…"}}]'


@dataclass(frozen=True)
class RetrievalQuestion:
    """A current photograph, candidates with the index of the right ``answer``, and people's texts by language.

    If ``kind`` is not empty, results are also counted by kind.
    """

    id: str
    current: str
    candidates: list[str]
    answer: int
    texts: dict[str, str]
    kind: str = ""


def read_questions(path: Path, folder: Path) -> tuple[list[RetrievalQuestion], str]:
    """Read the questions of a file, whose pictures lie in ``folder``, and return them with their fingerprint.

    Raises :class:`BadInputError`: ``folder_missing``, ``questions_unusable``, and the errors of ``picture_in``
    and ``read_json``.
    """
    if not folder.is_dir():
        raise BadInputError("folder_missing", path=str(folder))
    try:
        questions = TypeAdapter(list[RetrievalQuestion]).validate_python(read_json(path, _MAX_BYTES, _EXAMPLE))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        reason = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        raise BadInputError("questions_unusable", path=str(path), reason=reason) from None
    whole = hashlib.sha256()
    for question in questions:
        if reason := _fault(question):
            raise BadInputError("questions_unusable", path=str(path), reason=f"{question.id[:80]}: {reason}")
        whole.update(json.dumps([question.id, question.answer, question.texts], sort_keys=True).encode())
        for name in (question.current, *question.candidates):
            whole.update(hashlib.sha256(read_bounded(picture_in(folder, question.id, name), MAX_BYTES)).digest())
    if len({question.id for question in questions}) < len(questions) or not questions:
        raise BadInputError(
            "questions_unusable", path=str(path), reason="there must be at least one question, and ids must be unique"
        )
    return questions, whole.hexdigest()


def ask_questions(
    questions: Sequence[RetrievalQuestion], folder: Path, finder: TargetFinder, language: str
) -> QuestionsResult:
    """Ask a target finder every question with a text in the language; raises the errors of loading its retriever."""
    ranks: dict[str, int | None] = {}
    times, model = [], ""
    for question in questions:
        if language not in question.texts:
            continue
        files = [
            read_bounded(picture_in(folder, question.id, name), MAX_BYTES)
            for name in (question.current, *question.candidates)
        ]
        start = time.perf_counter()
        try:
            ranking, _ = finder.find(files[0], question.texts[language], files[1:], language=language)
        except BadInputError as refusal:
            if refusal.code.startswith("retriever_"):
                raise
            _log.warning("%s: %s", question.id, refusal.sentence)
            ranks[question.id] = None
            continue
        times.append((time.perf_counter() - start) * 1000)
        model = ranking.model.id
        ranks[question.id] = 1 + [ranked.candidate for ranked in ranking.ranking].index(question.answer)
    first, in_three, count = _counts(list(ranks.values()))
    by_kind: dict[str, list[int | None]] = {}
    for question in questions:
        if question.kind and question.id in ranks:
            by_kind.setdefault(question.kind, []).append(ranks[question.id])
    return QuestionsResult(
        model=model,
        estimator=finder.estimator.name,
        language=language,
        questions=count,
        first=first / max(count, 1),
        in_three=in_three / max(count, 1),
        refused=[name for name, rank in ranks.items() if rank is None],
        ranks=ranks,
        intervals={"first": _interval(first, count), "in_three": _interval(in_three, count)} if count else {},
        ms_median=sorted(times)[len(times) // 2] if times else None,
        kinds={kind: _counts(of_kind) for kind, of_kind in by_kind.items()},
    )


def question_lines(results: Sequence[QuestionsResult]) -> str:
    """Return a line for each result, and below it a line for each kind of question."""
    lines = []
    for result in results:
        lines.append(
            f"{result.model} {result.language}: the answer first {result.first:.0%}, in three {result.in_three:.0%}, "
            f"refused {len(result.refused)} of {result.questions}"
            if result.questions
            else f"{result.language}: no question has a text in this language."
        )
        lines += [
            f"  {kind}: the answer first {first}, in three {in_three} of {count}"
            for kind, (first, in_three, count) in result.kinds.items()
        ]
    return "\n".join(lines)


def _fault(question: RetrievalQuestion) -> str:
    if not MIN_CANDIDATES <= len(question.candidates) <= MAX_CANDIDATES:
        return f"there must be {MIN_CANDIDATES} to {MAX_CANDIDATES} candidates"
    if not 0 <= question.answer < len(question.candidates):
        return "the answer is not the index of a candidate"
    if not question.texts or set(question.texts) - set(LANGUAGES) or not all(map(str.strip, question.texts.values())):
        return f"texts must be in {', '.join(LANGUAGES)}"
    return ""


def _counts(ranks: Sequence[int | None]) -> tuple[int, int, int]:
    """Return how many answers came first, how many among the first three, and how many questions there are."""
    first, in_three = (sum(rank is not None and rank <= most for rank in ranks) for most in (1, 3))
    return first, in_three, len(ranks)


def _interval(right: int, of: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    low, high = binomtest(right, of).proportion_ci(method="wilson")
    return float(low), float(high)

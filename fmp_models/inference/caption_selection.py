"""Caption selection: a captioner's likeliest text for a pair, or the candidate that agrees best with the joints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch

from fmp_models.languages.vocabulary import Vocabulary
from fmp_models.metrics.clause_metrics import judge_text
from fmp_models.networks.captioner import Captioner, EncodedPair
from fmp_models.networks.decoding import Hypothesis, beam, greedy, sample
from fmp_models.pose import PosePair

Votes = Callable[[Sequence[Sequence[str]]], Sequence[Sequence[float]]]  # for the texts of each pair; higher is better
_TOP_P = 0.9  # of the samples; less likely words rarely form a sentence


@dataclass(frozen=True)
class Decoding:
    """Decoding settings: ``texts`` is the beam width or the number of samples.

    ``rerank`` prefers agreement with the joints over the captioner's likelihood; the greedy text is then a
    candidate along with the samples. ``seed`` is for sampling. Raise ValueError for an unknown method or fewer
    than one text.
    """

    method: Literal["greedy", "beam", "sample"] = "greedy"
    texts: int = 5
    rerank: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        """Raise ValueError for an unknown method or fewer than one text."""
        if self.method not in {"greedy", "beam", "sample"} or self.texts < 1:
            raise ValueError(f"there is no decoding “{self.method}” with {self.texts} texts")


@dataclass(frozen=True)
class ChosenText:
    """One text as it is written, and the hypothesis with its words."""

    text: str
    hypothesis: Hypothesis

    @property
    def likelihood(self) -> float:
        """The captioner's mean log-probability per word."""
        return self.hypothesis.log_probability / (len(self.hypothesis.words) + self.hypothesis.ended or 1)


def choose_texts(  # noqa: PLR0913, PLR0917  the model, its inputs and decoding options
    captioner: Captioner,
    encoded: EncodedPair,
    vocabulary: Vocabulary,
    pairs: Sequence[PosePair | None],
    decoding: Decoding,
    limit: int,
    votes: Votes | None = None,
) -> list[ChosenText]:
    """Return one text for each of the b ``pairs``, of at most ``limit`` words including the end mark.

    A finished text comes before one that was cut off by the limit. With reranking, the candidate with the highest
    share of clauses that agree with the joints comes next, counted among the clauses that the joints can judge; if
    several have the same share, the likeliest per word. A text without such a clause comes last, and without
    joints no clause can be judged. ``votes`` for the texts of each pair count after the clauses and before the
    likelihood.
    """
    texts = candidates(captioner, encoded, vocabulary, decoding, limit)
    text_votes = (
        votes([[text.text for text in candidate_texts] for candidate_texts in texts])
        if votes
        else [[0.0] * len(of) for of in texts]
    )
    return [
        _best(candidate_texts, of_each, vocabulary.language, pair if decoding.rerank else None)
        for candidate_texts, of_each, pair in zip(texts, text_votes, pairs, strict=True)
    ]


def candidates(
    captioner: Captioner, encoded: EncodedPair, vocabulary: Vocabulary, decoding: Decoding, limit: int
) -> list[list[ChosenText]]:
    """Return the candidate texts of each of b pairs, of at most ``limit`` words including the end mark."""
    texts = _hypotheses(captioner, encoded, vocabulary.language, decoding, limit)
    return [
        [ChosenText(vocabulary.decode(hypothesis.words), hypothesis) for hypothesis in of_pair] for of_pair in texts
    ]


def _hypotheses(
    captioner: Captioner, encoded: EncodedPair, language: str, decoding: Decoding, limit: int
) -> list[list[Hypothesis]]:
    if decoding.method == "beam":
        return beam(captioner, encoded, language, limit, width=decoding.texts).hypotheses()
    likeliest = greedy(captioner, encoded, language, limit).hypotheses()
    if decoding.method == "greedy":
        return likeliest
    generator = torch.Generator(next(captioner.parameters()).device).manual_seed(decoding.seed)
    sequences = sample(captioner, encoded, language, limit, count=decoding.texts, top_p=_TOP_P, generator=generator)
    return [
        greedy_text * decoding.rerank + drawn_texts
        for greedy_text, drawn_texts in zip(likeliest, sequences.hypotheses(), strict=True)
    ]


def _best(candidates: list[ChosenText], votes: Sequence[float], language: str, pair: PosePair | None) -> ChosenText:
    """Return the best candidate; ``pair`` is None if the joints are not used."""

    def rank(voted: tuple[ChosenText, float]) -> tuple[bool, float, float, float]:
        candidate, vote = voted
        agreements = [] if pair is None else judge_text(candidate.text, language, pair)
        return (
            candidate.hypothesis.ended,
            sum(agreements) / len(agreements) if agreements else -1.0,
            vote,
            candidate.likelihood,
        )

    return max(zip(candidates, votes, strict=True), key=rank)[0]

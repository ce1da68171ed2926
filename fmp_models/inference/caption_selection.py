"""Caption selection: a captioner's likeliest text of a pair, or of several the one that the joints bear out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch

from fmp_models.languages.vocabulary import Vocabulary
from fmp_models.metrics.task.clause_agreement import verdicts
from fmp_models.networks.captioning.captioner import Captioner
from fmp_models.networks.captioning.decoding import Hypothesis, beam, greedy, sample
from fmp_models.networks.captioning.pair_encoder import EncodedPair
from fmp_models.pose import PosePair

Votes = Callable[[Sequence[Sequence[str]]], Sequence[Sequence[float]]]  # for the texts of each pair, the best highest
_TOP_P = 0.9  # of the samples: what lies beyond is seldom a sentence


@dataclass(frozen=True)
class Decoding:
    """How words are read off a pair: ``texts`` is the width of the beam or the number of samples.

    ``rerank`` prefers what agrees with the joints to what the captioner itself holds likeliest; its greedy text is then
    a candidate beside the samples. ``seed`` is that of the samples. ValueError for what is no decoding.
    """

    method: Literal["greedy", "beam", "sample"] = "greedy"
    texts: int = 5
    rerank: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what reads nothing."""
        if self.method not in {"greedy", "beam", "sample"} or self.texts < 1:
            message = f"there is no decoding “{self.method}” with {self.texts} texts"
            raise ValueError(message)


@dataclass(frozen=True)
class ChosenText:
    """One text as a person reads it, and the words it was made of."""

    text: str
    hypothesis: Hypothesis

    @property
    def likelihood(self) -> float:
        """How likely the captioner holds it, word for word: the mean log-probability."""
        return self.hypothesis.log_probability / (len(self.hypothesis.words) + self.hypothesis.ended or 1)


def choose_texts(  # noqa: PLR0913, PLR0917  who speaks, of what, in which words, and how they are found and chosen
    captioner: Captioner,
    encoded: EncodedPair,
    vocabulary: Vocabulary,
    pairs: Sequence[PosePair | None],
    decoding: Decoding,
    limit: int,
    votes: Votes | None = None,
) -> list[ChosenText]:
    """One text for each of the b ``pairs``, of at most ``limit`` words with the end mark.

    Of several, one that came to its end goes before one that the limit cut off. Re-ranked, it is then the candidate
    with the highest share of clauses that the joints bear out, among those that they can judge; where several have it,
    the one the captioner holds likeliest, word for word. One without such a clause comes last; without joints no clause
    can be judged. ``votes`` for the texts of each pair count after the clauses, before what the captioner holds likely.
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
    """The texts of each of b pairs that one is chosen of, of at most ``limit`` words with the end mark."""
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
    """``pair`` is None where its joints judge nothing."""

    def rank(voted: tuple[ChosenText, float]) -> tuple[bool, float, float, float]:
        candidate, vote = voted
        agreements = [] if pair is None else verdicts(candidate.text, language, pair)
        return (
            candidate.hypothesis.ended,
            sum(agreements) / len(agreements) if agreements else -1.0,
            vote,
            candidate.likelihood,
        )

    return max(zip(candidates, votes, strict=True), key=rank)[0]

"""A trained captioner as a speaker: photographs and joints to words, each with its probability and where it looked.

What it says is read back into clauses, and the geometry judges every one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

import numpy as np
import torch
from torch import Tensor

from fmp_models.candidates import Decoding, said
from fmp_models.centring import centred_pair
from fmp_models.checked_clauses import checked_clauses
from fmp_models.describe.changes import VISIBLE
from fmp_models.describe.judging import agrees
from fmp_models.describe.planning import says_all
from fmp_models.errors import BadInputError
from fmp_models.framing import cut
from fmp_models.hub.models import Loaded
from fmp_models.hub.references import CONFIG
from fmp_models.languages.grammar import grammar
from fmp_models.languages.mending import mended
from fmp_models.languages.reading import ReadClause, read_plan, words_at
from fmp_models.languages.vocabulary import Vocabulary, written
from fmp_models.networks.backbone import as_images
from fmp_models.networks.captioner import Attention, Captioner
from fmp_models.networks.decoding import Hypothesis
from fmp_models.networks.pair_encoder import PairBatch
from fmp_models.networks.seeing import Seeing
from fmp_models.pipelines import Look, Seen, Spoken, Squares, Word
from fmp_models.pose import Array, PosePair
from fmp_models.stopwatch import Stopwatch

DECODING = Decoding("sample", texts=10, rerank=True)
_RESAID = 0.5  # of a word that stands anew where its sentence lost another clause: nobody measured it
_NOWHERE = Look(None, None, None, None)
_LONGEST = 80  # words of a text with the end mark, as in the configurations of the bundled captioners
_ENOUGH = 2 / 3  # of the joints must be seen, or a captioner that can do without them does


@dataclass(frozen=True)
class _Said:
    """What stands between two spaces of a text, and which of the captioner's words it is made of."""

    word: str
    tokens: range


class Captioning:
    """A loaded captioner that says corrections; nothing in it changes, so threads may share it."""

    def __init__(self, loaded: Loaded[Seeing[Captioner]], decoding: Decoding = DECODING) -> None:
        """Put the captioner on the GPU where there is one; raise BadInputError (``model_damaged``) for a blind one."""
        config = loaded.network.network.config
        if config.vision and loaded.network.backbone is None:
            reason = "it has no backbone to see photographs by"
            raise BadInputError("model_damaged", model=loaded.folder.id, file=CONFIG, reason=reason)
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._model = loaded.network.to(self._device)
        self._vocabularies = loaded.vocabularies
        self._decoding = decoding
        self.languages = tuple(loaded.vocabularies)

    def say(self, seen: Seen, language: str, seed: int | None = None) -> Spoken:
        """The correction in one of ``languages``; a ``seed`` matters only where texts are drawn."""
        clock = Stopwatch()
        vocabulary = self._vocabularies[language]
        squares = self._squares(seen) if self._model.network.config.vision else None
        joints_known = self._knows_joints(seen.pair)
        hypothesis = self._likeliest(seen, squares, vocabulary, seed, joints_known=joints_known)
        clock.lap("captioner")
        parts = _parts(vocabulary.tokens_of(hypothesis.words), language)
        sureness = [_geometric_mean(hypothesis.probabilities[part.tokens.start : part.tokens.stop]) for part in parts]
        draft = " ".join(part.word for part in parts)
        text = _mended(draft, language, seen.pair, sureness, cut=not hypothesis.ended)
        places = _places(draft.split(), text.split())
        chances = [_RESAID if place is None else sureness[place] for place in places]
        clauses = checked_clauses(
            text, language, seen.pair, lambda _, place: _geometric_mean(chances[place[0] : place[1]])
        )
        words = tuple(Word(word, round(chance, 3)) for word, chance in zip(text.split(), chances, strict=True))
        looks: tuple[Look, ...] = ()
        if squares is not None:
            of_draft = list(_looks(hypothesis.attention, parts, joints=joints_known))
            looks = tuple(_NOWHERE if place is None else of_draft[place] for place in places)
        clock.lap("check")
        return Spoken(text, words, clauses, clock.times, looks, squares)

    @torch.inference_mode()
    def _likeliest(
        self, seen: Seen, squares: Squares | None, vocabulary: Vocabulary, seed: int | None, *, joints_known: bool
    ) -> Hypothesis:
        captioner = self._model.network
        encoded = captioner.encode(self._batch(seen, squares, joints_known=joints_known))
        decoding = replace(self._decoding, seed=seed or 0)
        (chosen,) = said(captioner, encoded, vocabulary, [seen.pair], decoding, _LONGEST)
        return chosen.hypothesis

    def _squares(self, seen: Seen) -> Squares:
        config = self._model.network.config.pictures
        current, target = (
            config.square(*photograph.image.size, estimate.image_joints)
            for photograph, estimate in zip(seen.photographs, seen.estimates, strict=True)
        )
        return current, target

    def _knows_joints(self, pair: PosePair) -> bool:
        """Whether joints are given: always to a captioner that cannot do without them."""
        return not self._model.network.config.missing or float((pair.visibility >= VISIBLE).mean()) >= _ENOUGH

    def _batch(self, seen: Seen, squares: Squares | None, *, joints_known: bool) -> PairBatch:
        """One pair."""
        pictures: tuple[Tensor | None, Tensor | None] = (None, None)
        if squares is not None:
            size = self._model.network.config.pictures.size
            pixels = [cut(photo.image, square, size) for photo, square in zip(seen.photographs, squares, strict=True)]
            positions = self._model.positions(as_images(torch.from_numpy(np.stack(pixels)).to(self._device)))
            pictures = positions[:1], positions[1:]
        joints = torch.from_numpy(centred_pair(seen.pair)).to(self._device)
        known = None if joints_known else torch.zeros(1, dtype=torch.bool, device=self._device)
        return PairBatch(*pictures, joints[:1], joints[1:], joints_known=known)


def _mended(draft: str, language: str, pair: PosePair, sureness: Sequence[float], *, cut: bool) -> str:
    """The draft without contradictions, an unfinished end, or an all-clear while something that moved is unsaid.

    Of two clauses that contradict each other the one stays that the joints bear out, or else the surer one.
    """
    words = grammar(language)

    def worth(clause: ReadClause) -> float:
        first, last = words_at(draft, clause.start, clause.start + len(clause.text))
        return {True: 2.0, None: 1.0, False: 0.0}[agrees(clause.clause, pair)] + _geometric_mean(sureness[first:last])

    return mended(draft, words, worth, cut=cut, complete=says_all(read_plan(draft, words), pair))


def _places(draft: Sequence[str], words: Sequence[str]) -> list[int | None]:
    """Where each of the ``words`` stood in the draft; None for one that stands anew."""
    places: list[int | None] = [None] * len(words)
    for block in SequenceMatcher(None, draft, words, autojunk=False).get_matching_blocks():
        places[block.b : block.b + block.size] = range(block.a, block.a + block.size)
    return places


def _parts(tokens: Sequence[str], language: str) -> list[_Said]:
    """The tokens as they are written: a mark belongs to the word that it is written on."""
    parts: list[_Said] = []
    at = 0
    for word, count in written(tokens, language):
        parts.append(_Said(word, range(at, at + count)))
        at += count
    return parts


def _looks(attention: Attention, parts: Sequence[_Said], *, joints: bool) -> Iterable[Look]:
    """Where each word looked; what stands in for unknown joints is no place to look at."""
    for part in parts:
        current, target = (_mean(weights, part.tokens) for weights in (attention.current, attention.target))
        bodies = (attention.joints, attention.differences) if joints else (None, None)
        yield Look(_grid(current), _grid(target), *(_mean(weights, part.tokens) for weights in bodies))


def _mean(weights: Tensor | None, tokens: range) -> Array | None:
    """The mean (n,) of the weights (t, n) of some tokens."""
    return None if weights is None else weights[tokens.start : tokens.stop].double().mean(dim=0).cpu().numpy()


def _grid(weights: Array | None) -> Array | None:
    """Weights of a square's positions, row by row, as (g, g)."""
    return None if weights is None else weights.reshape(math.isqrt(len(weights)), -1)


def _geometric_mean(chances: Sequence[float]) -> float:
    return math.prod(chances) ** (1 / len(chances)) if chances else 0.0

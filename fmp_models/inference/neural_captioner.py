"""Trained captioner as a correction model: photographs and joints -> words with probabilities and attention maps.

The text is converted to canonical terms, read back into clauses, and repaired by the joints before it is shown. The
shown text is the captioner's likeliest for the pair, or the candidate that agrees best with the joints.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import partial
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from fmp_models.describe import speak
from fmp_models.errors import BadInputError
from fmp_models.geometry import VISIBLE, Clause, agrees, confidence
from fmp_models.hub import CONFIG, LoadedModel
from fmp_models.inference.clause_check import (
    RepairedDraft,
    Repairer,
    checked_clauses,
    clause_confidence,
    spoken,
)
from fmp_models.inference.correction import (
    AttentionMap,
    Correction,
    MeasuredPhotographs,
    ModelName,
    PersonCrops,
    Stopwatch,
    Word,
)
from fmp_models.languages import (
    MARKS,
    Draft,
    ReadClause,
    Vocabulary,
    grammar,
    mend_text,
    read_clauses,
    speech_words,
    with_canonical_terms,
    words_at,
    written_words,
)
from fmp_models.metrics import judge_text
from fmp_models.networks import (
    Attention,
    Captioner,
    EncodedPair,
    Hypothesis,
    PairBatch,
    VisionModel,
    as_images,
    beam,
    greedy,
    sample,
)
from fmp_models.pose import JOINTS, Array, PosePair
from fmp_models.preprocessing import centred_pair, cut

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


DECODING = Decoding("sample", texts=10, rerank=True)
_RESAID = 0.5  # probability of a word that was reworded after its sentence lost a clause; not measured
_NOWHERE = AttentionMap(None, None, None, None)
_UNKNOWN = np.full((len(JOINTS), 2), np.nan)  # pixels of unknown joints
_MAX_WORDS = 80  # words of a text including the end mark, as configured for the bundled captioners
_ENOUGH = 2 / 3  # share of visible joints below which a captioner that can work without joints gets none


@dataclass(frozen=True)
class _Word:
    """One written word with its probability; the attention map is computed only for words that are shown."""

    word: str
    chance: float
    look: Callable[[], AttentionMap] = lambda: _NOWHERE


@dataclass(frozen=True)
class _Draft:
    """A candidate text of the captioner: its parsed draft, and its words."""

    read: Draft
    words: list[_Word]
    chosen: ChosenText

    @classmethod
    def of(cls, chosen: ChosenText, vocabulary: Vocabulary, *, joints: bool, house: bool) -> _Draft:
        """Return the draft; ``joints`` if joints were given, ``house`` to convert words to canonical terms."""
        hypothesis = chosen.hypothesis
        words = [
            _Word(
                word,
                _geometric_mean(hypothesis.probabilities[tokens.start : tokens.stop]),
                partial(_look, hypothesis.attention, tokens, joints=joints),
            )
            for written, tokens in _parts(vocabulary.tokens_of(hypothesis.words), vocabulary.language)
            for word in (with_canonical_terms(written, vocabulary.language) if house else [written])
        ]
        draft = Draft(_text(words), grammar(vocabulary.language), cut=not hypothesis.ended)
        return cls(draft, words, chosen)

    def sentence(self, place: int) -> list[_Word]:
        """Return the words of one sentence."""
        lengths = [len(sentence.text.split()) for sentence in self.read.sentences]
        first = sum(lengths[:place])
        return self.words[first : first + lengths[place]]


_Repaired = tuple[RepairedDraft, list[_Word]]  # the text to show, and the captioner's own words of it


class CaptionGenerator:
    """A loaded captioner that writes corrections; it is immutable, so threads can share it."""

    def __init__(
        self,
        loaded: LoadedModel[VisionModel[Captioner]],
        decoding: Decoding = DECODING,
        *,
        repairs: bool = True,
        device: str | None = None,
    ) -> None:
        """Use the ``device``, else the GPU if there is one; raise ``model_damaged`` if the backbone is missing.

        Without ``repairs`` it returns its likeliest draft unchanged, which shows what the captioner itself has
        learned.
        """
        config = loaded.network.network.config
        if config.vision and loaded.network.backbone is None:
            why = "it has no backbone for photographs"
            raise BadInputError("model_damaged", model=loaded.folder.id, file=CONFIG, reason=why)
        self._device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        self._model = loaded.network.to(self._device)
        self._vocabularies = loaded.vocabularies
        self._decoding = decoding
        self._repairs = repairs
        self._by = loaded.folder.shown_id
        self.name = ModelName.of(loaded.folder, repairs=repairs)
        self.languages = tuple(loaded.vocabularies)

    @property
    def needs_joints(self) -> bool:
        """Whether the captioner cannot describe pictures without joints."""
        config = self._model.network.config
        return not config.vision or (config.joints and not config.missing)

    def generate(self, measurements: MeasuredPhotographs, language: str, seed: int | None = None) -> Correction:
        """Return the correction in one of ``languages``, repaired by the joints; ``seed`` only affects sampled texts.

        Without joints the text begins with a note about that; raise ValueError if the captioner needs joints.
        """
        clock, pair = Stopwatch(), measurements.pair
        squares = self._squares(measurements) if self._model.network.config.vision else None
        drafts = self._drafts(measurements, squares, language, seed)
        clock.lap("captioner")
        if not self._repairs:
            repaired, words = _unrepaired(_likeliest(drafts).words)
        elif pair is None:
            repaired, words = _alone(drafts, language)
        else:
            repaired, words = self._repaired(drafts, pair, language)

        def sureness(clause: Clause, place: tuple[int, int]) -> float:
            word_chance = _geometric_mean([word.chance for word in words[slice(*place)]])
            return clause_confidence(word_chance, None if pair is None else confidence(clause, pair))

        clauses = (*checked_clauses(repaired.own, language, pair, sureness, self._by), *repaired.added)
        correction = Correction(repaired.text, language, (), clauses, self.name, dropped=repaired.dropped)
        if self._repairs and pair is not None:
            correction, words = _voiced(correction, repaired, words, pair, seed)
        clock.lap("check")
        return replace(
            correction,
            words=tuple(Word(word.word, round(word.chance, 3)) for word in words),
            milliseconds=clock.times,
            looks=() if squares is None else tuple(word.look() for word in words),
            squares=squares,
        )

    def drafted(self, measurements: MeasuredPhotographs, language: str) -> list[tuple[Clause, float]]:
        """Return every clause of the drafts that :meth:`generate` chooses from, with its probability."""
        squares = self._squares(measurements) if self._model.network.config.vision else None
        chances = []
        for draft in self._drafts(measurements, squares, language, None):
            for entry in draft.read.clauses:
                first, last = words_at(draft.read.source, *entry.span)
                chances.append((entry.goal, _geometric_mean([word.chance for word in draft.words[first:last]])))
        return chances

    def _repaired(self, drafts: Sequence[_Draft], pair: PosePair, language: str) -> _Repaired:
        """Return the best draft with sentences added from others, repaired."""
        repairer = Repairer(pair, language)
        if self._decoding.rerank:

            def rank(draft: _Draft) -> tuple[bool, int, float, float]:
                return draft.chosen.hypothesis.ended, *repairer.merit(draft.read), draft.chosen.likelihood

            drafts = sorted(drafts, key=rank)[::-1]
        else:
            drafts = [_likeliest(drafts)]
        words = [word for place in range(len(drafts[0].read.sentences)) for word in drafts[0].sentence(place)]
        for number, place in repairer.missing_sentences([draft.read for draft in drafts]):
            words += drafts[number].sentence(place)
        draft = Draft(_text(words), grammar(language))
        repaired = repairer.repaired(draft, _worth(draft, words, pair))
        return repaired, _again(words, repaired.own)

    @torch.inference_mode()
    def _drafts(
        self, measurements: MeasuredPhotographs, squares: PersonCrops | None, language: str, seed: int | None
    ) -> list[_Draft]:
        """Return the candidate texts."""
        captioner, vocabulary = self._model.network, self._vocabularies[language]
        joints_known = self._knows_joints(measurements.pair)
        encoded = captioner.encode(self._batch(measurements, squares, joints_known=joints_known))
        decoding = replace(self._decoding, seed=seed or 0)
        (texts,) = candidates(captioner, encoded, vocabulary, decoding, _MAX_WORDS)
        return [_Draft.of(text, vocabulary, joints=joints_known, house=self._repairs) for text in texts]

    def _squares(self, measurements: MeasuredPhotographs) -> PersonCrops:
        config = self._model.network.config.pictures
        current, target = (
            config.square(*photograph.image.size, _UNKNOWN if estimate is None else estimate.image_joints)
            for photograph, estimate in zip(measurements.photographs, measurements.estimates, strict=True)
        )
        return current, target

    def _knows_joints(self, pair: PosePair | None) -> bool:
        """Return whether to use joints: if any, and the captioner requires them or enough are visible."""
        if pair is None:
            return False
        return not self._model.network.config.missing or float((pair.visibility >= VISIBLE).mean()) >= _ENOUGH

    def _batch(
        self, measurements: MeasuredPhotographs, squares: PersonCrops | None, *, joints_known: bool
    ) -> PairBatch:
        """Return a batch with one pair."""
        pictures: tuple[Tensor | None, Tensor | None] = (None, None)
        if squares is not None:
            size = self._model.network.config.pictures.size
            pixels = [
                cut(photo.image, square, size) for photo, square in zip(measurements.photographs, squares, strict=True)
            ]
            positions = self._model.positions(as_images(torch.from_numpy(np.stack(pixels)).to(self._device)))
            pictures = positions[:1], positions[1:]
        if measurements.pair is None and self.needs_joints:
            raise ValueError("this captioner needs joints")
        joints = (
            torch.zeros(2, len(JOINTS), 3)
            if measurements.pair is None
            else torch.from_numpy(centred_pair(measurements.pair))
        )
        joints = joints.to(self._device)
        missing = not joints_known and self._model.network.config.missing
        known = torch.zeros(1, dtype=torch.bool, device=self._device) if missing else None
        return PairBatch(*pictures, joints[:1], joints[1:], joints_known=known)


def _likeliest(drafts: Sequence[_Draft]) -> _Draft:
    return max(drafts, key=lambda draft: (draft.chosen.hypothesis.ended, draft.chosen.likelihood))


def _text(words: Sequence[_Word]) -> str:
    return " ".join(word.word for word in words)


def _unrepaired(words: list[_Word]) -> _Repaired:
    return RepairedDraft(_text(words), _text(words), (), 0), words


def _alone(drafts: Sequence[_Draft], language: str) -> _Repaired:
    """Return the text without joints: a note, then the likeliest draft without contradictions."""
    words, best = grammar(language), _likeliest(drafts)
    worth = _worth(best.read, best.words, None)
    own_words = _again(best.words, mend_text(best.read.source, words, worth, cut=not best.chosen.hypothesis.ended))
    warning = [_Word(word, 1.0) for word in words.pictures_alone.split()] if own_words else []
    return _unrepaired([*warning, *own_words])


def _voiced(
    correction: Correction, repaired: RepairedDraft, words: list[_Word], pair: PosePair, seed: int | None
) -> tuple[Correction, list[_Word]]:
    """Return the text in steps as a trainer says it, with the captioner's own sentences where suitable."""
    language, own = correction.language, repaired.own
    entries = read_clauses(own, grammar(language))
    plan = (*(entry.goal for entry in entries), *(step.clause for step in repaired.added))
    places: dict[str, int] = {}
    said: dict[frozenset[Clause], str] = {}
    at = 0
    for own_sentence in Draft(own, grammar(language)).sentences:
        start = own.index(own_sentence.text, at)
        at = start + len(own_sentence.text)
        of_sentence = frozenset(entry.goal for entry in entries if start <= entry.start < at)
        if of_sentence and not speech_words(language).is_stiff(own_sentence.text):
            said[of_sentence] = own_sentence.text
            places[own_sentence.text] = words_at(own, start, at)[0]
    speech = speak(plan, pair, language, seed, lambda step: said.get(frozenset(step.clauses)))
    correction = spoken(correction, speech, plan)
    by = correction.model.id
    steps = tuple(replace(step, by=by) if step.text in places else step for step in correction.steps)
    by_place = {step.words[0]: step for step in steps}
    shown: list[_Word] = []
    for number, word in enumerate(speech.text.split()):
        step = max((s for first, s in by_place.items() if first <= number), key=lambda s: s.words[0], default=None)
        begun = None if step is None else places.get(step.text)
        if step is not None and begun is not None and number < step.words[1]:
            shown.append(words[begun + number - step.words[0]])
        else:
            shown.append(_Word(word, 1.0 if step is None or step.confidence is None else step.confidence))
    return replace(correction, steps=steps), shown


def _worth(draft: Draft, words: Sequence[_Word], pair: PosePair | None) -> Callable[[ReadClause], float]:
    """Return a function that rates clauses: agreement with the joints first, then the captioner's probability."""

    def worth(clause: ReadClause) -> float:
        first, last = words_at(draft.source, *clause.span)
        verdict = None if pair is None else agrees(clause.goal, pair)
        return {True: 2.0, None: 1.0, False: 0.0}[verdict] + _geometric_mean([w.chance for w in words[first:last]])

    return worth


def _again(draft: Sequence[_Word], text: str) -> list[_Word]:
    """Return the words of a text made from a draft; a new word has no attention map."""
    words = text.split()
    places = _places([_plain(drafted.word) for drafted in draft], [_plain(word) for word in words])
    return [
        _Word(word, _RESAID) if place is None else replace(draft[place], word=word)
        for word, place in zip(words, places, strict=True)
    ]


def _plain(word: str) -> str:
    """Return a word without punctuation and capitals, independent of its position in the sentence."""
    return word.strip(MARKS).lower() or word


def _places(draft: Sequence[str], words: Sequence[str]) -> list[int | None]:
    """Return the index in the draft of each of the ``words``; None for a new word."""
    places: list[int | None] = [None] * len(words)
    for block in SequenceMatcher(None, draft, words, autojunk=False).get_matching_blocks():
        places[block.b : block.b + block.size] = range(block.a, block.a + block.size)
    return places


def _parts(tokens: Sequence[str], language: str) -> Iterator[tuple[str, range]]:
    """Yield the written words, each with its range of tokens; punctuation belongs to the word it is attached to."""
    at = 0
    for word, count in written_words(tokens, language):
        yield word, range(at, at + count)
        at += count


def _look(attention: Attention, tokens: range, *, joints: bool) -> AttentionMap:
    """Return the attention map of a word; attention to placeholders for unknown joints is dropped."""
    current, target = (_mean(weights, tokens) for weights in (attention.current, attention.target))
    bodies = (attention.joints, attention.differences) if joints else (None, None)
    return AttentionMap(_grid(current), _grid(target), *(_mean(weights, tokens) for weights in bodies))


def _mean(weights: Tensor | None, tokens: range) -> Array | None:
    """Return the mean (n,) of the weights (t, n) over some tokens."""
    return None if weights is None else weights[tokens.start : tokens.stop].double().mean(dim=0).cpu().numpy()


def _grid(weights: Array | None) -> Array | None:
    """Return the weights of a crop's positions, row by row, as (g, g); ``None`` if they are not of a square crop."""
    if weights is None or math.isqrt(len(weights)) ** 2 != len(weights):
        return None
    return weights.reshape(math.isqrt(len(weights)), -1)


def _geometric_mean(chances: Sequence[float]) -> float:
    return math.prod(chances) ** (1 / len(chances)) if chances else 0.0

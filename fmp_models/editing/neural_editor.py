"""The trained editor at work: words are deleted once, then rounds of additions follow until no word is added.

A text that still has false clauses is edited again, with more of their words deleted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from fmp_models.common import ADD, DELETE, Edit, word_edits
from fmp_models.editing.edited import EditedText, clause_verdict, edited_text, known_pair
from fmp_models.editing.operations import EditOperation, oracle
from fmp_models.geometry import Findings, signed_axes
from fmp_models.hub import LoadedModel
from fmp_models.inference import MeasuredPhotographs, ModelName, Stopwatch, check_description
from fmp_models.languages import (
    BOS,
    EOS,
    MARKS,
    SENTENCE_ENDS,
    SPECIALS,
    UNK,
    Vocabulary,
    grammar,
    read_clauses,
    token_spans,
    words_at,
)
from fmp_models.networks import EditBatch, Editor, PairBatch, Verdict, VisionModel, WordState, clause_codes
from fmp_models.pose import PosePair
from fmp_models.preprocessing import centred_pair

MAX_ROUNDS = 5
_CLOSING = frozenset(f"{MARKS})")
_ENDS = frozenset(SENTENCE_ENDS)
_LIKELY = 0.5
_MOST_WORDS = 400  # words of a text with its deleted ones; more are never added
_SHARES = (1.0, 0.5, 0.25, 0.15)  # of passes after the first, while a text is false; see :func:`edit_texts`
_AT_ONCE = 64  # texts of one pass
_MOST_LONGER = 30  # a text written anew has at most that many words more than the given one


@dataclass(frozen=True)
class GivenText:
    """A text as the editor reads it: tokens with their spans and verdicts, and the codes of the plan's clauses."""

    text: str
    language: str
    tokens: tuple[tuple[str, int, int], ...]
    verdicts: tuple[Verdict, ...]
    plan: tuple[tuple[int, ...], ...]
    false: int = 0  # clauses that contradict the joints


def read_given(text: str, language: str, findings: Findings) -> GivenText:
    """Read a text about the pair of ``findings``; raise :class:`BadInputError` (``unknown_language``)."""
    tokens = token_spans(text, language)
    clauses = read_clauses(text, grammar(language))
    verdicts, false = [Verdict.NONE] * len(tokens), 0
    for clause in clauses:
        verdict = _VERDICTS[clause_verdict(clause.goal, findings.pair)]
        false += verdict == Verdict.FALSE
        for place, (_, start, end) in enumerate(tokens):
            if start < clause.span[1] and end > clause.span[0] and verdicts[place] != Verdict.FALSE:
                verdicts[place] = verdict
    missing = {axis for clause in findings.unsaid(read.goal for read in clauses) for axis in signed_axes(clause)}
    plan = tuple(tuple(clause_codes(clause, said=not signed_axes(clause) & missing)) for clause in findings.plan)
    return GivenText(text, language, tuple(tokens), tuple(verdicts), plan, false)


_VERDICTS = {True: Verdict.TRUE, False: Verdict.FALSE, None: Verdict.UNCLEAR}


class Slot(NamedTuple):
    """A word in an edited text: its number, its state, its verdict, its place in the given text, and its round."""

    word: int
    state: WordState = WordState.KEPT
    verdict: Verdict = Verdict.NONE
    place: int = -1
    round: int = 0

    def stands(self, rounds: int) -> bool:
        """Return whether the word is in the text after that many rounds; the begin mark never is."""
        if self.place < 0:
            return self.state == WordState.ADDED and self.round <= rounds
        return self.state != WordState.DELETED or not rounds


Slots = Sequence[Slot]
Plan = Sequence[Sequence[int]]


def begin(given: GivenText, vocabulary: Vocabulary) -> Slots:
    """Return a given text's words before any edit."""
    numbers = vocabulary.numbers_as_meant(token for token, *_ in given.tokens)
    return [
        Slot(BOS),
        *(
            Slot(number, WordState.KEPT, verdict, place)
            for place, (number, verdict) in enumerate(zip(numbers, given.verdicts, strict=True))
        ),
    ]


def edit_batch(
    texts: Sequence[Slots],
    languages: Sequence[int],
    pairs: Sequence[int],
    plans: Sequence[Plan],
    device: torch.device | None = None,
) -> EditBatch:
    """Return texts as the network's batch."""

    def padded(rows: Sequence[Sequence[int]]) -> Tensor:
        return pad_sequence([torch.tensor(row) for row in rows], batch_first=True).to(device)

    most = max((len(clause) for plan in plans for clause in plan), default=1)
    clauses = [torch.tensor([[*c, *[0] * (most - len(c))] for c in plan] or [[0] * most]) for plan in plans]
    return EditBatch(
        padded([[slot.word for slot in text] for text in texts]),
        padded([[slot.state for slot in text] for text in texts]),
        padded([[slot.verdict for slot in text] for text in texts]),
        torch.tensor(languages, device=device),
        torch.tensor(pairs, device=device),
        pad_sequence(clauses, batch_first=True).to(device),
    )


@torch.inference_mode()
def edit_texts(
    editor: Editor,
    vocabularies: dict[str, Vocabulary],
    encoded: Tensor,
    given: Sequence[GivenText],
    share: float | None = None,
) -> list[Slots]:
    """Return the edited words of given texts (b), each about one of ``encoded`` pairs (b, n, d).

    A text in which no edit has the editor's ``threshold`` stays as it is. With a ``share``, one with false clauses does
    not: only words of these are deleted, those that have this share of the probability of the surest; 0 deletes all.
    An implicit editor writes each text anew.
    """
    if editor.config.implicit:
        return _written_anew(editor, vocabularies, encoded, given)
    languages = [list(vocabularies).index(text.language) for text in given]

    def seen(open_: Sequence[int]) -> tuple[EditBatch, Tensor]:
        plans = [given[i].plan for i in open_]
        batch = edit_batch([texts[i] for i in open_], [languages[i] for i in open_], open_, plans, encoded.device)
        return batch, editor(encoded, batch)

    texts, deleted, first = _first_look(editor, vocabularies, encoded, given)
    false = [share is not None and any(slot.verdict == Verdict.FALSE for slot in text) for text in texts]
    opened = [i for i, surest in enumerate(first) if surest >= editor.threshold or false[i]]
    for i in opened:
        texts[i] = _without(texts[i], deleted[i].tolist(), share)
    for number in range(1, 2 if editor.config.most_at_once > 1 else MAX_ROUNDS + 1):
        if not opened:
            break
        batch, features = seen(opened)
        counts = added_counts(editor.additions(features)).tolist()
        growing = []
        for i, added in zip(opened, counts, strict=True):
            if sum(added[: len(texts[i])]) and len(texts[i]) + sum(added) <= _MOST_WORDS:
                gap = Slot(UNK, WordState.GAP, round=number)
                texts[i] = [
                    *chain.from_iterable((slot, *[gap] * count) for slot, count in zip(texts[i], added, strict=False))
                ]
                growing.append(i)
        opened = growing
        if opened:
            batch, features = seen(opened)
            gaps = batch.states == WordState.GAP
            of = batch.languages[:, None].expand_as(gaps)[gaps]
            logits = editor.insertions(features[gaps], of)
            starts = editor.starts[of]
            logits = logits.scatter(1, starts[:, None] + torch.arange(len(SPECIALS), device=of.device), -torch.inf)
            words = iter((logits.argmax(dim=1) - starts).tolist())
            for i in opened:
                texts[i] = [
                    slot._replace(word=next(words), state=WordState.ADDED) if slot.state == WordState.GAP else slot
                    for slot in texts[i]
                ]
    return texts


def _without(text: Slots, chances: Sequence[float], share: float | None) -> Slots:
    """Return a text with likely words marked as deleted; with a ``share``, as :func:`edit_texts` says."""
    known = [*zip(text, chances, strict=False)]
    able = [share is None or slot.verdict == Verdict.FALSE for slot in text]
    surest = max((chance for (_, chance), one in zip(known, able, strict=True) if one), default=1.0)
    least = _LIKELY if share is None else min(_LIKELY, share * surest)
    return [
        slot._replace(state=WordState.DELETED) if place and able[place] and chance >= least else slot
        for place, (slot, chance) in enumerate(known)
    ]


def _written_anew(
    editor: Editor, vocabularies: dict[str, Vocabulary], encoded: Tensor, given: Sequence[GivenText]
) -> list[Slots]:
    """Return the texts of an implicit editor as edits, word by word the likeliest."""
    texts, batch, features = _as_given(editor, vocabularies, encoded, given)
    starts = editor.starts[batch.languages][:, None]
    never = starts + torch.tensor([number for number in range(len(SPECIALS)) if number != EOS], device=starts.device)
    words, hidden = torch.full_like(starts, BOS), None
    new: list[Tensor] = []
    ended = torch.zeros_like(words, dtype=torch.bool)
    while len(new) < batch.words.shape[1] + _MOST_LONGER and not ended.all():
        chances, hidden = editor.writes(encoded, batch, features, words, hidden)
        words = chances[:, 0].scatter(1, never, -torch.inf).argmax(dim=1, keepdim=True) - starts
        new.append(words)
        ended = ended | (words == EOS)
    edited = list[Slots]()
    for text, slots, numbers in zip(given, texts, torch.cat(new, dim=1).tolist(), strict=True):
        vocabulary = vocabularies[text.language]
        left = iter(slots[1:])
        edits = oracle([token for token, *_ in text.tokens], vocabulary.tokens_of(numbers[: len(slots) + _MOST_LONGER]))
        edited.append(
            [
                slots[0],
                *(
                    Slot(vocabulary.numbers_as_meant([edit.token])[0], WordState.ADDED, round=1)
                    if edit.op == ADD
                    else next(left)._replace(state=WordState.DELETED if edit.op == DELETE else WordState.KEPT)
                    for edit in edits
                ),
            ]
        )
    return edited


@torch.inference_mode()
def surest_edits(
    editor: Editor, vocabularies: dict[str, Vocabulary], encoded: Tensor, given: Sequence[GivenText]
) -> list[float]:
    """Return the highest probability of an edit in each given text, of a deletion or an addition."""
    return _first_look(editor, vocabularies, encoded, given)[2]


def _first_look(
    editor: Editor, vocabularies: dict[str, Vocabulary], encoded: Tensor, given: Sequence[GivenText]
) -> tuple[list[Slots], Tensor, list[float]]:
    """Return given texts, the probabilities that their words are deleted, and that of the surest edit of each text."""
    texts, _, features = _as_given(editor, vocabularies, encoded, given)
    deleted = editor.deletions(features).float().sigmoid()
    added = 1 - editor.additions(features).float().softmax(dim=-1)[..., 0]
    edited = (torch.cat([deleted[i, 1 : len(text)], added[i, : len(text)]]).max() for i, text in enumerate(texts))
    return texts, deleted, [*map(float, edited)]


def _as_given(
    editor: Editor, vocabularies: dict[str, Vocabulary], encoded: Tensor, given: Sequence[GivenText]
) -> tuple[list[Slots], EditBatch, Tensor]:
    """Return the words of given texts before any edit, alone and as a batch, and their features."""
    languages = [list(vocabularies).index(text.language) for text in given]
    texts = [begin(text, vocabularies[text.language]) for text in given]
    batch = edit_batch(texts, languages, range(len(given)), [text.plan for text in given], encoded.device)
    return texts, batch, editor(encoded, batch)


def added_counts(logits: Tensor) -> Tensor:
    """Return the number of words (s, t) to add: the likeliest one, if some number is likelier than none."""
    grows = logits.float().softmax(dim=-1)[..., 0] < 1 - _LIKELY
    return torch.where(grows, logits[..., 1:].argmax(dim=-1) + 1, 0)


def written(given: GivenText, slots: Slots, vocabulary: Vocabulary, rounds: int = MAX_ROUNDS) -> tuple[str, list[int]]:
    """Return a text after some rounds and the round of each of its words, 0 for untouched ones.

    Words that are kept stay as they are, except for a capital where a sentence begins now, or no longer begins.
    """
    tokens = [("", 0, 0), *given.tokens]
    lead = given.tokens[0][1] if given.tokens else 0
    text, changes = "", list[tuple[int, int]]()
    before: int | None = 0  # the given token just before
    begins = True  # whether a sentence begins
    for slot in slots:
        if not slot.stands(rounds):
            continue
        at = slot.place + 1 if slot.place >= 0 else None
        token, start, end = (vocabulary.words[slot.word], 0, 0) if at is None else tokens[at]
        if text and begins and token in _ENDS and at is not None and before != at - 1:
            continue  # the end of a sentence without words
        space = "" if token in _CLOSING or text.endswith("(") else " "
        surface, begun = token, False
        if at is not None:
            between = given.text[tokens[at - 1][2] : start]
            space = between if before == at - 1 or between.isspace() else space
            surface, begun = given.text[start:end], at == 1 or tokens[at - 1][0] in _ENDS
        if begins != begun:
            surface = _cased(surface, capital=begins)
        text += space if text or at == 1 else given.text[:lead]
        changes.append((len(text), slot.round if at is None else int(surface != given.text[start:end])))
        text += surface
        before, begins = at, token in _ENDS
    text += given.text[tokens[-1][2] :] if text else ""
    of_words = [0] * len(text.split())
    for start, changed in changes:
        number = words_at(text, start, start + 1)[0]
        of_words[number] = max(of_words[number], changed)
    return text, of_words


class NeuralEditor:
    """A loaded editor; it is immutable, so threads can share it."""

    def __init__(self, loaded: LoadedModel[VisionModel[Editor]], device: str | None = None) -> None:
        """Use the ``device``, else the GPU if there is one."""
        self._device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        self._model = loaded.network.to(self._device)
        self._vocabularies = loaded.vocabularies
        self.name = ModelName.of(loaded.folder)
        self.languages = tuple(loaded.vocabularies)

    def edit(self, text: str, language: str, measurements: MeasuredPhotographs) -> EditedText:
        """Return the edited text; see :class:`TextEditor`."""
        check_description(text, language)
        pair = known_pair(measurements)
        clock = Stopwatch()
        (passes,) = self._edited([(text, pair)], language)
        clock.lap("editor")
        new, rounds = text, [0] * len(text.split())
        for given, slots in passes:
            before, (new, of_words) = new, written(given, slots, self._vocabularies[language])
            rounds = [*_through(word_edits(before, new), rounds, of_words)]
        numbers = sorted({0, *rounds})  # a later pass can delete all words of a round
        rounds = [numbers.index(number) for number in rounds]
        edit = edited_text(text, new, language, pair, self.name)
        clock.lap("check")
        return replace(edit, operations=tuple(_in_own_rounds(edit.operations, rounds)), milliseconds=clock.laps())

    def texts_after_rounds(
        self, texts: Sequence[tuple[str, PosePair]], language: str, rounds: int = MAX_ROUNDS
    ) -> list[list[str]]:
        """Return every text about a pair after 0 to ``rounds`` rounds, and the edited text, for evaluation.

        Here words are deleted in the pass that deletes them; in :meth:`edit`, always in the first round.
        """
        after: list[list[str]] = []
        for row in range(0, len(texts), _AT_ONCE):
            part = texts[row : row + _AT_ONCE]
            for (text, _), passes in zip(part, self._edited(part, language), strict=True):
                rounds_of = [text]
                for given, slots in passes:
                    last = max((slot.round for slot in slots if slot.state == WordState.ADDED), default=1)
                    vocabulary = self._vocabularies[language]
                    rounds_of += [written(given, slots, vocabulary, number)[0] for number in range(1, last + 1)]
                after.append(
                    [*(rounds_of[min(number, len(rounds_of) - 1)] for number in range(rounds + 1)), rounds_of[-1]]
                )
        return after

    @torch.inference_mode()
    def _edited(self, texts: Sequence[tuple[str, PosePair]], language: str) -> list[list[tuple[GivenText, Slots]]]:
        """Return the edits of texts about pairs, one after another.

        A text that is still false is edited again, with more words of its false clauses deleted each time.
        """
        joints = torch.from_numpy(np.stack([centred_pair(pair) for _, pair in texts])).to(self._device)
        network = self._model.network
        encoded = network.encode(PairBatch(current_joints=joints[:, 0], target_joints=joints[:, 1]))
        findings = [Findings(pair) for _, pair in texts]
        latest = [read_given(text, language, of_pair) for (text, _), of_pair in zip(texts, findings, strict=True)]
        passes: list[list[tuple[GivenText, Slots]]] = [[] for _ in texts]
        again = network.config.verdicts and not network.config.implicit
        for share in (None, *_SHARES) if again else (None,):
            places = [i for i, given in enumerate(latest) if share is None or given.false]
            if not places:
                break
            edited = edit_texts(network, self._vocabularies, encoded[places], [latest[i] for i in places], share)
            for i, slots in zip(places, edited, strict=True):
                new = read_given(written(latest[i], slots, self._vocabularies[language])[0], language, findings[i])
                better = new.text != latest[i].text if share is None else new.false < latest[i].false
                if new.text.strip() and better:
                    passes[i].append((latest[i], slots))
                    latest[i] = new
        return passes


def _through(edits: Iterable[Edit], before: Sequence[int], after: Sequence[int]) -> Iterator[int]:
    """Yield the rounds of the words after another pass of edits; its rounds follow those ``before``."""
    earlier, own, last = iter(before), iter(after), max(before, default=0)
    for op, word in edits:
        if not word.isspace():
            kept = 0 if op == ADD else next(earlier, 0)
            if op != DELETE:
                number = next(own, 0)
                yield last + max(number, 1) if op == ADD else kept


def _in_own_rounds(operations: Iterable[EditOperation], rounds: Sequence[int]) -> Iterator[EditOperation]:
    """Yield the operations with the ``rounds`` in which the words of the edited text were added."""
    written_words = iter(rounds)
    for operation in operations:
        number = 0 if operation.op == DELETE or operation.token.isspace() else next(written_words, 0)
        yield replace(operation, round=max(number, 1)) if operation.op == ADD else operation


def _cased(word: str, *, capital: bool) -> str:
    if capital:
        return word[:1].upper() + word[1:]
    return word[:1].lower() + word[1:] if len(word) > 1 and word[1:].islower() else word

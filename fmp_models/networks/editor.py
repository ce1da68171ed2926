"""An editor of texts about two poses, after TIger (Wang et al., ECCV 2022): which words go, and which come where.

The paper's three networks are three heads on one encoder, which reads the words of a text with the encoded pair of
poses (:class:`.captioner.PairEncoder`). Deleted words stay in the sequence with a mark, and so do gaps to be filled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from fmp_models.geometry import Clause, Degree, Direction, Part, Relation, Side
from fmp_models.languages import PAD
from fmp_models.networks.backbone import WordNetworkConfig
from fmp_models.networks.captioner import CaptionerConfig, Hidden, PairBatch, PairEncoder
from fmp_models.networks.layers import attend, linear, positional_encoding
from fmp_models.networks.transforms import FRAMES, Frames

MAX_LAYERS, MAX_WIDTH, MAX_AT_ONCE = 12, 4096, 24  # layers, features of all layers, and words added in one place


@dataclass(frozen=True)
class EditorConfig(WordNetworkConfig):
    """Sizes and options of an ``Editor``; raises ValueError for an invalid combination.

    Without ``backbone`` it sees joints only. ``frames`` and ``measures`` are those of ``CaptionerConfig``. ``verdicts``
    gives every word the joints' verdict on its clause, ``plan`` the changes that the geometry is sure of.
    ``most_at_once`` is the number of words that one round can add in a gap: 1 as in TIger; more gives the single round
    of Felix (Mallinson et al. 2020). An ``implicit`` editor writes the whole text anew instead.
    """

    hidden: int = 256
    layers: int = 3
    heads: int = 4
    frames: Frames = "both"
    measures: bool = True
    verdicts: bool = True
    plan: bool = True
    most_at_once: int = 1
    implicit: bool = False
    # As in ``CaptionerConfig``; each input can be missing.
    joints: ClassVar[bool] = True
    missing: ClassVar[bool] = True
    joint_prediction: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Raise ValueError if the values do not describe an editor."""
        self.keep(
            (bool(self.vocabulary_sizes), "an editor needs words"),
            (0 < self.layers <= MAX_LAYERS, f"layers must be from 1 to {MAX_LAYERS}"),
            (self.layers * self.hidden <= MAX_WIDTH, f"layers times hidden must be at most {MAX_WIDTH}"),
            (self.heads > 0 and self.hidden % self.heads == 0, "hidden must be a multiple of heads"),
            (self.frames in FRAMES, f"frames must be among {', '.join(FRAMES)}"),
            (0 < self.most_at_once <= MAX_AT_ONCE, f"most_at_once must be from 1 to {MAX_AT_ONCE}"),
        )

    @property
    def vision(self) -> bool:
        """Whether pictures are an input."""
        return self.backbone is not None


class WordState(IntEnum):
    """The state of a word in an edited text; a ``GAP`` is a place where a word is to be added."""

    KEPT = 0
    DELETED = 1
    ADDED = 2
    GAP = 3


class Verdict(IntEnum):
    """The joints' verdict on the clause of a word; ``NONE`` outside clauses, for new words and if it is withheld."""

    NONE = 0
    TRUE = 1
    FALSE = 2
    UNCLEAR = 3


_CODED = (*Side, *Part, *Direction, *Degree, *Relation)
_CODES = {(type(value), value): code for code, value in enumerate(_CODED, 1)}
_SAID = len(_CODED) + 1
_LEAST = 1e-9  # probability of a word in a text that is written


def clause_codes(clause: Clause, *, said: bool) -> list[int]:
    """Return the codes of a clause of the plan, 0 is none of them; ``said`` if the given text says it."""
    values = (clause.side, clause.part, clause.direction, clause.degree, *clause.relations)
    return [*(_CODES[type(value), value] for value in values), *[_SAID] * said]


def mirrored_codes(codes: Sequence[int]) -> list[int]:
    """Return the codes of the mirrored clause."""
    values = [None if code == _SAID else _CODED[code - 1] for code in codes]
    mirrored = [value.mirrored if isinstance(value, Side | Direction) else value for value in values]
    return [_SAID if value is None else _CODES[type(value), value] for value in mirrored]


@dataclass(frozen=True)
class EditBatch:
    """s texts (s, t) about some of b pairs: numbers of the words of one language each, padded, a begin mark first.

    ``languages`` (s,) and ``pairs`` (s,) are the number of each text's language and of its pair. ``states`` and
    ``verdicts`` (s, t) hold a ``WordState`` and a ``Verdict`` for each word. ``plan`` (s, c, n) holds the codes of the
    plan's clauses, 0 where there is none.
    """

    words: Tensor
    states: Tensor
    verdicts: Tensor
    languages: Tensor
    pairs: Tensor
    plan: Tensor


class TextWriter(nn.Module):
    """The implicit editor's end: the captioner's decoder (Eq. 3-4), which also attends to given words and copies them.

    A gate mixes the words of the vocabulary with those given (See et al. 2017).
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(size, size, batch_first=True)
        self.w_k = linear(5 * size, size)
        self.gate = nn.Linear(size, 1)

    def forward(
        self, written: Tensor, hidden: Hidden | None, given: Tensor, padding: Tensor, memory: Tensor
    ) -> tuple[Tensor, Tensor, Hidden]:
        """Return features (s, u, d), the weight (s, u, t) of each given word as a copy, and the LSTM's new state.

        ``written`` (s, u, d) are embedded words, ``given`` (s, t, d) the given text and ``memory`` (s, n, d) the pair.
        """
        states, hidden = self.lstm(written, hidden)
        weights = torch.softmax((states @ given.transpose(1, 2)).masked_fill(padding[:, None], -torch.inf), dim=-1)
        first, (second, _) = weights @ given, attend(states, memory)
        k = self.w_k(torch.cat([first, second, states, states * first, states * second], dim=-1))
        return k, torch.sigmoid(self.gate(k)) * weights, hidden


class Editor(nn.Module):
    """The encoder and its heads: ``delete`` and ``add`` for each word, ``insert`` for each gap."""

    threshold: Tensor
    starts: Tensor

    def __init__(self, config: EditorConfig) -> None:
        super().__init__()
        self.config = config
        size = config.hidden
        sizes = [*config.vocabulary_sizes.values()]
        self.pair_encoder = PairEncoder(
            CaptionerConfig(
                config.vocabulary_sizes,
                hidden=size,
                dropout=config.dropout,
                image_channels=config.image_channels,
                missing=True,
                frames=config.frames,
                measures=config.measures,
            )
        )
        self.kinds = nn.Embedding(4, size)  # of what the pair encoder gives
        self.words = nn.Embedding(sum(sizes), size)
        self.states = nn.Embedding(len(WordState), size)
        self.verdicts = nn.Embedding(len(Verdict), size) if config.verdicts else None
        self.plan = nn.Embedding(_SAID + 1, size, padding_idx=0) if config.plan else None
        self.layers = nn.ModuleList(
            nn.TransformerDecoderLayer(
                size, config.heads, 2 * size, config.dropout, functional.gelu, batch_first=True, norm_first=True
            )
            for _ in range(config.layers)
        )
        self.beside = nn.Conv1d(size, size, 3, padding=1)  # what stands just before and after a word
        self.norm = nn.LayerNorm(size)
        self.delete = nn.Linear(size, 1)
        self.add = nn.Linear(size, 1 + config.most_at_once)
        self.insert = nn.Linear(size, size)
        self.writer = TextWriter(size) if config.implicit else None
        self.bias = nn.Parameter(torch.zeros(sum(sizes)))
        nn.init.normal_(self.words.weight, std=size**-0.5)
        # Of each language's words in the shared table; and the probability of an edit from which a text is edited.
        self.register_buffer("starts", torch.tensor([0, *sizes]).cumsum(0), persistent=False)
        self.register_buffer("threshold", torch.tensor(0.5))

    def encode(self, pair: PairBatch) -> Tensor:
        """Encode b pairs as (b, n, d): the pictures, the joints, their differences, and the geometry's measures."""
        encoded = self.pair_encoder(pair)
        parts = (encoded.first, encoded.second, encoded.differences, encoded.measures)
        return torch.cat([part + self.kinds.weight[kind] for kind, part in enumerate(parts) if part is not None], dim=1)

    def forward(self, encoded: Tensor, batch: EditBatch) -> Tensor:
        """Compute the features (s, t, d) of the words of texts about ``encoded`` pairs (b, n, d)."""
        rows = batch.words + self.starts[batch.languages][:, None]
        features = self.words(rows) * self.config.hidden**0.5 + self.states(batch.states)
        if self.verdicts is not None:
            features = features + self.verdicts(batch.verdicts)
        features = features + positional_encoding(features.shape[1], self.config.hidden).to(features)
        features = features + self.beside(features.transpose(1, 2)).transpose(1, 2)
        memory = encoded[batch.pairs]
        hidden = memory.new_zeros(memory.shape[:2], dtype=torch.bool)
        if self.plan is not None:
            memory = torch.cat([memory, self.plan(batch.plan).sum(dim=2)], dim=1)
            hidden = torch.cat([hidden, (batch.plan == 0).all(dim=2)], dim=1)
        padding = batch.words == PAD
        for layer in self.layers:
            features = layer(features, memory, tgt_key_padding_mask=padding, memory_key_padding_mask=hidden)
        normal: Tensor = self.norm(features)
        return normal

    def deletions(self, features: Tensor) -> Tensor:
        """Return the log-odds (s, t) that words are deleted."""
        log_odds: Tensor = self.delete(features).squeeze(-1)
        return log_odds

    def additions(self, features: Tensor) -> Tensor:
        """Return the logits (s, t, 1 + most_at_once) of the number of words that are added after each word."""
        logits: Tensor = self.add(features)
        return logits

    def insertions(self, features: Tensor, languages: Tensor) -> Tensor:
        """Return the logits (g, w) of words for gaps (g, d), over the words of all languages.

        Words of another language than the gap's (g,) have the lowest logits; the number of a word begins at ``starts``.
        """
        logits = functional.linear(self.insert(features), self.words.weight, self.bias)
        number = torch.arange(len(self.bias), device=logits.device)
        first, last = self.starts[languages][:, None], self.starts[languages + 1][:, None]
        return logits.masked_fill((number < first) | (number >= last), torch.finfo(logits.dtype).min)

    def writes(
        self, encoded: Tensor, batch: EditBatch, features: Tensor, words: Tensor, hidden: Hidden | None = None
    ) -> tuple[Tensor, Hidden]:
        """Return the log-probabilities (s, u, w) of the word after each of ``words`` (s, u), and the LSTM's new state.

        ``features`` are those of the given texts of the ``batch``. Raise ValueError if the editor is not implicit.
        """
        if self.writer is None:
            raise ValueError("only an implicit editor writes whole texts")
        starts = self.starts[batch.languages][:, None]
        k, copied, hidden = self.writer(
            self.words(words + starts) * self.config.hidden**0.5,
            hidden,
            features,
            batch.words == PAD,
            encoded[batch.pairs],
        )
        languages = batch.languages[:, None].expand_as(words).flatten()
        logits = self.insertions(k.flatten(0, 1), languages).view(*words.shape, -1).float()
        chances = torch.softmax(logits, dim=-1) * (1 - copied.sum(dim=-1, keepdim=True))
        given = (batch.words + starts)[:, None].expand_as(copied)
        return torch.log(chances.scatter_add(2, given, copied.float()).clamp(min=_LEAST)), hidden

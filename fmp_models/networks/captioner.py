"""The paper's captioner (section 6.1, Eq. 1-5): from two poses to the words that correct the first into the second.

The pair's pictures and joints are encoded once (Eq. 1-2, or the released code's version without joints). Words are
then decoded one by one, or all at once if the text is known (teacher forcing).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from fmp_models.languages import BOS
from fmp_models.networks.backbone import WordNetworkConfig
from fmp_models.networks.layers import (
    ChangeEncoder,
    CrossAttention,
    CrossAttentionStack,
    Dropout,
    ImageEncoder,
    JointEncoder,
    MissingEmbedding,
    attend,
    attention_weights,
    fuse,
    linear,
    measured_changes,
    without_unknown,
)
from fmp_models.networks.transforms import FRAMES, Frames, in_frames
from fmp_models.pose import JOINTS


@dataclass(frozen=True)
class CaptionerConfig(WordNetworkConfig):
    """Sizes and options of a ``Captioner``; raises ValueError for an invalid combination.

    Languages share everything except the word layers. ``vision`` false gives the language-only model,
    ``previous_words`` false the vision-only one (Appendix E.5); vision without ``joints`` is the captioner of the
    released code. ``joint_prediction`` adds the second task, whose joints replace unknown ones; ``missing`` adds
    learned embeddings for an unknown picture or unknown joints. ``measures`` adds measurements of the joint
    geometry, one vector for each part of the body. ``compare`` compares two pictures of one place position by position,
    without joints. ``frames`` sets the coordinates in which the network receives
    joints, see :mod:`.transforms`.
    """

    vision: bool = True
    joints: bool = True
    previous_words: bool = True
    joint_prediction: bool = False
    missing: bool = False
    frames: Frames = "camera"
    measures: bool = False
    compare: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError if the values do not describe a captioner."""
        self.keep(
            (bool(self.vocabulary_sizes), "a captioner needs words"),
            (self.vision or self.previous_words, "a captioner needs vision or previous_words"),
            (self.vision or not self.joints, "joints need vision"),
            (
                self.joints or not (self.joint_prediction or self.missing or self.measures),
                "joint_prediction, missing and measures need joints",
            ),
            (not (self.compare and (self.joints or not self.vision)), "compare needs vision without joints"),
            (self.frames in FRAMES, f"frames must be among {', '.join(FRAMES)}"),
        )


@dataclass(frozen=True)
class PairBatch:
    """b pairs of a current and a target pose: the pictures' positions (b, n, c), joints (b, 20, 3) in metres.

    ``image_known`` and ``joints_known`` (b,) mark the rows that have pictures or joints; None means all rows.
    """

    current_image: Tensor | None = None
    target_image: Tensor | None = None
    current_joints: Tensor | None = None
    target_joints: Tensor | None = None
    image_known: Tensor | None = None
    joints_known: Tensor | None = None

    @property
    def rows(self) -> int:
        """The batch size b; raises ValueError if the batch has neither pictures nor joints."""
        for values in (self.current_image, self.current_joints):
            if values is not None:
                return len(values)
        raise ValueError("a batch of pairs needs pictures or joints")


@dataclass(frozen=True)
class EncodedPair:
    """Input of the word decoder: two sets of features (b, n, d) and J^d (b, 20, d) of ``rows`` = b pairs.

    With joints the sets are f and J of Eq. 2. Without joints they are the cross attention's outputs for the current
    and the target picture. A language-only captioner has none. ``measures`` (b, parts, d) are measurements of the
    joint geometry. ``predicted_joints`` (b, 2, 20, 3) are the second task's output for the current and the target
    pose.
    """

    rows: int
    first: Tensor | None = None
    second: Tensor | None = None
    differences: Tensor | None = None
    measures: Tensor | None = None
    predicted_joints: Tensor | None = None


class PicturePairEncoder(nn.Module):
    """The released code's encoder, which has no joints: one cross attention between the two pictures."""

    def __init__(self, config: CaptionerConfig) -> None:
        super().__init__()
        self.image = ImageEncoder(config.image_channels, config.hidden)
        self.attention = CrossAttention(config.hidden)
        self.dropout = Dropout(config.dropout)

    def forward(self, pair: PairBatch) -> EncodedPair:
        """Encode the pairs; raise ValueError if pictures are missing."""
        current, target, _ = _pictures(pair, self.image.channels, may_lack=False)
        current, target = self.attention(self.image(current), self.image(target))
        return EncodedPair(pair.rows, self.dropout(current), self.dropout(target))


_CHANGED = 6  # weighted means of positions in each picture


class ComparingEncoder(nn.Module):
    """An encoder of two pictures of one place: what differs at and around a position decides how much it counts.

    The output is a few weighted means of positions, which a decoder cannot learn by heart as it would whole maps.
    """

    def __init__(self, config: CaptionerConfig) -> None:
        super().__init__()
        size = config.hidden
        self.image = ImageEncoder(config.image_channels, size)
        self.together = linear(3 * size + 2, size)
        self.around = nn.ModuleList(nn.Conv2d(size, size, 3, padding=1) for _ in range(2))
        self.dropout = Dropout(config.dropout)
        self.where = linear(size, _CHANGED)
        self.first, self.second = linear(size + 2, size), linear(size + 2, size)

    def forward(self, pair: PairBatch) -> EncodedPair:
        """Encode the pairs; raise ValueError if pictures are missing or their maps are not square."""
        current, target, _ = _pictures(pair, self.image.channels, may_lack=False)
        current, target = self.image(current), self.image(target)
        places = _grid(current.shape[1]).to(current).expand(len(current), -1, -1)
        fused = torch.relu(self.together(torch.cat([current, target, target - current, places], dim=-1)))
        side = math.isqrt(current.shape[1])
        maps = fused.transpose(1, 2).reshape(len(fused), -1, side, side)
        for layer in self.around:
            maps = maps + torch.relu(layer(maps))
        weights = torch.softmax(self.where(maps.flatten(2).transpose(1, 2)), dim=1).transpose(1, 2)
        first, second = (
            layer(weights @ torch.cat([self.dropout(image), places], dim=-1))
            for layer, image in ((self.first, current), (self.second, target))
        )
        return EncodedPair(pair.rows, first, second)


class PairEncoder(nn.Module):
    """The paper's encoder (Eq. 1-2): pictures and joints in one cross attention stack, then fused."""

    def __init__(self, config: CaptionerConfig) -> None:
        super().__init__()
        size = config.hidden
        self.image = ImageEncoder(config.image_channels, size)
        self.frames = config.frames
        self.joints = JointEncoder(size, FRAMES[config.frames])
        self.stack = CrossAttentionStack(size)
        self.dropout = Dropout(config.dropout)
        # The paper calls both W_c; its parameter counts imply two.
        self.w_c_image = linear(3 * size, size)
        self.w_c_joints = linear(3 * size, size)
        self.joint_head = JointHead(size) if config.joint_prediction else None
        self.moved = ChangeEncoder(size, config.dropout) if config.measures else None
        names = ("image", "joints", "differences", *["measures"] * config.measures) if config.missing else ()
        self.stand_ins = nn.ModuleDict({name: MissingEmbedding(size) for name in names})

    def forward(self, pair: PairBatch) -> EncodedPair:
        """Encode the pairs; raise ValueError if pictures or joints are missing and the config has no replacement."""
        missing = bool(self.stand_ins)
        current, target, image_known = _pictures(pair, self.image.channels, may_lack=missing)
        f_current, f_target = (self._stand_in("image", self.image(image), image_known) for image in (current, target))
        predicted = None
        if self.joint_head is not None:
            predicted = torch.stack([self.joint_head(f_current), self.joint_head(f_target)], dim=1)
        joints, joints_known = self._joints(pair, predicted, image_known)
        measures = None
        if self.moved is not None:
            measured = measured_changes(joints[:, 0], joints[:, 1]).to(self.image.img_fc.weight.dtype)
            measures = self._stand_in("measures", self.moved(measured), joints_known)
        joints = in_frames(joints, self.frames, facing=joints[:, :1])
        j_current, j_target = (self._stand_in("joints", self.joints(joints[:, i]), joints_known) for i in (0, 1))
        differences = self._stand_in("differences", self.joints(joints[:, 1] - joints[:, 0]), joints_known)
        f_current, j_current, f_target, j_target = map(
            self.dropout, self.stack(f_current, j_current, f_target, j_target)
        )
        first, second = self.w_c_image(fuse(f_current, f_target)), self.w_c_joints(fuse(j_current, j_target))
        return EncodedPair(pair.rows, first, second, differences, measures, predicted)

    def _joints(
        self, pair: PairBatch, predicted: Tensor | None, image_known: Tensor | None
    ) -> tuple[Tensor, Tensor | None]:
        """Return joints (b, 2, 20, 3) and the rows that have any; predicted joints replace unknown ones."""
        known = pair.joints_known
        if pair.current_joints is None or pair.target_joints is None:
            joints = self.joints.places.new_zeros(pair.rows, 2, len(JOINTS), 3)
            known = torch.zeros(pair.rows, dtype=torch.bool, device=joints.device)
        else:
            joints = torch.stack([pair.current_joints, pair.target_joints], dim=1)
        if known is None:
            return joints, None
        # Detached: the loss of the words must not change the predicted joints, which are in metres.
        instead = torch.zeros_like(joints) if predicted is None else predicted.detach()
        joints = torch.where(known[:, None, None, None], joints, instead)
        if predicted is not None:
            known = None if image_known is None else known | image_known
        if known is not None and not self.stand_ins:
            _refuse_unless(bool(known.all()), "joints")
        return joints, known

    def _stand_in(self, name: str, features: Tensor, known: Tensor | None) -> Tensor:
        filled: Tensor = self.stand_ins[name](features, known) if name in self.stand_ins else features
        return filled


def _pictures(pair: PairBatch, channels: int, *, may_lack: bool) -> tuple[Tensor, Tensor, Tensor | None]:
    """Return both pictures' positions, with zeros for unknown ones, and the mask of known rows."""
    current, target, known = pair.current_image, pair.target_image, pair.image_known
    if current is None or target is None:
        _refuse_unless(may_lack, "pictures")
        # One position is enough: all would hold the same vector.
        joints = pair.current_joints
        device = None if joints is None else joints.device
        nothing = torch.zeros(pair.rows, 1, channels, device=device)
        return nothing, nothing, torch.zeros(pair.rows, dtype=torch.bool, device=device)
    if known is not None and not may_lack:
        _refuse_unless(bool(known.all()), "pictures")
    return without_unknown(current, known), without_unknown(target, known), known


def _refuse_unless(allowed: bool, requirement: str) -> None:  # noqa: FBT001  the function's name says what it is
    if not allowed:
        raise ValueError(f"this captioner needs {requirement} of every pair")


_PART = 32  # features of each joint before the layer that combines all joints


class JointHead(nn.Module):
    """Joints predicted from positions: the captioner's second task (sim-to-real, paper section 8.1).

    One attention query for each joint; a last layer combines what they attend to into 20 points in metres.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.queries = nn.Parameter(torch.randn(len(JOINTS), size) * size**-0.5)
        self.part = linear(size + 2, _PART)
        self.points = linear(len(JOINTS) * _PART, len(JOINTS) * 3)

    def forward(self, positions: Tensor) -> Tensor:
        """Compute joints (b, 20, 3) from ``positions`` (b, n, d) of a square map; ValueError if it is not square."""
        attended, weights = attend(self.queries.expand(len(positions), -1, -1), positions)
        places = weights @ _grid(positions.shape[1]).to(positions)
        parts = torch.relu(self.part(torch.cat([attended, places], dim=-1)))
        points: Tensor = self.points(parts.flatten(1))
        return points.view(-1, len(JOINTS), 3)


def _grid(positions: int) -> Tensor:
    """Return column and row (n, 2) of each position of a square map, from -1 to 1."""
    side = math.isqrt(positions)
    if side * side != positions:
        raise ValueError(f"{positions} positions do not form a square map")
    line = torch.linspace(-1, 1, side)
    return torch.cartesian_prod(line, line).flip(-1)


Hidden = tuple[Tensor, Tensor]  # the LSTM's hidden state and cell, (r, d) each


class WordDecoder(nn.Module):
    """Embedding, LSTM (section 6.1) and W_s (Eq. 5); without ``previous_words`` every input is the begin mark."""

    def __init__(
        self, vocabulary_size: int, embedding: int, hidden: int, features: int, *, previous_words: bool
    ) -> None:
        super().__init__()
        self.previous_words = previous_words
        self.embedding = nn.Embedding(vocabulary_size if previous_words else BOS + 1, embedding)
        self.lstm = nn.LSTM(embedding, hidden, batch_first=True)
        self.w_s = linear(features, vocabulary_size)

    def start(self, rows: int) -> Hidden:
        """Return the zero state of ``rows`` texts."""
        zeros = self.embedding.weight.new_zeros(rows, self.lstm.hidden_size)
        return zeros, zeros

    def forward(self, words: Tensor) -> Tensor:
        """Return the hidden states (r, t, d) after each of ``words`` (r, t), starting from the zero state."""
        states: Tensor = self.lstm(self._embed(words))[0]
        return states

    def step(self, words: Tensor, hidden: Hidden) -> Hidden:
        """Return the state after one more word for each text: ``words`` (r,)."""
        return torch.lstm_cell(self._embed(words), hidden, *self.lstm.all_weights[0])

    def _embed(self, words: Tensor) -> Tensor:
        embedded: Tensor = self.embedding(words if self.previous_words else torch.full_like(words, BOS))
        return embedded


@dataclass(frozen=True)
class Attention:
    """Attention weights (b, q, n) of each word, which sum to 1; None if the captioner has no such input.

    In a captioner with joints the positions of both pictures are fused, so ``current`` and ``target`` are equal.
    """

    current: Tensor | None = None
    target: Tensor | None = None
    joints: Tensor | None = None
    differences: Tensor | None = None


@dataclass(frozen=True)
class State:
    """Decoder state of q texts for each of b pairs: the LSTM's ``hidden`` and ``cell`` (b, q, d).

    ``difference_logits`` (b, 20, V) is what each joint's difference can add to the next word's logits (Eq. 5).
    """

    hidden: Tensor
    cell: Tensor
    difference_logits: Tensor | None

    def chosen(self, texts: Tensor) -> State:
        """Return the state of the selected ``texts`` (b, p): indices into each pair's q texts, possibly repeated."""
        index = texts[..., None].expand(-1, -1, self.hidden.shape[-1])
        return replace(self, hidden=self.hidden.gather(1, index), cell=self.cell.gather(1, index))


class Captioner(nn.Module):
    """Eq. 1-5 with the sizes that follow from the paper's parameter counts, and the variants of ``CaptionerConfig``.

    The languages share ``pair_encoder``, ``w_k`` and ``w_measures``; each language has its own ``words[language]``.
    """

    def __init__(self, config: CaptionerConfig) -> None:
        super().__init__()
        self.config = config
        size = config.hidden
        self.pair_encoder: PairEncoder | PicturePairEncoder | ComparingEncoder | None = None
        self.w_k: nn.Linear | None = None
        self.w_measures: nn.Linear | None = None
        if config.vision:
            without = ComparingEncoder if config.compare else PicturePairEncoder
            self.pair_encoder = PairEncoder(config) if config.joints else without(config)
            self.w_k = linear(5 * size, size)
        if config.measures:
            # Zero at the start, so that a captioner initialised from one without measures has the same outputs.
            self.w_measures = nn.Linear(3 * size, size)
            nn.init.zeros_(self.w_measures.weight)
            nn.init.zeros_(self.w_measures.bias)
        features = 2 * size if config.joints else size
        self.words = nn.ModuleDict(
            {
                language: WordDecoder(
                    vocabulary_size, config.embedding, size, features, previous_words=config.previous_words
                )
                for language, vocabulary_size in config.vocabulary_sizes.items()
            }
        )

    def encode(self, pair: PairBatch) -> EncodedPair:
        """Encode everything about a pair that is the same for all words; raise ValueError if the pair lacks an input.

        A captioner with joint prediction uses the predicted joints where none are given.
        """
        if self.pair_encoder is None:
            return EncodedPair(pair.rows)
        encoded: EncodedPair = self.pair_encoder(pair)
        return encoded

    def start(self, encoded: EncodedPair, language: str) -> State:
        """Return the state before the first word, with one text for each pair."""
        decoder = self._decoder(language)
        hidden, cell = (values[:, None] for values in decoder.start(encoded.rows))
        return State(hidden, cell, self._difference_logits(encoded, decoder))

    def step(self, encoded: EncodedPair, state: State, words: Tensor, language: str) -> tuple[Tensor, State, Attention]:
        """Process ``words`` (b, q), one for each text; return the next words' logits (b, q, V), state and attention."""
        decoder = self._decoder(language)
        hidden, cell = decoder.step(words.flatten(), (state.hidden.flatten(0, 1), state.cell.flatten(0, 1)))
        state = replace(state, hidden=hidden.view(*words.shape, -1), cell=cell.view(*words.shape, -1))
        logits, attention = self._logits(state.hidden, encoded, state.difference_logits, decoder)
        return logits, state, attention

    def logits(self, encoded: EncodedPair, words: Tensor, language: str) -> Tensor:
        """Return logits (b, s, t, V) after each of ``words`` (b, s, t): s known texts per pair (teacher forcing)."""
        decoder = self._decoder(language)
        states = decoder.forward(words.flatten(0, 1)).reshape(len(words), -1, self.config.hidden)
        logits, _ = self._logits(states, encoded, self._difference_logits(encoded, decoder), decoder)
        return logits.view(*words.shape, -1)

    def forward(self, pair: PairBatch, words: Tensor, language: str) -> Tensor:
        """Return logits (b, t, V) after each of ``words`` (b, t), one text for each pair, begin mark first."""
        return self.logits(self.encode(pair), words[:, None], language)[:, 0]

    def _decoder(self, language: str) -> WordDecoder:
        return cast("WordDecoder", self.words[language])

    def _difference_logits(self, encoded: EncodedPair, decoder: WordDecoder) -> Tensor | None:
        """Return W_s of each J^d_i, so that a word needs only a weighted sum of 20 rows (Eq. 5 is linear in J_t^d)."""
        if encoded.differences is None:
            return None
        return functional.linear(encoded.differences, decoder.w_s.weight[:, self.config.hidden :])

    def _logits(
        self, states: Tensor, encoded: EncodedPair, difference_logits: Tensor | None, decoder: WordDecoder
    ) -> tuple[Tensor, Attention]:
        """Return the logits (b, q, V) for ``states`` (b, q, d) by Eq. 3-5, and the attention of Eq. 3."""
        if self.w_k is None or encoded.first is None or encoded.second is None:
            return decoder.w_s(states), Attention()
        first, first_weights = attend(states, encoded.first)
        second, second_weights = attend(states, encoded.second)
        k = self.w_k(torch.cat([first, second, states, states * first, states * second], dim=-1))  # Eq. 4
        if self.w_measures is not None and encoded.measures is not None:
            measures, _ = attend(states, encoded.measures)
            whole = encoded.measures.mean(dim=1, keepdim=True).expand_as(measures)
            k = k + self.w_measures(torch.cat([measures, states * measures, whole], dim=-1))
        if encoded.differences is None or difference_logits is None:
            return decoder.w_s(k), Attention(first_weights, second_weights)
        difference_weights = attention_weights(states, encoded.differences)
        logits = functional.linear(k, decoder.w_s.weight[:, : self.config.hidden], decoder.w_s.bias)
        attention = Attention(first_weights, first_weights, second_weights, difference_weights)
        return logits + difference_weights @ difference_logits, attention

"""The paper's retriever (section 6.2, Eq. 6-11) and a joint embedding space: the candidate that a text describes.

Sizes, shared weights and the places of dropout are the released code's, with three differences. The backward LSTM
starts with a text's last word, not with padding. Padding is left out of every softmax. What does not depend on the
candidate (text, current picture, their cross attention) is computed once; in training all candidates share its
dropout mask.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from fmp_models.geometry import FEATURE_PARTS
from fmp_models.languages import PAD
from fmp_models.networks.backbone import WordNetworkConfig
from fmp_models.networks.layers import (
    ChangeEncoder,
    CrossAttention,
    Dropout,
    ImageEncoder,
    JointEncoder,
    MissingEmbedding,
    SelfGate,
    fuse,
    linear,
    measured_changes,
    without_unknown,
)
from fmp_models.networks.transforms import FRAMES, Frames, in_frames
from fmp_models.pose import INDEX, JOINTS


@dataclass(frozen=True)
class RetrieverConfig(WordNetworkConfig):
    """Sizes and options of a ``Retriever``; raises ValueError for an invalid combination.

    Languages share everything except the text encoders. ``text`` false gives the vision-only model, which compares
    candidates with the current pose; ``current`` false the language-only one, which compares them with the text.
    ``images`` or ``joints`` false leaves that input out; the released code has no joints. ``missing`` adds learned
    embeddings for unknown pictures and joints. ``joint_places`` adds the positional encoding to joint differences,
    as the captioner does. The paper's formula for the retriever has none, but without it the network cannot tell
    which joint a difference belongs to. ``space`` replaces the paper's network by a joint embedding space of texts
    and joint changes; see ``PoseSpace``. ``frames`` sets the coordinates in which the network receives joints, see
    :mod:`.transforms`.
    """

    vocabulary_sizes: dict[str, int] = field(default_factory=dict)
    image_channels: int = 1024
    text: bool = True
    current: bool = True
    images: bool = True
    joints: bool = True
    joint_places: bool = True
    missing: bool = False
    space: bool = False
    frames: Frames = "camera"

    def __post_init__(self) -> None:
        """Raise ValueError if the values do not describe a retriever."""
        self.keep(
            (bool(self.vocabulary_sizes) or not self.text, "a retriever of texts needs words"),
            (self.text or self.current, "a retriever needs text or current"),
            (self.images or self.joints, "a retriever needs images or joints"),
            (
                not self.space or (self.text and self.current and self.joints and not self.images and not self.missing),
                "a space of texts and changes of joints needs text, current and joints, no images and nothing missing",
            ),
            (self.frames in FRAMES, f"frames must be among {', '.join(FRAMES)}"),
        )


class AttendedCandidates(NamedTuple):
    """Both fused sets, and the attention of each of ``g`` over ``f``: weights (b, k, m, n) that sum to 1."""

    f: Tensor
    g: Tensor
    looks: Tensor


class CandidateCrossAttention(CrossAttention):
    """``CrossAttention`` (Eq. 13-17) of k candidates; an input that all candidates share has size 1 in dimension k.

    The results are the same with the same parameters. A weight matrix of three parts is applied part by part,
    W [x; y; z] = W_1 x + W_2 y + W_3 z. W_1 x is then computed once for all candidates that share x, W_2 is applied to
    the fewer words instead of the many positions, and no long vector is concatenated.
    """

    def forward(self, f: Tensor, g: Tensor, padding: Tensor | None = None) -> AttendedCandidates:  # type: ignore[override]
        """Fuse ``f`` (b, k or 1, n, d) and ``g`` (b, k or 1, m, d); ``padding`` (b, 1, m) marks padding in ``g``."""
        similarity = _times(f, g.transpose(2, 3))
        over_g = similarity
        if padding is not None:
            over_g = similarity.masked_fill(padding[:, :, None], torch.finfo(similarity.dtype).min)
        looks = similarity.softmax(dim=2).transpose(2, 3)
        own_weight, other_weight, product_weight = self.w_f.weight.chunk(3, dim=1)
        weights = over_g.softmax(dim=3)
        new_f = functional.linear(f * _times(weights, g), product_weight)
        new_f += _times(weights, functional.linear(g, other_weight))
        new_f += functional.linear(f, own_weight, self.w_f.bias)
        own_weight, other_weight, product_weight = self.w_g.weight.chunk(3, dim=1)
        attended = _times(looks, f)
        new_g = functional.linear(g * attended, product_weight)
        new_g += functional.linear(attended, other_weight)
        new_g += functional.linear(g, own_weight, self.w_g.bias)
        return AttendedCandidates(new_f, new_g, looks)


def _times(left: Tensor, right: Tensor) -> Tensor:
    """Multiply (b, k or 1, n, d) and (b, k or 1, d, m) to (b, k, n, m), without k copies of a shared right factor."""
    if right.shape[1] == 1:
        return (left.flatten(1, 2) @ right[:, 0]).reshape(*left.shape[:3], right.shape[3])
    return left @ right


# Queries that a CPU compares at a time. Intermediate values then stay in its cache, which makes a
# large batch about twice as fast.
_AT_ONCE = 2


@dataclass(frozen=True)
class RetrievalBatch:
    """b queries with k candidates each; pictures and joints hold the current pose first, then the candidates.

    ``words`` (b, t) are padded at the end. ``images`` (b, 1 + k, n, c) are positions; ``joints`` (b, 1 + k, 20, 3)
    metres. ``image_known`` and ``joints_known`` (b, 1 + k) mark the known ones; None means all. ``present`` (b, k)
    marks the candidates of queries that have fewer than others.
    """

    words: Tensor | None = None
    images: Tensor | None = None
    joints: Tensor | None = None
    image_known: Tensor | None = None
    joints_known: Tensor | None = None
    present: Tensor | None = None

    @property
    def poses(self) -> tuple[int, int]:
        """(b, 1 + k); raises ValueError if the batch has neither pictures nor joints."""
        for values in (self.images, self.joints):
            if values is not None:
                return values.shape[0], values.shape[1]
        raise ValueError("a batch of questions needs pictures or joints")

    def split(self, size: int) -> list[RetrievalBatch]:
        """Split the batch into batches of at most ``size`` queries, in order."""
        count, _ = self.poses
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return [
            RetrievalBatch(**{name: None if all_ is None else all_[at : at + size] for name, all_ in values.items()})
            for at in range(0, count, size)
        ]


class Reasons(NamedTuple):
    """Contributions to the score of each candidate, from its pictures or its joints; weights that sum to 1.

    ``words`` (b, k, t) and ``places`` (b, k, n) are the self-gate's weights. ``looks`` (b, k, t, n) is the attention
    of each word over the candidate's positions or joint differences. ``words`` and ``looks`` are None without a text.
    """

    words: Tensor | None
    places: Tensor
    looks: Tensor | None


@dataclass(frozen=True)
class Match:
    """``scores`` (b, k), minus infinity where there is no candidate, and the contributions of pictures and joints."""

    scores: Tensor
    images: Reasons | None
    joints: Reasons | None


class TextEncoder(nn.Module):
    """c = BiLSTM(words), with both directions projected to size d as in the released code."""

    def __init__(self, vocabulary_size: int, embedding: int, size: int, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary_size, embedding)
        self.dropout = Dropout(dropout)
        self.lstm = nn.LSTM(embedding, size, batch_first=True, bidirectional=True)
        self.text_fc = linear(2 * size, size, "tanh")

    def forward(self, words: Tensor) -> Tensor:
        """Encode ``words`` (b, t) as (b, t, d); raise ValueError for a text without words."""
        lengths = (words != PAD).sum(dim=1)
        if not bool(lengths.all()):
            raise ValueError("a text has no words")
        return torch.tanh(self.text_fc(both_ways(self.lstm, self.dropout(self.embedding(words)), lengths)))


def both_ways(lstm: nn.LSTM, embedded: Tensor, lengths: Tensor) -> Tensor:
    """Return states (b, t, 2d) of a bidirectional ``lstm`` over texts (b, t, c) of ``lengths`` (b,); zeros at padding.

    On a CPU each text is reversed within its length, because packed sequences take at least twice as long.
    """
    if embedded.device.type != "cpu":
        packed = pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        return pad_packed_sequence(lstm(packed)[0], batch_first=True, total_length=embedded.shape[1])[0]
    places = torch.arange(embedded.shape[1])
    known = places < lengths[:, None]
    turned = torch.where(known, lengths[:, None] - 1 - places, places)[..., None]
    zeros = embedded.new_zeros(1, len(embedded), lstm.hidden_size)
    onward, back = (
        torch.lstm(sequence, (zeros, zeros), tuple(weights), True, 1, 0.0, lstm.training, False, True)[0]  # noqa: FBT003
        for sequence, weights in zip((embedded, _in_order(embedded, turned)), lstm.all_weights, strict=True)
    )
    return torch.cat([onward, _in_order(back, turned)], dim=-1).masked_fill(~known[..., None], 0.0)


def _in_order(values: Tensor, places: Tensor) -> Tensor:
    """Return ``values`` (b, t, c) with each row in the order of ``places`` (b, t, 1)."""
    return values.gather(1, places.expand_as(values))


class Comparison(nn.Module):
    """W_p of Eq. 9, or W_q of Eq. 10, with the layers that precede it in the released code."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.k_fc = linear(3 * size, size)
        self.g_fc = linear(3 * size, size)
        self.w = linear(3 * size, size)

    def forward(self, k: Tensor, g: Tensor) -> Tensor:
        """Combine the self-gate's outputs of both sets, (b, 3d) each, to (b, d)."""
        compared: Tensor = self.w(fuse(self.k_fc(k), self.g_fc(g)))
        return compared


class Retriever(nn.Module):
    """Eq. 6-11 and the variants of ``RetrieverConfig``; a unimodal one has one cross attention instead of four.

    Pictures and joints share the cross attention and the self-gate; each has its own ``Comparison``.
    """

    def __init__(self, config: RetrieverConfig) -> None:
        super().__init__()
        self.config = config
        size = config.hidden
        texts = config.vocabulary_sizes if config.text else {}
        self.texts = nn.ModuleDict(
            {name: TextEncoder(words, config.embedding, size, config.dropout) for name, words in texts.items()}
        )
        self.image = ImageEncoder(config.image_channels, size) if config.images else None
        self.joints = JointEncoder(size, FRAMES[config.frames]) if config.joints else None
        names = [name for name, used in (("images", config.images), ("joints", config.joints)) if used]
        self.stand_ins = nn.ModuleDict({name: MissingEmbedding(size) for name in names if config.missing})
        self.attention = CandidateCrossAttention(size)
        self.dropout = Dropout(config.dropout)
        self.gate = SelfGate(3 * size)
        self.comparisons = nn.ModuleDict({name: Comparison(size) for name in names})
        self.w_s = linear(3 * size if len(names) > 1 else size, 1)

    def forward(self, batch: RetrievalBatch, language: str | None = None) -> Tensor:
        """Return the scores (b, k) of ``match``."""
        return self.match(batch, language).scores

    def match(self, batch: RetrievalBatch, language: str | None = None) -> Match:
        """Score every candidate; ``language`` is optional for a retriever of one language or without text.

        Raises ValueError if the batch lacks an input that the config needs and has no embedding for.
        """
        words, padding = self._words(batch, language)
        count, _ = batch.poses
        size = _AT_ONCE if self.w_s.weight.device.type == "cpu" else count
        parts = range(0, count, size)
        word_parts = [None if words is None else words[at : at + size] for at in parts]
        padding_parts = [None if padding is None else padding[at : at + size] for at in parts]
        return _joined([self._match(*part) for part in zip(word_parts, padding_parts, batch.split(size), strict=True)])

    def _match(self, words: Tensor | None, padding: Tensor | None, batch: RetrievalBatch) -> Match:
        compared, reasons = [], {}
        for name, sets in (("images", self._images(batch)), ("joints", self._joint_sets(batch))):
            if sets is not None:
                result, reasons[name] = self._compare(name, words, padding, *sets)
                compared.append(result)
        scores = self.w_s(fuse(*compared) if len(compared) > 1 else compared[0]).squeeze(-1)  # Eq. 11
        if batch.present is not None:
            scores = scores.masked_fill(~batch.present, -torch.inf)
        return Match(scores, reasons.get("images"), reasons.get("joints"))

    def _words(self, batch: RetrievalBatch, language: str | None) -> tuple[Tensor | None, Tensor | None]:
        """Return encoded words (b, 1, t, d) and their padding mask (b, 1, t)."""
        if not self.config.text:
            return None, None
        if language is None and len(self.texts) == 1:
            (language,) = self.texts
        if batch.words is None or language is None:
            raise ValueError("this retriever needs a text and its language")
        return self.texts[language](batch.words)[:, None], (batch.words == PAD)[:, None]

    def _images(self, batch: RetrievalBatch) -> tuple[Tensor, Tensor] | None:
        """Return f^c (b, 1, n, d) and f^t (b, k, n, d)."""
        if self.image is None:
            return None
        images, known = batch.images, batch.image_known
        if images is None:
            # One position is enough: all would hold the same vector.
            images = self.w_s.weight.new_zeros(*batch.poses, 1, self.image.channels)
            known = torch.zeros(batch.poses, dtype=torch.bool, device=images.device)
        features = self._known_or_stand_in("images", images, known, self.image)
        return features[:, :1], features[:, 1:]

    def _joint_sets(self, batch: RetrievalBatch) -> tuple[Tensor, Tensor] | None:
        """Return J^dc and J^dt (b, k, 20, d); without the current pose, joints relative to the candidate's hip."""
        if self.joints is None:
            return None
        joints, known = batch.joints, batch.joints_known
        if joints is None:
            joints = self.w_s.weight.new_zeros(*batch.poses, len(JOINTS), 3)
            known = torch.zeros(batch.poses, dtype=torch.bool, device=joints.device)
        joints = in_frames(joints, self.config.frames, facing=joints[:, :1] if self.config.current else joints)
        if self.config.current:
            values = joints[:, 1:] - joints[:, :1]
            known = None if known is None else known[:, 1:] & known[:, :1]
        else:
            values = joints[:, 1:] - joints[:, 1:, INDEX["hip"], None]
            known = None if known is None else known[:, 1:]
        encode = self.joints if self.config.joint_places else self.joints.w_j
        target = self._known_or_stand_in("joints", values, known, encode)
        current = self._known_or_stand_in("joints", -values, known, encode) if self.config.current else target
        return current, target

    def _known_or_stand_in(self, name: str, values: Tensor, known: Tensor | None, encode: nn.Module) -> Tensor:
        """Encode (b, k, n, c) as (b, k, n, d); a learned embedding replaces what is not ``known`` (b, k)."""
        if known is not None and name not in self.stand_ins:
            if not bool(known.all()):
                raise ValueError(f"this retriever needs {name} of every pose")
            known = None
        flat = None if known is None else known.flatten()
        features: Tensor = encode(without_unknown(values.flatten(0, 1), flat))
        if flat is not None:
            features = self.stand_ins[name](features, flat)
        return features.reshape(*values.shape[:2], *features.shape[1:])

    def _compare(
        self, name: str, words: Tensor | None, padding: Tensor | None, current: Tensor, target: Tensor
    ) -> tuple[Tensor, Reasons]:
        """Apply Eq. 6-9 to pictures or Eq. 6-10 to joints; return (b, k, d) and the contributions."""
        looks = None
        k_padding = None
        if words is None:
            new_current, new_target, _ = self._crossed(current, target)
            k, g = fuse(current.expand_as(new_current), new_current), fuse(target, new_target)
        elif not self.config.current:
            new_target, new_words, looks = self._crossed(target, words, padding)
            k, g, k_padding = fuse(words.expand_as(new_words), new_words), fuse(target, new_target), padding
        else:
            f_c, c_c, _ = self._crossed(current, words, padding)
            f_t, c_t, looks = self._crossed(target, words, padding)
            f_target, c_current, _ = self.attention(f_t, c_c, padding)  # the released code has no dropout here
            f_current, c_target, _ = self._crossed(f_c, c_t, padding)
            k, g, k_padding = fuse(c_current, c_target), fuse(f_target, f_current), padding
        (k, k_weights), (g, g_weights) = self._gated(k, k_padding), self._gated(g, None)
        return self.comparisons[name](k, g), Reasons(None if words is None else k_weights, g_weights, looks)

    def _crossed(self, f: Tensor, g: Tensor, padding: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """Apply cross attention and dropout."""
        f, g, looks = self.attention(f, g, padding)
        return self.dropout(f), self.dropout(g), looks

    def _gated(self, values: Tensor, padding: Tensor | None) -> tuple[Tensor, Tensor]:
        """Apply the self-gate (Eq. 7-8) to (b, k, n, 3d); return (b, k, 3d) and the weights (b, k, n)."""
        flat = None if padding is None else padding.expand(values.shape[:3]).flatten(0, 1)
        pooled, weights = self.gate(values.flatten(0, 1), flat)
        return pooled.reshape(*values.shape[:2], -1), weights.reshape(*values.shape[:2], -1)


def _joined(parts: Sequence[Match]) -> Match:
    """Merge the matches of several groups of queries."""
    if len(parts) == 1:
        return parts[0]

    def reasons(all_reasons: Sequence[Reasons | None]) -> Reasons | None:
        known = [match for match in all_reasons if match is not None]
        if not known:
            return None
        words, looks = (
            torch.cat(values) if (values := [value for value in of_all if value is not None]) else None
            for of_all in ([match.words for match in known], [match.looks for match in known])
        )
        return Reasons(words, torch.cat([match.places for match in known]), looks)

    scores = torch.cat([match.scores for match in parts])
    return Match(scores, reasons([match.images for match in parts]), reasons([match.joints for match in parts]))


class WeighedWords(nn.Module):
    """A BiLSTM that gives a vector and a weight for each word."""

    def __init__(self, vocabulary_size: int, embedding: int, size: int, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary_size, embedding)
        self.dropout = Dropout(dropout)
        self.lstm = nn.LSTM(embedding, size // 2, batch_first=True, bidirectional=True)
        self.vector = nn.Linear(size, size)
        self.weight = nn.Linear(size, 1)

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """Encode ``words`` (b, t), padded at the end, as vectors (b, t, d) and weights (b, t) that sum to 1."""
        there = words != PAD
        states = self.dropout(both_ways(self.lstm, self.dropout(self.embedding(words)), there.sum(dim=1)))
        weights = self.weight(states).squeeze(-1).masked_fill(~there, -torch.inf).softmax(dim=1)
        return self.vector(states), weights


class PoseSpace(nn.Module):
    """A joint embedding space, where a text is near the pose change that it describes (as in CLIP); without pictures.

    It replaces a ``Retriever`` that uses joints only. Each word of a text has a vector and a weight, and each part of
    the body has a vector. The score of a change is the sum of their products over words and parts, so the share of
    each word and each part is known.
    """

    def __init__(self, config: RetrieverConfig) -> None:
        super().__init__()
        self.config = config
        size = config.hidden
        self.texts = nn.ModuleDict(
            {
                name: WeighedWords(words, config.embedding, size, config.dropout)
                for name, words in config.vocabulary_sizes.items()
            }
        )
        self.moved = ChangeEncoder(size, config.dropout)
        self.scale = nn.Parameter(torch.tensor(1 / math.sqrt(size)))

    def read(self, words: Tensor, language: str) -> tuple[Tensor, Tensor]:
        """Return the vectors (b, t, d) and weights (b, t) of the words (b, t)."""
        vectors, weights = self.texts[language](words)
        return vectors * self.scale, weights

    def text_vectors(self, words: Tensor, language: str) -> Tensor:
        """Return one vector (b, d) for each text (b, t); its product with that of a change is the score of both."""
        vectors, weights = self.read(words, language)
        return torch.einsum("bt,btd->bd", weights, vectors)

    def change_vectors(self, joints: Tensor) -> Tensor:
        """Return one vector (n, d) for each change between two poses (n, 2, 20, 3)."""
        changes: Tensor = self.moved(measured_changes(joints[:, 0], joints[:, 1]).to(self.scale))
        return changes.sum(dim=1)

    def forward(self, batch: RetrievalBatch, language: str | None = None) -> Tensor:
        """Return the scores (b, k) of ``match``."""
        return self.match(batch, language).scores

    def match(self, batch: RetrievalBatch, language: str | None = None) -> Match:
        """Score every candidate; raise ValueError without a text, its language or joints.

        A candidate with unknown joints, or with a current pose that is unknown, gets the lowest score of its query's
        known candidates (0 if there are none).
        """
        if batch.words is None or batch.joints is None or (language is None and len(self.texts) > 1):
            raise ValueError("this retriever needs a text, its language and joints")
        vectors, weights = self.read(batch.words, language or next(iter(self.texts)))
        parts = self.moved(measured_changes(batch.joints[:, :1], batch.joints[:, 1:]).to(vectors))
        contributions = torch.einsum("bt,btd,bkpd->bktp", weights, vectors, parts)
        scores = contributions.sum(dim=(2, 3))
        known = torch.ones_like(scores, dtype=torch.bool)
        if batch.joints_known is not None:
            known = batch.joints_known[:, 1:] & batch.joints_known[:, :1]
            least = scores.masked_fill(~known, torch.inf).amin(dim=1, keepdim=True)
            scores = torch.where(known, scores, torch.where(least.isfinite(), least, 0.0))
        if batch.present is not None:
            scores = scores.masked_fill(~batch.present, -torch.inf)
        return Match(scores, None, _reasons(weights, contributions))


AnyRetriever = Retriever | PoseSpace


def make_retriever(config: RetrieverConfig) -> AnyRetriever:
    """Build the untrained network that a configuration describes."""
    return PoseSpace(config) if config.space else Retriever(config)


def _reasons(weights: Tensor, contributions: Tensor) -> Reasons:
    """Return the shares of words and joints in the scores.

    ``weights`` (b, t) are the words' weights, ``contributions`` (b, k, t, p) the products of words and parts.
    """
    amounts = contributions.abs()
    by_word = amounts.sum(dim=3) + 1e-9 * weights[:, None]
    by_joint = amounts @ _spread(contributions)
    return Reasons(
        by_word / by_word.sum(dim=2, keepdim=True),
        _shares(by_joint.sum(dim=2)),
        _shares(by_joint),
    )


def _shares(amounts: Tensor) -> Tensor:
    total = amounts.sum(dim=-1, keepdim=True)
    return torch.where(total > 0, amounts / total.clamp_min(1e-12), 1 / amounts.shape[-1])


def _spread(like: Tensor) -> Tensor:
    """Return a matrix (p, 20) that gives each joint of a part the part's full share; the hips belong to the trunk."""
    spread = like.new_zeros(len(FEATURE_PARTS), len(JOINTS))
    for number, (joints, _) in enumerate(FEATURE_PARTS.values()):
        spread[number, [INDEX[name] for name in joints]] = 1.0
    return spread

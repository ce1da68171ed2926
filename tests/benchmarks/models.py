"""What the captioner takes at the paper's sizes, its backbone left out, beside the released code's way of working.

As the released code was measured: 49 positions, 40 words to learn from, 50 said. It knows no joints, and its way is
written here with the modules of our captioner without joints, which has its layers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, dropout

from fmp_models.languages.vocabulary import BOS, EOS, UNK
from fmp_models.networks.captioner import Captioner, CaptionerConfig, PairBatch, PicturePairEncoder
from fmp_models.networks.decoding import beam, greedy
from fmp_models.networks.layers import attend

WORDS = 50  # said; long enough for the paper's mean description
TRAINING_WORDS = 40  # as the released code cuts them
VOCABULARY, POSITIONS = 1592, 49
BATCHES = (1, 32)
RATE, CLIP = 1e-4, 5.0

Learn = Callable[[PairBatch, Tensor], Tensor]  # pairs and the words so far (b, t) to logits (b, t, V)


def captioner(*, joints: bool = True) -> Captioner:
    """Return the paper's English captioner, untrained, which never ends a text."""
    torch.manual_seed(0)
    model = Captioner(CaptionerConfig({"en": VOCABULARY}, joints=joints)).eval()
    with torch.no_grad():
        model.words["en"].w_s.bias[EOS] = -1e4
    return model


def pairs(count: int) -> PairBatch:
    """Pairs as a ResNet-101 and the simulator give them."""
    images = torch.rand(2, count, POSITIONS, 2048)
    joints = torch.randn(2, count, 20, 3)
    return PairBatch(images[0], images[1], joints[0], joints[1])


class Released:
    """The released code's captioner, but that what it makes of the pictures is kept from word to word."""

    def __init__(self, model: Captioner) -> None:
        """``model`` has no joints."""
        assert isinstance(model.pair_encoder, PicturePairEncoder)
        assert model.w_k is not None
        self.model, self.encoder, self.w_k, self.words = model, model.pair_encoder, model.w_k, model.words["en"]

    def learn(self, pair: PairBatch, before: Tensor) -> Tensor:
        """Logits after each of the words."""
        return self._say(self.words.lstm(self.words.embedding(before))[0], *self._encode(pair))

    def caption(self, pair: PairBatch) -> Tensor:
        """Return the most probable word at each step: (b, t)."""
        current, target = self._encode(pair)
        word, state, words = torch.full((pair.rows, 1), BOS), None, []
        ended = torch.zeros(pair.rows, 1, dtype=torch.bool)
        while len(words) < WORDS and not ended.all():
            states, state = self.words.lstm(self.words.embedding(word), state)
            logits = self._say(states, current, target)
            logits[..., UNK] = -torch.inf
            word = logits.argmax(-1)
            words.append(word)
            ended |= word == EOS
        return torch.cat(words, dim=1)

    def _encode(self, pair: PairBatch) -> tuple[Tensor, Tensor]:
        assert pair.current_image is not None
        assert pair.target_image is not None
        sides = self.encoder.attention(self.encoder.image(pair.current_image), self.encoder.image(pair.target_image))
        current, target = (dropout(side, self.encoder.dropout.p, self.model.training) for side in sides)
        return current, target

    def _say(self, states: Tensor, current: Tensor, target: Tensor) -> Tensor:
        sources, targets = attend(states, current)[0], attend(states, target)[0]
        logits: Tensor = self.words.w_s(
            self.w_k(torch.cat([sources, targets, states, states * sources, states * targets], dim=-1))
        )
        return logits


def caption(model: Captioner, pair: PairBatch, search: Callable[..., object] = greedy) -> Callable[[], object]:
    """Encode pairs and say ``WORDS`` words of each."""

    def run() -> object:
        with torch.inference_mode():
            return search(model, model.encode(pair), "en", WORDS)

    return run


def caption_as_released(pair: PairBatch) -> Callable[[], object]:
    """Return the same run with ``Released``."""
    way = Released(captioner(joints=False))

    def run() -> object:
        with torch.inference_mode():
            return way.caption(pair)

    return run


def train(
    model: Captioner, pair: PairBatch, learn: Learn | None = None, *, half: bool = False, fused: bool = True
) -> Callable[[], object]:
    """One step of Adam, gradients clipped; ``half`` works in bfloat16 where that is safe."""
    words = torch.randint(EOS + 2, VOCABULARY, (pair.rows, TRAINING_WORDS))
    before = torch.cat([torch.full_like(words[:, :1], BOS), words[:, :-1]], dim=1)
    optimiser = torch.optim.Adam(model.parameters(), RATE, fused=fused)
    learn = learn or (lambda pair, before: model(pair, before, "en"))

    def run() -> None:
        model.train()
        optimiser.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            logits = learn(pair, before)
        cross_entropy(logits.flatten(0, 1).float(), words.flatten()).backward()
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimiser.step()

    return run


def train_as_released(pair: PairBatch) -> Callable[[], object]:
    """Return the same run with ``Released``, and with the Adam of its time."""
    model = captioner(joints=False)
    return train(model, pair, Released(model).learn, fused=False)


def groups() -> Iterator[list[tuple[str, Callable[[], object]]]]:
    """Give rows to be compared: each one's name and what to measure, the released way first."""
    for size in BATCHES:
        pair = pairs(size)
        yield [
            (f"caption {size} greedily, the released way", caption_as_released(pair)),
            ("  ours without joints, the same layers", caption(captioner(joints=False), pair)),
            ("  ours", caption(captioner(), pair)),
            ("  ours in bfloat16", caption(captioner().bfloat16(), pair)),
            ("  ours by a beam of five", caption(captioner(), pair, beam)),
        ]
        yield [
            (f"train on {size} captions, the released way", train_as_released(pair)),
            ("  ours without joints, the same layers", train(captioner(joints=False), pair)),
            ("  ours", train(captioner(), pair)),
            ("  ours in mixed bfloat16", train(captioner(), pair, half=True)),
        ]

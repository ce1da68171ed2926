"""How long the captioner takes at the paper's sizes, its backbone left out.

The released code's captioner, with what it says once for a pair kept, took the milliseconds in brackets on two threads
of another machine (an AMD EPYC); the captioner without joints has its layers and is measured beside ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import nn

from fmp_models.languages.vocabulary import BOS, EOS
from fmp_models.networks.captioner import Captioner
from fmp_models.networks.captioner_config import CaptionerConfig
from fmp_models.networks.decoding import beam, greedy
from fmp_models.networks.pair_encoder import PairBatch

WORDS = 50  # said; long enough for the paper's mean description
TRAINING_WORDS = 40  # as the released code cuts them
POSITIONS = 49
RELEASED = {("greedy", 1): 77, ("greedy", 32): 258, ("train", 1): 73, ("train", 32): 377}
THREADS = 2


def captioner(*, joints: bool = True) -> Captioner:
    """The paper's English captioner, as yet untrained, which never ends a text."""
    torch.manual_seed(0)
    model = Captioner(CaptionerConfig({"en": 1592}, joints=joints)).eval()
    with torch.no_grad():
        model.words["en"].w_s.bias[EOS] = -1e4
    return model


def pairs(count: int) -> PairBatch:
    """Pairs as a ResNet-101 and the simulator give them."""
    images = torch.rand(2, count, POSITIONS, 2048)
    joints = torch.randn(2, count, 20, 3)
    return PairBatch(images[0], images[1], joints[0], joints[1])


def caption(model: Captioner, pair: PairBatch, search: Callable[..., object] = greedy) -> Callable[[], object]:
    """Encode pairs and say ``WORDS`` words of each."""

    def run() -> object:
        with torch.inference_mode():
            return search(model, model.encode(pair), "en", WORDS)

    return run


def train(model: Captioner, pair: PairBatch, *, half: bool = False) -> Callable[[], object]:
    """One step of Adam, gradients clipped; ``half`` works in bfloat16 where that is safe."""
    words = torch.randint(EOS + 2, 1592, (pair.rows, TRAINING_WORDS))
    before = torch.cat([torch.full_like(words[:, :1], BOS), words[:, :-1]], dim=1)
    optimiser = torch.optim.Adam(model.parameters(), 1e-4)

    def run() -> None:
        model.train()
        optimiser.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            logits = model(pair, before, "en")
        nn.functional.cross_entropy(logits.flatten(0, 1).float(), words.flatten()).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimiser.step()

    return run


def steps() -> Iterator[tuple[str, Callable[[], object]]]:
    """Give each row's name and what to measure."""
    torch.set_num_threads(THREADS)
    for size in (1, 32):
        pair = pairs(size)
        yield f"caption {size}, greedy [{RELEASED['greedy', size]}]", caption(captioner(), pair)
        yield "  in bfloat16", caption(captioner().bfloat16(), pair)
        yield "  without joints, the released layers", caption(captioner(joints=False), pair)
        yield "  a beam of five", caption(captioner(), pair, beam)
        yield f"train on {size} captions [{RELEASED['train', size]}]", train(captioner(), pair)
        yield "  in mixed bfloat16", train(captioner(), pair, half=True)
        yield "  without joints, the released layers", train(captioner(joints=False), pair)

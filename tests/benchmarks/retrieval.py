"""What the retriever of the paper's size takes for ten candidates, beside the released code's way of working.

As the released code was measured: texts of 60 words, pictures already positions of the backbone. The released way
knows no joints and goes candidate by candidate through everything; it is written here with our retriever's modules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from fmp_models.networks.layers import CrossAttention, fuse
from fmp_models.networks.retriever import RetrievalBatch, Retriever, RetrieverConfig

VOCABULARY, WORDS, CANDIDATES, POSITIONS, CHANNELS = 1271, 60, 10, 196, 1024
BATCHES = (1, 32)
RATE, CLIP = 1e-4, 5.0

Score = Callable[[RetrievalBatch], Tensor]


def questions(count: int) -> RetrievalBatch:
    """Give full texts, features of pictures, joints."""
    return RetrievalBatch(
        torch.randint(4, VOCABULARY, (count, WORDS)),
        torch.rand(count, 1 + CANDIDATES, POSITIONS, CHANNELS),
        0.3 * torch.randn(count, 1 + CANDIDATES, 20, 3),
    )


def released(model: Retriever) -> Score:
    """Give the score of a retriever without joints as the released code computes it."""
    attention = CrossAttention(model.config.hidden)
    attention.w_f, attention.w_g = model.attention.w_f, model.attention.w_g
    compare, drop = model.comparisons["images"], model.dropout

    def score(batch: RetrievalBatch) -> Tensor:
        text = model.texts["en"]
        words = torch.tanh(text.text_fc(text.lstm(drop(text.embedding(batch.words)))[0]))
        current = model.image(batch.images[:, 0])
        scores = []
        for i in range(CANDIDATES):
            target = model.image(batch.images[:, 1 + i])
            f_c, c_c = map(drop, attention(current, words))
            f_t, c_t = map(drop, attention(target, words))
            f_target, c_current = attention(f_t, c_c)
            f_current, c_target = map(drop, attention(f_c, c_t))
            k, g = model.gate(fuse(c_current, c_target))[0], model.gate(fuse(f_target, f_current))[0]
            scores.append(model.w_s(compare(k, g)))
        return torch.cat(scores, dim=1)

    return score


def scoring(
    model: Retriever, score: Score, batch: RetrievalBatch, precision: torch.dtype = torch.float32
) -> Callable[[], object]:
    """Score every candidate of a batch."""

    def step() -> Tensor:
        model.eval()
        with torch.inference_mode(), torch.autocast("cpu", precision, enabled=precision != torch.float32):
            return score(batch)

    return step


def training(model: Retriever, score: Score, batch: RetrievalBatch, *, fused: bool = True) -> Callable[[], object]:
    """Learn once from a batch."""
    learning = torch.optim.Adam(model.parameters(), RATE, fused=fused)
    answers = torch.zeros(len(batch.words), dtype=torch.long)

    def step() -> None:
        model.train()
        learning.zero_grad()
        cross_entropy(score(batch), answers).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        learning.step()

    return step


def groups() -> Iterator[list[tuple[str, Callable[[], object]]]]:
    """Give rows to be compared: each one's name and what to measure, the released way first."""
    torch.manual_seed(0)
    model = Retriever(RetrieverConfig({"en": VOCABULARY}, joints=False))
    whole = Retriever(RetrieverConfig({"en": VOCABULARY}))
    for count in BATCHES:
        batch = questions(count)
        yield [
            (f"score {count} x {CANDIDATES} candidates, the released way", scoring(model, released(model), batch)),
            ("  ours without joints, the same layers", scoring(model, model, batch)),
            ("  ours", scoring(whole, whole, batch)),
            ("  ours in bfloat16", scoring(whole, whole, batch, torch.bfloat16)),
        ]
        yield [
            (
                f"train on {count} x {CANDIDATES}, the released way",
                training(model, released(model), batch, fused=False),
            ),
            ("  ours without joints, the same layers", training(model, model, batch)),
            ("  ours", training(whole, whole, batch)),
        ]

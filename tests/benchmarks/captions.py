"""How long the scores of a training batch take, beside pycocoevalcap's for the same strings."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import numpy as np
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider as TheirCider
from pycocoevalcap.rouge.rouge import Rouge

from fmp_models.data.folder import dataset_contents
from fmp_models.data.sample import FOLDER, sample_rows
from fmp_models.metrics.ngrams import Cider, bleu, cider, rouge_l

INSTANCES = 64
REFERENCES = 5
WORDS = (35, 55)  # of one caption


def captions(count: int, seed: int = 0) -> list[str]:
    """Give tokenised captions: sentences of the sample in any order, cut to length."""
    rows = [row for split in dataset_contents(FOLDER)["captioning"] for row in sample_rows("captioning", split)]
    texts = [text.lower().replace(",", "") for row in rows for text in row["descriptions_en"]]
    sentences = [sentence.split() for text in texts for sentence in text.split(".")]
    rng = random.Random(seed)
    made = []
    for _ in range(count):
        words: list[str] = []
        length = rng.randint(*WORDS)
        while len(words) < length:
            words += rng.choice(sentences)
        made.append(" ".join(words[:length]))
    return made


def steps() -> Iterator[tuple[str, Callable[[], object]]]:
    """Give each row's name and what to measure; splitting the strings into tokens is part of it on both sides."""
    texts = captions(INSTANCES * (1 + REFERENCES))
    predictions, rest = texts[:INSTANCES], texts[INSTANCES:]
    references = [rest[i::INSTANCES] for i in range(INSTANCES)]
    theirs = dict(enumerate(references)), {i: [text] for i, text in enumerate(predictions)}

    def ours() -> tuple[list[list[str]], list[list[list[str]]]]:
        return [text.split() for text in predictions], [[text.split() for text in group] for group in references]

    size = f"{INSTANCES} x {REFERENCES}"
    yield f"BLEU of {size} captions", lambda: bleu(*ours())
    yield "  pycocoevalcap's", lambda: Bleu(4).compute_score(*theirs, verbose=0)
    yield f"CIDEr of {size} captions", lambda: cider(*ours())
    yield "  pycocoevalcap's", lambda: TheirCider().compute_score(*theirs)
    yield f"ROUGE-L of {size} captions", lambda: rouge_l(*ours())
    yield "  pycocoevalcap's", lambda: Rouge().compute_score(*theirs)

    numbers = {word: number for number, word in enumerate(sorted({word for text in texts for word in text.split()}))}
    numbered_texts = [np.array([numbers[word] for word in text.split()]) for text in texts]
    reward = Cider([numbered_texts[INSTANCES:][i::INSTANCES] for i in range(INSTANCES)])
    samples = numbered_texts[:INSTANCES]
    yield f"reward of {INSTANCES} captions, weighed by the batch", lambda: reward.scores(samples, documents="batch")
    yield f"reward of {INSTANCES} captions, weighed by all", lambda: reward.scores(samples)

"""Configuration ``editing`` of a dataset folder (FixMyPose-EE): texts to edit, and the description each should become.

Every description of a pair is a ground truth (GT-Cap). Its reference captions (Ref-Cap) are a *similar* pair's text, as
in COCO-EE, a *contradiction*, where one to three clauses were turned false, as in Flickr30K-EE, and the unchanged text,
which teaches to stop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from fmp_models.data import (
    EDITING,
    TEXT_COLUMNS,
    ShardWriter,
    dataset_contents,
    demand_card,
    read_rows,
    write_editing_card,
)
from fmp_models.editing.edited import clause_verdict
from fmp_models.editing.operations import editing_steps, oracle
from fmp_models.editing.variants import Variant, clause_variants
from fmp_models.errors import BadInputError
from fmp_models.inference import change_scores
from fmp_models.languages import LANGUAGES, grammar, read_clauses, read_plan
from fmp_models.metrics import bleu
from fmp_models.pose import PosePair, pose_pair
from fmp_models.workers import HERE, Workers

RANKED, TRIED = 300, 30  # texts that the retriever ranks highest, and how many of them are drawn
MIN_BLEU2, MIN_BLEU3, MAX_CLAUSE_F1 = 0.4, 0.3, 0.35
MAX_TURNED = 3
_PAIRS = 32  # in a list of one process
_JOINTS = ("current_joints", "target_joints")

Row = dict[str, Any]


@dataclass(frozen=True)
class DescribedPair:
    """A pair of a split with its poses, ``None`` without joints, and its texts by language."""

    uid: str
    pair: PosePair | None
    texts: Mapping[str, Sequence[str]]


# A text and its clauses that were turned false: their words ("text"), and what was changed ("by": side, part, ...).
Contradiction = tuple[str, list[dict[str, str]]]


def write_editing(dataset: Path, seed: int = 0, workers: Workers = HERE) -> Counter[str]:
    """Add the configuration to a dataset folder, or make it again; return the number of texts of each kind.

    The workers change no text. Raise :class:`BadInputError`: ``dataset_missing``, ``dataset_without``
    pairs, ``dataset_damaged``, and the errors of ``load_retriever``.
    """
    demand_card(dataset)
    pairs = {split: read_pairs(dataset, split) for split in dataset_contents(dataset).get("captioning", ())}
    if not pairs:
        raise BadInputError("dataset_without", path=str(dataset), split="captioning/train")
    kinds: Counter[str] = Counter()
    lists = [
        (code, of_split[at : at + _PAIRS])
        for of_split in pairs.values()
        for code in LANGUAGES
        for at in range(0, len(of_split), _PAIRS)
    ]
    with ExitStack() as stack:
        of_lists = stack.enter_context(closing(workers.map(partial(_contradictions, seed), lists)))
        turned = chain.from_iterable(of_lists)
        for split, of_split in pairs.items():
            writer = stack.enter_context(ShardWriter(dataset, EDITING, split))
            for row in tqdm(editing_rows(of_split, seed, turned), desc=f"texts to edit, {split}", unit=" texts"):
                writer.add(row)
                kinds[row["kind"]] += 1
    write_editing_card(dataset)
    return kinds


def read_pairs(dataset: Path, split: str) -> list[DescribedPair]:
    """Return the pairs of a split of ``captioning``; empty texts are left out."""
    return [
        DescribedPair(
            row["uid"],
            None if None in (joints := [row[name] for name in _JOINTS]) else pose_pair(*joints),
            {
                language: [text for text in row[column] if text.strip()]
                for language, column in zip(LANGUAGES, TEXT_COLUMNS, strict=True)
            },
        )
        for row in read_rows(dataset, "captioning", split, ["uid", *_JOINTS, *TEXT_COLUMNS])
    ]


def editing_rows(pairs: Sequence[DescribedPair], seed: int, turned: Iterator[Contradiction | None]) -> Iterator[Row]:
    """Yield the rows of one split: for every text its similar text if there is one, its contradiction and itself.

    ``turned`` gives the contradictions of all texts in order.
    """
    for language in LANGUAGES:
        ranked = _ranked(pairs, language)
        for described in pairs:
            for place, text in enumerate(described.texts[language]):
                about = {"uid": described.uid, "language": language, "gt_cap": text}
                generator = _generator(seed, "similar", described.uid, language, place)
                similar = _similar(text, ranked.get(described.uid, ()), language, generator)
                if similar is not None:
                    yield _row(about, place, "similar", similar[1], ref_uid=similar[0])
                if (false_text := next(turned)) is not None:
                    yield _row(about, place, "contradiction", false_text[0], turned=false_text[1])
                yield _row(about, place, "unchanged", text)


def _contradictions(seed: int, of_language: tuple[str, Sequence[DescribedPair]]) -> list[Contradiction | None]:
    """Return the contradiction of every text of some pairs; each way to turn a clause is used about as often."""
    language, pairs = of_language
    used: Counter[str] = Counter()
    turned: list[Contradiction | None] = []
    for described in pairs:
        for place, text in enumerate(described.texts[language]):
            generator = _generator(seed, "contradiction", described.uid, language, place)
            count = int(generator.integers(1, MAX_TURNED + 1))
            pair = described.pair
            turned.append(None if pair is None else contradiction(text, language, pair, generator, count, used))
    return turned


def _generator(seed: int, *about: object) -> np.random.Generator:
    return np.random.default_rng([seed, crc32(" ".join(map(str, about)).encode())])


def contradiction(  # noqa: PLR0913, PLR0917  the last is for a whole split
    text: str,
    language: str,
    pair: PosePair,
    generator: np.random.Generator,
    count: int,
    used: Counter[str] | None = None,
) -> Contradiction | None:
    """Return the text with up to ``count`` true clauses turned false, and these clauses; ``None`` if none can be.

    Clauses that are not true by the joints, or that they cannot judge, stay as they are. Of the ways to turn a clause,
    the one least ``used`` so far is taken.
    """
    words, used = grammar(language), Counter() if used is None else used
    turned: dict[int, str] = {}
    clauses = read_clauses(text, words)
    for place in generator.permutation(len(clauses)):
        if len(turned) == count or not clause_verdict(clauses[place].goal, pair):
            continue
        false = [*clause_variants(text, language, clauses[place], lambda goal: clause_verdict(goal, pair) is False)]
        if false:
            variant = _least_used(false, used, generator)
            used[variant.by] += 1
            turned[int(place)] = variant.by
            text = variant.text
            clauses = read_clauses(text, words)
    of_text = [{"by": by, "text": clauses[place].text} for place, by in sorted(turned.items())]
    return (text, of_text) if turned else None


def _least_used(variants: Sequence[Variant], used: Counter[str], generator: np.random.Generator) -> Variant:
    ways = sorted({one.by for one in variants})
    way = min(generator.permutation(ways), key=lambda by: used[by])
    of_way = [one for one in variants if one.by == way]
    return of_way[generator.integers(len(of_way))]


def _ranked(pairs: Sequence[DescribedPair], language: str) -> dict[str, list[tuple[str, str]]]:
    """Return for each pair with joints the texts of other pairs that fit its change best, with the pairs' names."""
    known = [described for described in pairs if described.pair is not None]
    offered = [(one.uid, text) for one in known for text in one.texts[language]]
    if not offered:
        return {}
    joints = np.array([[one.pair.current.joints, one.pair.target.joints] for one in known if one.pair is not None])
    scores = change_scores(language, [text for _, text in offered], joints)
    best_first = ([offered[i] for i in np.argsort(-of_pair, kind="stable")] for of_pair in scores)
    return {
        one.uid: [other for other in order if other[0] != one.uid][:RANKED]
        for one, order in zip(known, best_first, strict=True)
    }


def _similar(
    text: str, ranked: Sequence[tuple[str, str]], language: str, generator: np.random.Generator
) -> tuple[str, str] | None:
    """Return the nearest text, with its pair, that shares the words of a text but not its clauses; else ``None``."""
    drawn = [ranked[i] for i in generator.permutation(len(ranked))[:TRIED]]
    if not drawn:
        return None
    shared = _bleu([other for _, other in drawn], text)
    alike = [
        one
        for one, (bleu2, bleu3) in zip(drawn, shared, strict=True)
        if bleu2 > MIN_BLEU2 and bleu3 > MIN_BLEU3 and clause_f1(one[1], text, language) < MAX_CLAUSE_F1
    ]
    return min(alike, key=lambda one: _steps(one[1], text), default=None)


def _bleu(texts: Sequence[str], reference: str) -> NDArray[np.float64]:
    """Return BLEU-2 and BLEU-3 (n, 2) of each text."""
    measured = bleu([text.lower().split() for text in texts], [[reference.lower().split()]] * len(texts))
    return np.stack([one.of_totals(one.statistics) for one in measured[1:3]], axis=1)


def clause_f1(first: str, second: str, language: str) -> float:
    """Return the F1 of two texts' movements (side, part and direction), as SPICE compares what captions say."""
    said, other = _movements(first, language), _movements(second, language)
    return 2 * len(said & other) / (len(said) + len(other)) if said or other else 1.0


@lru_cache(maxsize=100_000)
def _movements(text: str, language: str) -> frozenset[tuple[object, ...]]:
    return frozenset((one.side, one.part, one.direction) for one in read_plan(text, grammar(language)))


def _steps(ref: str, gt: str) -> int:
    return editing_steps(oracle(ref.split(), gt.split()))


def _row(  # noqa: PLR0913  the parts of a row
    about: Row, place: int, kind: str, ref: str, *, ref_uid: str = "", turned: Sequence[dict[str, str]] = ()
) -> Row:
    return {
        **about,
        "sample_id": f"{about['uid']}-{about['language']}-{place}-{kind}",
        "kind": kind,
        "ref_cap": ref,
        "ref_uid": ref_uid,
        "turned": [*turned],
        "editing_steps": _steps(ref, about["gt_cap"]),
    }

"""Training of an editor: instances of a given and a wanted text, unrolled into samples of its three heads; recipe.

Given texts are those of the dataset's configuration ``editing`` if it has one, and texts made here: true texts turned
false in some clauses, texts of other pairs that share many words, and the wanted text itself, which teaches to stop.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial, reduce
from itertools import groupby, pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import torch
from filelock import FileLock
from pydantic import Field as Within
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy
from torch.nn.utils.rnn import pad_sequence
from tqdm import tqdm

from fmp_models.common import ADD, DELETE, KEEP
from fmp_models.data import read_rows
from fmp_models.editing import (
    GivenText,
    Plan,
    Slot,
    clause_verdict,
    edit_batch,
    edit_texts,
    oracle,
    read_given,
    reworded,
    surest_edits,
    written,
)
from fmp_models.errors import BadInputError
from fmp_models.geometry import Findings
from fmp_models.languages import (
    BOS,
    EOS,
    PAD,
    UNK,
    Vocabulary,
    grammar,
    mirrored_text,
    read_clauses,
    token_spans,
    tokenise,
)
from fmp_models.metrics import Cider, clause_agreement
from fmp_models.networks import EditBatch, Editor, EditorConfig, Verdict, VisionModel, WordState, mirrored_codes
from fmp_models.training.batching import of_like_lengths
from fmp_models.training.captioner import pair_batch
from fmp_models.training.config import Count, Share, built
from fmp_models.training.dataset_samples import TRAIN, Samples, read_dataset
from fmp_models.training.engine import fit, on_device
from fmp_models.training.model_inputs import ModelInputs, SampleInputs, Variation
from fmp_models.training.objective import Objective, Save, saver
from fmp_models.training.preparation import (
    ANY_SIZE,
    Recipe,
    TrainingOrder,
    deciding_parts,
    load_weights,
    read_recipe,
    set_up_vision,
    spread,
    vocabularies_of,
)
from fmp_models.training.recombination import drawn_samples, recombined, telling

Order = Literal["middle", "left", "once"]


@dataclass(frozen=True)
class EditingConfig:
    """The configuration of editing: what is trained and on what.

    ``least_seen`` is the minimum count of a word in the vocabulary, ``longest`` the maximum number of words of an
    instance, deleted and added ones included. ``wide``, ``recombined`` and ``drawn`` are those of captioning; pairs of
    the last two have given texts that are made here. ``false`` is the number of texts turned false of each text.
    ``order`` is that of the words that are added in one gap: from the ``middle``, which adds n words in log2 n rounds,
    from the ``left`` as in TIger, in n rounds, or all at ``once``.
    """

    languages: Annotated[tuple[str, ...], Within(min_length=1)] = ("en", "hi")
    batch: Count = 32
    longest: Count = 160
    least_seen: Count = 2
    wide: bool = False
    recombined: Annotated[int, Within(ge=0)] = 0
    drawn: Annotated[int, Within(ge=0)] = 0
    false: Annotated[int, Within(ge=0)] = 2
    order: Order = "middle"
    stays: Share = 0.4  # minimum share of the words that stay, of the longer text
    withheld: Share = 0.1  # of verdicts, and of clauses of the plan
    validation_pairs: Count | None = None  # None: all
    validation_texts: Count | None = 300
    validation: Literal["val_seen", "val_unseen"] = "val_seen"


@dataclass(frozen=True)
class Instance:
    """A ``given`` and a ``wanted`` text of the pair ``row``, and what the joints say of the given one."""

    row: int
    language: str
    kind: str  # unchanged, contradiction or similar
    given: str
    wanted: str
    verdicts: tuple[int, ...]
    plan: tuple[tuple[int, ...], ...]


def instance_of(row: int, kind: str, read: GivenText, wanted: str) -> Instance:
    """Return the instance of a given text that was read."""
    return Instance(row, read.language, kind, read.text, wanted, read.verdicts, read.plan)


def made_instances(samples: Samples, language: str, count: int, seed: int) -> Iterator[Instance]:
    """Yield the instances of pairs with known joints and texts in a language, for one text of each.

    Each gives the text itself, up to ``count`` texts turned false, and the text of another pair.
    """
    chances = [np.random.default_rng([seed, row]) for row in range(len(samples))]
    texts = [str(chance.choice(of)) if of else "" for chance, of in zip(chances, samples.texts[language], strict=True)]
    alike = similar_texts(texts, language, seed)
    pairs = tqdm(samples.pose_pairs(), desc=f"given texts, {language}", unit=" pairs")
    for row, (pair, wanted, near) in enumerate(zip(pairs, texts, alike, strict=True)):
        if pair is None or not wanted:
            continue
        findings = Findings(pair)
        given = {wanted: "unchanged", **({near: "similar"} if near else {})}
        for _ in range(count):
            given.setdefault(turned_false(wanted, language, findings, chances[row]), "contradiction")
        for text, kind in given.items():
            yield instance_of(row, kind, read_given(text, language, findings), wanted)


def turned_false(text: str, language: str, findings: Findings, chance: np.random.Generator) -> str:
    """Return a text with one to three of its true clauses turned false; the text itself if there are none.

    Quicker than the contradictions of a dataset, and not as strict: only the number of false clauses is checked.
    """
    words, pair = grammar(language), findings.pair
    clauses = read_clauses(text, words)
    verdicts = [clause_verdict(clause.goal, pair) for clause in clauses]
    for place in chance.permutation(np.flatnonzero([verdict is True for verdict in verdicts]))[
        : _COUNTS[chance.integers(len(_COUNTS))]
    ]:
        by_way: dict[str, list[str]] = {}
        for way, changed in reworded(text, clauses[place], words):
            by_way.setdefault(way, []).append(changed)
        for _ in range(_TRIES if by_way else 0):
            changed = str(chance.choice(by_way[chance.choice([*by_way])]))
            read = read_clauses(changed, words)
            judged = [clause_verdict(clause.goal, pair) for clause in read]
            if len(judged) == len(verdicts) and judged.count(False) == verdicts.count(False) + 1:
                text, clauses, verdicts = changed, read, judged
                break
    return text


_COUNTS, _TRIES = (1, 1, 1, 2, 2, 3), 3  # clauses that are turned, and draws for each
_AMONG, _ALIKE, _BINS, _BLOCK = 300, 0.5, 4096, 64


def similar_texts(texts: Sequence[str], language: str, seed: int) -> list[str | None]:
    """Return for each text the one of 300 others that shares most words and pairs of words; None if few are shared."""
    grams = np.zeros((len(texts), _BINS), dtype=np.float32)
    for row, text in enumerate(texts):
        tokens = tokenise(text, language)
        for gram in (*tokens, *map(" ".join, pairwise(tokens))):
            grams[row, int.from_bytes(hashlib.blake2b(gram.encode(), digest_size=2).digest()) % _BINS] += 1
    grams /= np.maximum(np.linalg.norm(grams, axis=1, keepdims=True), 1)
    generator = np.random.default_rng([seed, len(texts)])
    nearest: list[str | None] = []
    for start in range(0, len(texts), _BLOCK):
        among = generator.choice(len(texts), min(_AMONG, len(texts)), replace=False)
        likeness = grams[start : start + _BLOCK] @ grams[among].T
        for row, of_row in enumerate(likeness, start):
            others = [place for place in np.argsort(-of_row)[:8] if texts[among[place]] not in {texts[row], ""}]
            best = others[0] if others and of_row[others[0]] >= _ALIKE else None
            nearest.append(None if best is None else texts[among[best]])
    return nearest


def kept_instances(samples: Samples, language: str, count: int, seed: int, cache: Path) -> list[Instance]:
    """Return :func:`made_instances`, from ``cache`` if the same code made them; raise BadInputError if unusable."""
    digest = hashlib.sha256(f"{telling()} {language} {count} {seed} {samples.texts[language]}".encode())
    digest.update(np.ascontiguousarray(samples.joints).tobytes() + samples.placed.tobytes())
    path = cache / f"given-{digest.hexdigest()[:16]}.json"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{path}.lock"):
            if not path.is_file():
                made = [tuple(vars(one).values()) for one in made_instances(samples, language, count, seed)]
                part = path.with_suffix(".part")
                part.write_text(json.dumps(made, ensure_ascii=False), encoding="utf-8")
                part.replace(path)
        return [Instance(*one) for one in json.loads(path.read_bytes())]
    except OSError:
        raise BadInputError("folder_unusable", path=str(cache)) from None


def dataset_instances(folder: Path, split: str, samples: Samples, languages: Sequence[str]) -> Iterator[Instance]:
    """Yield the instances of a dataset's configuration ``editing`` for pairs in ``samples``; nothing without one."""
    if not (folder / "editing").is_dir():
        return
    number = {uid: row for row, uid in enumerate(samples.uids)}
    pairs, findings = samples.pose_pairs(), dict[int, Findings]()
    for entry in read_rows(folder, "editing", split, ["uid", "language", "kind", "ref_cap", "gt_cap"]):
        row = number.get(entry["uid"])
        if row is None or entry["language"] not in languages or (pair := pairs[row]) is None:
            continue
        seen = findings.setdefault(row, Findings(pair))
        yield instance_of(row, entry["kind"], read_given(entry["ref_cap"], entry["language"], seen), entry["gt_cap"])


class EditStep(NamedTuple):
    """A text for the heads, and their targets for each of its words, -1 where a head has none."""

    text: list[Slot]
    deleted: list[int]
    added: list[int]
    inserted: list[int]


@dataclass(frozen=True)
class UnrolledInstance:
    """An instance by words: each with its state in the end, its round and its verdict; deleted ones precede added ones.

    ``mirrored`` are the numbers of the words of the mirror image; it is empty if there is none.
    """

    row: int
    language: int
    slots: tuple[Slot, ...]
    plan: tuple[tuple[int, ...], ...]
    mirrored: tuple[int, ...]

    @property
    def rounds(self) -> int:
        """The number of rounds in which words are added."""
        return max((slot.round for slot in self.slots if slot.state == WordState.ADDED), default=0)

    def deleting(self) -> EditStep:
        """Return the given text: which words are deleted, and where the first round adds some."""
        text, _, added, inserted = self.adding(1)
        deleted = [-1, *(int(slot.state == WordState.DELETED) for slot in text[1:])]
        return EditStep([slot._replace(state=WordState.KEPT) for slot in text], deleted, added, inserted)

    def adding(self, number: int) -> EditStep:
        """Return the text before a round: how many words it adds after each; after the last round, nowhere any."""
        text, added = list[Slot](), list[int]()
        for slot in self.slots:
            if slot.state != WordState.ADDED or slot.round < number:
                text.append(slot)
                added.append(0)
            elif slot.round == number:
                added[-1] += 1
        return EditStep(text, [-1] * len(text), added, [-1] * len(text))

    def inserting(self, number: int) -> EditStep:
        """Return the text of a round with its gaps: the words for them, unless they are unknown."""
        shown = [slot for slot in self.slots if slot.state != WordState.ADDED or slot.round <= number]
        gaps = [slot.state == WordState.ADDED and slot.round == number for slot in shown]
        text = [
            slot._replace(word=UNK, state=WordState.GAP) if gap else slot for slot, gap in zip(shown, gaps, strict=True)
        ]
        words = [slot.word if gap and slot.word != UNK else -1 for slot, gap in zip(shown, gaps, strict=True)]
        return EditStep(text, [-1] * len(text), [-1] * len(text), words)

    def steps(self) -> list[EditStep]:
        """Return all samples: one of deletion, those of each round, and one that teaches to stop."""
        rounds = range(1, self.rounds + 1)
        return [self.deleting(), *map(self.adding, (*rounds, len(rounds) + 1)), *map(self.inserting, rounds)]

    def image(self) -> UnrolledInstance:
        """Return the mirror image."""
        slots = tuple(slot._replace(word=word) for slot, word in zip(self.slots, self.mirrored, strict=True))
        return replace(self, slots=slots, plan=tuple(tuple(mirrored_codes(codes)) for codes in self.plan), mirrored=())


def unrolled(instance: Instance, vocabulary: Vocabulary, language: int, order: Order) -> UnrolledInstance | None:
    """Return an instance by words; deleted words come before those added in their gap. None if a verdict is missing."""

    def numbers(text: str) -> list[int]:
        return vocabulary.numbers_as_meant(tokenise(text, vocabulary.language))

    texts = instance.given, instance.wanted
    given, wanted = map(numbers, texts)
    images = [mirrored_text(text, vocabulary.language) for text in texts]
    turned_given, turned_wanted = (numbers(image or "") for image in images)
    if len(given) != len(instance.verdicts):
        return None
    slots, image = [Slot(BOS)], [BOS]
    i = j = 0
    steps = oracle(*(tokenise(text, vocabulary.language) for text in texts))
    for kept, region in groupby((step.op for step in steps), KEEP.__eq__):
        ops = [*region]
        stay, add = ops.count(KEEP) + ops.count(DELETE), ops.count(ADD)
        state = WordState.KEPT if kept else WordState.DELETED
        places = range(i, i + stay)
        slots += [Slot(given[at], state, Verdict(instance.verdicts[at]), at, int(not kept)) for at in places]
        slots += [Slot(wanted[j + at], WordState.ADDED, round=n) for at, n in enumerate(rounds_of(add, order))]
        image += turned_given[i : i + stay] + turned_wanted[j : j + add]
        i, j = i + stay, j + add + len(ops) * kept
    fits = None not in images and (len(turned_given), len(turned_wanted)) == (len(given), len(wanted))
    return UnrolledInstance(instance.row, language, tuple(slots), instance.plan, tuple(image) if fits else ())


def rounds_of(count: int, order: Order) -> list[int]:
    """Return the round of each of the words that are added in one gap."""
    if order != "middle" or not count:
        return [1] * count if order == "once" else list(range(1, count + 1))
    middle = (count - 1) // 2
    parts = (rounds_of(middle, order), rounds_of(count - 1 - middle, order))
    first, second = ([number + 1 for number in part] for part in parts)
    return [*first, 1, *second]


@dataclass(frozen=True)
class EditSamples:
    """Pairs, texts about them, and what the heads should give.

    ``inputs`` are b pairs and ``texts`` s texts of t words. ``deleted``, ``added`` and ``inserted`` (s, t) are the
    targets of each word, -1 where there is none. ``wanted`` (s, u) are the wanted texts, with begin and end marks.
    """

    inputs: ModelInputs
    texts: EditBatch
    deleted: Tensor
    added: Tensor
    inserted: Tensor
    wanted: Tensor


_BY_WORD = 10.0  # weight of the losses per word, beside the loss per gap


@dataclass
class Editing(Objective):
    """The task of the three heads: the sum of their cross-entropies; every step trains all heads and languages."""

    model: VisionModel[Editor]
    config: EditingConfig
    sample_inputs: SampleInputs
    instances: Sequence[UnrolledInstance]
    variation: Variation
    validation: EditorValidation
    keep: Save
    metric = "cider"

    def order(self, generator: torch.Generator) -> Sequence[Sequence[int]]:
        """Return batches that contain every instance once per epoch."""
        return of_like_lengths([len(one.slots) for one in self.instances], self.config.batch, generator)

    def batch(self, samples: Sequence[int], generator: torch.Generator) -> EditSamples:
        """Return varied pairs; of each instance the sample of deletion, one of addition and one of insertion."""
        chosen = [self.instances[sample] for sample in samples]
        mirrorable = torch.tensor([bool(one.mirrored) for one in chosen])
        inputs, mirrored = self.sample_inputs.varied([one.row for one in chosen], mirrorable, self.variation, generator)
        chance = np.random.default_rng(int(torch.randint(2**31, (1,), generator=generator)))
        steps, languages, pairs, plans = list[EditStep](), list[int](), list[int](), list[Plan]()
        wanted = list[Tensor]()
        implicit = self.model.network.config.implicit
        for pair, one in enumerate(chosen):
            shown = withholding(one.image() if mirrored[pair] else one, self.config.withheld, chance)
            drawn = [shown.deleting()]
            if not implicit and any(slot.state != WordState.KEPT for slot in shown.slots):
                drawn.append(shown.adding(int(chance.integers(1, shown.rounds + 2))))
            if not implicit and shown.rounds:
                drawn.append(shown.inserting(int(chance.integers(1, shown.rounds + 1))))
            steps += drawn
            languages += [one.language] * len(drawn)
            pairs += [pair] * len(drawn)
            plans += [shown.plan] * len(drawn)
            stay = [slot.word for slot in shown.slots if slot.state != WordState.DELETED]
            wanted += [torch.tensor([*stay, EOS])] * len(drawn)
        texts, *goals = zip(*steps, strict=True)
        deleted, added, inserted = (
            pad_sequence([torch.tensor(goal) for goal in of], batch_first=True, padding_value=-1) for of in goals
        )
        given = edit_batch(texts, languages, pairs, plans)
        return EditSamples(inputs, given, deleted, added, inserted, pad_sequence(wanted, batch_first=True))

    def loss(self, batch: EditSamples) -> tuple[Tensor, dict[str, Tensor]]:
        """Return the sum of the heads' losses; most words are kept, so those of deletions and additions weigh more."""
        editor = self.model.network
        encoded = editor.encode(pair_batch(batch.inputs, self.model))
        features = editor(encoded, batch.texts)
        if editor.config.implicit:
            chances, _ = editor.writes(encoded, batch.texts, features, batch.wanted[:, :-1])
            words = batch.wanted[:, 1:]
            known = (words != PAD) & (words != UNK)
            goals = words + editor.starts[batch.texts.languages][:, None]
            loss = -chances.gather(2, goals[..., None]).squeeze(-1)[known].mean()
            return loss, {"write": loss}
        judged, gaps = batch.deleted >= 0, batch.inserted >= 0
        deletions = editor.deletions(features)[judged].float()
        goals = batch.deleted[judged].float()
        parts = {"delete": _BY_WORD * binary_cross_entropy_with_logits(deletions, goals)}
        additions = editor.additions(features).flatten(0, 1).float()
        parts["add"] = _BY_WORD * cross_entropy(additions, batch.added.flatten(), ignore_index=-1)
        if gaps.any():
            languages = batch.texts.languages[:, None].expand_as(gaps)[gaps]
            logits = editor.insertions(features[gaps], languages).float()
            parts["insert"] = cross_entropy(logits, batch.inserted[gaps] + editor.starts[languages])
        return torch.stack(list(parts.values())).sum(), parts

    def validate(self) -> dict[str, float]:
        """Set the editor's threshold, and return the scores of its texts."""
        return self.validation.scores(self.model)


def withholding(one: UnrolledInstance, share: float, chance: np.random.Generator) -> UnrolledInstance:
    """Return an instance without a share of the plan, and with wrong verdicts for a share of words or none at all.

    Estimated joints do not tell all, so the editor must not rely on them alone.
    """
    plan = tuple(codes for codes in one.plan if chance.random() >= share)
    if chance.random() < share:
        return replace(one, plan=plan, slots=tuple(slot._replace(verdict=Verdict.NONE) for slot in one.slots))
    slots = list[Slot]()
    for _, of_clause in groupby(one.slots, lambda slot: (slot.verdict, slot.place < 0)):
        run = [*of_clause]
        wrong = run[0].verdict != Verdict.NONE and chance.random() < share / 2
        verdict = Verdict(int(chance.integers(1, len(Verdict)))) if wrong else run[0].verdict
        slots += [slot._replace(verdict=verdict) for slot in run]
    return replace(one, plan=plan, slots=tuple(slots))


_TEXTS = 64  # texts of one pass in validation
_RIGHT = 0.95  # share of right texts that stay as they are; the threshold of an edit is set by it


@dataclass
class EditorValidation:
    """The instances of a split and their pairs, by which the best weights and the threshold of an edit are chosen."""

    sample_inputs: SampleInputs
    instances: Sequence[Instance]
    vocabularies: dict[str, Vocabulary]

    def __post_init__(self) -> None:
        """Read the given texts once and index the wanted ones."""
        self._given = [
            GivenText(
                one.given,
                one.language,
                tuple(token_spans(one.given, one.language)),
                tuple(map(Verdict, one.verdicts)),
                one.plan,
            )
            for one in self.instances
        ]
        self._cider = Cider([[one.wanted.lower().split()] for one in self.instances])
        self._pairs = self.sample_inputs.samples.pose_pairs()

    def scores(self, model: VisionModel[Editor]) -> dict[str, float]:
        """Return ``cider`` of all texts, and for kinds of them agreement and the shares kept and reproduced."""
        editor = model.network
        editor.threshold.fill_(0.5)
        right = [place for place, one in enumerate(self.instances) if one.kind == "unchanged"]
        if right and not editor.config.implicit:
            surest = sorted(self._each(model, right, surest_edits))
            editor.threshold.clamp_(min=surest[min(int(_RIGHT * len(surest)), len(surest) - 1)])
        places = range(len(self.instances))
        slots = self._each(model, places, edit_texts)
        texts = [
            written(given, words, self.vocabularies[given.language])[0]
            for given, words in zip(self._given, slots, strict=True)
        ]
        split = [text.lower().split() for text in texts]
        scores = {
            "cider": float(self._cider.scores(split).mean()),
            "cider_given": float(self._cider.scores([one.given.lower().split() for one in self.instances]).mean()),
            "threshold": float(editor.threshold),
        }
        for kind in sorted({one.kind for one in self.instances}):
            of_kind = [place for place in places if self.instances[place].kind == kind]
            hits = [texts[place] == self.instances[place].wanted for place in of_kind]
            scores[f"cider_{kind}"] = float(self._cider.scores([split[i] for i in of_kind], of_kind).mean())
            scores[f"exact_{kind}"] = float(np.mean(hits))
            for language in self.vocabularies:
                told = [place for place in of_kind if self.instances[place].language == language]
                value = clause_agreement(
                    [texts[i] for i in told], language, [self._pairs[self.instances[i].row] for i in told]
                ).value
                scores[f"agreement_{kind}_{language}"] = 0.0 if math.isnan(value) else value
        return scores

    def _each(self, model: VisionModel[Editor], places: Sequence[int], of: Callable[..., list[Any]]) -> list[Any]:
        results = []
        device = next(model.parameters()).device
        for start in range(0, len(places), _TEXTS):
            lot = places[start : start + _TEXTS]
            inputs = self.sample_inputs.plain([self.instances[place].row for place in lot])
            encoded = model.network.encode(pair_batch(on_device(inputs, device), model))
            results += of(model.network, self.vocabularies, encoded, [self._given[place] for place in lot])
        return results


@dataclass(frozen=True)
class EditorRecipe(Recipe):
    """An editor's configuration; ``network`` is an ``EditorConfig`` without the values that depend on the data."""

    data: EditingConfig = field(default_factory=EditingConfig)
    network: dict[str, Any] = field(default_factory=dict)
    variation: Variation = field(default_factory=Variation)

    @property
    def estimated(self) -> bool:
        """Whether the run uses estimated joints."""
        return self.variation.estimated > 0


def train_editor(order: TrainingOrder) -> None:
    """Train an editor or resume its run; raise ``BadInputError`` as described in ``train``."""
    recipe = read_recipe(EditorRecipe, "editor", order)
    config, seed = recipe.data, recipe.engine.seed
    dataset = read_dataset(order.dataset, "captioning", (TRAIN, config.validation), wide=config.wide)
    network_config = built(EditorConfig, {**recipe.network, "vocabulary_sizes": ANY_SIZE}, order.config, "network.")
    begun = set_up_vision(order, recipe, dataset, network_config, (config.validation, config.validation_pairs))
    cache = order.cache_folder
    made = partial(kept_instances, seed=seed, cache=cache)
    parts = [begun.samples]
    if config.recombined:
        parts.append(recombined(begun.samples, config.recombined, seed, cache))
    if config.drawn:
        parts.append(drawn_samples(config.drawn, seed, cache))
    samples = reduce(Samples.joined, parts)
    instances = [*dataset_instances(order.dataset, TRAIN, begun.samples, config.languages)]
    for number, part in enumerate(parts):
        first = sum(map(len, parts[:number]))
        instances += [
            replace(one, row=one.row + first) for code in config.languages for one in made(part, code, config.false)
        ]
    validation = [*dataset_instances(order.dataset, config.validation, begun.validation, config.languages)] or [
        one for code in config.languages for one in made(begun.validation, code, 1)
    ]
    validation = [validation[place] for place in spread(np.arange(len(validation)), config.validation_texts)]
    texts = {code: [[one.given, one.wanted] for one in instances if one.language == code] for code in config.languages}
    vocabularies = vocabularies_of(texts, config.languages, config.least_seen, order.start)
    codes = list(vocabularies)
    words = (unrolled(one, vocabularies[one.language], codes.index(one.language), config.order) for one in instances)
    kept = [one for one in words if one is not None and _fits(one, config, network_config.most_at_once)]
    if not kept:
        raise BadInputError("training_no_samples", path=str(order.dataset), split=TRAIN, needs=str(config.languages))
    sizes = {code: len(vocabulary) for code, vocabulary in vocabularies.items()}
    network = replace(network_config, vocabulary_sizes=sizes, image_channels=begun.channels)
    torch.manual_seed(seed)
    model = VisionModel(Editor(network), begun.backbone)
    if order.start is not None:
        load_weights(model, order.start)
    task = Editing(
        model,
        config,
        SampleInputs(samples, begun.views, estimated=begun.estimated, partly=True),
        kept,
        recipe.variation,
        EditorValidation(SampleInputs(begun.validation, begun.views), validation, vocabularies),
        saver("editor", asdict(network), vocabularies),
    )
    fit(task, recipe.engine, order.out, deciding_parts("editor", recipe, order, dataset.fingerprint))


def _fits(one: UnrolledInstance, config: EditingConfig, most: int) -> bool:
    """Return whether an instance is not too long, keeps enough words, and adds at most ``most`` words in one place."""
    states = Counter(slot.state for slot in one.slots)
    changed = max(states[WordState.DELETED], states[WordState.ADDED])
    if len(one.slots) > config.longest or states[WordState.KEPT] < config.stays * (states[WordState.KEPT] + changed):
        return False
    return all(max(one.adding(number).added) <= most for number in range(1, one.rounds + 1))

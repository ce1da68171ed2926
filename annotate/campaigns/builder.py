"""Campaigns built from a dataset and model texts: choice of pairs, texts, gold items and the qualification test.

All choices follow from the seed, so the same order makes the same campaign again.
"""

from __future__ import annotations

import json
import random
import shutil
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from annotate.campaigns.campaign import FILE, PICTURES, Campaign, picture_name, text_name
from annotate.campaigns.owner_files import OwnItem, plain_jpeg, read_items
from annotate.errors import RefusedError
from annotate.kinds import (
    COMPARE,
    FIND_TARGET,
    FOOL,
    JUDGE,
    MAX_ITEM_CHARS,
    QUESTIONS,
    REAL_PAIR,
    REPAIR,
    SOURCE_LANGUAGE,
    TASK_KINDS,
    TRANSLATE,
    VERIFY,
    VOTE,
    WRITE,
    Kind,
)
from fmp_models.common import LANGUAGES, one_line, read_plain

# Rows of a dataset folder, to build campaigns from: Parquet as ``datasets`` writes it, read in small batches.

REAL_SPLIT = "test_real"  # people's photographs

_ROWS_AT_ONCE = 16
_JOINT_COLUMNS = ("current_joints", "target_joints")
_ROUND_COLUMNS = ("dialogue_id", "caption", "round", "question", "answer", "program", "kind", "dependence", "distance")


@dataclass(frozen=True)
class DatasetRow:
    """A pair with its pictures as JPEG files without metadata; a retrieval row also has ``candidates`` and ``answer``.

    ``joints`` are those of both poses, None if either is unknown. ``kind_of_movement`` is equal for pairs that may have
    similar descriptions.
    """

    uid: str
    current: bytes
    target: bytes
    descriptions: dict[str, tuple[str, ...]]
    kind_of_movement: str
    split: str
    joints: tuple[Any, Any] | None = None
    candidates: tuple[bytes, ...] = ()
    answer: int | None = None


@dataclass(frozen=True)
class Split:
    """One split of one configuration of a dataset folder; photographs are a configuration of their own."""

    dataset: Path
    config: str
    name: str

    @property
    def folder(self) -> Path:
        """The folder of its shards."""
        return self.dataset / (REAL_SPLIT if self.name == REAL_SPLIT else self.config)

    @property
    def files(self) -> list[Path]:
        """Its shards; none if the dataset lacks it."""
        return sorted(self.folder.glob(f"{self.name}-*-of-*.parquet"))

    def uids(self) -> list[str]:
        """Return the uids of its pairs, in order."""
        return [str(row["uid"]) for row in self.raw(["uid"])]

    def rows(self, row_numbers: Sequence[int], languages: Sequence[str]) -> Iterator[DatasetRow]:
        """Yield the rows with these numbers, in file order, with their descriptions in these languages."""
        numbers = set(row_numbers)
        texts = [f"descriptions_{language}" for language in languages]
        columns = ["candidates", "answer"] if self.config == "retrieval" else []
        columns += ["uid", "current", "target", "animation", *texts, *_JOINT_COLUMNS]
        for number, raw in enumerate(self.raw(columns)):
            if number in numbers:
                yield self._row(raw, languages)

    def _row(self, raw: dict[str, Any], languages: Sequence[str]) -> DatasetRow:
        uid = str(raw["uid"])
        descriptions = {
            language: tuple(text.strip() for text in raw[f"descriptions_{language}"] or () if text.strip())
            for language in languages
        }
        candidates = tuple(self._picture(uid, image) for image in raw.get("candidates") or ())
        return DatasetRow(
            uid,
            self._picture(uid, raw["current"]),
            self._picture(uid, raw["target"]),
            descriptions,
            uid if raw["animation"] is None else str(raw["animation"]),
            self.name,
            _joints(raw),
            candidates,
            raw.get("answer"),
        )

    def _picture(self, uid: str, image: object) -> bytes:
        data = image.get("bytes") if isinstance(image, dict) else None
        if not isinstance(data, bytes):
            self._refuse(f"it lacks a picture of {uid}")
        try:
            return plain_jpeg(data)
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
            self._refuse(f"a picture of {uid} cannot be read")

    def raw(self, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Yield its rows with these columns."""
        if not self.files:
            self._refuse(f"it has no split {self.name} of {self.config}")
        try:
            for path in self.files:
                with pq.ParquetFile(path) as file:
                    lacking = set(columns) - set(file.schema_arrow.names)
                    if lacking:
                        self._refuse(f"it has no column {min(lacking)}")
                    for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE, columns=list(columns)):
                        yield from batch.to_pylist()
        except (OSError, pa.ArrowException) as error:
            self._refuse(one_line(error))

    def _refuse(self, reason: str) -> NoReturn:
        raise RefusedError("dataset_unusable", path=str(self.dataset), reason=reason) from None


def _joints(raw: Mapping[str, Any]) -> tuple[Any, Any] | None:
    """Return the joints of both poses in millimetre steps; None unless all are known."""
    poses = [raw[column] for column in _JOINT_COLUMNS]
    if not all(poses) or any(number is None for pose in poses for point in pose for number in point):
        return None
    current, target = ([[round(number, 3) for number in point] for point in pose] for pose in poses)
    return current, target


# Campaigns: choice of pairs, texts, gold items and the qualification test.

REFERENCE = "reference"
VOICES = 3  # annotators for each question, as in the paper
GOLD_SHARE = 10  # one gold item for so many items
MAX_TEXTS_BYTES = 64_000_000  # bytes of a file of texts

_GUIDELINES = Path(__file__).with_name("pair_guidelines.toml")  # of pairs of anything
_TEST = Path(__file__).with_name("qualification.toml")
_FIND, _REAL, _TRANSLATE, _VERIFY, _VOTE, _WRITE, _QUESTIONS, _REPAIR, _COMPARE, _JUDGE = (
    kind.key for kind in (FIND_TARGET, REAL_PAIR, TRANSLATE, VERIFY, VOTE, WRITE, QUESTIONS, REPAIR, COMPARE, JUDGE)
)
_FOOL = FOOL.key
_ONLY_NAMED = {_REPAIR, _COMPARE, _JUDGE, _FOOL}  # asked only if ordered by name
_OWN_PAIRS = {_FIND, _REAL, _JUDGE, _FOOL}  # kinds with pairs drawn for them alone
_REFERENCE_KINDS = [key for key, kind in TASK_KINDS.items() if kind.reads_reference and key not in _OWN_PAIRS]
_GOLD_ENDINGS = {_VOTE: "a", _VERIFY: "b", _FIND: "c", _JUDGE: "d"}
_MIN_MODELS = 2
_MIN_GOLD_ITEMS = 2


@dataclass(frozen=True)
class Source:
    """The texts of one model in one language: a file with ``{uid: text}``."""

    name: str
    language: str
    path: Path


@dataclass(frozen=True)
class CampaignOrder:
    """The parameters of a new campaign; the defaults are the paper's (sections 6 and 7, Appendix E.2).

    Empty ``kinds`` stand for all possible ones but ``repair``, ``compare``, ``judge`` and ``fool``. ``voices`` are the
    annotators per question of each kind, by default three for kinds with ``several_voices`` and one for all others; a
    target to find has as many per mode. People write in the languages of ``writing``, by default in English alone if
    the others get translations, as in the paper.
    At most ``real_items`` pairs are to be re-enacted, with all their texts: as many as ``real_splits`` have.
    ``gold`` is the number of gold pairs of each kind that can have them, some with texts made for them: equal ones to
    vote on, and texts to rate that ``turned_false`` made of a text, its language and the joints, if it could.
    ``pose_rules`` are on by default unless the pairs of the dataset are of anything (import-pairs), about which nobody
    is asked to re-enact a pose or to find one. ``questions`` are an owner's own. ``items_from`` is a file of an owner's
    own items, which replace the dataset; then empty ``languages`` stand for those of their texts.
    """

    dataset: Path
    name: str
    splits: tuple[str, ...] = ("val_seen",)
    items: int = 100
    voices: Mapping[Kind, int] = field(default_factory=dict)
    writing: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    sources: tuple[Source, ...] = ()
    languages: tuple[str, ...] = LANGUAGES
    retrieval_splits: tuple[str, ...] = ("test_unseen",)
    retrieval_items: int = 50
    real_splits: tuple[str, ...] = ("test_unseen",)
    real_items: int = 60
    title: Mapping[str, str] = field(default_factory=dict)
    guidelines: Mapping[str, Any] = field(default_factory=dict)
    study: Mapping[str, Any] = field(default_factory=dict)
    questions: Sequence[Mapping[str, Any]] = ()
    items_from: Path | None = None
    reveals_models: bool = False
    pose_rules: bool | None = None
    seed: int = 0
    gold: int | None = None
    turned_false: Callable[[str, str, tuple[Any, Any]], str | None] = lambda *_: None


def make_campaign(order: CampaignOrder, out: Path) -> Campaign:
    """Write the campaign into a new folder, whole or not at all, and read it back.

    Raise :class:`RefusedError`: ``campaign_there``, ``dataset_unusable``, ``dataset_too_small``,
    ``texts_unusable``, ``texts_lacking``, ``items_unusable``, ``option_malformed``, ``folder_unusable``, or as
    :meth:`Campaign.open`.
    """
    try:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise RefusedError("campaign_there", path=str(out))
        folder = out.with_name(f".{out.name}.part")
        shutil.rmtree(folder, ignore_errors=True)
        (folder / PICTURES).mkdir(parents=True)
        try:
            contents = _Making(order, folder / PICTURES).campaign()
            (folder / FILE).write_text(_as_json(contents), encoding="utf-8")
            Campaign.open(folder)
            if out.exists():
                out.rmdir()
            folder.rename(out)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        raise RefusedError("folder_unusable", path=str(out)) from None
    return Campaign.open(out)


class _Making:
    """The builder of one campaign; it writes each picture as it comes to it."""

    def __init__(self, order: CampaignOrder, pictures: Path) -> None:
        if order.items_from and order.sources:
            raise RefusedError("option_malformed", text="--texts", option="--items-from", example='"texts" in a line')
        if order.items_from and order.gold:
            raise RefusedError("option_malformed", text="--gold", option="--items-from", example="--voices")
        self.order = order
        self.pictures = pictures
        self.random = random.Random(order.seed)  # noqa: S311  chooses pairs, not used for security
        self.model_texts: dict[tuple[str, str], dict[str, str]] = {}  # by model and language
        for source in order.sources:
            self.model_texts.setdefault((source.name, source.language), {}).update(read_texts(source.path))
        self.own = {} if order.items_from is None else read_items(order.items_from, self._keep)
        spoken = dict.fromkeys(language for item, _ in self.own.values() for _, language, _ in item.words())
        self.languages = order.languages or tuple(spoken) or LANGUAGES
        self.shows_people = bool(self.own) or self._shows_people()
        self.pose_rules = self.shows_people if order.pose_rules is None else order.pose_rules
        self.kinds = self._kinds()

    def campaign(self) -> dict[str, Any]:
        """Return the contents of the campaign file."""
        order, test, alone = self.order, None, frozenset[str]()
        wanted = order.gold if order.gold is not None else max(_MIN_GOLD_ITEMS, -(-order.items // GOLD_SHARE))
        items = [self._own_item(item, names) for item, names in self.own.values()]
        if not self.own:
            self._check_sizes()
        if not self.own and set(self.kinds) - _OWN_PAIRS:
            drawn = self._rows("captioning", order.splits, order.items, spare=wanted + 1 + order.items // 2)
            rows, spare, more = (
                drawn[: order.items],
                drawn[order.items :][: wanted + 1],
                drawn[order.items + wanted + 1 :],
            )
            alone = frozenset(row.uid for row in spare)
            golds = list(self._gold_items(spare[1:], rows))
            items += self._plain_items(rows, more, spare[1:] if golds else ())
            items += golds
            test = self._test(spare[:1], rows) if self.shows_people else None
        if _JUDGE in self.kinds:
            items += self._dialogue_items(wanted, alone.union(item["uid"] for item in items))
        rows, fooling = [], list[dict[str, Any]]()
        if _FIND in self.kinds:
            count, gold = order.retrieval_items, order.gold or 0
            rows = self._rows("retrieval", order.retrieval_splits, count, spare=gold, without=alone)
        own = [self._item_of(_FIND, row) for row in rows]
        if _FOOL in self.kinds:
            fooling = list(self._items_to_fool(alone.union(item["uid"] for item in (*items, *own))))
            alone = alone.union(item["uid"] for item in fooling)
        for item in own[order.retrieval_items :]:
            item |= {"uid": f"{item['uid']}.{_GOLD_ENDINGS[_FIND]}", "gold": {"kind": _FIND}}
        if _REAL in self.kinds:
            splits = self._real_splits()
            there = {uid for name in splits for uid in Split(order.dataset, "captioning", name).uids()} - alone
            rows = self._rows("captioning", splits, min(order.real_items, len(there)), without=alone)
            own = [*(self._item_of(_REAL, row) for row in rows), *own]  # the pictures of a target to find go last
        items = _merged([*items, *own, *fooling])
        voices = {kind: VOICES if TASK_KINDS[kind].several_voices else 1 for kind in self.kinds}
        guidelines = order.guidelines
        if not guidelines and not self.shows_people:
            of_pairs = tomllib.loads(_GUIDELINES.read_text(encoding="utf-8"))
            guidelines = {kind: sentences for kind, sentences in of_pairs.items() if kind in self.kinds}
        writing = order.writing or ((SOURCE_LANGUAGE,) if {_WRITE, _TRANSLATE} <= set(self.kinds) else ())
        return {
            "version": 1,
            "name": order.name,
            "title": dict(order.title) or dict.fromkeys(self.languages, order.name),
            "kinds": self.kinds,
            "languages": self.languages,
            "voices": {kind: order.voices.get(kind, usual) for kind, usual in voices.items()},
            **({"writing": writing} if writing else {}),
            "items": items,
            **({"qualification": test} if test else {}),
            **({"guidelines": guidelines} if guidelines else {}),
            **({"study": order.study} if order.study else {}),
            **({"own_questions": order.questions} if _QUESTIONS in self.kinds else {}),
            **({"reveals_models": True} if order.reveals_models else {}),
            **({} if self.pose_rules else {"pose_rules": False}),
            "seed": order.seed,
        }

    def _check_sizes(self) -> None:
        """Raise :class:`RefusedError` if the dataset has too few pairs for the order, before anything is drawn."""
        order, counts = self.order, {}
        if order.real_splits != CampaignOrder.real_splits:  # named by the owner
            for name in order.real_splits:
                Split(order.dataset, "captioning", name).uids()
        more = order.gold or 0
        for config, splits, count, extra in (
            ("captioning", order.splits, order.items if set(self.kinds) - _OWN_PAIRS else 0, more + 1),
            ("retrieval", order.retrieval_splits, order.retrieval_items if _FIND in self.kinds else 0, more),
        ):
            if count:
                counts[config] = len({uid for name in splits for uid in Split(order.dataset, config, name).uids()})
                if more and count <= counts[config] < count + extra:
                    lacking = f"{counts[config]} pairs in {', '.join(splits)}, not {count + extra}"
                    lower = f"--gold to {max(0, counts[config] - count - extra + more)}"
                    path, found = str(order.dataset), counts[config]
                    raise RefusedError("dataset_too_small", path=path, found=found, lacking=lacking, lower=lower)
        self._refuse_too_few(counts)

    def _refuse_too_few(self, counts: Mapping[str, int]) -> None:
        """Raise ``dataset_too_small``, naming the option to lower, if a configuration has fewer pairs than wanted."""
        order = self.order
        options = {
            "captioning": ("--items", order.items, order.splits),
            "retrieval": ("--retrieval-items", order.retrieval_items, order.retrieval_splits),
        }
        shortages = [(count, *options[config]) for config, count in counts.items() if count < options[config][1]]
        if shortages:
            lacking = [f"{count} pairs in {', '.join(splits)}, not {total}" for count, _, total, splits in shortages]
            # With no pairs at all, lowering is impossible: only targets to find can be asked.
            lower = [
                f"{name} to {count}" if count or name != "--items" else "--kinds to find"
                for count, name, *_ in shortages
            ]
            details = {"path": str(order.dataset), "lacking": " and ".join(lacking), "lower": " and ".join(lower)}
            raise RefusedError("dataset_too_small", found=shortages[0][0], **details)

    def _kinds(self) -> list[Kind]:
        """Return the kinds that were ordered, by default all possible ones."""
        can = {
            _VOTE: self._models() >= _MIN_MODELS,
            _WRITE: not self.own or any(item.is_pair for item, _ in self.own.values()),
            _VERIFY: not self.own or self._models() > 0,
            _TRANSLATE: not self.own and SOURCE_LANGUAGE in self.languages and len(self.languages) > 1,
            _FIND: not self.own and self.shows_people and (self.order.retrieval_items > 0 or _FOOL in self.order.kinds),
            _REAL: not self.own and self.shows_people and self.order.real_items > 0 and bool(self._real_splits()),
            _QUESTIONS: bool(self.order.questions),
            _REPAIR: not self.own or self._models() > 0,
            _COMPARE: _REPAIR in self.order.kinds,
            _JUDGE: not self.own,
            _FOOL: not self.own and _FIND in self.order.kinds,
        }
        for kind in self.order.kinds:
            if not can.get(kind, True):
                raise RefusedError("option_malformed", text=kind, option="--kinds", example=_NEEDS[kind])
        if not self.order.kinds and not any(can[kind] for kind in can.keys() - _ONLY_NAMED):
            needs = _NEEDS[_QUESTIONS]
            raise RefusedError("option_malformed", text="one picture", option="--items-from", example=needs)
        possible = {kind for kind in TASK_KINDS if can.get(kind, True)} - _ONLY_NAMED
        return [kind for kind in TASK_KINDS if kind in (self.order.kinds or possible)]

    def _shows_people(self) -> bool:
        """Return whether a pair is of a person who moves; false for pairs of anything, as import-pairs has them."""
        splits = (Split(self.order.dataset, "captioning", name) for name in self.order.splits)
        rows = (next(split.raw(["animation", "current_joints"]), None) for split in splits if split.files)
        return not any(row is not None and not any(row.values()) and row["animation"] is None for row in rows)

    def _real_splits(self) -> list[str]:
        """Return the splits of pairs to re-enact that the dataset has."""
        return [name for name in self.order.real_splits if Split(self.order.dataset, "captioning", name).files]

    def _models(self) -> int:
        """Return the number of texts to vote on, in the language with the most."""
        own = [[language for _, language, _ in item.words()] for item, _ in self.own.values() if item.is_pair]
        texts = [*own, [language for _, language in self.model_texts]]
        return max(of.count(language) for of in texts for language in self.languages)

    def _rows(
        self, config: str, splits: Sequence[str], wanted: int, spare: int = 0, without: Collection[str] = ()
    ) -> list[DatasetRow]:
        """Return ``wanted`` randomly drawn pairs of the splits, followed by at most ``spare`` further ones."""
        parts = [Split(self.order.dataset, config, name) for name in splits]
        # A dataset may contain a pair twice.
        first = {uid: (part, number) for part in parts[::-1] for number, uid in [*enumerate(part.uids())][::-1]}
        places = [place for uid, place in first.items() if uid not in without]
        ordered_places = sorted(places, key=lambda place: (parts.index(place[0]), place[1]))
        if len(ordered_places) < wanted:
            self._refuse_too_few({config: len(ordered_places)})  # of pairs that no other question is about
        sample = self.random.sample(ordered_places, min(len(ordered_places), wanted + spare))
        rows: dict[tuple[Split, int], DatasetRow] = {}
        for part in parts:
            numbers = sorted(number for of, number in sample if of == part)
            rows |= {(part, n): row for n, row in zip(numbers, part.rows(numbers, self.languages), strict=True)}
        return [rows[place] for place in sample]

    def _plain_items(
        self, rows: Sequence[DatasetRow], more: Sequence[DatasetRow], gold_rows: Sequence[DatasetRow]
    ) -> Iterator[dict[str, Any]]:
        """Return the items that are not gold.

        Pairs of gold items are also given to describe, but to no kind that shows a text, which would give away the
        right answer. Up to half of the plain pairs are left out of those kinds too, and ``more`` pairs replace
        them there as far as available. So the kinds in which a pair appears tell little about whether it is a gold
        one.
        """
        without_gold = {_REPAIR, *(key for key in _REFERENCE_KINDS if TASK_KINDS[key].has_right_answer is None)}
        shown = without_gold.intersection(self.kinds if gold_rows else ())
        apart = min(len(rows) // 2, max(len(more), len(gold_rows))) if shown else 0
        every, written = set(TASK_KINDS), gold_rows if _WRITE in self.kinds else ()
        parts = ((rows[:apart], every - shown), (rows[apart:], every), (more[:apart], shown), (written, {_WRITE}))
        return (self._item(row, kinds) for of_part, kinds in parts for row in of_part)

    def _own_item(self, item: OwnItem, names: Sequence[str]) -> dict[str, Any]:
        """Return an owner's own item; only a pair takes part in the kinds that speak of a change."""
        used = [kind for kind in (_VOTE, _VERIFY, _REPAIR, _QUESTIONS) if kind in self.kinds]
        used = used if item.is_pair else [kind for kind in used if kind == _QUESTIONS]
        return {
            "uid": item.id,
            "current": names[0],
            "target": names[:2][-1],
            "further": names[2:],
            "texts": _unnamed([given for given in item.words() if given[1] in self.languages], used),
            "to_describe": item.is_pair and _WRITE in self.kinds,
        }

    def _item(self, row: DatasetRow, kinds: Collection[str]) -> dict[str, Any]:
        used = [kind for kind in _REFERENCE_KINDS if kind in kinds]
        asked = [kind for kind in (_QUESTIONS, _REPAIR) if kind in kinds and kind in self.kinds]
        used += [] if self.model_texts else asked
        texts = [
            _text(f"{REFERENCE}-1", language, REFERENCE, descriptions[0], used)
            for language, descriptions in row.descriptions.items()
            if descriptions and used
        ]
        if _VOTE in kinds or _REPAIR in asked:
            voted = [_VOTE] if _VOTE in kinds and (_VOTE in self.kinds or _REPAIR not in asked) else []
            texts += _unnamed(list(self._model_texts_of(row)), [*voted, *asked])
        return {**self._known_pair(row), "texts": texts, "to_describe": _WRITE in kinds}

    def _model_texts_of(self, row: DatasetRow) -> Iterator[tuple[str, str, str]]:
        for (name, language), texts in self.model_texts.items():
            if language in self.languages:
                if row.uid not in texts:
                    raise RefusedError("texts_lacking", source=name, language=language, uid=row.uid)
                yield name, language, texts[row.uid]

    def _dialogue_items(self, golds: int, without: Collection[str]) -> Iterator[dict[str, Any]]:
        """Yield pairs with the answers of a dialogue in each language, and gold ones with false answers."""
        order, dialogues = self.order, dict[tuple[str, str], dict[str, list[dict[str, Any]]]]()
        for name in order.splits:
            for row in Split(order.dataset, "dialogue", name).raw(["uid", "language", *_ROUND_COLUMNS]):
                dialogues.setdefault((row["uid"], row["language"]), {}).setdefault(row["dialogue_id"], []).append(row)
        uids = {uid for name in order.splits for uid in Split(order.dataset, "captioning", name).uids()}
        lacking = {uid for uid in uids if any((uid, language) not in dialogues for language in self.languages)}
        if lacking == uids:
            reason = f"it has no pair with dialogues in {', '.join(self.languages)}"
            raise RefusedError("dataset_unusable", path=str(order.dataset), reason=reason)
        pairs = self._rows("captioning", order.splits, order.items, golds, {*without, *lacking})
        for place, pair in enumerate(pairs):
            rounds = [self.random.choice([*dialogues[pair.uid, language].values()]) for language in self.languages]
            if place < order.items:
                texts = [text for of_language in rounds for text in _answers_to_judge(of_language)]
                yield {**self._known_pair(pair), "texts": texts, "to_describe": False}
            elif false := [text for of_language in rounds for text in _answers_to_judge(of_language, are_false=True)]:
                gold = {"kind": _JUDGE, "verdict": "wrong"}
                yield {"uid": f"{pair.uid}.{_GOLD_ENDINGS[_JUDGE]}", **self._pair(pair), "texts": false, "gold": gold}

    def _items_to_fool(self, without: Collection[str]) -> Iterator[dict[str, Any]]:
        """Yield at most ``items`` pairs with candidates, about which nothing else is asked."""
        splits = self.order.retrieval_splits
        there = {uid for name in splits for uid in Split(self.order.dataset, "retrieval", name).uids()} - {*without}
        if not there:
            reason = f"no pair of {', '.join(splits)} with candidates is left to write about"
            raise RefusedError("dataset_unusable", path=str(self.order.dataset), reason=reason)
        for row in self._rows("retrieval", splits, min(self.order.items, len(there)), without=without):
            item = self._item_of(_FIND, row)
            yield {**item, "texts": [], "to_fool": True}

    def _item_of(self, kind: Kind, row: DatasetRow) -> dict[str, Any]:
        """Return an item of a kind with its own pairs: a target to find, or a pair to re-enact with all its texts."""
        to_find = kind == _FIND
        texts = [
            _text(f"{REFERENCE}-{kind}" + (f"-{number}" if number else ""), language, REFERENCE, text, [kind])
            for language, descriptions in row.descriptions.items()
            for number, text in enumerate(descriptions[: 1 if to_find else None])
        ]
        candidates = [self._keep(candidate) for candidate in row.candidates]
        about = {"candidates": candidates, "answer": row.answer} if to_find else {}
        return {**self._known_pair(row), "texts": texts, **about, "to_describe": False}

    def _gold_items(self, spare: Sequence[DatasetRow], rows: Sequence[DatasetRow]) -> Iterator[dict[str, Any]]:
        """Yield gold items: pairs that these kinds use nowhere else, with texts of pairs that move differently."""
        models = self._models()
        for number, row in enumerate(spare):
            other_rows = [other_row for other_row in rows if other_row.kind_of_movement != row.kind_of_movement]
            false = self._turned_false(row)
            if _VOTE in self.kinds and self.order.gold and (false or number % 2):
                yield self._gold(row, _VOTE, [row] * models, {"relevant": [f"text-{place}" for place in range(models)]})
            elif _VOTE in self.kinds and len(other_rows) >= models - 1:
                wrong = self.random.sample(other_rows, models - 1)
                yield self._gold(row, _VOTE, [row, *wrong], {"relevant": ["text-0"]})
            if _VERIFY in self.kinds and other_rows:
                other_row = self.random.choice(other_rows)
                false_row = replace(other_row, descriptions={**other_row.descriptions, **false})
                yield self._gold(row, _VERIFY, [false_row], {"most": 2})

    def _turned_false(self, row: DatasetRow) -> dict[str, tuple[str, ...]]:
        """Return false texts of a pair by language, made of its own; empty if none can be made or was ordered."""
        if not self.order.gold or row.joints is None:
            return {}
        made = {
            language: [self.order.turned_false(text, language, row.joints) for text in texts]
            for language, texts in row.descriptions.items()
        }
        return {language: whole for language, texts in made.items() if (whole := tuple(filter(None, texts)))}

    def _gold(self, row: DatasetRow, kind: str, rows: Sequence[DatasetRow], right: dict[str, Any]) -> dict[str, Any]:
        texts = [
            _text(f"text-{number}", language, REFERENCE, source_row.descriptions[language][0], [kind])
            for language in self.languages
            if all(source_row.descriptions.get(language) for source_row in rows)
            for number, source_row in enumerate(rows)
        ]
        gold = {"kind": kind, **right}
        return {"uid": f"{row.uid}.{_GOLD_ENDINGS[kind]}", **self._pair(row), "texts": texts, "gold": gold}

    def _test(self, spare: Sequence[DatasetRow], rows: Sequence[DatasetRow]) -> dict[str, Any] | None:
        """Return the project's test, plus a question about a pair used nowhere else if ``spare`` has one."""
        kinds = [kind for kind in self.kinds if TASK_KINDS[kind].is_tested]
        test = tomllib.loads(_TEST.read_text(encoding="utf-8"))
        questions = [question for question in test["questions"] if question["language"] in self.languages]
        for row in spare:
            other_row = next(
                (other_row for other_row in rows if other_row.kind_of_movement != row.kind_of_movement), row
            )
            for language in self.languages:
                texts = [pair.descriptions[language][0] for pair in (other_row, row) if pair.descriptions.get(language)]
                if other_row is not row and len(texts) > 1 and language in test["which_text"]:
                    about = {
                        "id": "which-text",
                        "language": language,
                        **self._pair(row),
                        **test["which_text"][language],
                    }
                    questions.append({**about, "choices": texts, "right": 1})
        fewest = min(sum(question["language"] == language for question in questions) for language in self.languages)
        if not kinds or not fewest:
            return None
        return {"kinds": kinds, "pass_mark": max(1, fewest - 1), "questions": questions}

    def _pair(self, row: DatasetRow) -> dict[str, str]:
        return {"current": self._keep(row.current), "target": self._keep(row.target)}

    def _known_pair(self, row: DatasetRow) -> dict[str, Any]:
        """Return the fields of an item that tell of its pair; a target to find keeps those of its other questions."""
        joints = {} if row.joints is None else {"joints": row.joints}
        return {"uid": row.uid, **self._pair(row), "split": row.split, **joints}

    def _keep(self, picture: bytes) -> str:
        name = picture_name(picture)
        (self.pictures / name).write_bytes(picture)
        return name


_NEEDS = {
    _VOTE: "vote with --texts of two models in one language",
    _TRANSLATE: f"translate with --languages {','.join(LANGUAGES)}",
    _FIND: "find with --dataset and --retrieval-items 50",
    _REAL: "real_pair with --real-items 60 and --real-split of a split that the --dataset has",
    _WRITE: "write with two pictures for an item",
    _VERIFY: "verify with two pictures and a text for an item",
    _QUESTIONS: "questions with --questions questions.toml",
    _REPAIR: "repair with two pictures and a text for an item",
    _COMPARE: "repair,compare",
    _JUDGE: "judge with a --dataset that has dialogues",
    _FOOL: "fool,find with a --dataset",
}


def _as_json(contents: Mapping[str, Any]) -> str:
    """Return a campaign file: each item is a line."""
    head = json.dumps({**contents, "items": []}, ensure_ascii=False, indent=1)
    items = ",\n".join(json.dumps(item, ensure_ascii=False) for item in contents["items"])
    return head.replace('"items": []', f'"items": [\n{items}\n ]') + "\n"


def _text(name: str, language: str, source: str, text: str, kinds: Sequence[str]) -> dict[str, Any]:
    return {"id": name, "language": language, "source": source, "text": text, "kinds": list(kinds)}


def _answers_to_judge(rounds: Sequence[dict[str, Any]], *, are_false: bool = False) -> Iterator[dict[str, Any]]:
    """Yield the answers of a dialogue, or instead of each that of another round, if it must be false."""
    rounds = sorted(rounds, key=lambda row: row["round"] or 0)
    for place, row in enumerate(rounds):
        operation = str(row["program"]).partition("(")[0]
        alike = (one["answer"] for one in rounds if str(one["program"]).startswith(f"{operation}("))
        others = [answer for answer in alike if answer != row["answer"]]
        if not are_false or (others and operation in {"count", "exist"}):
            answer = others[0] if are_false else row["answer"]
            about = {name: row[name] for name in _ROUND_COLUMNS if name != "kind"}
            about |= {"answer": answer, "question_kind": row["kind"]}
            about["earlier"] = [(one["question"], one["answer"]) for one in rounds[:place]]
            words = f"{row['question']} {answer}"
            text = _text(f"round-{row['round']}", row["language"], "dialogue", words, [_JUDGE])
            yield {**text, "dialogue": about}


def _unnamed(given: Sequence[tuple[str, str, str]], kinds: Sequence[str]) -> list[dict[str, Any]]:
    """Return texts, given with source and language, whose ids do not name their sources."""
    texts = list[dict[str, Any]]()
    for place, (by, language, text) in enumerate(given):
        earlier = sum(one[1:] == (language, text) for one in given[:place])
        texts.append(_text(f"{text_name(text)}-{earlier}", language, by, text, kinds))
    return texts


def _merged(items: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one item per uid: a pair may have a target to find and other questions as well."""
    merged: dict[str, dict[str, Any]] = {}
    for item in items:
        known = merged.setdefault(item["uid"], item)
        if known is not item:
            texts = [*known["texts"], *item["texts"]]
            # The candidates' pictures take precedence: the answer is the target among them.
            kept = {"texts": texts, "to_describe": known.get("to_describe", True), "split": known["split"]}
            known |= {**item, **kept}
    return list(merged.values())


def texts_in(folder: Path) -> list[tuple[str, Path]]:
    """Return the text files in a folder written by ``fmp_models evaluate --out``, each with its language.

    Raise :class:`RefusedError` ``texts_folder_empty`` if there are none.
    """
    files = sorted(folder.glob("predictions_*_*.json"))
    if not files:
        raise RefusedError("texts_folder_empty", path=str(folder), example="predictions_val_seen_en.json")
    return [(path.stem.rpartition("_")[2], path) for path in files]


def read_texts(path: Path) -> dict[str, str]:
    """Return the texts of a file written by ``fmp_models evaluate``; raise :class:`RefusedError` ``texts_unusable``."""

    def refuse(reason: str) -> NoReturn:
        raise RefusedError(
            "texts_unusable", path=str(path), reason=reason, example='{"13_19_4_13_1": "raise …"}'
        ) from None

    try:
        data = read_plain(path, MAX_TEXTS_BYTES)
    except (OSError, ValueError):
        refuse("the file cannot be read")
    if len(data) > MAX_TEXTS_BYTES:
        refuse(f"the file is larger than {MAX_TEXTS_BYTES // 1_000_000} MB")
    try:
        texts = json.loads(data)
    except (ValueError, RecursionError):
        refuse("the file is not JSON")
    if not isinstance(texts, dict) or not texts:
        refuse("it contains no texts")
    for uid, text in texts.items():
        if not isinstance(text, str) or not 0 < len(text.strip()) <= MAX_ITEM_CHARS:
            refuse(f"what stands at “{uid[:80]}” is no text, or a very long one")
    return texts

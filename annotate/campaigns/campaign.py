"""A campaign: a folder with ``campaign.json`` and ``pictures/``, validated strictly, and the status of its texts.

Campaign data is not trusted. The file has a maximum size and no unknown fields, every text and list a
maximum length, and a picture is a JPEG directly in ``pictures/``. Each error is one sentence.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from httpx2 import HTTPError, InvalidURL
from huggingface_hub import HfApi, get_cached_repo_tree
from huggingface_hub.errors import (
    CachedRepoTreeNotFoundError,
    HfHubHTTPError,
    HFValidationError,
    LocalEntryNotFoundError,
    RevisionResolutionError,
)
from huggingface_hub.hf_api import RepoFile
from PIL import Image
from pydantic import AfterValidator, Field, PrivateAttr, ValidationError, model_validator

from annotate.campaigns.study import Study
from annotate.disks import at_home
from annotate.errors import RefusedError
from annotate.kinds import (
    PICTURE,
    QUESTIONS,
    TASK_KINDS,
    VERIFY,
    WRITE,
    CampaignText,
    Description,
    FindTarget,
    Fooling,
    Id,
    Item,
    Kind,
    Language,
    OwnQuestions,
    PictureName,
    Question,
    Rating,
    Repair,
    Sentence,
    Strict,
    SubmittedText,
    Words,
    alike,
    check_once,
)
from annotate.records import HOLDS, TARGET_SEEN, Decision, Event, Flag, Payload, counted
from fmp_models.common import one_line, read_plain

FILE = "campaign.json"
PICTURES = "pictures"
MAX_FILE_BYTES = 64_000_000  # bytes; the paper's whole dataset with five texts per pair has 30 MB
MAX_PICTURE_BYTES = 2_000_000
MAX_SIDE_PX = 4096  # pixels
MAX_HUB_BYTES = 4_000_000_000  # of a campaign or dataset on the Hub

# RuntimeError: hf_xet, which transfers large files; ValueError: invalid JSON, or a token not allowed in a header.
HUB_FAILURES = (HTTPError, InvalidURL, RevisionResolutionError, OSError, RuntimeError, ValueError)
_SERVER_FAULT = 500
_REPO = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")

_MAX_VOICES = 1_000_000  # for a gold item: no limit

READY_CAMPAIGNS = Path(__file__).with_name("ready_campaigns")  # bundled campaigns


def _known_kind(kind: str) -> str:
    if kind not in TASK_KINDS:
        raise ValueError(f"input should be one of: {', '.join(TASK_KINDS)}")
    return kind


_TEXT_KINDS = {key for key, kind in TASK_KINDS.items() if kind.shows_text}
KnownKind = Annotated[Kind, AfterValidator(_known_kind)]
Kinds = Annotated[tuple[KnownKind, ...], Field(min_length=1, max_length=len(TASK_KINDS))]
Guidelines = Annotated[
    dict[KnownKind, Annotated[tuple[Sentence, ...], Field(max_length=20)]], Field(max_length=len(TASK_KINDS))
]
Voices = Annotated[int, Field(ge=1, le=100)]


class TestItem(Strict):
    """A question of the qualification test; ``right`` is an index of ``choices`` from 0, ``why`` explains it."""

    __test__ = False  # or pytest would collect the class

    id: Id
    language: Language
    text: Words
    choices: Annotated[tuple[Words, ...], Field(min_length=2, max_length=8)]
    right: Annotated[int, Field(ge=0)]
    why: Words
    current: PictureName | None = None
    target: PictureName | None = None

    @model_validator(mode="after")
    def _has_a_right_answer(self) -> Self:
        if self.right >= len(self.choices):
            raise ValueError("its right answer is not one of its choices")
        return self


class QualificationRules(Strict):
    """The test before the first task of ``kinds``: at least ``pass_mark`` answers in a language must be right."""

    kinds: Kinds
    pass_mark: Annotated[int, Field(ge=1)]
    tries: Annotated[int, Field(ge=1, le=20)] = 3
    questions: Annotated[tuple[TestItem, ...], Field(min_length=1, max_length=100)]


class Campaign(Strict):
    """Everything that is asked; ``name`` identifies the campaign and is stored in every answer.

    ``voices`` is the number of annotators wanted per question of a kind; a text that is discarded is wanted again.
    ``writing`` are the languages in which people write, if not all: the others get translations. ``guidelines``
    replace the instructions of a kind's task form, which are the paper's, each sentence by page language; every form
    states whose left is meant in any case. ``own_questions`` are asked about each item. If it ``reveals_models``,
    annotators may see after their last vote which model wrote which text, and then vote no more. Without
    ``pose_rules``, descriptions need not follow the paper's writing rules, which are about poses.
    """

    version: Literal[1]
    name: Id
    title: Sentence
    kinds: Kinds
    languages: Annotated[tuple[Language, ...], Field(min_length=1, max_length=20)]
    voices: dict[KnownKind, Voices]
    writing: Annotated[tuple[Language, ...], Field(max_length=20)] = ()
    items: Annotated[tuple[Item, ...], Field(min_length=1, max_length=50_000)]
    qualification: QualificationRules | None = None
    guidelines: Guidelines = Field(default_factory=dict)
    study: Study | None = None
    own_questions: OwnQuestions = ()
    reveals_models: bool = False
    pose_rules: bool = True
    seed: Annotated[int, Field(ge=0)] = 0

    _folder: Path = PrivateAttr(default=Path())

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Return the campaign of a folder, after checking that its pictures exist.

        Raise :class:`RefusedError`: ``campaign_missing``, ``campaign_too_large``, ``campaign_malformed``,
        ``campaign_picture``.
        """
        path = folder / FILE
        try:
            data = read_plain(path, MAX_FILE_BYTES)
        except (OSError, ValueError):
            raise RefusedError("campaign_missing", path=str(path)) from None
        if len(data) > MAX_FILE_BYTES:
            raise RefusedError("campaign_too_large", path=str(path), limit_mb=MAX_FILE_BYTES // 1_000_000)
        try:
            campaign = cls.model_validate_json(data)
        except ValidationError as error:
            raise RefusedError("campaign_malformed", path=str(path), reason=first_reason(error)) from None
        campaign._folder = folder  # noqa: SLF001  an instance of this class
        for name in campaign.picture_names():
            _check_picture(folder, name)
        return campaign

    def voices_for(self, kind: Kind) -> int:
        """Return the number of different annotators wanted for each question of a kind."""
        return self.voices.get(kind, 1)

    def models_compared(self) -> frozenset[str]:
        """Return the names of the models whose texts are voted on."""
        kinds = {kind for kind in self.kinds if TASK_KINDS[kind].compares_models or TASK_KINDS[kind].per_text}
        texts = (text for item in self.items if item.gold is None for text in item.texts)
        return frozenset(text.source for text in texts if not kinds.isdisjoint(text.kinds))

    def questions(self, kind: Kind, language: str, written: Iterable[SubmittedText] = ()) -> list[Question]:
        """Return the questions of a kind in one language, without gold items.

        ``written`` are the annotators' texts that this kind uses; see ``TaskKind.written``.
        """
        task_kind, voices = TASK_KINDS[kind], self.voices_for(kind)
        if kind == WRITE.key and self.writing and language not in self.writing:
            return []
        plain = (item for item in self.items if item.gold is None)
        asked = [question for item in plain for question in task_kind.questions(item, language, voices)]
        if task_kind.written and task_kind.is_asked_in(language):
            items = {item.uid: item for item in self.items}
            menders: dict[tuple[str, str], set[str]] = {}  # they know which of two texts is the draft
            for entry in written:
                menders.setdefault((entry.item, entry.draft), set()).add(entry.author)
            asked += [
                replace(question, unblinded=frozenset(menders[entry.item, entry.draft] if entry.draft else ()))
                for entry in written
                if entry.item in items and entry.text.language == task_kind.text_language(language)
                for texts in (entry.texts(items[entry.item]),)
                if not entry.draft or len(alike(texts)) > 1
                for wanted in (entry.voices or voices,)
                for question in (task_kind.question(items[entry.item], language, wanted, texts, author=entry.author),)
            ]
        return asked

    def gold_questions(self, kind: Kind, language: str) -> list[Question]:
        """Return the questions of a kind with a known right answer."""
        golds = (item for item in self.items if item.gold is not None and item.gold.kind == kind)
        return [question for item in golds for question in TASK_KINDS[kind].questions(item, language, _MAX_VOICES)]

    def picture_names(self) -> set[str]:
        """Return the names of all pictures."""
        tests = self.qualification.questions if self.qualification else ()
        pictures = [name for item in self.items for name in (*item.pictures, *item.candidates)]
        return {*pictures, *(name for test in tests for name in (test.current, test.target) if name)}

    def picture(self, name: str) -> bytes:
        """Return the JPEG file of a picture."""
        return _read_picture(self._folder, name)

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        check_once(item.uid for item in self.items)
        check_once(self.kinds)
        check_once(self.languages)
        if bool(self.own_questions) != (QUESTIONS.key in self.kinds):
            raise ValueError("it needs questions of its own for the kind “questions”, and only for it")
        if not set(self.writing) <= set(self.languages):
            raise ValueError("people are to write in a language that is not one of its languages")
        for item in self.items:
            item._asked = self.own_questions  # noqa: SLF001  the items of a campaign have its questions
            _check_kinds(item)
        test = self.qualification
        if test is not None:
            check_once(f"{question.language}/{question.id}" for question in test.questions)
            counts = Counter(question.language for question in test.questions)
            if any(counts[language] < test.pass_mark for language in self.languages):
                raise ValueError("its test has fewer questions in a language than must be right")
        return self


def _check_kinds(item: Item) -> None:
    """Raise ``ValueError`` if an item has texts for an unknown kind, or a gold answer that its kind cannot have."""
    unknown = {kind for text in item.texts for kind in text.kinds} - _TEXT_KINDS
    if unknown:
        raise ValueError(f"item “{item.uid}” has texts for {', '.join(sorted(unknown))}, not for a kind with texts")
    if item.gold is not None:
        kind = TASK_KINDS.get(item.gold.kind)
        if kind is None or kind.has_right_answer is None or not kind.has_right_answer(item, item.gold):
            raise ValueError(f"the gold of item “{item.uid}” has no right answer")


def ready_campaigns(folder: Path = READY_CAMPAIGNS) -> list[str]:
    """Return the names of the bundled campaigns."""
    return sorted(path.parent.name for path in folder.glob(f"*/{FILE}"))


def find_campaign(name: str, api: HfApi | None = None, cache: Path | None = None) -> Path:
    """Return the folder of a campaign, given the name of a bundled one, a path, or ``org/name[@revision]`` on the Hub.

    Raise :class:`RefusedError` for one on the Hub: ``campaign_not_on_hub``, ``campaign_unreachable``,
    ``campaign_too_large``.
    """
    if name in ready_campaigns():
        return READY_CAMPAIGNS / name
    return find_on_hub(name, [FILE, f"{PICTURES}/*.jpg"], api, cache)


def find_on_hub(name: str, patterns: Sequence[str], api: HfApi | None = None, cache: Path | None = None) -> Path:
    """Return the folder with a path, or of ``org/name[@revision]`` with the files that match the ``patterns``.

    Raise as :func:`find_campaign`.
    """
    path = at_home(Path(name))
    repo, _, revision = name.partition("@")
    if not names_a_repo(repo) or path.exists():
        return path
    try:
        return _from_hub(repo, revision or None, patterns, api or HfApi(), cache)
    except (HfHubHTTPError, HFValidationError) as error:
        answered = isinstance(error, HFValidationError) or error.response.status_code < _SERVER_FAULT
        code = "campaign_not_on_hub" if answered else "campaign_unreachable"
        raise RefusedError(code, name=name) from None
    except HUB_FAILURES:
        raise RefusedError("campaign_unreachable", name=name) from None


def names_a_repo(text: str) -> bool:
    """Return whether this looks like the name of a dataset on the Hub."""
    return _REPO.fullmatch(text) is not None


def _from_hub(repo: str, revision: str | None, patterns: Sequence[str], api: HfApi, cache: Path | None) -> Path:
    """Return the snapshot of one commit, with no other files; a cached commit needs no network."""
    pinned = api.resolve_revision(repo, repo_type="dataset", revision=revision, cache_dir=cache)
    fetch = partial(
        api.snapshot_download,
        repo,
        repo_type="dataset",
        revision=pinned,
        cache_dir=cache,
        allow_patterns=[*patterns],
        ignore_patterns=f"{PICTURES}/*/*",
    )
    try:
        get_cached_repo_tree(repo, repo_type="dataset", revision=pinned, cache_dir=cache)
        return Path(fetch(local_files_only=True))
    except (LocalEntryNotFoundError, CachedRepoTreeNotFoundError):
        pass
    tree = api.list_repo_tree(repo, repo_type="dataset", revision=pinned.resolved, recursive=True)
    files = [entry for entry in tree if isinstance(entry, RepoFile)]
    if sum(file.size for file in files if any(fnmatch(file.path, one) for one in patterns)) > MAX_HUB_BYTES:
        raise RefusedError("campaign_too_large", path=repo, limit_mb=MAX_HUB_BYTES // 1_000_000)
    return Path(fetch())


def picture_name(data: bytes) -> str:
    """Return a file name made from a picture's content, so that the name reveals nothing."""
    return f"{hashlib.sha256(data).hexdigest()[:20]}.jpg"


def text_name(text: str) -> str:
    """Return an id made from a text, so that the id reveals no model."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def first_reason(error: ValidationError) -> str:
    """Return the first error, its location and reason, without the invalid value."""
    first_error = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(step) for step in first_error["loc"])
    message = first_error["msg"].removeprefix("Value error, ")
    return one_line(f"{place}: {message[:1].lower()}{message[1:]}" if place else message)


def _check_picture(folder: Path, name: str) -> None:
    """Raise :class:`RefusedError` unless a picture is a JPEG of allowed size in its folder; it is not decoded."""
    path = folder / PICTURES / name
    try:
        if path.resolve().parent not in _own_folders(folder) or path.stat().st_size > MAX_PICTURE_BYTES:
            raise RefusedError("campaign_picture", path=str(path))
        with warnings.catch_warnings(action="ignore"), Image.open(path, formats=["JPEG"]) as picture:
            if max(picture.size) > MAX_SIDE_PX:
                raise RefusedError("campaign_picture", path=str(path))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise RefusedError("campaign_picture", path=str(path)) from None


def _own_folders(folder: Path) -> set[Path]:
    """Return where pictures may lie: in the campaign, or among the files of a snapshot in the cache of the Hub."""
    blobs = {folder.parents[1].resolve() / "blobs"} if folder.parent.name == "snapshots" else set()
    return {(folder / PICTURES).resolve(), *blobs}


@lru_cache(maxsize=1024)
def _read_picture(folder: Path, name: str) -> bytes:
    if not PICTURE.fullmatch(name):
        raise RefusedError("campaign_picture", path=name)
    try:
        return (folder / PICTURES / name).read_bytes()
    except OSError:
        raise RefusedError("campaign_picture", path=str(folder / PICTURES / name)) from None


# The status of each text, by the paper's rule over its ratings and by flags of its pair.
#
# "Descriptions that 2/3 of the workers rate lower than 3 are discarded. Image pairs that are flagged with
# certain issues are discarded" (section 4). Here a pair through an object is set aside until the owner decides to
# keep it, and nothing more is asked about a pair with any flag until then; nothing is deleted.

Status = Literal["accepted", "discarded", "set_aside", "waiting"]

GOOD = 3  # lowest score of a good text
SETS_ASIDE = frozenset({"through_object"})

WRITTEN, MENDED, FOOLING = "written", "mended", "fooling"  # sources of annotators' texts
WRITTEN_KINDS = tuple(kind.key for kind in TASK_KINDS.values() if kind.written)


@dataclass(frozen=True)
class TextStatus:
    """A text with its status and ratings; ``author`` is the annotator who wrote it, empty for a campaign's text."""

    item: str
    text: CampaignText
    author: str
    status: Status
    scores: tuple[int, ...]


def text_statuses(events: Iterable[Event], campaign: Campaign) -> list[TextStatus]:
    """Return every text that can be rated: the campaign's, then the annotators' in order of time.

    A text is ``accepted`` or ``discarded`` as soon as no further rating could change that.
    """
    living = counted(events, campaign.name)
    scores: dict[tuple[str, str, str], list[int]] = {}
    for event in living:
        if isinstance(event.payload, Rating):
            scores.setdefault((event.item, event.language, event.payload.text), []).append(event.payload.score)
    flagged = flagged_items(living)
    return [
        TextStatus(
            entry.item,
            entry.text,
            entry.author,
            status_of(ratings, campaign.voices_for(VERIFY.key), is_aside=entry.item in flagged),
            ratings,
        )
        for entry in (*_own_texts(campaign), *written_texts(living, campaign))
        for ratings in (tuple(scores.get((entry.item, entry.text.language, entry.text.id), ())),)
    ]


def written_texts(
    living: Iterable[Event], campaign: Campaign, record: type[Description | Repair | Fooling] = Description
) -> list[SubmittedText]:
    """Return the descriptions, or texts of another ``record``, among ``living`` events to judge, with their ids."""
    items = {item.uid for item in campaign.items}
    return [
        written_text(event.id, event.item, event.language, vars(event.payload), event.annotator)
        for event in living
        if isinstance(event.payload, record) and event.campaign == campaign.name and event.item in items
    ]


def written_text(id_: str, item: str, language: str, values: Mapping[str, Any], author: str) -> SubmittedText:
    """Return an annotator's text, to be judged, from the values of its record."""
    draft = values.get("of", "")
    source = FOOLING if "guide" in values else MENDED if draft else WRITTEN
    # Not validated again: it may be longer than a campaign's text, and was checked when it was written.
    text = CampaignText.model_construct(
        id=id_, language=language, source=source, text=values["text"], kinds=WRITTEN_KINDS
    )
    return SubmittedText(item, text, author, draft)


def flags_of(payload: Payload) -> set[str]:
    """Return the flags about a pair that a record raises."""
    if isinstance(payload, Description):
        return set(HOLDS).intersection(payload.flags)
    return set(HOLDS).intersection([payload.reason] if isinstance(payload, Flag) else [])


def flagged_items(living: Iterable[Event], flags: Collection[str] = SETS_ASIDE) -> set[str]:
    """Return the items with one of these flags that the owner has not decided to keep, and those that they dropped."""
    choices, flagged = dict[str, str](), set[str]()
    for event in living:
        if isinstance(event.payload, Decision) and event.item:
            choices[event.item] = event.payload.choice
        elif not flags_of(event.payload).isdisjoint(flags):
            flagged.add(event.item)
    return {item for item in flagged | choices.keys() if choices.get(item) != "keep"}


def _own_texts(campaign: Campaign) -> Iterator[SubmittedText]:
    return (
        SubmittedText(item.uid, text, "")
        for item in campaign.items
        if item.gold is None
        for text in item.texts
        if VERIFY.key in text.kinds
    )


def status_of(scores: Sequence[int], wanted: int, *, is_aside: bool) -> Status:
    """Return the status by two thirds of the ``wanted`` ratings; missing ratings count for neither side."""
    if is_aside:
        return "set_aside"
    voices = max(len(scores), wanted)
    bad = sum(score < GOOD for score in scores)
    good = len(scores) - bad
    if 3 * bad >= 2 * voices:
        return "discarded"
    return "accepted" if 3 * (voices - good) < 2 * voices else "waiting"


def is_verified(right: Sequence[bool]) -> bool | None:
    """Return whether people find the target by a text against a model, given who was right in order of time.

    The first person decides, or a third beside the writer and one who was wrong; None as long as nobody has.
    """
    return True if any(right[:2]) else None if len(right) < 2 else False  # noqa: PLR2004  after two there is no doubt


def finds(living: Iterable[Event]) -> dict[str, list[bool]]:
    """Return who was right, in order of time, for each text against a model; some may have seen the target before."""
    living = list(living)
    spoiled = {e.payload.of for e in living if isinstance(e.payload, Flag) and e.payload.reason == TARGET_SEEN}
    found: dict[str, list[bool]] = {event.id: [] for event in living if isinstance(event.payload, Fooling)}
    for event in living:
        if isinstance(event.payload, FindTarget) and event.payload.text in found and event.id not in spoiled:
            found[event.payload.text].append(event.payload.correct)
    return found


def verifications(events: Collection[Event]) -> dict[str, str]:
    """Return whether each text against a model is verified, by its id: yes, no, or empty as long as that is open."""
    words = {None: "", True: "yes", False: "no"}
    of_campaigns = (finds(counted(events, name)) for name in {event.campaign for event in events})
    return {text: words[is_verified(right)] for found in of_campaigns for text, right in found.items()}

"""Commands ``campaign``, ``export``, ``publish`` and ``report``; each ``add_`` function adds one to a parser."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

from annotate.analysis import ENGLISH, languages
from annotate.campaigns import (
    PICTURES,
    READY_CAMPAIGNS,
    Campaign,
    CampaignOrder,
    Source,
    find_campaign,
    find_on_hub,
    make_campaign,
    names_a_repo,
    plain_jpeg,
    read_toml,
    ready_campaigns,
    text_statuses,
    texts_in,
    verifications,
)
from annotate.disks import at_home
from annotate.errors import RefusedError
from annotate.identity import pseudonym_key
from annotate.kinds import BY_RECORD, RECORDS, TASK_KINDS, VOTE, Description, RealPair, Vote, tied_by_themselves
from annotate.publishing import (
    AS_QUESTIONS,
    FORMATS,
    LABELLING,
    Destination,
    FolderDestination,
    HubDestination,
    Publisher,
    asked_tables,
    choose_destination,
    collect_descriptions,
    collect_photographs,
    export,
    export_pairs,
    export_questions,
    import_published,
    keep_participants,
)
from annotate.records import OWNER, Decision, Event
from annotate.records import counted as counted_events
from annotate.storage import Store, every_participant, open_store, read_campaigns, store_path
from annotate.tasks import decide
from fmp_models.common import LANGUAGES

# The option for the store that a command works on; the default is the app's store.


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add ``--store`` to a command."""
    parser.add_argument(
        "--store",
        metavar="URL_OR_PATH",
        help="a PostgreSQL address, an SQLite file or its folder (default: FMP_DATABASE_URL, else the app's)",
    )


def data_dir() -> Path:
    """Return the app's data folder: FMP_DATA_DIR, or the user's."""
    folder = os.environ.get("FMP_DATA_DIR")
    return at_home(Path(folder)) if folder else user_data_path("fixmypose")


def open_existing(option: str | None) -> Store:
    """Open the store of ``--store``; raise :class:`RefusedError` instead of creating a missing one."""
    address = option or os.environ.get("FMP_DATABASE_URL") or str(data_dir())
    if "://" in address:
        return open_store(address)
    path = at_home(Path(address))
    if path.is_dir():
        path = store_path(path)
    if not path.is_file():
        raise RefusedError("store_missing", path=str(path))
    return open_store(path)


def add_published(parser: argparse.ArgumentParser) -> None:
    """Add ``--store`` and ``--from`` to a command that reads answers."""
    add_store(parser)
    parser.add_argument(
        "--from",
        dest="published",
        metavar="ORG/NAME[@REVISION]|FOLDER",
        help="published answers, such as those of a Space, instead of a store",
    )


@contextmanager
def answers_of(options: argparse.Namespace) -> Iterator[Store]:
    """Open the store of ``--store``, or a temporary one with the published answers of ``--from``."""
    with ExitStack() as stack:
        if options.published is None:
            store = open_existing(options.store)
        else:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fixmypose-")))
            store = open_store(folder / "answers.sqlite")
        stack.callback(store.close)
        if options.published is not None:
            name, _, revision = options.published.partition("@")
            if not names_a_repo(name) and not Path(options.published).is_dir():
                raise RefusedError("folder_unusable", path=options.published)
            pinned = (name, revision or None) if names_a_repo(name) else (options.published, None)
            import_published(store, _destination(*pinned))
            key = pseudonym_key(os.environ.get("FMP_PSEUDONYM_KEY", ""), folder)
            undecrypted = store.write(partial(keep_participants, key=key))
            if undecrypted and getattr(options, "payments", None) is not None:
                print(RefusedError("participants_encrypted", count=undecrypted).sentence, file=sys.stderr)
        yield store


# The campaign that a command works on, and the other campaigns with answers in the same store.

SAMPLE = "sample"  # the app's default campaign


def open_campaign(name: str | None) -> Campaign:
    """Open the campaign of ``--campaign``, or that of the app; raise as :meth:`Campaign.open`."""
    return Campaign.open(find_campaign(name or os.environ.get("FMP_CAMPAIGN") or SAMPLE))


def campaign_name(name: str) -> str:
    """Return the name of a campaign from its folder or name; the folder may be gone while its answers remain."""
    is_there = Path(name).is_dir() or names_a_repo(name.partition("@")[0])
    return Campaign.open(find_campaign(name)).name if is_there else name


def answered_campaigns(store: Store) -> dict[str, int]:
    """Return the number of live answers by campaign."""
    with store.reading() as connection:
        return read_campaigns(connection)


def tell_of_others(campaign: str, counts: Mapping[str, int]) -> None:
    """Print on standard error which campaign a command works on, if other campaigns have answers too."""
    other_counts = {name: count for name, count in counts.items() if name != campaign}
    if other_counts:
        print(
            f"This is the campaign “{campaign}” ({counted(counts.get(campaign, 0))}). Other campaigns have answers "
            f"too: {listed(other_counts)}. Choose one with --campaign.",
            file=sys.stderr,
        )


def listed(counts: Mapping[str, int]) -> str:
    """Return the campaigns with their numbers of answers."""
    return ", ".join(f"“{name}” ({counted(count)})" for name, count in counts.items())


def campaigns_at_hand(names: Iterable[str], option: str | None = None) -> list[Campaign]:
    """Return the campaigns with these names that are on this machine, among them that of a folder or repository."""
    found: dict[str, Campaign] = {}
    for place in filter(None, (option, os.environ.get("FMP_CAMPAIGN"), *names)):
        try:
            campaign = Campaign.open(find_campaign(place))
        except RefusedError:
            continue
        found.setdefault(campaign.name, campaign)
    return [found[name] for name in names if name in found]


def counted(answers: int) -> str:
    """Return a number of answers in words."""
    return f"{answers} answer{'s' * (answers != 1)}"


# Unblinding on the command line: readers of votes are asked not to vote any more, since nothing is recorded.
#
# The page marks an owner who opens the results. A command does not know who uses the terminal or reads its
# output, so it warns on standard error and marks nobody.


def warn_unblinding(events: Iterable[Event]) -> None:
    """Warn the reader if the output of a command contains votes."""
    names = sorted({event.campaign for event in events if event.kind == Vote.kind})
    if names:
        campaigns = ", ".join(f"“{name}”" for name in names)
        print(
            f"This shows which texts people chose in {campaigns}. If you read it, please do not vote there any more. "
            "The page records owners who open its results; this command records nothing.",
            file=sys.stderr,
        )


# Command ``python -m annotate campaign``: make, check and list campaigns.

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}")
_DOLLARS = re.compile(r"[0-9]{1,4}(\.[0-9]{1,4})?")
_ALL_LANGUAGES = ",".join(LANGUAGES)
_MAX_ITEMS = 10_000
_MAX_VOICES = 100


def add_campaign(commands: Any) -> None:  # noqa: ANN401  argparse does not export the type
    """Add the command to those of a parser."""
    parser = commands.add_parser("campaign", help="make, check or list annotation campaigns")
    actions = parser.add_subparsers(required=True, metavar="ACTION", parser_class=type(parser))
    command = actions.add_parser("new", help="make a campaign from a dataset and texts of models")
    command.add_argument("out", type=Path, help="new folder; its name is the campaign's")
    origin = command.add_mutually_exclusive_group(required=True)
    origin.add_argument(
        "--dataset",
        type=Path,
        help="dataset folder, as fmp_models simulate makes it, or org/name[@revision] on the Hub",
    )
    origin.add_argument(
        "--pairs",
        type=Path,
        action="append",
        metavar="FILE.json",
        help="pairs of pictures of anything with texts, as fmp_models import-pairs reads them; may be repeated",
    )
    origin.add_argument(
        "--items-from",
        type=Path,
        metavar="FILE",
        help="own items instead of a dataset, one JSON object in each line; docs/annotation.md has an example",
    )
    command.add_argument("--images", type=Path, metavar="DIR", help="folder of the pictures of --pairs")
    command.add_argument(
        "--pose-rules",
        action=argparse.BooleanOptionalAction,
        help="descriptions must follow the paper's writing rules (default: unless the pairs are of anything)",
    )
    command.add_argument(
        "--questions",
        type=Path,
        metavar="FILE",
        help="TOML with own questions about each item; docs/annotation.md has an example",
    )
    command.add_argument(
        "--split", dest="splits", action="append", default=[], help="default: val_seen; may be repeated"
    )
    command.add_argument("--items", type=int, default=100, help="pairs to ask about (default: the paper's 100)")
    command.add_argument(
        "--voices",
        default="",
        metavar="N|KIND=N,…",
        help="people for each question, such as write=1,verify=3,translate=1,vote=3,find=2; one number stands for "
        "write, verify and vote (default: the paper's 3 for these, else 1); a discarded text is asked again",
    )
    command.add_argument(
        "--write-in",
        default="",
        metavar="LANGUAGES",
        help="languages that people write in (default: English, and the others by translation, as in the paper)",
    )
    command.add_argument(
        "--kinds",
        default="",
        help=f"from {','.join(TASK_KINDS)} (default: all that are possible but repair, compare, judge and fool)",
    )
    command.add_argument(
        "--texts",
        action="append",
        default=[],
        metavar="NAME=FILE|FOLDER",
        help="a model's texts as evaluate --out writes them, such as captioner=predictions_val_seen_en.json, or the "
        "folder that it wrote them into; the end of a file's name is their language; repeated, files of one name and "
        "language go together; people vote where there are two models' texts or more",
    )
    command.add_argument("--languages", help=f"default: {_ALL_LANGUAGES}, or the languages of own texts")
    command.add_argument("--retrieval-split", dest="retrieval_splits", action="append", default=[], metavar="SPLIT")
    command.add_argument(
        "--retrieval-items",
        type=int,
        default=50,
        help="targets to find (default: the paper's 50); each is asked in three modes, with everything, the words or "
        "the picture alone, and in each language, and nobody gets one twice or after seeing the pair elsewhere: it "
        "takes three people for one language and six for two, where the paper asked one expert",
    )
    command.add_argument("--real-split", dest="real_splits", action="append", default=[], metavar="SPLIT")
    command.add_argument(
        "--real-items",
        type=int,
        default=60,
        help="pairs to re-enact, from --real-split (default: at most the paper's 60 of test_unseen), with all their "
        "texts in each language",
    )
    command.add_argument("--title", action="append", default=[], metavar="LANGUAGE=TEXT", help="default: the name")
    command.add_argument(
        "--guidelines",
        type=Path,
        metavar="FILE",
        help="TOML with guidelines for each kind, instead of the paper's: "
        '[[write]] and below it en = "…" and hi = "…", once for each sentence',
    )
    command.add_argument(
        "--study",
        type=Path,
        metavar="FILE",
        help="TOML with consent, contact, questions about people, debriefing and payment; see docs/annotation.md",
    )
    command.add_argument(
        "--reveal-models",
        action="store_true",
        help="people may see which model was which after their last vote, and then vote no more (default: never)",
    )
    command.add_argument(
        "--gold",
        type=int,
        metavar="N",
        help="pairs of each kind whose right answer is known from how they were made: texts turned false to rate, "
        "equal texts to vote on, texts of other pairs, targets to find (default: one for ten pairs, without targets, "
        "turned and equal texts)",
    )
    command.add_argument("--seed", type=int, default=0, help="another seed draws other pairs (default: 0)")
    command.set_defaults(run=_new)
    check = actions.add_parser("check", help="check that a campaign can be used, including its pictures")
    check.add_argument("folder", help="folder of the campaign, or the name of a bundled one")
    check.set_defaults(run=_check)
    list_command = actions.add_parser("list", help="list the bundled campaigns, or those in a folder")
    list_command.add_argument(
        "folder", type=Path, nargs="?", default=READY_CAMPAIGNS, help="default: the bundled campaigns"
    )
    list_command.set_defaults(run=_list)


def _campaign_dataset(options: argparse.Namespace, folder: Path) -> Path:
    """Return the dataset of ``--dataset``, if need be from the Hub, or of ``--pairs``, imported into ``folder``."""
    if options.pairs is None:
        if options.images is not None:
            raise RefusedError("option_malformed", text="--images", option="--images", example="--pairs FILE.json")
        splits = {*(options.splits or ["val_seen"]), *options.retrieval_splits, *options.real_splits, "test_unseen"}
        patterns = [f"*/{split}-*.parquet" for split in sorted(splits)]
        return Path() if options.dataset is None else find_on_hub(options.dataset.as_posix(), patterns)
    from fmp_models.data import PairsOptions, import_pairs  # noqa: PLC0415  it loads datasets

    import_pairs(options.pairs, options.images, folder, PairsOptions(split="val"))
    return folder


def _new(options: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="fixmypose-") as folder:
        return _make(options, Path(folder) / "pairs")


def _make(options: argparse.Namespace, folder: Path) -> int:
    """Make the campaign; ``folder`` is for pairs to import."""
    from fmp_models.languages import text_turned_false  # noqa: PLC0415  it loads the geometry

    out = options.out.resolve()
    spoken = options.languages or ("" if options.items_from else _ALL_LANGUAGES)
    order = CampaignOrder(
        dataset=_campaign_dataset(options, folder),
        name=_word(out.name, _NAME, "the name of the folder", "my-campaign"),
        splits=_words(options.splits or ["val_seen"], _NAME, "--split", "val_seen"),
        items=_number(options.items, "--items", 1, _MAX_ITEMS),
        voices=_voices(options.voices),
        writing=_words(options.write_in.split(","), _LANGUAGE, "--write-in", "en,hi") if options.write_in else (),
        kinds=tuple(kind for kind in TASK_KINDS if kind in _kinds(options.kinds)),
        sources=tuple(source for text in options.texts for source in _sources(text)),
        languages=_words(spoken.split(","), _LANGUAGE, "--languages", _ALL_LANGUAGES) if spoken else (),
        retrieval_splits=_words(options.retrieval_splits or ["test_unseen"], _NAME, "--retrieval-split", "test_unseen"),
        retrieval_items=_number(options.retrieval_items, "--retrieval-items", 0, _MAX_ITEMS),
        real_splits=_words(options.real_splits or ["test_unseen"], _NAME, "--real-split", "test_unseen"),
        real_items=_number(options.real_items, "--real-items", 0, _MAX_ITEMS),
        title=dict(_title(text) for text in options.title),
        guidelines=read_toml(options.guidelines, "guidelines"),
        study=read_toml(options.study, "study"),
        questions=read_toml(options.questions, "questions").get("question", ()),
        items_from=options.items_from,
        reveals_models=options.reveal_models,
        pose_rules=options.pose_rules,
        seed=_number(options.seed, "--seed", 0, 2**31),
        gold=None if options.gold is None else _number(options.gold, "--gold", 0, _MAX_ITEMS),
        turned_false=text_turned_false,
    )
    if order.languages and not set(order.writing) <= set(order.languages):
        languages = ",".join(order.languages)
        raise RefusedError("option_malformed", text=options.write_in, option="--write-in", example=languages)
    campaign = make_campaign(order, out)
    print(_about(campaign))
    for warning in _warnings(campaign, order):
        print(warning, file=sys.stderr)
    return 0


def _warnings(campaign: Campaign, order: CampaignOrder) -> Iterator[str]:
    """Yield what was requested and is lacking: pairs to re-enact, and votes in each language, with the reason."""
    if order.items_from:
        return
    pairs = sum(any(RealPair.kind in text.kinds for text in item.texts) for item in campaign.items)
    if campaign.pose_rules and pairs < order.real_items and RealPair.kind in (order.kinds or TASK_KINDS):
        splits = ", ".join(order.real_splits)
        yield f"Pairs to re-enact: {pairs} in {splits}, not {order.real_items}; --real-split names others."
    if order.kinds and VOTE.key not in order.kinds:
        return
    for language in campaign.languages:
        names = dict.fromkeys(source.name for source in order.sources if source.language == language)
        models = f"of {len(names)} model{'s' * (len(names) != 1)}" + (f" ({', '.join(names)})" if names else "")
        if len(names) < 2:  # noqa: PLR2004  a vote compares at least two models
            yield (
                f"WARNING: there will be no votes in “{language}”: texts {models} were given, and a vote compares at "
                "least two models; please make the campaign again with --texts NAME=FILE for each model."
            )
        elif not campaign.questions(VOTE.key, language):
            yield f"WARNING: there will be no votes in “{language}”: the texts {models} are all identical."


def _check(options: argparse.Namespace) -> int:
    folder = find_campaign(options.folder)
    campaign = Campaign.open(folder)
    for name in sorted(campaign.picture_names()):
        try:
            plain_jpeg(campaign.picture(name))
        except (OSError, ValueError, SyntaxError):
            raise RefusedError("campaign_picture", path=str(folder / PICTURES / name)) from None
    print(_about(campaign))
    return 0


def _list(options: argparse.Namespace) -> int:
    for name in ready_campaigns(options.folder):
        print(_about(Campaign.open(options.folder / name)))
    return 0


def _about(campaign: Campaign) -> str:
    """Return the summary of a campaign: a line for it, and one for each kind and language."""
    titles = dict.fromkeys(title for title in campaign.title.values() if title != campaign.name)
    lines = [", ".join([f"{campaign.name}: {_count(len(campaign.items), 'pair')}", *titles])]
    for kind in campaign.kinds:
        for language in campaign.languages:
            open_questions, gold = campaign.questions(kind, language), campaign.gold_questions(kind, language)
            if open_questions:
                voices = sum(question.voices for question in open_questions)
                asked, wanted = _count(len(open_questions), "question"), _count(voices, "answer")
                line = f"  {kind} {language}: {asked}, {wanted} wanted"
                line += f", {len(gold)} gold" if gold else ""
                alike = len(tied_by_themselves(campaign.items, language)) if kind == VOTE.key else 0
                lines.append(f"{line}, {alike} tied (identical texts)" if alike else line)
    return "\n".join(lines)


def _count(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless the number is 1."""
    return f"{number} {noun}{'s' * (number != 1)}"


def _voices(text: str) -> dict[str, int]:
    """Return the people wanted by kind."""
    several = ",".join(f"{key}={text}" for key, kind in TASK_KINDS.items() if kind.several_voices)
    voices: dict[str, int] = {}
    for part in filter(None, (several if text.isdecimal() else text).split(",")):
        kind, _, number = part.strip().partition("=")
        if kind not in TASK_KINDS or not number.isdecimal() or not 1 <= int(number) <= _MAX_VOICES:
            raise RefusedError("option_malformed", text=text, option="--voices", example="write=1,verify=3")
        voices[kind] = int(number)
    return voices


def _kinds(kinds: str) -> list[str]:
    names = [kind.strip() for kind in kinds.split(",") if kind.strip()]
    for kind in names:
        if kind not in TASK_KINDS:
            raise RefusedError("option_malformed", text=kind, option="--kinds", example=",".join(TASK_KINDS))
    return names


def _sources(text: str) -> list[Source]:
    name, _, file = text.partition("=")
    path = Path(file)
    usable = bool(file) and _NAME.fullmatch(name) is not None
    files = texts_in(path) if usable and path.is_dir() else [(re.split(r"[_.-]", path.stem)[-1], path)]
    if not usable or not all(_LANGUAGE.fullmatch(language) for language, _ in files):
        raise RefusedError("option_malformed", text=text, option="--texts", example="captioner=predictions_en.json")
    return [Source(name, language, path) for language, path in files]


def _title(text: str) -> tuple[str, str]:
    language, _, title = text.partition("=")
    if not title or not _LANGUAGE.fullmatch(language):
        raise RefusedError("option_malformed", text=text, option="--title", example="en=A title")
    return language, title


def _words(texts: list[str], pattern: re.Pattern[str], option: str, example: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_word(text.strip(), pattern, option, example) for text in texts))


def _word(text: str, pattern: re.Pattern[str], option: str, example: str) -> str:
    if not pattern.fullmatch(text):
        raise RefusedError("option_malformed", text=text, option=option, example=example)
    return text


def _number(number: int, option: str, least: int, most: int) -> int:
    if not least <= number <= most:
        raise RefusedError("option_malformed", text=str(number), option=option, example=f"a number {least} to {most}")
    return number


# Command ``python -m annotate export``: answers as tables.


def add_export(commands: Any) -> None:  # noqa: ANN401  argparse does not export the type
    """Add the command to those of a parser."""
    parser = commands.add_parser("export", help="write answers as tables, one for each kind")
    parser.add_argument("out", type=Path, help="new or empty folder")
    parser.add_argument("--campaign", help="only this campaign, by name or folder (default: all)")
    parser.add_argument("--kind", help=f"one of: {', '.join(RECORDS)} (default: all)")
    parser.add_argument(
        "--format",
        choices=(*FORMATS, LABELLING, AS_QUESTIONS),
        default="csv",
        help=f"default: csv; {LABELLING}: instead of tables, the current photographs, to be labelled as "
        f"docs/real_pairs.md tells; {AS_QUESTIONS}: the verified texts against a model, for evaluate-questions; --kind "
        "and --what do not matter then",
    )
    parser.add_argument(
        "--what", choices=("live", "events"), default="live", help="current answers, or every event (default: live)"
    )
    add_store(parser)
    parser.set_defaults(run=_export)


def _export(options: argparse.Namespace) -> int:
    if options.kind is not None and options.kind not in RECORDS:
        raise RefusedError("unknown_kind", kind=options.kind, known=", ".join(RECORDS))
    campaign = None if options.campaign is None else campaign_name(options.campaign)
    store = open_existing(options.store)
    _tell_whose(store, campaign)
    if options.format == LABELLING:
        return _to_label(store, campaign, options.out)
    if options.format == AS_QUESTIONS:
        return _as_questions(store, campaign, options)
    try:
        events = store.events(campaign=campaign, kind=options.kind, live=options.what == "live")
        living = store.events(live=True, pictures=False)
        at_hand = campaigns_at_hand(answered_campaigns(store), options.campaign)
    finally:
        store.close()
    statuses: dict[str, str] = {
        entry.text.id: entry.status for known in at_hand for entry in text_statuses(living, known) if entry.author
    }
    asked = [known for known in at_hand if options.kind is None and campaign in {None, known.name}]
    statuses |= verifications(living)
    counts = export(events, options.out, options.format, statuses, asked_tables(asked))
    warn_unblinding(events)
    for kind, count in counts.items():
        print(f"{count} {kind}")
    print(options.out if counts else "There is nothing to export.")
    return 0


def _to_label(store: Store, campaign: str | None, out: Path) -> int:
    try:
        count = export_pairs(store.events(campaign=campaign, live=True), out)
    finally:
        store.close()
    print(f"{count} to label\n{out}" if count else "There is nothing to export.")
    return 0


def _as_questions(store: Store, campaign: str | None, options: argparse.Namespace) -> int:
    try:
        known = campaigns_at_hand(answered_campaigns(store), options.campaign)
        at_hand = [one for one in known if campaign in {None, one.name}]
        living = [event for one in at_hand for event in counted_events(store.events(campaign=one.name), one.name)]
    finally:
        store.close()
    if len(at_hand) != 1:
        names = ", ".join(one.name for one in at_hand) or "no campaign"
        raise RefusedError("option_malformed", text=names, option="--campaign", example="--campaign my-campaign")
    count = export_questions(at_hand[0], living, options.out)
    print(f"{count} verified\n{options.out}" if count else "There is nothing to export.")
    return 0


def _tell_whose(store: Store, campaign: str | None) -> None:
    """Print which campaigns the answers belong to, if the store has several."""
    counts = answered_campaigns(store)
    if campaign is not None:
        tell_of_others(campaign, counts)
    elif len(counts) > 1:
        print(f"These answers are from {listed(counts)}; choose one with --campaign NAME.", file=sys.stderr)


# Command ``python -m annotate publish``: publish waiting events now, to the app's destination or another.


def add_publish(commands: Any) -> None:  # noqa: ANN401  argparse does not export the type
    """Add the command to those of a parser."""
    parser = commands.add_parser("publish", help="publish waiting answers of all campaigns to the Hub or a folder")
    parser.add_argument(
        "--to", metavar="ORG/NAME|FOLDER", help="default: FMP_DATASET_REPO, else the dataset folder of the app"
    )
    parser.add_argument(
        "--reveal",
        action="append",
        default=[],
        metavar="CAMPAIGN",
        help="publish also which model wrote which text, and items with a right answer, when nobody answers any more",
    )
    add_store(parser)
    parser.set_defaults(run=_publish)


def _publish(options: argparse.Namespace) -> int:
    revealed = {campaign.name: campaign for campaign in map(open_campaign, options.reveal)}
    store = open_existing(options.store)
    try:
        counts = answered_campaigns(store)
        campaigns = [*campaigns_at_hand(counts.keys() - revealed), *revealed.values()]
        publisher = Publisher(store, _destination(options.to), campaigns=campaigns, revealed=revealed)
        publisher.publish_now()
        state = publisher.state()
    finally:
        store.close()
    print(f"{state.published} of {state.saved} events are published at {state.destination}.")
    if counts:
        print(f"The published events belong to {listed(counts)}.")
    for name in revealed.keys() & counts:
        print(f"Everybody who can read them knows the models of “{name}” now; please let nobody vote there any more.")
    return 0


def _destination(name: str | None, revision: str | None = None) -> Destination:
    """Return the destination of an option: a Hub dataset for a name such as org/name, unless that path exists."""
    if name is None:
        return choose_destination(os.environ.get("FMP_DATASET_REPO", ""), data_dir())
    if names_a_repo(name) and not Path(name).exists():
        return HubDestination(name, revision=revision)
    return FolderDestination(Path(name))


# Command ``python -m annotate report``: a campaign's results so far, as tables, JSON, CSV files and plots.


def add_report(commands: Any) -> None:  # noqa: ANN401  argparse does not export the type
    """Add the command to those of a parser."""
    parser = commands.add_parser("report", help="report shares, strengths, agreement, accuracy and payments")
    parser.add_argument(
        "--campaign",
        help=f"folder or name of a campaign (default: FMP_CAMPAIGN, {SAMPLE})",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument(
        "--language", choices=languages(), default=ENGLISH, help="language of the tables (default: English)"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        help="also write the tables as CSV and the plots as PNG, both in English",
    )
    parser.add_argument(
        "--payments",
        type=Path,
        metavar="FILE",
        help="write a new CSV file of participants to pay, with their ids at the payment service: keep it private",
    )
    parser.add_argument(
        "--pay",
        default="",
        metavar="KIND=USD,…",
        help="dollars for each answer of a kind, such as write=0.18,vote=0.10, for the pay per hour and the sums owed "
        "for descriptions (default: the paper's 0.18 for these)",
    )
    parser.add_argument(
        "--without-doubtful",
        action="store_true",
        help="leave out all answers of people with doubtful answers, except from payments, and say how many",
    )
    add_published(parser)
    parser.set_defaults(run=_report)


def _report(options: argparse.Namespace) -> int:
    # They load pandas, for which the help of the commands need not wait.
    from annotate.analysis import PAY, as_json, as_text, make_report, write_payment_file, write_tables  # noqa: PLC0415

    campaign, pay = open_campaign(options.campaign), {**PAY, **_pay(options.pay)}
    with answers_of(options) as store:
        events = store.events(campaign=campaign.name, live=True, pictures=False)
        counts = answered_campaigns(store)
        with store.reading() as connection:
            participants = every_participant(connection)
    tell_of_others(campaign.name, counts)
    report = make_report(events, campaign, pay=pay, without_doubtful=options.without_doubtful)
    titles: dict[str, dict[str, str]] = {"tables": {}, "plots": {}}
    if options.out is not None:
        from annotate.analysis import draw_plots  # noqa: PLC0415  heavy

        for name, write in (("tables", write_tables), ("plots", draw_plots)):
            titles[name] = {str(options.out / file): title for file, title in write(options.out, report).items()}
    if options.payments is not None:
        write_payment_file(options.payments, report, participants)
        print(f"{options.payments} has participants' ids; do not share it.", file=sys.stderr)
    warn_unblinding(events)
    if options.json:
        print(json.dumps({**as_json(report), **titles}, ensure_ascii=False, allow_nan=False))
    else:
        listing = "\n".join(f"{path}: {title}" for files in titles.values() for path, title in files.items())
        print("\n\n".join(part for part in (as_text(report, options.language), listing) if part))
    return 0


def _pay(text: str) -> dict[str, Decimal]:
    """Return the dollars for an answer by kind."""
    pay = {}
    for part in filter(None, text.split(",")):
        kind, _, dollars = part.strip().partition("=")
        if kind not in TASK_KINDS or not _DOLLARS.fullmatch(dollars):
            raise RefusedError("option_malformed", text=text, option="--pay", example="write=0.18,vote=0.10")
        pay[kind] = Decimal(dollars)
    return pay


# Commands ``python -m annotate pair`` and ``reject``: decisions of the owner, which a running app follows in seconds.


def add_decisions(commands: Any) -> None:  # noqa: ANN401  argparse does not export the type
    """Add the commands to those of a parser."""
    pair = commands.add_parser("pair", help="keep or drop a flagged pair, about which nothing is asked until then")
    pair.add_argument("choice", choices=("keep", "drop", "undo"), help="undo: the pair waits again if it is flagged")
    pair.add_argument("uids", nargs="+", metavar="PAIR", help="as the report names it")
    reject = commands.add_parser("reject", help="let a person's answers not count, and ask their questions again")
    reject.add_argument("person", help="pseudonym, or its beginning, as in the report")
    because = reject.add_mutually_exclusive_group(required=True)
    because.add_argument("--reason", help="shown to the person and published with the answers")
    because.add_argument("--undo", action="store_true", help="let the answers count again")
    reject.add_argument("--pay", action="store_true", help="pay the answers all the same")
    for parser, run in ((pair, _pair), (reject, _reject)):
        parser.add_argument("--campaign", help=f"folder or name of the campaign (default: FMP_CAMPAIGN, {SAMPLE})")
        add_store(parser)
        parser.set_defaults(run=run)


def _pair(options: argparse.Namespace) -> int:
    campaign = open_campaign(options.campaign)
    for uid in set(options.uids) - {item.uid for item in campaign.items}:
        raise RefusedError("pair_unknown", uid=uid, campaign=campaign.name)
    with closing(open_existing(options.store)) as store:
        for uid in options.uids:
            decide(store, campaign.name, None if options.choice == "undo" else Decision(options.choice), uid)
    return 0


def _reject(options: argparse.Namespace) -> int:
    name = open_campaign(options.campaign).name
    with closing(open_existing(options.store)) as store:
        events = store.events(campaign=name, live=True, pictures=False)
        people = {event.annotator for event in events if event.annotator.startswith(options.person)} - {OWNER}
        if not (options.undo or options.reason.strip()):
            raise RefusedError("text_missing")
        if len(people) != 1:
            raise RefusedError("person_unknown", person=options.person, campaign=name)
        (person,) = people
        rejection = None if options.undo else Decision("reject", person, options.reason, options.pay)
        decide(store, name, rejection, person=person)
    answers = sum(event.annotator == person and event.kind in BY_RECORD for event in events)
    print(f"{person}: {counted(answers)} {'count again' if options.undo else 'rejected'}")
    return 0


# Command ``python -m annotate dataset``: accepted texts, or photographs, as pairs for training and evaluation.


def add_dataset(commands: Any) -> None:  # noqa: ANN401  argparse does not export the type
    """Add the command to those of a parser."""
    parser = commands.add_parser("dataset", help="join the answers of a campaign into a dataset of pairs")
    parser.add_argument(
        "out", type=Path, help="new or empty folder, for load_dataset, train, evaluate and campaign new"
    )
    parser.add_argument("--campaign", help=f"folder or name of the campaign (default: FMP_CAMPAIGN, {SAMPLE})")
    parser.add_argument(
        "--kind",
        choices=_COLLECTED,
        action="append",
        help="accepted texts about the campaign's pairs, or people's own photographs (default: both)",
    )
    add_published(parser)
    parser.set_defaults(run=_dataset)


_COLLECTED = {Description.kind: collect_descriptions, RealPair.kind: collect_photographs}


def _dataset(options: argparse.Namespace) -> int:
    from annotate.analysis import as_remarks, make_report  # noqa: PLC0415  it loads pandas
    from fmp_models.data import write_collected_dataset  # noqa: PLC0415  it loads matplotlib

    campaign = open_campaign(options.campaign)
    with answers_of(options) as store:
        events = store.events(campaign=campaign.name, live=True)
        tell_of_others(campaign.name, answered_campaigns(store))
    parts = [_COLLECTED[kind](events, campaign) for kind in options.kind or _COLLECTED]
    rows: dict[str, list[Mapping[str, Any]]] = {}
    for split, collected in (entry for part in parts for entry in part.rows.items()):
        rows.setdefault(split, []).extend(collected)
    left_out = {reason: count for part in parts for reason, count in part.left_out.items()}
    command = " ".join([f"--campaign {campaign.name}", *(f"--kind {kind}" for kind in options.kind or ())])
    left = [f"Left out: {', '.join(f'{reason} ({count})' for reason, count in left_out.items())}."] if left_out else []
    write_collected_dataset(options.out, rows, command, [*as_remarks(make_report(events, campaign)), *left])
    for split, of_split in rows.items():
        print(f"{split}: {_count(len(of_split), 'pair')}")
    for line in left:
        print(line, file=sys.stderr)
    print(options.out)
    return 0


COMMANDS = (add_campaign, add_dataset, add_decisions, add_export, add_publish, add_report)

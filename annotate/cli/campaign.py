"""Command ``python -m annotate campaign``: make, check and list campaigns."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotate.campaigns.builder import CampaignOrder, Source, make_campaign, read_guidelines, texts_in
from annotate.campaigns.campaign import PICTURES, READY, Campaign, find_campaign, ready_campaigns
from annotate.campaigns.dataset_reader import plain_jpeg
from annotate.errors import RefusedError
from annotate.kinds import vote
from annotate.kinds.registry import TASK_KINDS
from annotate.kinds.vote import tied_by_themselves

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_MAX_ITEMS = 10_000


def add_to(commands: Any) -> None:  # noqa: ANN401  argparse does not export the type
    """Add the command to those of a parser."""
    parser = commands.add_parser("campaign", help="make, check or list annotation campaigns")
    actions = parser.add_subparsers(required=True, metavar="ACTION", parser_class=type(parser))
    command = actions.add_parser("new", help="make a campaign from a dataset and texts of models")
    command.add_argument("out", type=Path, help="new folder; its name is the campaign's")
    command.add_argument("--dataset", type=Path, required=True, help="dataset folder, as fmp_models simulate makes it")
    command.add_argument(
        "--split", dest="splits", action="append", default=[], help="default: val_seen; may be repeated"
    )
    command.add_argument("--items", type=int, default=100, help="pairs to ask about (default: the paper's 100)")
    command.add_argument("--voices", type=int, default=3, help="people for each question (default: the paper's 3)")
    command.add_argument("--kinds", default="", help=f"from {','.join(TASK_KINDS)} (default: all that are possible)")
    command.add_argument(
        "--texts",
        action="append",
        default=[],
        metavar="NAME=FILE|FOLDER",
        help="a model's texts as evaluate --out writes them, such as captioner=predictions_val_seen_en.json, or the "
        "folder that it wrote them into; the end of a file's name is their language; repeated, files of one name and "
        "language go together; people vote where there are two models' texts or more",
    )
    command.add_argument("--languages", default="en,hi", help="default: en,hi")
    command.add_argument("--retrieval-split", dest="retrieval_splits", action="append", default=[], metavar="SPLIT")
    command.add_argument(
        "--retrieval-items",
        type=int,
        default=50,
        help="targets to find (default: the paper's 50); each is asked in three modes, with everything, the words or "
        "the picture alone, and in each language, and nobody gets one twice or after seeing the pair elsewhere: it "
        "takes three people for one language and six for two, where the paper asked one expert",
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
        "--reveal-models",
        action="store_true",
        help="people may see which model was which after their last vote, and then vote no more (default: never)",
    )
    command.add_argument("--seed", type=int, default=0, help="another seed draws other pairs (default: 0)")
    command.set_defaults(run=_new)
    check = actions.add_parser("check", help="check that a campaign can be used, including its pictures")
    check.add_argument("folder", help="folder of the campaign, or the name of a bundled one")
    check.set_defaults(run=_check)
    list_command = actions.add_parser("list", help="list the bundled campaigns, or those in a folder")
    list_command.add_argument("folder", type=Path, nargs="?", default=READY, help="default: the bundled campaigns")
    list_command.set_defaults(run=_list)


def _new(options: argparse.Namespace) -> int:
    out = options.out.resolve()
    order = CampaignOrder(
        dataset=options.dataset,
        name=_word(out.name, _NAME, "the name of the folder", "my-campaign"),
        splits=_words(options.splits or ["val_seen"], _NAME, "--split", "val_seen"),
        items=_number(options.items, "--items", 1, _MAX_ITEMS),
        voices=_number(options.voices, "--voices", 1, 100),
        kinds=tuple(kind for kind in TASK_KINDS if kind in _kinds(options.kinds)),
        sources=tuple(source for text in options.texts for source in _sources(text)),
        languages=_words(options.languages.split(","), _LANGUAGE, "--languages", "en,hi"),
        retrieval_splits=_words(options.retrieval_splits or ["test_unseen"], _NAME, "--retrieval-split", "test_unseen"),
        retrieval_items=_number(options.retrieval_items, "--retrieval-items", 0, _MAX_ITEMS),
        title=dict(_title(text) for text in options.title),
        guidelines={} if options.guidelines is None else read_guidelines(options.guidelines),
        reveals_models=options.reveal_models,
        seed=_number(options.seed, "--seed", 0, 2**31),
    )
    campaign = make_campaign(order, out)
    print(_about(campaign))
    for warning in _not_voted(campaign, order):
        print(warning, file=sys.stderr)
    return 0


def _not_voted(campaign: Campaign, order: CampaignOrder) -> Iterator[str]:
    """Yield a warning for each language without votes, with the reason, unless votes were not requested."""
    if order.kinds and vote.KIND.key not in order.kinds:
        return
    for language in campaign.languages:
        names = dict.fromkeys(source.name for source in order.sources if source.language == language)
        models = f"of {len(names)} model{'s' * (len(names) != 1)}" + (f" ({', '.join(names)})" if names else "")
        if len(names) < 2:  # noqa: PLR2004  a vote compares at least two models
            yield (
                f"WARNING: there will be no votes in “{language}”: texts {models} were given, and a vote compares at "
                "least two models; please make the campaign again with --texts NAME=FILE for each model."
            )
        elif not campaign.questions(vote.KIND.key, language):
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
                alike = len(tied_by_themselves(campaign.items, language)) if kind == vote.KIND.key else 0
                lines.append(f"{line}, {alike} tied (identical texts)" if alike else line)
    return "\n".join(lines)


def _count(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless the number is 1."""
    return f"{number} {noun}{'s' * (number != 1)}"


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

"""``ask`` two photographs, and ``dialogue``: datasets of questions about poses, and how well they are answered."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from fmp_models.commands.options import add_workers, demand_within, given_workers, json_text
from fmp_models.common import SEEDS
from fmp_models.data import MAX_PAIRS
from fmp_models.languages import LANGUAGES, language_of, transliterated


def add_ask_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ask``."""
    from fmp_models.commands.corrections import add_pair_arguments  # noqa: PLC0415  loads no photograph for files

    add_pair_arguments(parser)
    parser.add_argument("questions", nargs="+", metavar="QUESTION", help="questions of one conversation, in order")
    parser.add_argument(
        "--language", help=f"of the answers, one of: {', '.join(LANGUAGES)} (default: that of the first question)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_ask)


def _ask(options: argparse.Namespace) -> int:
    from fmp_models.commands.corrections import measured_pair, pair_arguments  # noqa: PLC0415
    from fmp_models.dialogue import SceneGraph, check_questions, converse  # noqa: PLC0415

    first = options.questions[0]
    language = options.language or (transliterated(first) or (language_of(first),))[0] or LANGUAGES[0]
    check_questions(options.questions, language)
    photographs = pair_arguments(options)
    replies = converse(SceneGraph.of_pair(measured_pair(photographs)), options.questions, language)
    if options.json:
        print(json_text({"language": language, "replies": [asdict(reply) for reply in replies]}))
        return 0
    for reply in replies:
        print(f"{reply.question}\n  {reply.answer}")
        for line in filter(None, (reply.explanation, *(reply.suggestions if reply.outcome == "unread" else ()))):
            print(f"  ({line})" if line == reply.explanation else f"  – {line}")
    return 0


def add_dialogue_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands of ``dialogue``."""
    commands = parser.add_subparsers(required=True, metavar="WHAT", parser_class=type(parser))
    asked = commands.add_parser("asked", help="measure how the questions that people asked by hand are read")
    asked.add_argument("--half", choices=("development", "test"), help="only one half of them (default: both)")
    asked.set_defaults(run=_asked)
    generate = commands.add_parser("generate", help="write a dataset of dialogues about the pairs of another one")
    generate.add_argument("dataset", type=Path, metavar="DATASET", help="dataset folder, as simulate makes it")
    generate.add_argument("out", type=Path, metavar="OUT", help="new folder, or an unfinished one of the same command")
    generate.add_argument("--pairs", type=int, metavar="N", help="number of pairs (default: all)")
    generate.add_argument("--seed", type=int, default=0, help="random seed (default: 0)")
    add_workers(generate)
    generate.set_defaults(run=_generate)
    verify = commands.add_parser("verify", help="derive all answers and labels of a dataset of dialogues again")
    verify.set_defaults(run=_verify)
    statistics = commands.add_parser("statistics", help="print figures of a dataset beside those of CLEVR-Dialog")
    statistics.set_defaults(run=_statistics)
    evaluate = commands.add_parser("evaluate", help="measure the answers in a dataset of dialogues, beside baselines")
    evaluate.set_defaults(run=_evaluate)
    for command in (verify, statistics, evaluate):
        command.add_argument("out", type=Path, metavar="OUT", help="folder of dialogue generate")
    for command in (asked, verify, statistics, evaluate):
        command.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def _asked(options: argparse.Namespace) -> int:
    from fmp_models.dialogue import HALVES, asked_shares  # noqa: PLC0415

    halves = (options.half,) if options.half else HALVES
    shares = {language: {half: asked_shares(language, half) for half in halves} for language in LANGUAGES}
    if options.json:
        print(json_text(shares))
        return 0
    print("Questions that people asked, read with the true history and with the system's own: the same program, answer")
    for language, of_halves in shares.items():
        for half, found in of_halves.items():
            said = (f"{n['program']}, {n['answer']} of {n['questions']}" for n in (found["true"], found["own"]))
            print(f"{language} {half:12} {'   '.join(said)}")
    return 0


def _generate(options: argparse.Namespace) -> int:
    demand_within(options, "seed", 0, SEEDS - 1)
    workers = given_workers(options)
    if options.pairs is not None:
        demand_within(options, "pairs", 1, MAX_PAIRS)
    from fmp_models.dialogue import write_dialogues  # noqa: PLC0415  it loads datasets and matplotlib

    pairs, rows = write_dialogues(options.dataset, options.out, options.pairs, options.seed, workers)
    print(f"{options.out}: {rows:,} questions about {pairs:,} pairs.")
    return 0


def _verify(options: argparse.Namespace) -> int:
    from fmp_models.dialogue import CHECKS, verify_dialogues  # noqa: PLC0415

    found = verify_dialogues(options.out)
    print(json_text(found) if options.json else "\n".join(f"{name:15}{count:>10,}" for name, count in found.items()))
    return int(any(found[check] != found["questions"] for check in CHECKS))


def _statistics(options: argparse.Namespace) -> int:
    from fmp_models.dialogue import dialogue_statistics  # noqa: PLC0415

    found = dialogue_statistics(options.out)
    print(json_text(found) if options.json else json_text(found, indent=2))
    return 0


def _evaluate(options: argparse.Namespace) -> int:
    from fmp_models.dialogue import dialogue_accuracy, read_dialogues  # noqa: PLC0415

    found = dialogue_accuracy(read_dialogues(options.out))
    if options.json:
        print(json_text(found))
        return 0
    print(f"{found['dialogues']:,} dialogues, {found['questions']:,} questions")
    for way, shares in found["answers"].items():
        first = shares["first_failure"]
        failure = "no dialogue fails" if first is None else f"first failure in round {first:.1f}"
        print(f"{way:40}{shares['accuracy']:8.2%}  {failure}")
    for name in ("by_distance", "by_kind"):
        shares = found["answers"]["own history"][name]
        print(
            f"own history, {name.replace('_', ' ')}: "
            + ", ".join(f"{key} {share:.0%}" for key, share in shares.items())
        )
    print("Published, of CLEVR-Dialog: other scenes, networks that were trained on its phrasings")
    for name, figure in found["published"].items():
        print(f"{name:40}{figure:8.2%}" if isinstance(figure, float) else f"{name}: {figure}")
    return 0

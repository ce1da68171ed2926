"""``ask`` two photographs, and ``dialogue``: how well questions about poses are answered."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from fmp_models.commands.options import chosen_estimator, json_text
from fmp_models.errors import BadInputError
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
    from fmp_models.commands.corrections import log_measured, pair_arguments  # noqa: PLC0415
    from fmp_models.dialogue import SceneGraph, check_questions, converse  # noqa: PLC0415
    from fmp_models.inference import Corrector  # noqa: PLC0415

    first = options.questions[0]
    language = options.language or (transliterated(first) or (language_of(first),))[0] or LANGUAGES[0]
    check_questions(options.questions, language)
    photographs = pair_arguments(options)
    measurements = Corrector.from_pretrained(pose_model=chosen_estimator()).measure(**photographs)
    log_measured(measurements)
    if measurements.pair is None:
        raise BadInputError("no_person", which="current" if measurements.estimates[0] is None else "target")
    replies = converse(SceneGraph.of_pair(measurements.pair), options.questions, language)
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
    for command in (asked,):
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

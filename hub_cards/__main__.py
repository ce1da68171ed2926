"""Command line: ``python -m hub_cards bundle | render | push model|dataset|campaign|space``.

Exit codes: 0 if done, or declined by the user; 2 for bad input, with an error of one sentence; 1 for an internal error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from huggingface_hub import HfApi

from fmp_models.common import OneSentenceParser, end_process, run_command
from fmp_models.errors import BadInputError
from fmp_models.hub import CARD, CHECKPOINTS, HARDWARE, PushResult, bundle_run
from hub_cards.pushing import (
    PROJECT,
    SPACE_HARDWARE,
    PushOrder,
    push_campaign,
    push_dataset,
    push_model,
    push_space,
    render_dataset,
    space_readme,
)

_YES = frozenset({"y", "yes"})
_SPACE_ROLES = ("captioner", "retriever")


def main(arguments: Sequence[str] | None = None, api: HfApi | None = None, prog: str = "python -m hub_cards") -> int:
    """Run one command and return its exit code.

    ``api`` is a client of another Hub than ``HF_ENDPOINT`` names, ``prog`` how a person calls this program.
    """
    return run_command(_parser(api, prog), arguments)


def _parser(api: HfApi | None, prog: str = "python -m hub_cards") -> argparse.ArgumentParser:
    parser = OneSentenceParser(prog=prog, description="Model cards, dataset cards and uploads to the Hub.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=OneSentenceParser)
    bundled = commands.add_parser("bundle", help="add the best weights of a training run to the bundled models")
    bundled.add_argument("run_folder", type=Path, metavar="RUN", help="folder that train was given as --out")
    bundled.add_argument("name", help="name of the bundled model")
    bundled.add_argument(
        "--command",
        action="append",
        required=True,
        help="training command; repeat the option for earlier runs",
    )
    bundled.add_argument("--checkpoints", type=Path, default=CHECKPOINTS, help="folder of the bundled models")
    bundled.set_defaults(run=_bundle)
    rendered = commands.add_parser("render", help="write cards from the files that they describe")
    rendered.add_argument("folders", type=Path, nargs="*", metavar="FOLDER", help="of a model (default: all bundled)")
    rendered.add_argument("--check", action="store_true", help="write nothing; fail if a model's card is out of date")
    rendered.add_argument("--dataset", type=Path, metavar="DIR", help="the card of this simulated dataset instead")
    rendered.add_argument("--space", type=Path, metavar="OUT", help="the README of the Space into this folder instead")
    rendered.set_defaults(run=_render)
    pushed = commands.add_parser("push", help="show what would change on the Hub, ask, and send")
    kinds = pushed.add_subparsers(required=True, metavar="WHAT", parser_class=OneSentenceParser)
    model = kinds.add_parser("model", help="a model with its card")
    model.add_argument("what", metavar="NAME", help="bundled model, or a folder")
    dataset = kinds.add_parser("dataset", help="a dataset's shards and card")
    dataset.add_argument("what", type=Path, metavar="DIR", help="dataset folder, as simulate makes it")
    campaign = kinds.add_parser("campaign", help="a campaign of annotators, for FMP_CAMPAIGN on a Space")
    campaign.add_argument("what", type=Path, metavar="DIR", help="campaign folder, as campaign new makes it")
    space = kinds.add_parser("space", help="the app with its models")
    space.add_argument("--project", dest="what", type=Path, default=PROJECT, metavar="DIR", help=argparse.SUPPRESS)
    space.add_argument("--hardware", choices=SPACE_HARDWARE, help="requested from the Hub; the first is ZeroGPU")
    for role in _SPACE_ROLES:
        space.add_argument(f"--{role}", metavar="ORG/NAME@COMMIT", help=f"{role} on the Hub instead of the bundled one")
    for kind, command in (("model", model), ("dataset", dataset), ("campaign", campaign), ("space", space)):
        command.add_argument("--repo", required=True, metavar="ORG/NAME", help="created if it does not exist")
        seen = command.add_mutually_exclusive_group()
        seen.add_argument("--private", action="store_true", default=True, help="a new repo is private (default)")
        seen.add_argument("--public", dest="private", action="store_false", help="a new repo is public")
        command.add_argument("--dry-run", action="store_true", help="only show what would change")
        command.add_argument("--yes", action="store_true", help="do not ask")
        command.set_defaults(run=partial(_push, kind, api))
    return parser


def _bundle(options: argparse.Namespace) -> int:
    from hub_cards.cards import render  # noqa: PLC0415  it loads torch

    folder = bundle_run(options.run_folder, options.name, options.command, options.checkpoints)
    render([folder.path])
    print(folder.path)
    return 0


def _render(options: argparse.Namespace) -> int:
    if options.dataset is not None:
        print(render_dataset(options.dataset))
    if options.space is not None:
        print(_write_space_readme(options.space))
    if options.dataset is None and options.space is None:
        from hub_cards.cards import bundled_folders, render  # noqa: PLC0415  it loads torch

        for card in render(options.folders or bundled_folders(), check=options.check):
            print(card)
    return 0


def _write_space_readme(folder: Path) -> Path:
    text = space_readme()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / CARD).write_text(text, encoding="utf-8", newline="\n")
    except OSError:
        raise BadInputError("folder_unusable", path=str(folder)) from None
    return folder / CARD


def _push(kind: str, api: HfApi | None, options: argparse.Namespace) -> int:
    push: dict[str, Callable[..., PushResult]] = {
        "model": push_model,
        "dataset": push_dataset,
        "campaign": push_campaign,
        "space": push_space,
    }
    of_space = {name: getattr(options, name) for name in (HARDWARE, *_SPACE_ROLES)} if kind == "space" else {}
    refused: list[PushResult] = []

    def confirm(planned: PushResult) -> bool:
        print(planned)
        agreed = options.yes or _agreed(planned)
        if not agreed:
            refused.append(planned)
        return agreed

    order = PushOrder(options.repo, options.private, options.dry_run, confirm, api)
    sent = push[kind](options.what, order, **of_space)
    if sent.is_empty or options.dry_run:
        print(sent)
    if refused or (options.dry_run and not sent.is_empty):
        print("Nothing was pushed.")
    elif not sent.is_empty:
        print(f"{sent.repo} is at {sent.revision}.")
    return 0


def _agreed(planned: PushResult) -> bool:
    """Ask the user at the terminal for confirmation; raise ``push_unconfirmed`` without a terminal."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise BadInputError("push_unconfirmed")
    return input(f"Push this to {planned.repo}? [y/N] ").strip().lower() in _YES


if __name__ == "__main__":
    end_process(main())

"""Command ``python -m annotate publish``: publish waiting events now, to the app's destination or another."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from annotate.cli.campaign_option import answered_campaigns, listed
from annotate.cli.store_option import add_store, data_dir, open_existing
from annotate.publishing.destinations import Destination, FolderDestination, HubDestination, names_a_repo
from annotate.publishing.publisher import Publisher, choose_destination


def add_to(commands: Any) -> None:  # noqa: ANN401  argparse does not export the type
    """Add the command to those of a parser."""
    parser = commands.add_parser("publish", help="publish waiting answers of all campaigns to the Hub or a folder")
    parser.add_argument(
        "--to", metavar="ORG/NAME|FOLDER", help="default: FMP_DATASET_REPO, else the dataset folder of the app"
    )
    add_store(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    store = open_existing(options.store)
    try:
        publisher = Publisher(store, _destination(options.to))
        publisher.publish_now()
        state, counts = publisher.state(), answered_campaigns(store)
    finally:
        store.close()
    print(f"{state.published} of {state.saved} events are published at {state.destination}.")
    if counts:
        print(f"The published events belong to {listed(counts)}.")
    return 0


def _destination(name: str | None) -> Destination:
    """Return the destination of an option: a Hub dataset for a name such as org/name, unless that path exists."""
    if name is None:
        return choose_destination(os.environ.get("FMP_DATASET_REPO", ""), data_dir())
    if names_a_repo(name) and not Path(name).exists():
        return HubDestination(name)
    return FolderDestination(Path(name))

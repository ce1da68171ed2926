"""Command ``python -m annotate export``: answers as tables."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from annotate.campaigns.campaign import Campaign, find_campaign
from annotate.campaigns.text_status import text_statuses
from annotate.cli.campaign_option import answered_campaigns, campaign_name, listed, tell_of_others
from annotate.cli.store_option import add_store, open_existing
from annotate.cli.unblinding import warn_unblinding
from annotate.errors import RefusedError
from annotate.kinds.registry import RECORDS
from annotate.publishing.export import FORMATS, export
from annotate.publishing.labelling import LABELLING, export_pairs
from annotate.records.events import Event
from annotate.storage.store import Store


def add_to(commands: Any) -> None:  # noqa: ANN401  argparse does not export the type
    """Add the command to those of a parser."""
    parser = commands.add_parser("export", help="write answers as tables, one for each kind")
    parser.add_argument("out", type=Path, help="new or empty folder")
    parser.add_argument("--campaign", help="only this campaign, by name or folder (default: all)")
    parser.add_argument("--kind", help=f"one of: {', '.join(RECORDS)} (default: all)")
    parser.add_argument(
        "--format",
        choices=(*FORMATS, LABELLING),
        default="csv",
        help=f"default: csv; {LABELLING}: instead of tables, the current photographs, to be labelled as "
        "docs/real_pairs.md tells; --kind and --what do not matter then",
    )
    parser.add_argument(
        "--what", choices=("live", "events"), default="live", help="current answers, or every event (default: live)"
    )
    add_store(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    if options.kind is not None and options.kind not in RECORDS:
        raise RefusedError("unknown_kind", kind=options.kind, known=", ".join(RECORDS))
    campaign = None if options.campaign is None else campaign_name(options.campaign)
    store = open_existing(options.store)
    _tell_whose(store, campaign)
    if options.format == LABELLING:
        return _to_label(store, campaign, options.out)
    try:
        events = store.events(campaign=campaign, kind=options.kind, live=options.what == "live")
        statuses = _statuses(store.events(live=True, pictures=False), options.campaign)
    finally:
        store.close()
    counts = export(events, options.out, options.format, statuses)
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


def _tell_whose(store: Store, campaign: str | None) -> None:
    """Print which campaigns the answers belong to, if the store has several."""
    counts = answered_campaigns(store)
    if campaign is not None:
        tell_of_others(campaign, counts)
    elif len(counts) > 1:
        print(f"These answers are from {listed(counts)}; choose one with --campaign NAME.", file=sys.stderr)


def _statuses(living: list[Event], option: str | None) -> dict[str, str]:
    """Return the status of each description whose campaign is available."""
    statuses: dict[str, str] = {}
    for name in {event.campaign for event in living if event.kind == "description"}:
        try:
            campaign = Campaign.open(find_campaign(option if option is not None and Path(option).is_dir() else name))
        except RefusedError:
            continue
        statuses |= {entry.text.id: entry.status for entry in text_statuses(living, campaign) if entry.author}
    return statuses

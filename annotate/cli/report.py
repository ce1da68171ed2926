"""Command ``python -m annotate report``: a campaign's results so far, as tables, JSON, CSV files and plots."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from annotate.analysis.report_strings import ENGLISH, languages
from annotate.cli.campaign_option import SAMPLE, answered_campaigns, open_campaign, tell_of_others
from annotate.cli.store_option import add_store, open_existing
from annotate.cli.unblinding import warn_unblinding
from annotate.storage.participants import every_participant


def add_to(commands: Any) -> None:  # noqa: ANN401  argparse does not export the type
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
    add_store(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    # They load pandas, for which the help of the commands need not wait.
    from annotate.analysis.report import as_json, make_report  # noqa: PLC0415
    from annotate.analysis.report_tables import write_payment_file, write_tables  # noqa: PLC0415
    from annotate.analysis.report_text import as_text  # noqa: PLC0415

    campaign = open_campaign(options.campaign)
    store = open_existing(options.store)
    try:
        events = store.events(campaign=campaign.name, live=True, pictures=False)
        counts = answered_campaigns(store)
        with store.reading() as connection:
            participants = every_participant(connection)
    finally:
        store.close()
    tell_of_others(campaign.name, counts)
    report = make_report(events, campaign)
    titles: dict[str, dict[str, str]] = {"tables": {}, "plots": {}}
    if options.out is not None:
        from annotate.analysis.report_plots import draw_plots  # noqa: PLC0415  heavy

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

"""The campaign that a command speaks of, and the others that have answers in the same store."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from annotate.campaigns.campaign import Campaign, find_campaign
from annotate.storage.queries import read_campaigns
from annotate.storage.store import Store

SAMPLE = "sample"  # what the app asks where it is told nothing else


def open_campaign(name: str | None) -> Campaign:
    """The campaign of ``--campaign``, else that of the app; raise as :meth:`Campaign.open`."""
    return Campaign.open(find_campaign(name or os.environ.get("FMP_CAMPAIGN") or SAMPLE))


def campaign_name(name: str) -> str:
    """The name of a campaign; it may be gone while its answers are there, and its name is enough then."""
    return Campaign.open(find_campaign(name)).name if Path(name).is_dir() else name


def answered_campaigns(store: Store) -> dict[str, int]:
    """The number of answers that stand, by campaign."""
    with store.reading() as connection:
        return read_campaigns(connection)


def tell_of_others(campaign: str, counts: Mapping[str, int]) -> None:
    """Say on standard error of which campaign a command speaks, where other campaigns have answers too."""
    other_counts = {name: count for name, count in counts.items() if name != campaign}
    if other_counts:
        print(
            f"This is about the campaign “{campaign}” ({counted(counts.get(campaign, 0))}); others have answers too: "
            f"{listed(other_counts)}. Name one of them with --campaign.",
            file=sys.stderr,
        )


def listed(counts: Mapping[str, int]) -> str:
    """Campaigns with how many answers stand of each."""
    return ", ".join(f"“{name}” ({counted(count)})" for name, count in counts.items())


def counted(answers: int) -> str:
    """How many answers, in words."""
    return f"{answers} answer{'s' * (answers != 1)}"

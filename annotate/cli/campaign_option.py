"""The campaign that a command works on, and the other campaigns with answers in the same store."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from annotate.campaigns.campaign import Campaign, find_campaign
from annotate.storage.queries import read_campaigns
from annotate.storage.store import Store

SAMPLE = "sample"  # the app's default campaign


def open_campaign(name: str | None) -> Campaign:
    """Open the campaign of ``--campaign``, or that of the app; raise as :meth:`Campaign.open`."""
    return Campaign.open(find_campaign(name or os.environ.get("FMP_CAMPAIGN") or SAMPLE))


def campaign_name(name: str) -> str:
    """Return the name of a campaign from its folder or name; the folder may be gone while its answers remain."""
    return Campaign.open(find_campaign(name)).name if Path(name).is_dir() else name


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


def counted(answers: int) -> str:
    """Return a number of answers in words."""
    return f"{answers} answer{'s' * (answers != 1)}"

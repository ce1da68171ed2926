"""Resources for annotation answers, opened before slow imports: the pseudonym key, the campaign and the store."""

from __future__ import annotations

from dataclasses import dataclass

from annotate.campaigns.campaign import Campaign, find_campaign
from annotate.disks import close_to_others
from annotate.identity import pseudonym_key
from annotate.storage.store import Store, open_store, store_path
from demo.settings import Settings


@dataclass(frozen=True)
class OpenedAnswers:
    """The pseudonym key, the campaign and the store of one app."""

    key: bytes
    campaign: Campaign
    store: Store


def open_answers(settings: Settings) -> OpenedAnswers:
    """Open the resources; raise :class:`annotate.errors.RefusedError` if a setting prevents it."""
    campaign = Campaign.open(find_campaign(settings.campaign))
    close_to_others(settings.data_dir)
    key = pseudonym_key(settings.pseudonym_key, settings.data_dir)
    return OpenedAnswers(key, campaign, open_store(settings.database_url or store_path(settings.data_dir)))

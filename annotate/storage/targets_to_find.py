"""Targets of finding tasks: which of them a person may know already, and pairs reserved until they are found."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlalchemy import Connection

from annotate.campaigns.campaign import Campaign
from annotate.kinds import find_target
from annotate.kinds.task_kind import Item, Question
from annotate.storage.exposures import Sighting, read_sightings

_KIND = find_target.KIND.key


class Targets:
    """The targets of one campaign; a pair is identified by its target picture, whatever items show it."""

    def __init__(self, campaign: Campaign) -> None:
        self._name = campaign.name
        self._of = {item.uid: item.target for item in campaign.items}
        items = [item for item in campaign.items if item.gold is None]
        to_find = {item.target for item in items if item.candidates and _KIND in _kinds(item)}
        also_shown = {item.target for item in campaign.items if item.to_describe or _kinds(item) - {_KIND}}
        self._also_shown = to_find & also_shown if _KIND in campaign.kinds else set[str]()

    def is_unchanged(self, item: Item) -> bool:
        """Return whether the campaign still has this item with the same target."""
        return item.target == self._of.get(item.uid)

    def waiting(self, to_find: Iterable[Question]) -> frozenset[str]:
        """Return the targets that a person has yet to find and that other tasks show too."""
        return frozenset(question.item.target for question in to_find) & self._also_shown

    @property
    def may_wait(self) -> bool:
        """Whether any pair to find is also shown by other tasks."""
        return bool(self._also_shown)

    def known_to(self, connection: Connection, annotator: str) -> Callable[[Question], bool]:
        """Return the test for questions whose target this person was shown by any other question."""
        sightings: dict[str, set[Sighting]] = {}
        for sighting in read_sightings(connection, self._name, annotator):
            sightings.setdefault(self._of.get(sighting.item, ""), set()).add(sighting)

        def knows(question: Question) -> bool:
            itself = Sighting(question.item.uid, question.language, question.skipped_as)
            return bool(sightings.get(question.item.target, set()) - {itself})

        return knows


def _kinds(item: Item) -> set[str]:
    return {kind for text in item.texts for kind in text.kinds}

"""The reveal: tells annotators after their last vote which model wrote which text; then they vote no more.

It happens only in campaigns that allow it. A consent to vote no more is stored, so it holds after a
restart and on every page. A vote that was in transit meanwhile is stored and flagged. So is every vote of
an annotator who deleted all their records, since the deletion also removed whether they had looked. Owners
who have opened the results, which name the models, also vote no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from annotate.campaigns.campaign import Campaign
from annotate.errors import RefusedError
from annotate.kinds import vote
from annotate.kinds.registry import TASK_KINDS
from annotate.kinds.vote import Vote
from annotate.records.api import MODELS_SEEN, Kind, Progress
from annotate.records.kinds import Withdrawal
from annotate.storage.consents import Consents
from annotate.storage.store import Store


@dataclass(frozen=True)
class SeenText:
    """A text of a vote with its model, and whether the voter chose it; if tied, all texts are chosen."""

    model: str
    text: str
    relevant: bool
    fluent: bool


@dataclass(frozen=True)
class Reveal:
    """The reveal of one campaign."""

    campaign: Campaign
    store: Store
    consents: Consents
    _opened: set[str] = field(default_factory=set, init=False)  # owners

    def __post_init__(self) -> None:
        """Load the owners who have opened the results."""
        self._opened.update(self.consents.who_agreed(self._opening))

    @property
    def _wording(self) -> str:
        return f"votes-over-1 {self.campaign.name}"

    @property
    def _opening(self) -> str:
        return f"results-opened-1 {self.campaign.name}"

    def is_over(self, annotator: str, kind: Kind = vote.KIND.key) -> bool:
        """Return whether the annotator knows the models of the texts and gives no more answers of that kind."""
        return TASK_KINDS[kind].compares_models and (annotator in self._opened or self._has_looked(annotator))

    def _has_looked(self, annotator: str) -> bool:
        return self.campaign.reveals_models and self.consents.agreed(annotator, self._wording)

    def remarks(self, annotator: str, kind: Kind) -> Iterator[str]:
        """Yield the reasons of the flags to store with an answer."""
        began_anew = TASK_KINDS[kind].compares_models and self.campaign.reveals_models and self._began_anew(annotator)
        if began_anew or self.is_over(annotator, kind):
            yield MODELS_SEEN

    def open_results(self, annotator: str) -> None:
        """Store that an owner has seen results, and so which model leads.

        If the store cannot be written, the results are still shown, and this is remembered until the app ends.
        """
        if annotator not in self._opened:
            self._opened.add(annotator)
            with suppress(RefusedError):
                self.consents.agree(annotator, self._opening)

    def _began_anew(self, annotator: str) -> bool:
        """Return whether the annotator once deleted everything: then it is unknown whether they had looked."""
        withdrawals = self.store.events(kind=Withdrawal.kind, annotator=annotator, pictures=False)
        return any(event.withdraws_everything for event in withdrawals)

    def may_look(self, annotator: str, kind: Kind, progress: Progress) -> bool:
        """Return whether the annotator may look: the campaign allows it, the last vote is given, no look was taken."""
        has_voted = TASK_KINDS[kind].compares_models and bool(progress.given) and not progress.left
        return has_voted and self.campaign.reveals_models and not self.is_over(annotator)

    def look(self, annotator: str, progress: Progress, read: str, language: str) -> None:
        """Store that the annotator looks; ``read`` is the notice that they were shown.

        Raise :class:`RefusedError` ``votes_left`` if votes are left.
        """
        if self.is_over(annotator):
            return
        if not self.may_look(annotator, vote.KIND.key, progress):
            raise RefusedError("votes_left")
        self.consents.agree(annotator, self._wording, read, language)

    def votes(self, annotator: str, language: str) -> list[list[SeenText]]:
        """Return the annotator's votes in a language with the texts' models, oldest first, without gold items."""
        if not self._has_looked(annotator):
            return []
        items = {item.uid: item for item in self.campaign.items if item.gold is None}
        votes = []
        for event in self.store.live(campaign=self.campaign.name, kind=Vote.kind, annotator=annotator):
            cast, item = event.payload, items.get(event.item)
            if isinstance(cast, Vote) and item is not None and event.language == language:
                texts = {text.id: text for text in item.texts_for(vote.KIND.key, language)}
                votes.append(
                    [
                        SeenText(texts[id_].source, texts[id_].text, id_ in cast.relevant, id_ in cast.fluent)
                        for id_ in cast.shown
                        if id_ in texts
                    ]
                )
        return votes

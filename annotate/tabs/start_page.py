"""The start page: who one is, what becomes of the answers, and a card for each kind of work that is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotate.campaigns.campaign import SOURCE_LANGUAGE
from annotate.identity import Annotator
from annotate.records.api import Kind
from annotate.tabs.page_services import PageServices, PageWords
from annotate.tabs.press import Visit
from annotate.tabs.results import OwnerPanel
from annotate.tabs.task_forms import DESKS
from annotate.tasks.participants import Participants, Payment
from annotate.tasks.service import Collection

TERMS = "answers-1"  # the terms below; whoever agreed to others is asked again
PARTICIPANT_TERMS = "participant-1"  # those of whoever a payment service sent, beside the terms
PARTICIPANT_KEYS = ("consent.participant",)
TERM_KEYS = ("consent.kept", "consent.used", "consent.yours", "consent.age")


@dataclass(frozen=True)
class Card:
    """One kind of work; ``seconds`` is what it takes, ``left`` what there is of it for whoever looks.

    How many voices everybody has given, ``answered`` of those ``wanted``, is for owners alone.
    """

    kind: Kind
    seconds: int
    given: int
    left: int
    answered: int
    wanted: int


def desk_languages(collection: Collection, kind: Kind) -> tuple[str, ...]:
    """The languages that a desk works in: those of the campaign, but nothing is translated into its own language.

    None for a desk that takes photographs where nobody can look at them.
    """
    if kind == "real_pair" and collection.ports.photographs is None:
        return ()
    asked: tuple[str, ...] = collection.campaign.languages
    return tuple(code for code in asked if kind != "translate" or code != SOURCE_LANGUAGE)


def cards(collection: Collection, annotator: Annotator, language: str) -> list[Card]:
    """What there is to do, for one person; of each kind in ``language`` where that is asked, else in the first."""
    shown = collection.coverage() if annotator.is_owner else ()
    covered = {(one.kind, one.language): one for one in shown}
    found = []
    for kind, desk in DESKS.items():
        languages = desk_languages(collection, kind)
        if kind not in collection.campaign.kinds or not languages:
            continue
        spoken = language if language in languages else languages[0]
        mine, all_of_it = collection.progress(annotator, kind, spoken), covered.get((kind, spoken))
        answered, wanted = (0, 0) if all_of_it is None else (all_of_it.answered, all_of_it.wanted)
        found.append(Card(kind, desk.seconds, mine.given, mine.left, answered, wanted))
    return found


def terms_text(surface: PageServices, language: str, keys: Sequence[str] = TERM_KEYS) -> str:
    """The terms as they are read in a language of the page."""
    # A participant's own id is left out: what was read is kept as a hash, which ids could be tried against.
    said = [surface.text(key, participant="…").by_language for key in keys]
    return "\n".join(words.get(language) or next(iter(words.values())) for words in said)


def agree(collection: Collection, participants: Participants, visit: Visit, surface: PageServices) -> None:
    """Keep that this person agreed to the terms as they were read, and as which participant they are to be paid."""
    told = visit.text("page_language")
    language = told if told in surface.scripts else ""
    collection.agree(visit.annotator, TERMS, terms_text(surface, language), language)
    if participants.has_to_agree(visit.annotator, visit.participant):
        read = terms_text(surface, language, PARTICIPANT_KEYS)
        collection.agree(visit.annotator, PARTICIPANT_TERMS, read, language)
        participants.join(visit.annotator, visit.participant)


def start_html(  # noqa: PLR0913  each is a thing of its own that is shown
    collection: Collection,
    annotator: Annotator | None,
    surface: PageServices,
    language: str,
    *,
    wanted: str = "",
    guest_name: str = "",
    hub_login: bool = False,
    owner: OwnerPanel | None = None,
    askable: Sequence[str] = (),
    participant: str = "",
    payment: Payment | None = None,
) -> str:
    """The markup; ``annotator`` is missing before a login, ``wanted`` is the kind to go on to after agreeing.

    ``owner`` is for owners alone, as is ``askable``: models that people vote on and may ask on this page.
    A ``participant`` of a payment service agrees to its terms too, and has a ``payment`` from then on.
    """
    title: PageWords = surface.told(collection.campaign.title)
    return surface.render(
        "start.html",
        annotator=annotator,
        guest_name=guest_name,
        hub_login=hub_login,
        title=title,
        languages=collection.campaign.languages,
        language=language if language in collection.campaign.languages else collection.campaign.languages[0],
        agreed=annotator is not None and collection.agreed(annotator, TERMS) and bool(payment or not participant),
        term_keys=(*TERM_KEYS, *(PARTICIPANT_KEYS if participant else ())),
        participant=participant,
        payment=payment,
        wanted=wanted,
        cards=[] if annotator is None else cards(collection, annotator, language),
        has_given=annotator is not None and bool(collection.kept_of(annotator)),
        read_only=collection.store.read_only is not None,
        owner=owner,
        askable=askable,
    )

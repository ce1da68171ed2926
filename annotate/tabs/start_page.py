"""The start page and the thanks page: identity, terms, a card for each kind of task, and what to do next.

The thanks page also shows which model wrote which text if the campaign reveals that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from annotate.identity import Annotator
from annotate.kinds.registry import TASK_KINDS
from annotate.kinds.task_kind import TaskKind
from annotate.page_services import PageServices, PageWords
from annotate.records.api import Kind, Progress
from annotate.tabs.actions import Context
from annotate.tabs.results import OwnerPanel
from annotate.tasks.admission.reveal import SeenText
from annotate.tasks.participants import TERMS as PARTICIPANT_TERMS
from annotate.tasks.participants import Participants, Payment
from annotate.tasks.service import AnnotationService

TERMS = "answers-1"  # version of the terms below; a change asks all annotators again
PARTICIPANT_KEYS = ("consent.participant",)
REVEAL_KEYS = ("reveal.about", "reveal.stands")
TERM_KEYS = ("consent.kept", "consent.used", "consent.yours", "consent.age")


@dataclass(frozen=True)
class Card:
    """The card of one kind of task; ``seconds`` is its duration, ``left`` the number of tasks left for the annotator.

    ``kept_back`` tasks follow once their targets were found, which they would show. The overall ``answered``
    and ``wanted`` answers are for owners only.
    """

    kind: Kind
    seconds: int
    given: int
    left: int
    kept_back: int
    answered: int
    wanted: int


def form_languages(service: AnnotationService, kind: TaskKind) -> tuple[str, ...]:
    """Return the languages of a task form: those of the campaign, without the source language for translation.

    It has none if it needs photographs and nothing can examine them.
    """
    can_be_asked = not kind.re_enacts or service.ports.photographs is not None
    return tuple(filter(kind.is_asked_in, service.campaign.languages if can_be_asked else ()))


def cards(service: AnnotationService, annotator: Annotator, language: str, *, covers: bool = True) -> list[Card]:
    """Return an annotator's cards, each in ``language`` if the kind has it, else in its first one.

    With ``covers``, owners also get the overall progress.
    """
    coverage = service.coverage() if annotator.is_owner and covers else ()
    covered = {(row.kind, row.language): row for row in coverage}
    rows = []
    for kind, form in TASK_KINDS.items():
        languages = form_languages(service, form)
        if kind not in service.campaign.kinds or not languages:
            continue
        form_language = language if language in languages else languages[0]
        progress, voices = service.progress(annotator, kind, form_language), covered.get((kind, form_language))
        answered, wanted = (0, 0) if voices is None else (voices.answered, voices.wanted)
        left = progress.left - progress.kept_back
        rows.append(Card(kind, form.seconds, progress.given, left, progress.kept_back, answered, wanted))
    return rows


def terms_text(services: PageServices, language: str, keys: Sequence[str] = TERM_KEYS) -> str:
    """Return the terms as read in a language of the page."""
    # Leave out the participant's id: the text is stored as a hash, from which the id could be guessed.
    texts = [services.text(key, participant="…").by_language for key in keys]
    return "\n".join(words.get(language) or next(iter(words.values())) for words in texts)


def agree(service: AnnotationService, participants: Participants, context: Context, services: PageServices) -> None:
    """Store that the annotator agreed to the terms as read, and as which participant they are paid."""
    page_language = context.text("page_language")
    language = page_language if page_language in services.scripts else ""
    service.agree(context.annotator, TERMS, terms_text(services, language), language)
    if participants.has_to_agree(context.annotator, context.participant):
        terms = terms_text(services, language, PARTICIPANT_KEYS)
        service.agree(context.annotator, PARTICIPANT_TERMS, terms, language)
        participants.join(context.annotator, context.participant)


def start_html(  # noqa: PLR0913  each is shown separately
    service: AnnotationService,
    annotator: Annotator | None,
    services: PageServices,
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
    """Return the markup; ``annotator`` is None before a login, ``wanted`` is the kind to open after agreeing.

    ``owner`` is for owners only, as is ``askable``: models that are voted on and can also be used on this
    page. A ``participant`` of a payment service must agree to additional terms, and then has a ``payment``.
    """
    title: PageWords = services.lent_text(service.campaign.title)
    return services.render(
        "start.html",
        annotator=annotator,
        guest_name=guest_name,
        hub_login=hub_login,
        title=title,
        languages=service.campaign.languages,
        language=language if language in service.campaign.languages else service.campaign.languages[0],
        agreed=annotator is not None and service.agreed(annotator, TERMS) and bool(payment or not participant),
        term_keys=(*TERM_KEYS, *(PARTICIPANT_KEYS if participant else ())),
        participant=participant,
        payment=payment,
        wanted=wanted,
        cards=[] if annotator is None else cards(service, annotator, language),
        has_given=annotator is not None and bool(service.record_counts(annotator)),
        read_only=service.store.read_only,
        owner=owner,
        askable=askable,
    )


@dataclass(frozen=True)
class ModelSeen:
    """The number of votes in which a model's text was ``shown``, and was the only choice for content or language."""

    model: str
    shown: int
    relevant: int
    fluent: int


def done_values(
    service: AnnotationService, annotator: Annotator, kind: Kind, language: str, progress: Progress
) -> dict[str, object]:
    """Return the template values of the thanks page, shown after the last task."""
    reveal = service.reveal
    votes = reveal.votes(annotator.pseudonym, language) if TASK_KINDS[kind].compares_models else []
    return {
        "next_up": next_up(cards(service, annotator, language, covers=False), kind),
        "may_look": reveal.may_look(annotator.pseudonym, kind, progress),
        "reveal_keys": REVEAL_KEYS,
        "votes": votes,
        "models": models_seen(votes),
    }


def next_up(all_cards: Sequence[Card], kind: Kind) -> Card | None:
    """Return the next card after a kind: finding targets if tasks were kept back for that, else the next in order."""
    place = next((number for number, card in enumerate(all_cards) if card.kind == kind), -1)
    waits = place >= 0 and all_cards[place].kept_back > 0
    order = [*all_cards[place + 1 :], *all_cards[: max(place, 0)]]
    left = [card for card in order if card.left]
    return next((card for card in left if waits and TASK_KINDS[card.kind].hides_target), left[0] if left else None)


def models_seen(votes: Sequence[Sequence[SeenText]]) -> list[ModelSeen]:
    """Return the votes of each model, the one chosen alone most often first; texts that read alike share a choice."""
    shown, relevant, fluent = Counter[str](), Counter[str](), Counter[str]()
    for texts in votes:
        shown.update(text.model for text in texts)
        for count, flags in ((relevant, [t.relevant for t in texts]), (fluent, [t.fluent for t in texts])):
            if not all(flags):
                count.update(text.model for text, is_so in zip(texts, flags, strict=True) if is_so)
    models = [ModelSeen(model, shown[model], relevant[model], fluent[model]) for model in shown]
    return sorted(models, key=lambda row: (-row.relevant, -row.fluent, row.model))

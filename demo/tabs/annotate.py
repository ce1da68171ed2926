"""The tab "Help teach it": passes texts, pictures, models and settings to the annotation package."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import gradio as gr
from PIL import Image

from annotate.campaigns.campaign import ready_campaigns
from annotate.errors import RefusedError
from annotate.identity import Caller, IdentitySettings
from annotate.kinds.task_kind import WritingRules
from annotate.ports import Photographs, Ports
from annotate.publishing.publisher import LossGuard, Publisher, choose_destination
from annotate.storage.store import Store
from annotate.tabs.controller import AnnotationController
from annotate.tabs.pages import ANSWER_TERMS
from annotate.tabs.requests import FindPerson, PageServices, find_nobody
from annotate.tasks.participants import PaymentRules
from annotate.tasks.service import AnnotationService
from demo.adapters.person_boxes import person_finder
from demo.adapters.photo_check import UploadReader, examiner, watcher
from demo.gradio_parts.gradio_internals import oauth
from demo.gradio_parts.uploads import UploadLedger
from demo.i18n import DEFAULT_LANGUAGE, Text, interface_texts, languages, lent_text, text
from demo.serving.host_names import AllowedHosts
from demo.serving.opened_answers import OpenedAnswers
from demo.settings import Settings
from demo.views.templating import jpeg_uri, render, script
from fmp_models import __version__
from fmp_models.data.difference import difference
from fmp_models.data.writing_rules import MIN_UNIQUE_SHARE, MIN_WORDS, SYMBOLS, broken_rules
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PoseEstimator
from fmp_models.languages.grammar import grammar

_REMEMBERED = 512  # difference pictures; one is 20 kB and takes 60 ms to compute


@dataclass
class Annotation:
    """The tab with its store and publisher while the app runs; ``remarks`` are printed at startup."""

    controller: AnnotationController
    store: Store
    publisher: Publisher
    forgets: bool = False
    remarks: tuple[str, ...] = ()

    def start(self) -> None:
        """Restore the published answers and start publishing; the tab is read-only until they are restored.

        It stays read-only if answers would be lost with the disk of the Space.
        """
        if self.forgets:
            self.store.read_only = RefusedError("space_forgets")
        else:
            self.publisher.start()

    def close(self) -> None:
        """Publish pending answers within a few seconds; acknowledged answers are in the store in any case.

        The store closes first, so that no answer is acknowledged too late to be published.
        """
        self.store.read_only = RefusedError("store_closed")
        self.publisher.close()
        self.store.close()


def open_annotation(
    settings: Settings,
    opened: OpenedAnswers,
    estimator: PoseEstimator,
    ledger: UploadLedger,
    models: Sequence[str] = (),
) -> Annotation:
    """Return the tab; raise :class:`annotate.errors.RefusedError` if the destination cannot be used.

    ``models`` are the ids of the models that the other tabs of the page offer.
    """
    key, campaign, store = opened.key, opened.campaign, opened.store
    service = AnnotationService(
        campaign,
        store,
        key,
        Ports(broken_rules, Photographs(examiner(estimator), UploadReader(ledger), watcher(estimator))),
        app_version=__version__,
        consents=dict.fromkeys(campaign.kinds, ANSWER_TERMS),
    )
    identity = IdentitySettings(
        key,
        admins=settings.admins,
        allow_guests=settings.takes_guests,
        guests_are_owners=bool(settings.owner_token),
    )
    destination = choose_destination(settings.dataset_repo, settings.data_dir)
    guard = LossGuard(store, forgets=bool(settings.space_id) and not settings.database_url)
    publisher = Publisher(store, destination, minutes=settings.publish_minutes, guard=guard)
    # Outside a Space, Gradio would identify every visitor as the owner of the machine's token.
    login = bool(settings.space_id) and oauth.OAUTH_CLIENT_ID is not None
    hosts = AllowedHosts.of(settings)

    def caller(request: gr.Request) -> Caller:
        peer = request.client
        return hosts.caller(request.headers, None if peer is None else str(peer.host))

    is_durable = bool(settings.dataset_repo or settings.database_url) and bool(settings.pseudonym_key)
    services = page_services(person_finder(estimator))
    asked_here = frozenset() if settings.close_models else frozenset(models)
    compared = sorted(campaign.models_compared() & asked_here)
    parameters = tuple(settings.participant_parameters.split(","))
    paying = PaymentRules(parameters, settings.batch_answers, settings.batch_seconds)
    forgets = bool(settings.space_id) and not is_durable
    remarks = [RefusedError("space_forgets").sentence] if forgets else []
    if compared and settings.campaign not in ready_campaigns():  # bundled campaigns are for trying out
        remarks.append(text("owner.askable", models=", ".join(compared)).default)
    return Annotation(
        AnnotationController(
            service, identity, services, publisher.state, login, publisher.wake, caller, asked_here, paying
        ),
        store,
        publisher,
        forgets=forgets,
        remarks=tuple(remarks),
    )


def page_services(person: FindPerson = find_nobody) -> PageServices:
    """Return the services that render the tab's texts and pictures; ``person`` finds the person to enlarge."""
    return PageServices(
        render=render,
        text=text,
        refusal=refusal,
        lent_text=lent_text,
        script=script,
        picture_uri=jpeg_uri,
        difference=difference_picture,
        rules=WritingRules(MIN_WORDS, MIN_UNIQUE_SHARE, "".join(sorted(SYMBOLS))),
        scripts={code: grammar(code).script for code in languages()},
        person=person,
    )


def refusal(key: str, **places: str | float | Text) -> Text:
    """Return the text of an error code: that of the tab, else the page's general one, as for a broken photograph."""
    own_key = f"refused.{key}"
    return text(own_key if own_key in interface_texts()[DEFAULT_LANGUAGE] else f"errors.{key}", **places)


@lru_cache(maxsize=_REMEMBERED)
def difference_picture(current: bytes, target: bytes) -> bytes | None:
    """Return the current picture with the target person over it in red; None if the two cannot be overlaid."""
    try:
        with Image.open(io.BytesIO(current)) as now, Image.open(io.BytesIO(target)) as then:
            over = difference(now.convert("RGB"), then.convert("RGB"))
    except BadInputError:
        return None
    buffer = io.BytesIO()
    over.save(buffer, "JPEG", quality=88)
    return buffer.getvalue()

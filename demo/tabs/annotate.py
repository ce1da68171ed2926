"""The tab "Help teach it": passes texts, pictures, models and settings to the annotation package.

The annotation package imports no models. A photograph that re-enacts a pose is checked here. The head is assumed to be
centred on the head joint, the middle of the ears, whichever way it is turned. Its size follows from the pixels per
metre of this body. So the check needs only joints, from any estimator. For the person boxes in the pictures of a
campaign, each picture is estimated once.
"""

from __future__ import annotations

import hashlib
import io
import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import gradio as gr
import numpy as np
from PIL import Image

from annotate.campaigns import ready_campaigns
from annotate.errors import RefusedError
from annotate.identity import Caller, IdentitySettings
from annotate.kinds import WritingRules
from annotate.photos import SeenPerson
from annotate.ports import (
    BodySeen,
    Examine,
    Examined,
    FaceBox,
    ModelRanking,
    Photographs,
    Ports,
    RankCandidates,
    Watch,
)
from annotate.publishing import LossGuard, Publisher, choose_destination
from annotate.storage import Store
from annotate.tabs import AnnotationController, FindPerson, PageServices, answer_terms, find_nobody
from annotate.tasks import AnnotationService, PaymentRules
from demo.gradio_parts import oauth
from demo.i18n import DEFAULT_LANGUAGE, Text, interface_texts, jpeg_uri, languages, lent_text, render, script, text
from demo.live import body_in
from demo.serving import AllowedHosts, OpenedAnswers, UploadLedger, read_upload
from demo.settings import Settings
from fmp_models import __version__
from fmp_models.data import FORBIDDEN_SYMBOLS, MIN_UNIQUE_SHARE, MIN_WORDS, broken_rules, picture_difference
from fmp_models.errors import BadInputError
from fmp_models.estimators import PoseEstimate, PoseEstimator, estimate_if_seen
from fmp_models.inference import TargetFinder
from fmp_models.languages import grammar
from fmp_models.pose import BONES, INDEX, Array, Pose, in_pelvis_frame, mirror
from fmp_models.preprocessing import read_photograph

_MAX_DIFFERENCE_PICTURES = 512  # difference pictures; one is 20 kB and takes 60 ms to compute


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


def open_annotation(  # noqa: PLR0913, PLR0917  the parts of the app
    settings: Settings,
    opened: OpenedAnswers,
    estimator: PoseEstimator,
    ledger: UploadLedger,
    models: Sequence[str] = (),
    rank: RankCandidates | None = None,
) -> Annotation:
    """Return the tab; raise :class:`annotate.errors.RefusedError` if the destination cannot be used.

    ``models`` are the ids of the models that the other tabs of the page offer. ``rank`` is what people try to fool.
    """
    key, campaign, store = opened.key, opened.campaign, opened.store
    rules = broken_rules if campaign.pose_rules else no_broken_rules
    service = AnnotationService(
        campaign,
        store,
        key,
        Ports(rules, Photographs(examiner(estimator), UploadReader(ledger), watcher(estimator)), rank),
        app_version=__version__,
        consents=dict.fromkeys(campaign.kinds, answer_terms(campaign)),
    )
    identity = IdentitySettings(
        key,
        admins=settings.admins,
        allow_guests=settings.takes_guests,
        guests_are_owners=bool(settings.owner_token),
    )
    destination = choose_destination(settings.dataset_repo, settings.data_dir)
    guard = LossGuard(store, forgets=bool(settings.space_id) and not settings.database_url)
    publisher = Publisher(
        store, destination, minutes=settings.publish_minutes, guard=guard, key=key, campaigns=[campaign]
    )
    # Outside a Space, Gradio would identify every visitor as the owner of the machine's token.
    login = bool(settings.space_id) and oauth.OAUTH_CLIENT_ID is not None
    hosts = AllowedHosts.of(settings)

    def caller(request: gr.Request) -> Caller:
        peer = request.client
        return hosts.caller(request.headers, None if peer is None else str(peer.host))

    is_durable = bool(settings.dataset_repo or settings.database_url) and bool(settings.pseudonym_key)
    own_contact = campaign.study.contact if campaign.study else None
    contact = own_contact or ({DEFAULT_LANGUAGE: settings.contact} if settings.contact else None)
    services = page_services(person_finder(estimator), contact)
    services = services if campaign.pose_rules else replace(services, rules=None)
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


def page_services(person: FindPerson = find_nobody, contact: Mapping[str, str] | None = None) -> PageServices:
    """Return the services that render the tab's texts and pictures.

    ``person`` finds the person to enlarge, ``contact`` tells in each language whom to ask.
    """
    return PageServices(
        render=render,
        text=text,
        refusal=refusal,
        lent_text=lent_text,
        script=script,
        picture_uri=jpeg_uri,
        difference=difference_picture,
        rules=WritingRules(MIN_WORDS, MIN_UNIQUE_SHARE, "".join(sorted(FORBIDDEN_SYMBOLS))),
        scripts={code: grammar(code).script for code in languages()},
        person=person,
        contact=None if contact is None else lent_text(contact),
    )


def no_broken_rules(text: str, *, no_clear_difference: bool = False) -> tuple[str, ...]:  # noqa: ARG001
    """Return that a text about anything but a pose breaks none of the writing rules."""
    return ()


def refusal(key: str, **places: str | float | Text) -> Text:
    """Return the text of an error code: that of the tab, else the page's general one, as for a broken photograph."""
    own_key = f"refused.{key}"
    return text(own_key if own_key in interface_texts()[DEFAULT_LANGUAGE] else f"errors.{key}", **places)


@lru_cache(maxsize=_MAX_DIFFERENCE_PICTURES)
def difference_picture(current: bytes, target: bytes) -> bytes | None:
    """Return the current picture with the target person over it in red; None if the two cannot be overlaid."""
    try:
        with Image.open(io.BytesIO(current)) as now, Image.open(io.BytesIO(target)) as then:
            over = picture_difference(now.convert("RGB"), then.convert("RGB"))
    except BadInputError:
        return None
    buffer = io.BytesIO()
    over.save(buffer, "JPEG", quality=88)
    return buffer.getvalue()


_HEAD = 0.25  # metres: side of the box around the ears; the painted area reaches from above the crown to the throat
_BONES = 4.0  # metres: total bone length of an adult, to which bodies are scaled
_MAX_TARGET_POSES = 64  # target poses; one takes a few kilobytes and a fifth of a second to estimate


def examiner(estimator: PoseEstimator) -> Examine:
    """Return the function that examines photographs with this estimator."""

    @lru_cache(maxsize=_MAX_TARGET_POSES)
    def pose_of(picture: bytes) -> Pose | None:
        try:
            return estimator.estimate(read_photograph(picture)).pose
        except BadInputError:
            return None

    def examine(photograph: bytes, like: bytes, other: bytes) -> Examined:
        try:
            estimate = estimator.estimate(read_photograph(photograph))
        except BadInputError as error:
            # All other errors about a photograph have the same code in both packages.
            code = {"no_person": "photo_nobody", "body_hidden": "photo_body_hidden"}.get(error.code, error.code)
            raise RefusedError(code, **error.details) from None
        left, top, right, bottom = estimate.box
        target_pose, other_pose = pose_of(like), pose_of(other)
        return Examined(
            people=estimate.people,
            size=max(right - left, bottom - top),
            faces=_faces(estimate),
            pose_distance=None if target_pose is None else pose_distance(estimate.pose, target_pose),
            mirrored=None if target_pose is None else pose_distance(mirror(estimate.pose), target_pose),
            other=None if other_pose is None else pose_distance(estimate.pose, other_pose),
            joints=tuple(tuple(round(float(metres), 3) for metres in joint) for joint in estimate.pose.joints),
            estimator=estimator.name,
        )

    return examine


def watcher(estimator: PoseEstimator) -> Watch:
    """Return the function that tells whether the camera sees the whole body, and where, with this estimator."""

    def watch(picture: bytes) -> BodySeen | None:
        try:
            return body_in(estimator, read_photograph(picture).image)
        except BadInputError as error:
            raise RefusedError(error.code, **error.details) from None

    return watch


def ranker(finder: TargetFinder, language_finder: TargetFinder | None = None) -> RankCandidates:
    """Return the function that ranks candidates; ``language_finder`` has a retriever that sees no current picture."""

    def probabilities(by: TargetFinder, current: bytes, files: Sequence[bytes], text: str, code: str) -> list[float]:
        try:
            found, _ = by.find(current, text, files, language=code)
        except BadInputError as error:
            if not error.code.startswith("description_"):
                raise
            return [1 / len(files)] * len(files)  # nothing in the text can be read
        return [one.score for one in sorted(found.ranking, key=lambda one: one.candidate)]

    def rank(current: bytes, candidates: Sequence[bytes], text: str, language: str) -> ModelRanking:
        folder = finder.retrievers.reading(language).folder
        finders = [one for one in (finder, language_finder) if one is not None]
        if not text:
            for one in finders:
                one.prepare(current, candidates)
            return ModelRanking((1 / len(candidates),) * len(candidates), folder.shown_id, folder.revision)
        full, *rest = (tuple(probabilities(one, current, candidates, text, language)) for one in finders)
        language_only = rest[0] if rest else ()
        val_unseen = _val_unseen(folder.path, language)
        return ModelRanking(full, folder.shown_id, folder.revision, language_only, val_unseen=val_unseen)

    return rank


@lru_cache(maxsize=16)
def _val_unseen(folder: Path, language: str) -> float:
    """Return the accuracy on val-unseen in a model's evaluation file, with clauses if it is there; 0 without a file."""
    try:
        report = json.loads((folder / "evaluation.json").read_text(encoding="utf-8"))
        scores = report["splits"]["val_unseen"][language]
        return float(scores.get("accuracy_clauses", scores["accuracy"]))
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return 0.0


@dataclass(frozen=True)
class UploadReader:
    """Reader of uploads that serve one answer only."""

    ledger: UploadLedger

    def __call__(self, path: str) -> bytes:
        """Return the bytes of the upload at ``path``; raise ``photo_gone`` if none is pending there."""
        if not self.ledger.waits(path):
            raise RefusedError("photo_gone")
        try:
            return read_upload(path, "given")
        except BadInputError:
            raise RefusedError("photo_gone") from None
        finally:
            self.ledger.used(path)


def pose_distance(first: Pose, second: Pose) -> float:
    """Return the mean joint distance in metres of two bodies scaled to one size, aligned at the hips and in heading."""
    return float(np.linalg.norm(_alike(first.joints) - _alike(second.joints), axis=-1).mean())


def _alike(joints: Array) -> Array:
    length = sum(float(np.linalg.norm(joints[start] - joints[end])) for start, end in BONES)
    return in_pelvis_frame(joints) * (_BONES / max(length, 1e-6))


def _faces(estimate: PoseEstimate) -> tuple[FaceBox, ...]:
    """Return the box of the head; empty if the head is outside the picture."""
    x, y = estimate.image_joints[INDEX["head"]]
    if not estimate.pose.visibility[INDEX["head"]]:
        return ()
    half = _HEAD * _pixels_a_metre(estimate) / 2
    return (FaceBox(float(x - half), float(y - half), float(2 * half), float(2 * half)),)


def _pixels_a_metre(estimate: PoseEstimate) -> float:
    pixels, metres = estimate.image_joints, estimate.pose.joints[:, :2]
    spread = [float(np.linalg.norm(points - points.mean(axis=0))) for points in (pixels, metres)]
    return spread[0] / max(spread[1], 1e-6)


_log = logging.getLogger(__name__)

_MAX_PERSON_BOXES = 20_000  # pictures; a box takes a few hundred bytes and up to a fifth of a second to find


def person_finder(estimator: PoseEstimator) -> Callable[[bytes], SeenPerson | None]:
    """Return a function that finds the largest person in a JPEG file, or None if there is none.

    It processes one picture at a time. A concurrent call for another picture returns None at once and may be repeated.
    """
    known: OrderedDict[bytes, SeenPerson | None] = OrderedDict()
    lock, looking = threading.Lock(), threading.Lock()

    def find(picture: bytes) -> SeenPerson | None:
        name = hashlib.sha256(picture).digest()
        with lock:
            if name in known:
                return known[name]
        # A page shows whole pictures rather than wait for the pictures of other pages.
        if not looking.acquire(blocking=False):
            return None
        try:
            person = _look(estimator, picture)
        finally:
            looking.release()
        with lock:
            known[name] = person
            while len(known) > _MAX_PERSON_BOXES:
                known.popitem(last=False)
        return person

    return find


def _look(estimator: PoseEstimator, picture: bytes) -> SeenPerson | None:
    try:
        photograph = read_photograph(picture)
        estimate = estimate_if_seen(estimator, photograph)
    except BadInputError:
        return None
    except Exception:  # noqa: BLE001 - logged; where the person is only decorates a page, which is shown all the same
        _log.exception("a picture could not be checked")
        return None
    return None if estimate is None else SeenPerson(photograph.image.size, estimate.box)

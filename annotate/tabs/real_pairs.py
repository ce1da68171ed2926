"""Actions of real pairs: choose a pair, take and approve two photographs without faces, and adapt its description."""

from __future__ import annotations

import base64
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotate.errors import RefusedError
from annotate.identity import Annotator
from annotate.kinds import REAL_PAIR, Answer, RealPair, Receipt, Task, one
from annotate.photos import (
    STRENGTHS,
    WHICH,
    PendingPhoto,
    PendingPhotoStore,
    Which,
    checked_strength,
    drawn_box,
    is_small_jpeg,
    with_box,
)
from annotate.ports import body_json
from annotate.records import MAX_TEXT_CHARS, cleaned_text, is_event_id
from annotate.tabs.requests import PageServices, crop, read_fields
from annotate.tasks import AnnotationService, TaskFilter
from fmp_models.common import MAX_BYTES, word_edits

_KIND = REAL_PAIR.key
PHOTOGRAPH_TERMS = "photographs-2"  # version of the terms below; a change asks all annotators again
TERM_KEYS = ("real_pair.term_self", "real_pair.term_faces", "real_pair.term_used", "real_pair.term_delete")
OFFERS = 3
MAX_MOMENT_CHARS = 150_000  # base64 characters of a camera frame; one of 320 pixels has about 20,000
MAX_MOMENT_PX = 640  # pixels

_REMEMBERED = 5000  # descriptions being rewritten

Action = Mapping[str, Any]


@dataclass(frozen=True)
class RealPairs:
    """The actions of this task form beyond those of every form; ``photos`` stores the photographs."""

    service: AnnotationService
    services: PageServices
    photos: PendingPhotoStore | None
    _originals: OrderedDict[tuple[str, str], str] = field(default_factory=OrderedDict, init=False, repr=False)

    @classmethod
    def of(cls, service: AnnotationService, services: PageServices) -> RealPairs:
        """Return the form's actions; photographs are stored only if the page can examine them."""
        photographs = service.ports.photographs
        return cls(service, services, None if photographs is None else PendingPhotoStore(photographs.examine))

    def offers(self, annotator: Annotator, language: str, tasks: TaskFilter, *, spares: bool) -> dict[str, object]:
        """Return the template values of the page of offers; ``tasks`` is the annotator's filter of tasks."""
        offers = self.service.offers(annotator, _KIND, language, OFFERS, spares=spares, tasks=tasks)
        uri = self.services.picture_uri
        return {
            "offers": [
                (
                    offer.id,
                    uri(offer.current),
                    uri(offer.target),
                    offer.text,
                    crop(self.services, offer.current, offer.target),
                )
                for offer in offers
            ],
            **self._terms(annotator),
        }

    def choose(self, annotator: Annotator, language: str, action: Action) -> Task:
        """Return the chosen task; raise ``consent_missing`` if the terms of photographs are not agreed to."""
        self._agree(annotator, action)
        return self.service.choose(annotator, _KIND, language, _short(action, "offer"))

    def put_back(self, annotator: Annotator, token: str) -> None:
        """Release the pair for others, delete its photographs, and let the annotator choose again."""
        self.service.put_back(annotator, token)
        self._photos().drop(annotator.pseudonym, token)

    def shows(self, annotator: Annotator, task: Task) -> dict[str, object]:
        """Return the template values of a task beyond those of every form; its photographs survive a reload."""
        self._remember(annotator, task)
        photos = self._photos().of(annotator.pseudonym, task.token)
        return {
            **self._terms(annotator),
            "reviews": {which: self._review(photos[which]) for which in WHICH if which in photos},
            "edits": word_edits(task.texts[0], task.texts[0]),
            "limit_mb": MAX_BYTES // 1_000_000,
            "max_bytes": MAX_BYTES,
        }

    def receive(self, annotator: Annotator, language: str, action: Action) -> str:
        """Store one photograph, and return its markup with faces redacted, for approval.

        It belongs to a chosen task, however old; changed terms are agreed to here.
        """
        photographs = self.service.ports.photographs
        if photographs is None:
            raise RefusedError("kind_not_asked")
        data = photographs.take(_short(action, "upload"))
        which = _which(action)
        self._agree(annotator, action)
        task = self._task(annotator, language, action)
        if task.current is None or task.target is None:
            raise RefusedError("task_unknown")
        pair: dict[Which, bytes] = {"current": task.current, "target": task.target}
        return self._review(self._photos().receive(annotator.pseudonym, task.token, which, data, pair))

    def watch(self, annotator: Annotator, action: Action) -> dict[str, object]:
        """Return whether a camera frame shows the whole body, and where, so that the page can take a photograph itself.

        The frame is examined and not stored, one at a time and only for a claimed task. Raise
        :class:`RefusedError` ``photo_busy`` while another is examined: the next frame follows soon.
        """
        photographs, moment = self.service.ports.photographs, action.get("moment")
        if photographs is None or _KIND not in self.service.campaign.kinds:
            raise RefusedError("kind_not_asked")
        if not isinstance(moment, str) or len(moment) > MAX_MOMENT_CHARS:
            raise RefusedError("answer_malformed", field="moment")
        self._agree(annotator, action)
        try:
            picture = base64.b64decode(moment, validate=True)
        except ValueError:
            raise RefusedError("answer_malformed", field="moment") from None
        if not is_small_jpeg(picture, MAX_MOMENT_PX):  # frames arrive twice a second, so large ones are never decoded
            raise RefusedError("answer_malformed", field="moment")
        token = _short(action, "token")
        claimed = self.service.scheduler.find(token, annotator.pseudonym) if is_event_id(token) else None
        if claimed is None or claimed.question.kind != _KIND:
            raise RefusedError("task_unknown")
        with self._photos().looking():
            body = photographs.watch(picture)
        return body_json(body)

    def paint(self, annotator: Annotator, action: Action) -> tuple[Which, str]:
        """Redact a photograph with another strength, one more box, or only the detected faces; return its markup."""
        photo = self._photos().find(annotator.pseudonym, _short(action, "photo"))
        strength, boxes = photo.strength, photo.drawn
        if "strength" in action:
            strength = checked_strength(action["strength"])
        if action.get("clear") is True:
            boxes = ()
        elif "box" in action:
            boxes = with_box(boxes, drawn_box(action["box"], photo.size), len(photo.detected))
        return photo.which, self._review(self._photos().paint(photo, strength=strength, drawn=boxes))

    def edits(self, annotator: Annotator, language: str, action: Action) -> str:
        """Return the markup of the word edits made so far.

        It is requested often, so the original text is cached; the store is read only if another process showed the
        task.
        """
        text = one(read_fields({"text": action.get("text")}), "text")
        original = self._originals.get((annotator.pseudonym, _short(action, "token")))
        if original is None:
            original = self._remember(annotator, self._task(annotator, language, action))
        text = cleaned_text(text)
        if len(text) > MAX_TEXT_CHARS:
            raise RefusedError("text_too_long", limit=MAX_TEXT_CHARS)
        return self.services.render("real_edits.html", edits=word_edits(original, text), language=language)

    def earlier_receipt(self, annotator: Annotator, token: str, answer: Answer) -> Receipt | None:
        """Return the receipt of a stored answer whose photographs this process lacks, because it was restarted.

        Raise :class:`RefusedError`: ``answer_twice`` if the text was changed since, ``answer_changed_elsewhere``
        if the answer was withdrawn.
        """
        if len(self._photos().of(annotator.pseudonym, token)) == len(WHICH):
            return None  # the photographs may have changed as well
        event = self.service.store.event(token)
        if event is None or event.annotator != annotator.pseudonym or not isinstance(event.payload, RealPair):
            return None
        receipt = self.service.receipt(annotator, token)
        if receipt is None:
            raise RefusedError("answer_changed_elsewhere")
        if cleaned_text(answer["text"]) != event.payload.text:
            raise RefusedError("answer_twice")
        return receipt

    def complete(self, annotator: Annotator, token: str, answer: Answer) -> Answer:
        """Return the answer with its approved photographs, which come from the server and not from the page."""
        photo_fields = self._photos().answer(annotator.pseudonym, token, answer["approved"])
        return {"text": answer["text"], **photo_fields}

    def settle(self, annotator: Annotator, token: str) -> None:
        """Delete the original photographs of a stored answer."""
        self._photos().settle(annotator.pseudonym, token)

    def forget(self, annotator: Annotator) -> None:
        """Delete all photographs of an annotator who deletes their records."""
        if self.photos is not None:
            self.photos.drop(annotator.pseudonym)

    def _photos(self) -> PendingPhotoStore:
        if self.photos is None:
            raise RefusedError("kind_not_asked")
        return self.photos

    def _terms(self, annotator: Annotator) -> dict[str, object]:
        return {"agreed": self.service.agreed(annotator, PHOTOGRAPH_TERMS), "term_keys": TERM_KEYS}

    def _agree(self, annotator: Annotator, action: Action) -> None:
        """Store that the terms of photographs were agreed to; raise ``consent_missing`` if they never were."""
        if self.service.agreed(annotator, PHOTOGRAPH_TERMS):
            return
        if action.get("agreed") is not True:
            raise RefusedError("consent_missing")
        page_language = action.get("page_language")
        page_language = page_language if isinstance(page_language, str) else ""
        term_texts = [self.services.text(key).by_language for key in TERM_KEYS]
        wording = "\n".join(words.get(page_language) or next(iter(words.values())) for words in term_texts)
        language = page_language if page_language in self.services.scripts else ""
        self.service.agree(annotator, PHOTOGRAPH_TERMS, wording, language)

    def _task(self, annotator: Annotator, language: str, action: Action) -> Task:
        """Return the task of the action's token."""
        task = self.service.begun(annotator, _KIND, language, _short(action, "token"))
        if task is None:
            raise RefusedError("task_unknown")
        return task

    def _remember(self, annotator: Annotator, task: Task) -> str:
        """Return the description being rewritten, and cache it."""
        self._originals[annotator.pseudonym, task.token] = task.texts[0]
        while len(self._originals) > _REMEMBERED:
            self._originals.popitem(last=False)
        return task.texts[0]

    def _review(self, photo: PendingPhoto) -> str:
        uri = self.services.picture_uri
        return self.services.render(
            "real_review.html",
            photo=photo,
            # Annotators see their original photograph only to mark a face that was not detected.
            picture=uri(photo.private or photo.original),
            strengths=STRENGTHS,
        )


def _which(action: Action) -> Which:
    which = action.get("which")
    if which not in WHICH:
        raise RefusedError("answer_malformed", field="which")
    return which  # type: ignore[no-any-return]


def _short(action: Action, name: str) -> str:
    value = action.get(name)
    if not isinstance(value, str) or len(value) > 1000:  # noqa: PLR2004  no path or id is longer
        raise RefusedError("answer_malformed", field=name)
    return value

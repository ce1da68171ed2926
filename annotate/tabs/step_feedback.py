"""Feedback on single steps of a correction: "Was this right?", asked of the person who gave the photographs.

A correction carries its data under a seal that only this app's key can make, and the page sends it back
with the feedback. So the server stores nothing of it before the person agrees, and a step that was never
given cannot be judged. The records belong to no campaign; their item is the seal of the correction.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotate.errors import RefusedError
from annotate.identity import keyed
from annotate.page_services import PageServices
from annotate.records.events import new_event
from annotate.records.kinds import StepFeedback, Withdrawal
from annotate.tabs.actions import Context, Response
from annotate.tabs.start_page import terms_text
from annotate.tasks.service import AnnotationService

TERMS = "step-feedback-1"  # version of the texts of `TERM_KEYS`; a change asks all annotators again
TERM_KEYS = ("feedback.terms",)
_SEALED = re.compile(r"([A-Za-z0-9_-]{1,60000}={0,2})\.([0-9a-f]{32})", re.ASCII)


@dataclass(frozen=True)
class StepFeedbacks:
    """The feedback on steps in one app."""

    service: AnnotationService
    services: PageServices

    def seal(self, answer: Mapping[str, Any]) -> str | None:
        """Return the sealed data of a correction for the page to send back; None if it has no steps.

        ``answer`` has the ``model``, the ``language``, ``joints_m``, and ``steps`` by position, each with
        ``text``, ``confidence``, ``verdict`` and ``clauses``.
        """
        if not answer["steps"]:
            return None
        text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
        content = base64.urlsafe_b64encode(text.encode()).decode("ascii")
        return f"{content}.{self._mark(content)}"

    def judge(self, context: Context) -> Response:
        """Store whether a step was ``right``, or withdraw the feedback if it is null; repeated feedback is stored once.

        Raise :class:`RefusedError`: ``answer_malformed``, ``step_unknown``, ``consent_missing``, ``too_fast``, and
        ``store_…``.
        """
        annotator, store = context.annotator, self.service.store
        self.service.spend(annotator)
        right = context.action.get("right")
        if not isinstance(right, bool | None):
            raise RefusedError("answer_malformed", field="right")
        item, answer = self._unsealed(context.action.get("sealed"))
        step = context.text("step")
        if step not in answer["steps"]:
            raise RefusedError("step_unknown")
        standing = store.live(kind=StepFeedback.kind, annotator=annotator.pseudonym, item=item)
        earlier = next((event for event in standing if event.payload.aspect == step), None)
        version = self.service.app_version
        if right is None:
            if earlier is not None:
                undo = Withdrawal(earlier.id, "undo")
                store.add(new_event(undo, annotator=annotator.pseudonym, app_version=version))
            return {"outcome": "told"}
        self._demand_consent(context)
        feedback = _feedback(answer, step, right=right)
        if earlier is None or earlier.payload != feedback:
            about = {"annotator": annotator.pseudonym, "item": item, "language": answer["language"]}
            supersedes = None if earlier is None else earlier.id
            store.add(new_event(feedback, **about, app_version=version, supersedes=supersedes))
        return {"outcome": "told"}

    def _demand_consent(self, context: Context) -> None:
        """Store the consent in a request; raise :class:`RefusedError` if there is none, now or earlier."""
        if context.action.get("agrees") is True:
            page_language = context.text("page_language")
            language = page_language if page_language in self.services.scripts else ""
            read = terms_text(self.services, language, TERM_KEYS)
            self.service.agree(context.annotator, TERMS, read, language)
        elif not self.service.agreed(context.annotator, TERMS):
            raise RefusedError("consent_missing")

    def _unsealed(self, sealed: object) -> tuple[str, dict[str, Any]]:
        """Return the seal and content of a correction sealed here; raise :class:`RefusedError` for anything else."""
        match = _SEALED.fullmatch(sealed) if isinstance(sealed, str) else None
        if match is None or not hmac.compare_digest(match[2], self._mark(match[1])):
            raise RefusedError("step_unknown")
        try:
            answer: dict[str, Any] = json.loads(base64.urlsafe_b64decode(match[1]))
        except (binascii.Error, ValueError):
            raise RefusedError("step_unknown") from None
        return match[2], answer

    def _mark(self, content: str) -> str:
        return keyed(self.service.key, "spoken", content)[:32]


def _feedback(answer: Mapping[str, Any], step: str, *, right: bool) -> StepFeedback:
    """Return the record of a step of a sealed correction."""
    said = dict(answer["steps"][step])
    measured = {"clauses": said.pop("clauses"), "joints_m": answer["joints_m"]}
    return StepFeedback(right=right, step=step, model=answer["model"], measured=measured, **said)

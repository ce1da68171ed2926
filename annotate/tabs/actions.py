"""Requests of the page: the annotator, the action, and the response to an error."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotate.errors import SENTENCES, STORE_AWAY, RefusedError
from annotate.identity import Annotator
from annotate.kinds.text_checks import writing_rules
from annotate.page_services import PageServices

_log = logging.getLogger(__name__)
_MAX_NAME_CHARS = 2000  # characters of a name or an id; texts that annotators write are fields and never truncated

Action = Mapping[str, Any]
Response = dict[str, Any]


@dataclass(frozen=True)
class Context:
    """A request by ``annotator`` with the page's ``action``; ``participant`` is their id at a payment service."""

    annotator: Annotator
    action: Action
    participant: str = ""

    def text(self, name: str) -> str:
        """Return a short text of the action; empty if it has none."""
        return short_text(self.action, name)

    @property
    def spares(self) -> bool:
        """Whether to leave out pairs whose target the annotator has yet to find; false if they asked for them."""
        return self.action.get("unsparing") is not True


def short_text(action: Action, name: str) -> str:
    """Return a name or an id of an action; empty if it has none."""
    value = action.get(name)
    return value[:_MAX_NAME_CHARS] if isinstance(value, str) else ""


def refusal_response(error: RefusedError, services: PageServices) -> Response:
    """Return the response to an error: its code, and a sentence in every language.

    Errors that only the owner may see are logged.
    """
    if error.code not in SENTENCES:
        _log.error("%s", error.sentence)
        if error.code not in STORE_AWAY:
            return {"outcome": "fault"}
        error = RefusedError("store_away")
    rules = str(error.details["rules"]).split() if error.code == "rules_broken" else []
    places = writing_rules(services.rules, "").places
    broken = [services.text(f"checks.{rule}", **places.get(rule, {})) for rule in rules]
    sentence = services.refusal(error.code, **error.details)
    html = services.render("refusal.html", sentence=sentence, broken=broken)
    puzzle = {"puzzle": error.details["puzzle"]} if error.code == "proof_needed" else {}
    return {"outcome": "refused", "code": error.code, "html": html, **puzzle}

"""One press on the page: who made it, the message that came with it, and the reply where it is refused."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotate.errors import SENTENCES, STORE_AWAY, RefusedError
from annotate.identity import Annotator
from annotate.page_services import PageServices
from annotate.tabs.forms.rules import writing_rules

_log = logging.getLogger(__name__)
_MAX_NAME_CHARS = 2000  # characters of a name or an id; whatever a person writes is a field, and never cut

Action = Mapping[str, Any]
Response = dict[str, Any]


@dataclass(frozen=True)
class Context:
    """A press by an ``annotator``, with the page's ``action``; ``participant`` as whom a payment service sent them."""

    annotator: Annotator
    action: Action
    participant: str = ""

    def text(self, name: str) -> str:
        """A short text that was sent; empty where none was."""
        return short_text(self.action, name)

    @property
    def spares(self) -> bool:
        """Whether pairs are kept back that this person has yet to find; not where they asked for them all the same."""
        return self.action.get("unsparing") is not True


def short_text(action: Action, name: str) -> str:
    """A name or an id that was sent; empty where none was."""
    value = action.get(name)
    return value[:_MAX_NAME_CHARS] if isinstance(value, str) else ""


def refusal_response(error: RefusedError, services: PageServices) -> Response:
    """The reply of a refusal: a code, and a sentence in every language; what is the owner's alone goes to the log."""
    if error.code not in SENTENCES:
        _log.error("%s", error.sentence)
        if error.code not in STORE_AWAY:
            return {"outcome": "fault"}
        error = RefusedError("store_away")
    rules = str(error.details["rules"]).split() if error.code == "rules_broken" else []
    places = writing_rules(services, "").places
    broken = [services.text(f"checks.{rule}", **places.get(rule, {})) for rule in rules]
    sentence = services.refusal(error.code, **error.details)
    html = services.render("refusal.html", sentence=sentence, broken=broken)
    puzzle = {"puzzle": error.details["puzzle"]} if error.code == "proof_needed" else {}
    return {"outcome": "refused", "code": error.code, "html": html, **puzzle}

"""Refusals on the page: a code, and a sentence in every language."""

from __future__ import annotations

import logging

from annotate.errors import SENTENCES, STORE_AWAY, RefusedError
from annotate.tabs.page_services import PageServices
from annotate.tabs.rules import writing_rules

_log = logging.getLogger(__name__)


def refused(error: RefusedError, surface: PageServices) -> dict[str, object]:
    """The answer to a press that was refused; what is the owner's alone goes to the log."""
    if error.code not in SENTENCES:
        _log.error("%s", error.sentence)
        if error.code not in STORE_AWAY:
            return {"outcome": "fault"}
        error = RefusedError("store_away")
    rules = str(error.details["rules"]).split() if error.code == "rules_broken" else []
    places = writing_rules(surface, "").told
    broken = [surface.text(f"checks.{rule}", **places.get(rule, {})) for rule in rules]
    sentence = surface.refusal(error.code, **error.details)
    html = surface.render("refusal.html", sentence=sentence, broken=broken)
    puzzle = {"puzzle": error.details["puzzle"]} if error.code == "proof_needed" else {}
    return {"outcome": "refused", "code": error.code, "html": html, **puzzle}

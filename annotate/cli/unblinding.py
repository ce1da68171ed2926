"""Unblinding by the command line: who reads votes there is asked to vote no more, since nobody can be marked.

The page marks an owner who opens the results, by who they are there; a command cannot tell whose terminal it is, and
others may read what it writes. So it says so, on standard error, and records nobody.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from annotate.records.events import Event
from annotate.records.kinds import Vote


def warn_unblinding(events: Iterable[Event]) -> None:
    """Warn whoever reads the output of a command that has votes in it."""
    names = sorted({event.campaign for event in events if event.kind == Vote.kind})
    if names:
        campaigns = ", ".join(f"“{name}”" for name in names)
        print(
            f"This tells which texts people chose in {campaigns}: whoever reads it should vote there no more. "
            "The page marks owners who open its results; this command marks nobody.",
            file=sys.stderr,
        )

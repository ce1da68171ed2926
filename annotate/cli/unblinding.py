"""Unblinding on the command line: readers of votes are asked not to vote any more, since nothing is recorded.

The page marks an owner who opens the results. A command does not know who uses the terminal or reads its
output, so it warns on standard error and marks nobody.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from annotate.kinds.vote import Vote
from annotate.records.events import Event


def warn_unblinding(events: Iterable[Event]) -> None:
    """Warn the reader if the output of a command contains votes."""
    names = sorted({event.campaign for event in events if event.kind == Vote.kind})
    if names:
        campaigns = ", ".join(f"“{name}”" for name in names)
        print(
            f"This shows which texts people chose in {campaigns}. If you read it, please do not vote there any more. "
            "The page records owners who open its results; this command records nothing.",
            file=sys.stderr,
        )

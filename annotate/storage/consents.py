"""Consents: which terms a person agreed to, kept with what exactly was read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from annotate.records.events import new_event
from annotate.records.kinds import Consent
from annotate.storage.store import Store


@dataclass(frozen=True)
class Consents:
    """The consents of one store; ``time`` tells the time of records."""

    store: Store
    time: Callable[[], datetime]
    app_version: str = ""

    def agree(self, annotator: str, version: str, read: str = "", language: str = "") -> None:
        """Keep that somebody agreed to the terms of that version; ``read`` is their text as it was shown."""
        consent = Consent(version, hashlib.sha256(read.encode()).hexdigest())
        about = {"annotator": annotator, "language": language, "app_version": self.app_version}
        self.store.add(new_event(consent, time=self.time(), **about))

    def who_agreed(self, version: str) -> set[str]:
        """The pseudonyms of all who agreed to the terms of that version."""
        consents = self.store.live(kind=Consent.kind)
        return {
            event.annotator
            for event in consents
            if isinstance(event.payload, Consent) and event.payload.wording == version
        }

    def agreed(self, annotator: str, version: str) -> bool:
        """Whether somebody agreed to the terms of that version."""
        consents = self.store.live(kind=Consent.kind, annotator=annotator)
        return any(isinstance(event.payload, Consent) and event.payload.wording == version for event in consents)

"""Consents: the terms that a person agreed to, with a hash of the text that was shown."""

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
    """The consents in one store; ``time`` returns the time of new records."""

    store: Store
    time: Callable[[], datetime]
    app_version: str = ""

    def agree(self, annotator: str, version: str, read: str = "", language: str = "") -> None:
        """Store that a person agreed to a version of the terms; ``read`` is their text as it was shown."""
        consent = Consent(version, hashlib.sha256(read.encode()).hexdigest())
        about = {"annotator": annotator, "language": language, "app_version": self.app_version}
        self.store.add(new_event(consent, time=self.time(), **about))

    def who_agreed(self, version: str) -> set[str]:
        """Return the pseudonyms of all who agreed to this version of the terms."""
        consents = self.store.live(kind=Consent.kind)
        return {
            event.annotator
            for event in consents
            if isinstance(event.payload, Consent) and event.payload.wording == version
        }

    def agreed(self, annotator: str, version: str) -> bool:
        """Return whether a person agreed to this version of the terms."""
        consents = self.store.live(kind=Consent.kind, annotator=annotator)
        return any(isinstance(event.payload, Consent) and event.payload.wording == version for event in consents)

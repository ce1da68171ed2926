"""Admission of new guests: free while there is capacity, and for a proof of work when there is none.

A new guest id costs nothing, so a script could create any number and use up the capacity of others. A
puzzle takes a browser about a second, once, and asks nothing of the person's sight, hearing or movement. A
script that wants thousands of guests needs hours. The more guests arrive, the harder the puzzles are.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from annotate.errors import RefusedError
from annotate.identity import Annotator, keyed
from annotate.storage.store import Store
from annotate.tasks.admission.rate_limit import RateLimits

MIN_PUZZLE_BITS = 16  # bits: 65,000 hashes on average, 0.1 s in a browser on a computer and up to 1 s on a phone
MAX_PUZZLE_BITS = 20  # sixteen times as long
PUZZLE_SECONDS = 600.0  # seconds

_PUZZLE = re.compile(r"([0-9]{2})-([0-9a-f]{8})-([0-9a-f]{12})-([0-9a-f]{16})")
_ANSWER = re.compile(r"[0-9]{1,10}")


@dataclass
class ProofOfWork:
    """Proof-of-work puzzles, signed with ``key`` and accepted once; ``now`` returns seconds since 1970.

    The answer is a number. The SHA-256 of the puzzle, a colon and the number begins with as many zero bits as
    the puzzle says.
    """

    key: bytes = field(repr=False)
    now: Callable[[], float] = time.time
    _used: OrderedDict[str, float] = field(default_factory=OrderedDict, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def make(self, bits: int) -> str:
        """Return a new puzzle; with its answer it fits into one block of SHA-256."""
        content = f"{bits:02d}-{int(self.now() + PUZZLE_SECONDS):08x}-{secrets.token_hex(6)}"
        return f"{content}-{self._mark(content)}"

    def take(self, proof: object) -> bool:
        """Return whether ``proof`` solves a puzzle that was made here, has not expired and was not used before."""
        puzzle, answer = (proof.get("puzzle"), proof.get("answer")) if isinstance(proof, Mapping) else (None, None)
        match = _PUZZLE.fullmatch(puzzle) if isinstance(puzzle, str) else None
        if match is None or not isinstance(answer, str) or not _ANSWER.fullmatch(answer):
            return False
        bits, until = int(match[1]), int(match[2], 16)
        digest = hashlib.sha256(f"{puzzle}:{answer}".encode()).digest()
        solved = int.from_bytes(digest) >> (256 - bits) == 0
        made_here = hmac.compare_digest(match[4], self._mark(match[0].rpartition("-")[0]))
        return solved and made_here and until > self.now() and self._is_first(match[3], until)

    def _is_first(self, name: str, until: float) -> bool:
        with self._lock:
            while self._used and next(iter(self._used.values())) <= self.now():
                self._used.popitem(last=False)
            if name in self._used:
                return False
            self._used[name] = until
            return True

    def _mark(self, content: str) -> str:
        return keyed(self.key, "puzzle", content)[:16]


@dataclass(frozen=True)
class GuestAdmission:
    """The admission of guests; logins, owners and guests with records are always admitted."""

    limits: RateLimits
    store: Store
    proof_of_work: ProofOfWork

    def welcome(self, annotator: Annotator, proof: object, *, is_new: bool) -> None:
        """Admit the annotator of a request; ``is_new`` if their id was made for this request.

        Raise :class:`RefusedError`: ``proof_needed`` with a ``puzzle``, or ``too_fast``.
        """
        if annotator.via != "guest" or annotator.is_owner or self.limits.met(annotator.pseudonym):
            return
        if not is_new and self.store.counts(annotator.pseudonym):
            self.limits.recognise(annotator.pseudonym)
            return
        if proof is not None and self.proof_of_work.take(proof):
            self.limits.admit(annotator.address, proved=True)
            return
        try:
            self.limits.admit(annotator.address, proved=False)
        except RefusedError:
            crowded = self.limits.crowded(annotator.address)
            puzzle = self.proof_of_work.make(MIN_PUZZLE_BITS + round((MAX_PUZZLE_BITS - MIN_PUZZLE_BITS) * crowded))
            raise RefusedError("proof_needed", puzzle=puzzle) from None

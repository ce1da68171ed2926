"""Exceptions of the Hub's client: all that it raises for a Hub, a connection or a name that is at fault."""

from __future__ import annotations

from json import JSONDecodeError

from httpx2 import HTTPError, InvalidURL
from huggingface_hub.errors import OfflineModeIsEnabled, RevisionResolutionError

# RuntimeError: hf_xet, which carries large files. ValueError: an answer that is no JSON, as a login page on the way
# gives it, and a token that no header can hold. InvalidURL: HF_ENDPOINT. OSError: the rest, and this machine's own.
HUB_FAILURES = (HTTPError, InvalidURL, RevisionResolutionError, OSError, RuntimeError, ValueError)


def is_unanswered(error: BaseException) -> bool:
    """Whether what the client raised says that no Hub answered, and not that the client was misused."""
    of_transfer = isinstance(error, RuntimeError) and error.__cause__ is None
    return of_transfer or isinstance(
        error, HTTPError | InvalidURL | RevisionResolutionError | OfflineModeIsEnabled | JSONDecodeError | UnicodeError
    )

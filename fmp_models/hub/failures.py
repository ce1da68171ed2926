"""Exceptions of the Hub's client for a faulty Hub, connection or name."""

from __future__ import annotations

from json import JSONDecodeError

from httpx2 import HTTPError, InvalidURL
from huggingface_hub.errors import OfflineModeIsEnabled, RevisionResolutionError

# RuntimeError: from hf_xet, which transfers large files. ValueError: a response that is not JSON, such as a login page
# on the network, and a token invalid in a header. InvalidURL: HF_ENDPOINT. OSError: other failures and local ones.
HUB_FAILURES = (HTTPError, InvalidURL, RevisionResolutionError, OSError, RuntimeError, ValueError)


def is_unanswered(error: BaseException) -> bool:
    """Return whether the exception means that no Hub answered, not that the client was misused."""
    of_transfer = isinstance(error, RuntimeError) and error.__cause__ is None
    return of_transfer or isinstance(
        error, HTTPError | InvalidURL | RevisionResolutionError | OfflineModeIsEnabled | JSONDecodeError | UnicodeError
    )

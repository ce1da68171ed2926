"""Person boxes of a campaign's pictures, handed to the room of annotation; each picture is looked at once."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable

from annotate.photos.person_square import SeenPerson
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PoseEstimator, estimate_if_seen
from fmp_models.preprocessing.photograph import read_photograph

_log = logging.getLogger(__name__)

_REMEMBERED = 20_000  # pictures; a box is some hundred bytes, and takes up to a fifth of a second to find


def person_finder(estimator: PoseEstimator) -> Callable[[bytes], SeenPerson | None]:
    """A finder of the largest person of a JPEG file; it gives None where nobody is seen.

    One picture is looked at at a time: whoever asks for another one meanwhile is told None at once, and may ask again.
    """
    known: OrderedDict[bytes, SeenPerson | None] = OrderedDict()
    lock, looking = threading.Lock(), threading.Lock()

    def find(picture: bytes) -> SeenPerson | None:
        name = hashlib.sha256(picture).digest()
        with lock:
            if name in known:
                return known[name]
        # A page is shown with its whole pictures sooner than it waits for those of other pages.
        if not looking.acquire(blocking=False):
            return None
        try:
            person = _look(estimator, picture)
        finally:
            looking.release()
        with lock:
            known[name] = person
            while len(known) > _REMEMBERED:
                known.popitem(last=False)
        return person

    return find


def _look(estimator: PoseEstimator, picture: bytes) -> SeenPerson | None:
    try:
        photograph = read_photograph(picture)
        estimate = estimate_if_seen(estimator, photograph)
    except BadInputError:
        return None
    except Exception:  # noqa: BLE001 - logged; where the person is only decorates a page, which is shown all the same
        _log.exception("a picture could not be looked at")
        return None
    return None if estimate is None else SeenPerson(photograph.image.size, estimate.box)

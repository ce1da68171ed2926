"""Person boxes in the pictures of a campaign, for the annotation package; each picture is estimated once."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable

from annotate.photos import SeenPerson
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PoseEstimator, estimate_if_seen
from fmp_models.preprocessing.photograph import read_photograph

_log = logging.getLogger(__name__)

_REMEMBERED = 20_000  # pictures; a box takes a few hundred bytes and up to a fifth of a second to find


def person_finder(estimator: PoseEstimator) -> Callable[[bytes], SeenPerson | None]:
    """Return a function that finds the largest person in a JPEG file, or None if there is none.

    It processes one picture at a time. A concurrent call for another picture returns None at once and may be repeated.
    """
    known: OrderedDict[bytes, SeenPerson | None] = OrderedDict()
    lock, looking = threading.Lock(), threading.Lock()

    def find(picture: bytes) -> SeenPerson | None:
        name = hashlib.sha256(picture).digest()
        with lock:
            if name in known:
                return known[name]
        # A page shows whole pictures rather than wait for the pictures of other pages.
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
        _log.exception("a picture could not be checked")
        return None
    return None if estimate is None else SeenPerson(photograph.image.size, estimate.box)

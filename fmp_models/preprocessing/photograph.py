"""A photograph as the models are given it: what is wrong with it is bad input."""

from __future__ import annotations

from dataclasses import dataclass

from PIL import Image

from fmp_models.common.decoding_budget import DecodingBudget
from fmp_models.common.hostile_photograph import read_pixels
from fmp_models.common.refusals import PhotographError
from fmp_models.errors import BadInputError


@dataclass(frozen=True)
class Photograph:
    """``image``: RGB, upright, longest side at most ``MAX_SIDE`` pixels, without any metadata."""

    image: Image.Image


def read_photograph(data: bytes, budget: DecodingBudget | None = None) -> Photograph:
    """Check and decode one uploaded file; the photographs of one request share a ``budget``.

    Raise :class:`BadInputError` with the codes of :func:`fmp_models.common.hostile_photograph.read_pixels`.
    """
    try:
        return Photograph(read_pixels(data, budget or DecodingBudget()))
    except PhotographError as error:
        raise BadInputError(error.code, **error.details) from None

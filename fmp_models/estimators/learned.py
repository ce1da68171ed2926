"""This project's own estimator: photograph -> joints by a network that expects a person in the middle of a square.

The person has to be found first. The network processes squares all over the photograph, the widest first. The
square with the sharpest heat maps shows most of a person, and its joints define the next, closer square, as in
training. If the heat maps stay blurred there is no person, and the search continues with smaller squares.

Limitations: it measures one person, the widest that it sees clearly, and never counts more. It does not find a
person much smaller than a third of the photograph's shorter side. It was trained on simulated people only.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PoseEstimate, estimate_of
from fmp_models.pose import Array
from fmp_models.preprocessing import PERSON, PersonCrop, Photograph, cut

if TYPE_CHECKING:  # all of them load torch or the Hub's client, which takes seconds
    from fmp_models.hub import LoadedModel, ModelFolder
    from fmp_models.networks import PoseNetwork

_SIDES = (1.0, 0.7, 0.5)  # sides of the searched squares, as shares of the photograph's shorter side
_MAX_STEPS = 6  # maximum steps of half a square; on longer strips the squares are wider apart
_BATCH = 16
_ZOOMS = (PERSON - 0.15, PERSON, PERSON + 0.25)  # zooms of the last squares, spread as in training
# Maximum mean heat-map spread of a person in the close look, after squares of each of _SIDES; and maximum mean
# of this and the previous spread, which furniture seldom passes. Measured on people and on empty rooms. Of many small
# squares a lamp is sometimes mistaken for a person, so later squares have a stricter limit.
_SPREADS = (0.221, 0.212, 0.203)
_SPREAD_OF_BOTH = 0.2375
# Distance in metres of the last looks at a joint at which it is within 15 cm of the truth with probability 1/2; and
# the slope of that probability; measured on the simulator's validation rooms.
_UNSTEADY, _STEEP = 0.08, 2.1
_HIDDEN = 0.1  # visibility below which a joint is hidden; above it a joint may still be uncertain


class LearnedEstimator:
    """This project's network on the CPU, loaded at first use; thread-safe."""

    def __init__(self, model: str | ModelFolder | LoadedModel[PoseNetwork]) -> None:
        """Create an estimator from a reference, which is resolved now and loaded later, or from a loaded model.

        Raise the errors of :func:`fmp_models.hub.references.resolve_model`.
        """
        from fmp_models.hub import ModelFolder, resolve_model  # noqa: PLC0415  the Hub's client is slow to import

        self._network: PoseNetwork | None = None
        if isinstance(model, (str, ModelFolder)):
            self._folder = resolve_model(model) if isinstance(model, str) else model
        else:
            self._folder, self._network = model.folder, model.network
        self._lock = threading.Lock()  # so that concurrent first requests load it once
        self.name = f"learned/{self._folder.id}@{self._folder.revision[:8]}"

    def load(self) -> PoseNetwork:
        """Load the network if it is not loaded yet; raise the errors of ``load_estimator``."""
        from fmp_models.hub import load_estimator  # noqa: PLC0415  torch takes seconds

        with self._lock:
            if self._network is None:
                self._network = load_estimator(self._folder).network
            return self._network

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        """Measure the one person.

        Raise :class:`BadInputError`: ``no_person``, ``body_hidden`` (the trunk or half of the limbs are not visible),
        and the errors of ``load``. The first two name the photograph as "given"; a caller with two photographs
        replaces that.
        """
        image = photograph.image
        person = _widest_person(self.load(), image)
        if person is None:
            raise BadInputError("no_person", which="given")
        left, top = person.pixels.min(axis=0).tolist()
        right, bottom = person.pixels.max(axis=0).tolist()
        box = (left, top, right, bottom)
        return estimate_of(
            person.metres, person.pixels, person.visibility, box, image.size, looks=person.looks, seen=_HIDDEN
        )


@dataclass(frozen=True)
class _CropPrediction:
    """The joints seen in one square, or their average over several."""

    pixels: Array  # (20, 2) of the photograph
    metres: Array  # (20, 3)
    visibility: Array  # (20,)
    spread: float  # mean spread of the heat maps, as share of the square
    looks: Array  # (k, 20, 3) metres; ``metres`` is their mean


def _widest_person(network: PoseNetwork, image: Image.Image) -> _CropPrediction | None:
    """Return the widest person that passes the thresholds, in a close look; None without one."""
    for squares, widest in zip(_searched(image.size), _SPREADS, strict=True):
        first = min(_looks(network, image, squares), key=lambda look: look.spread)
        (closer,) = _looks(network, image, [PersonCrop.around(first.pixels, PERSON)])
        if closer.spread <= widest and first.spread + closer.spread <= 2 * _SPREAD_OF_BOTH:
            last = [PersonCrop.around(closer.pixels, zoom) for zoom in _ZOOMS]
            return _looks(network, image, last, together=True)[0]
    return None


def _looks(
    network: PoseNetwork, image: Image.Image, squares: Sequence[PersonCrop], *, together: bool = False
) -> list[_CropPrediction]:
    """Return the look at each square, or one look at all of them ``together`` if they show one person."""
    import torch  # noqa: PLC0415

    from fmp_models.networks import as_images  # noqa: PLC0415

    pixels: list[Array] = []
    metres: list[Array] = []
    spread: list[Array] = []
    for begin in range(0, len(squares), _BATCH):
        some = squares[begin : begin + _BATCH]
        crops = np.stack([cut(image, square, network.config.side) for square in some])
        with torch.inference_mode():
            network_looks = network.looks(as_images(torch.from_numpy(crops)))
        # Axes: squares, plain and mirrored look at each, joints, coordinates.
        places = torch.stack([look.places for look in network_looks], dim=1).double().numpy()
        pixels += [square.pixels(of_square).astype(np.float64) for square, of_square in zip(some, places, strict=True)]
        metres += list(torch.stack([look.metres for look in network_looks], dim=1).double().numpy())
        spread += list(torch.stack([look.spread for look in network_looks], dim=1).double().numpy())
    if together:
        pixels, metres, spread = ([np.concatenate(of_squares)] for of_squares in (pixels, metres, spread))
    return [_agreed(*looks) for looks in zip(pixels, metres, spread, strict=True)]


def _agreed(pixels: Array, metres: Array, spread: Array) -> _CropPrediction:
    """Return the mean of looks (k, 20, ...) at one person; joints on which they differ get a low visibility."""
    middle = metres.mean(axis=0)
    apart = np.sqrt(np.square(metres - middle).sum(axis=-1).mean(axis=0))
    return _CropPrediction(
        pixels=pixels.mean(axis=0),
        metres=middle,
        visibility=1 / (1 + (apart / _UNSTEADY) ** _STEEP),
        spread=float(spread.mean()),
        looks=metres,
    )


def _searched(size: tuple[int, int]) -> Iterator[list[PersonCrop]]:
    """Yield the squares to search, the widest first: the whole photograph, then smaller ones that half overlap."""
    width, height = size
    for share in _SIDES:
        side = share * min(size)
        rows, columns = _starts(height, side), _starts(width, side)
        squares = [PersonCrop(left, top, side) for top in rows for left in columns]
        yield [PersonCrop.of_whole(width, height), *squares] if share == max(_SIDES) else squares


def _starts(length: int, side: float) -> list[float]:
    """Return the starts of squares of this side that cover a length and half overlap."""
    steps = min(math.ceil(2 * (length - side) / side), _MAX_STEPS)
    return [float(start) for start in np.linspace(0, length - side, steps + 1)]

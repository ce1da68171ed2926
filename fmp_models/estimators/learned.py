"""Our own estimator, photograph -> joints by a network that knows nothing but a person in the middle of a square.

So the person has to be found first. The network looks at squares all over the photograph, the widest first; the square
where its heat maps are sharpest shows most of a person, and the joints it saw there make the next, closer square, as
in training. Where the heat maps stay blurred nobody is there, and the search goes on with smaller squares.

What it cannot do: it follows one person, the widest that it sees clearly, and never counts more; someone much smaller
than a third of the photograph's shorter side is not found. It learned from simulated people only.
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
from fmp_models.preprocessing.person_crop import PERSON, PersonCrop, cut
from fmp_models.preprocessing.photograph import Photograph

if TYPE_CHECKING:  # all of them stand on torch or on the Hub's client, which cost seconds
    from fmp_models.hub.models import LoadedModel
    from fmp_models.hub.references import ModelFolder
    from fmp_models.networks.estimating.pose_network import PoseNetwork

_SIDES = (1.0, 0.7, 0.5)  # of the squares that are searched, in shares of the photograph's shorter side
_MAX_STEPS = 6  # squares side by side; nobody is looked for in longer strips
_BATCH = 16
_ZOOMS = (PERSON - 0.15, PERSON, PERSON + 0.25)  # of the last squares, as wide apart as those of training
# Widest heat maps, on average, of what is a person, seen closely after squares of each of _SIDES; and, of the mean of
# that and of the look before, which furniture seldom passes too. Measured on people and on empty rooms. Among so many
# small squares one takes a lamp for a person now and then, so what is found late must be clearer.
_SPREADS = (0.221, 0.212, 0.203)
_SPREAD_OF_BOTH = 0.2375
# Metres that the last looks at a joint lie apart when it is as likely as not to be right, within 15 cm, and how steeply
# that falls; measured on the simulator's rooms for validation.
_UNSTEADY, _STEEP = 0.08, 2.1
_HIDDEN = 0.1  # visibility below which a joint is hidden: others are only doubtful


class LearnedEstimator:
    """Our own network on the CPU, read at first use; safe to share between threads."""

    def __init__(self, model: str | ModelFolder | LoadedModel[PoseNetwork]) -> None:
        """``model``: what ``resolve`` takes, found now and read later, or an estimator that is loaded already.

        Raise what :func:`fmp_models.hub.references.resolve` does.
        """
        from fmp_models.hub.references import ModelFolder, resolve  # noqa: PLC0415  the Hub's client is slow to import

        self._network: PoseNetwork | None = None
        if isinstance(model, (str, ModelFolder)):
            self._folder = resolve(model) if isinstance(model, str) else model
        else:
            self._folder, self._network = model.folder, model.network
        self._lock = threading.Lock()  # so that the first visitors do not all read it
        self.name = f"learned/{self._folder.id}@{self._folder.revision[:8]}"

    def load(self) -> PoseNetwork:
        """Read the network now, if it is not read yet; raise what ``load_estimator`` does."""
        from fmp_models.hub.models import load_estimator  # noqa: PLC0415  torch takes seconds

        with self._lock:
            if self._network is None:
                self._network = load_estimator(self._folder).network
            return self._network

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        """Measure the one person.

        Raise :class:`BadInputError`: ``no_person``, ``body_hidden`` (the trunk or half of the limbs cannot be seen),
        and what ``load`` does. The first two say "given" for which photograph; a caller that has two knows better.
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
    """What is seen of a person in one square, or on average in several."""

    pixels: Array  # (20, 2) of the photograph
    metres: Array  # (20, 3)
    visibility: Array  # (20,)
    spread: float  # of the heat maps, on average, in shares of the square
    looks: Array  # (k, 20, 3) metres, of which ``metres`` is the mean


def _widest_person(network: PoseNetwork, image: Image.Image) -> _CropPrediction | None:
    """The widest person that is clearly one, seen closely."""
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
    """What is seen in each of the squares, or in all of them ``together`` if they show one person."""
    import torch  # noqa: PLC0415

    from fmp_models.networks.backbones.backbone import as_images  # noqa: PLC0415

    pixels: list[Array] = []
    metres: list[Array] = []
    spread: list[Array] = []
    for begin in range(0, len(squares), _BATCH):
        some = squares[begin : begin + _BATCH]
        crops = np.stack([cut(image, square, network.config.side) for square in some])
        with torch.inference_mode():
            network_looks = network.looks(as_images(torch.from_numpy(crops)))
        # Squares, then the plain and the mirrored look at each, joints, axes.
        places = torch.stack([look.places for look in network_looks], dim=1).double().numpy()
        pixels += [square.pixels(of_square).astype(np.float64) for square, of_square in zip(some, places, strict=True)]
        metres += list(torch.stack([look.metres for look in network_looks], dim=1).double().numpy())
        spread += list(torch.stack([look.spread for look in network_looks], dim=1).double().numpy())
    if together:
        pixels, metres, spread = ([np.concatenate(of_squares)] for of_squares in (pixels, metres, spread))
    return [_agreed(*looks) for looks in zip(pixels, metres, spread, strict=True)]


def _agreed(pixels: Array, metres: Array, spread: Array) -> _CropPrediction:
    """The mean of looks (k, 20, ...) at one person; joints that they place apart are hardly seen."""
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
    """Squares to look at, the widest first: the whole photograph, then ever smaller ones that half overlap."""
    width, height = size
    for share in _SIDES:
        side = share * min(size)
        rows, columns = _starts(height, side), _starts(width, side)
        squares = [PersonCrop(left, top, side) for top in rows for left in columns]
        yield [PersonCrop.of_whole(width, height), *squares] if share == max(_SIDES) else squares


def _starts(length: int, side: float) -> list[float]:
    """Where squares of this side begin that cover a length and half overlap."""
    steps = min(math.ceil(2 * (length - side) / side), _MAX_STEPS)
    return [float(start) for start in np.linspace(0, length - side, steps + 1)]

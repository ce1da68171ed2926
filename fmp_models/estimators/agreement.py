"""Agreement of several looks at one person: the majority's body, and the limbs that the looks disagree on.

A look is one run of the pose model on one crop. Looks at one photograph can show two bodies: a lifted leg as
the left or as the right one. Their mean would be a body that no look shows, so the looks are divided into
modes and averaged within one mode. A limb is disputed if many looks contradict the mode.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fmp_models.estimators.base import TRUNK, Box, Head
from fmp_models.estimators.landmark_joints import FoundPerson
from fmp_models.pose import BODY_SIDES, INDEX, Array

ALIKE = 0.2  # maximum mean joint distance in metres between two looks at one body
LIMB_RADIUS = 0.25  # metres from the middle of a mode; two places half a metre apart are two modes
_CLEAR_SHARE = 0.7  # minimum share of the clearest look's clarity
MIN_SUPPORT = 0.6  # minimum share of looks that place a joint where the mode does

_CHAINS = (("elbow", "wrist", "hand"), ("knee", "ankle", "foot"))  # outwards along a limb
_PAIRS = [[[INDEX[f"{side}_{part}"] for part in chain] for side in BODY_SIDES] for chain in _CHAINS]


def same_body(looks: Sequence[FoundPerson]) -> list[FoundPerson]:
    """Return the looks that show the majority's body, even if left and right of an arm or leg pair are swapped."""
    if not looks:
        return []
    metres, clarities = _metres(looks), np.array([look.clarity for look in looks])
    alike = _distances_of_bodies(metres[:, None], metres) < ALIKE
    return [looks[index] for index in _largest_set(alike, clarities)]


def agreed(looks: Sequence[FoundPerson]) -> FoundPerson:
    """Return the mean of the looks at one body; for arms and legs, the mean of the mode with most looks.

    Both limbs of a pair come from the same mode, so that the same leg is not lifted twice.
    """
    metres, clarities = _metres(looks), np.array([look.clarity for look in looks])
    alike = np.linalg.norm(metres[:, None] - metres, axis=-1).mean(axis=-1) < ALIKE
    body = _largest_set(alike, clarities)
    modes = [(list(range(metres.shape[1])), body)]
    for pair in _PAIRS:
        joints = [joint for limb in pair for joint in limb]
        limbs = metres[np.ix_(body, joints)]
        # Plain and mirrored looks err to opposite sides, so a mode's middle may lie between two looks.
        middles = (limbs[:, None] + limbs)[np.triu_indices(len(body))] / 2
        near = np.linalg.norm(middles[:, None] - limbs, axis=-1).max(axis=-1) < LIMB_RADIUS
        modes.append((joints, [body[index] for index in _largest_set(near, clarities[body])]))
    pixels, places, visibility = (
        _mean_of_modes(np.array([getattr(look, name) for look in looks]), modes)
        for name in ("pixels", "metres", "visibility")
    )
    left, top, right, bottom = np.mean([looks[index].box for index in body], axis=0)
    return FoundPerson(pixels, places, visibility, (float(left), float(top), float(right), float(bottom)))


def clear_looks(looks: Sequence[FoundPerson]) -> list[FoundPerson]:
    """Return the looks about as clear as the clearest one; the other looks show things that are not there."""
    least = _CLEAR_SHARE * max(look.clarity for look in looks)
    return [look for look in looks if look.clarity >= least]


def disputed_joints(looks: Sequence[FoundPerson]) -> NDArray[np.bool_]:
    """Return which joints (20,) are disputed: too few looks place them, or a joint nearer the trunk, as the mode does.

    Only positions along the picture count: depth is uncertain in every look, which the pose samples express.
    """
    distances = np.linalg.norm((_metres(looks) - agreed(looks).metres)[..., :2], axis=-1)
    disputed = (distances < LIMB_RADIUS).mean(axis=0) < MIN_SUPPORT
    result = np.zeros(len(disputed), dtype=bool)
    for limb in (limb for pair in _PAIRS for limb in pair):
        result[limb] = np.logical_or.accumulate(disputed[limb])
    return result


def other_heads(person: FoundPerson, seen: Sequence[FoundPerson]) -> tuple[Head, ...]:
    """Return each head except the person's own, even if uncertain: people who hold each other can share a trunk."""
    heads = [person.head]
    for x, y, radius in (look.head for look in seen):
        if all(math.dist((x, y), known[:2]) > max(radius, known[2]) / 2 for known in heads):
            heads.append((x, y, radius))
    return tuple(heads[1:])


def clearest_within(box: Box, people: Sequence[FoundPerson]) -> FoundPerson | None:
    """Return the clearest of ``people`` whose trunk lies in the box."""
    left, top, right, bottom = box

    def there(person: FoundPerson) -> bool:
        x, y = person.pixels[TRUNK].mean(axis=0)
        return bool(left <= x <= right and top <= y <= bottom)

    return max((person for person in people if there(person)), key=lambda person: person.clarity, default=None)


def looks_at_one(person: FoundPerson, every: Sequence[Sequence[FoundPerson]]) -> list[FoundPerson]:
    """Return the person in each look that shows them.

    If fewer than half of the looks do, return the person that most looks show at that place instead.
    """
    looks = [look for seen in every if (look := _same_person(person, seen)) is not None]
    if 2 * len(looks) < len(every):
        (left, top, right, bottom) = person.box
        middle = (left + right) / 2, (top + bottom) / 2
        for other in itertools.chain(*every):
            left, top, right, bottom = other.box
            if left <= middle[0] <= right and top <= middle[1] <= bottom:
                others = [look for seen in every if (look := _same_person(other, seen)) is not None]
                looks = max(looks, others, key=len)
    return looks


def _same_person(person: FoundPerson, people: Sequence[FoundPerson]) -> FoundPerson | None:
    """Return the clearest of ``people`` that is the same person as ``person``."""
    return max((look for look in people if look.is_same(person)), key=lambda look: look.clarity, default=None)


def _metres(looks: Sequence[FoundPerson]) -> Array:
    return np.array([look.metres for look in looks])


def _largest_set(near: NDArray[np.bool_], clarities: Array) -> list[int]:
    """Return the largest set of looks that are ``near`` (sets, looks) a common middle; of equal sets the clearest."""
    largest = max(near, key=lambda looks: (int(looks.sum()), float(clarities[looks].sum())))
    return np.flatnonzero(largest).tolist()


def _mean_of_modes(values: Array, modes: Sequence[tuple[list[int], list[int]]]) -> Array:
    """Return means of ``values`` (looks, joints, ...) over looks; later modes override earlier ones."""
    means = values.mean(axis=0)
    for joints, looks in modes:
        means[joints] = values[np.ix_(looks, joints)].mean(axis=0)
    return np.asarray(means)


def _distances_of_bodies(bodies: Array, others: Array) -> Array:
    """Return mean joint distances (...,) in metres; left and right of a limb pair may be swapped."""
    distances = np.linalg.norm(bodies - others, axis=-1)
    for left, right in _PAIRS:
        joints, exchanged_joints = [*left, *right], [*right, *left]
        exchanged = np.linalg.norm(bodies[..., exchanged_joints, :] - others[..., joints, :], axis=-1)
        nearer = exchanged.mean(axis=-1) < distances[..., joints].mean(axis=-1)
        distances[..., joints] = np.where(nearer[..., None], exchanged, distances[..., joints])
    return np.asarray(distances.mean(axis=-1))

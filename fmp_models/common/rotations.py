"""Rotation matrices by Rodrigues' formula."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

CROSS_PRODUCT: Array = np.zeros((3, 3, 3))  # (a x b)_i = sum over j, k of CROSS_PRODUCT[i, j, k] a_j b_k
for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    CROSS_PRODUCT[_i, _j, _k], CROSS_PRODUCT[_i, _k, _j] = 1.0, -1.0


def rotations(vectors: Array) -> Array:
    """Return the rotation matrices (n, 3, 3) of rotation vectors (n, 3) in radians, by Rodrigues' formula.

    The results equal SciPy's; importing SciPy would add a tenth to the start time.
    """
    angles = np.linalg.norm(vectors, axis=-1)[:, None, None]
    skew = np.einsum("ijk,nj->nik", CROSS_PRODUCT, vectors)
    first = np.sinc(angles / np.pi)
    second = np.sinc(angles / (2 * np.pi)) ** 2 / 2
    return np.asarray(np.eye(3) + first * skew + second * (skew @ skew))

"""Points bound to the bones of a resting body, and posed in milliseconds by linear blend skinning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from fmp_models.pose import Array
from fmp_models.sim.people.posing import Skeleton

Floats = NDArray[np.float32]
FAINT = 0.002  # smaller weights are dropped: they move a point by less than a millimetre


@dataclass(frozen=True)
class Binding:
    """Resting points and normals (V, 3) of a body, and sparse weights (V, bones), each row summing to one."""

    skeleton: Skeleton
    points: Floats
    normals: Floats
    weights: csr_matrix

    def carry(self, rotations: Array, heads: Array) -> tuple[Floats, Floats]:
        """Return points and normals (V, 3) for bones with ``rotations`` (bones, 3, 3) and ``heads`` (bones, 3)."""
        shifts = heads - np.einsum("bij,bj->bi", rotations, self.skeleton.heads)
        transforms = np.concatenate([rotations, shifts[:, :, None]], axis=2).reshape(len(heads), 12)
        blended = (self.weights @ transforms.astype(np.float32)).reshape(-1, 3, 4)
        turns = blended[:, :, :3]
        points = np.einsum("vij,vj->vi", turns, self.points) + blended[:, :, 3]
        normals = np.einsum("vij,vj->vi", turns, self.normals)
        normals /= np.sqrt(np.einsum("vi,vi->v", normals, normals))[:, None]
        return points, normals


def bind(skeleton: Skeleton, points: Array, normals: Array, weights: Floats) -> Binding:
    """Bind points (V, 3) of a resting body with weights (V, bones)."""
    shares = np.where(weights < FAINT, 0, weights).astype(np.float32)
    sparse = csr_matrix(shares / shares.sum(axis=1, keepdims=True))
    return Binding(skeleton, points.astype(np.float32), normals.astype(np.float32), sparse)


def spread(weights: Floats, triangles: NDArray[np.int64], passes: int, share: Array) -> Floats:
    """Return weights (V, bones) averaged with mesh neighbours ``passes`` times, each point by its ``share`` (V,)."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    edges = np.unique(np.concatenate([edges, edges[:, ::-1]]), axis=0)
    often = np.bincount(edges[:, 0], minlength=len(weights))
    mean = csr_matrix((1 / often[edges[:, 0]], (edges[:, 0], edges[:, 1])), shape=(len(weights), len(weights)))
    evened = weights.astype(np.float64)
    for _ in range(passes):
        evened += share[:, None] * (mean @ evened - evened)
    return evened.astype(np.float32)


def bone_heads(skeleton: Skeleton, rotations: Array) -> Array:
    """Return the heads (bones, 3) of rotated bones in metres, with the root at the origin."""
    parents = np.array(skeleton.parents)
    steps = np.einsum("bij,bj->bi", rotations[parents], skeleton.heads - skeleton.heads[parents])
    heads = np.zeros_like(steps)
    for bone, parent in enumerate(skeleton.parents):
        if parent >= 0:
            heads[bone] = heads[parent] + steps[bone]
    return np.asarray(heads)

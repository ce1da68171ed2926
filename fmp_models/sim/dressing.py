"""Dressing of a character: dressed once at rest, then placed in a room in any pose in milliseconds.

Points are bound to the bones of the resting body, and posed by linear blend skinning.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from fmp_models.pose import INDEX, JOINTS, Array
from fmp_models.sim.body import BONES, Body, at_rest, faces, mask
from fmp_models.sim.characters import Character
from fmp_models.sim.clothes import (
    bottoms_field,
    covered,
    shoe_field,
    shoemaker,
    tailor_bottoms,
    tailor_top,
    top_field,
)
from fmp_models.sim.head import Detail, eyes, hair, skin
from fmp_models.sim.light import Surface
from fmp_models.sim.posing import SIDES, BodyPose, Skeleton

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


HEAD = Detail(skin=0, eyes=2, hair=4, along=16, round=16)  # a person is 150 pixels tall in a room
CLOTH_ROUNDS = 1  # of subdivision: triangles of a centimetre, a pixel or two
CROTCH_DROP, CROTCH_RADIUS = 0.10, 0.09  # metres below the hip joints, and radius in metres
CROTCH_PASSES = 40
WORDS = {"L": "left", "R": "right"}
LIMBS = {
    "shoulder": "upperarm01",
    "elbow": "lowerarm01",
    "wrist": "wrist",
    "hip": "upperleg01",
    "knee": "lowerleg01",
    "ankle": "foot",
}
KNUCKLES = ("finger2-1", "finger5-1")
NECK_SHARE = 0.2  # of the way from the shoulder line to the ears
MOSTLY = 0.5  # share above which a vertex belongs to the head, or to the ears


@dataclass(frozen=True)
class PlacedBody:
    """A person in a room: points and normals (V, 3), joints (20, 3) in the order of ``pose.JOINTS``, world metres."""

    points: Floats
    normals: Floats
    joints: Array


class DressedBody:
    """A clothed character, bound to its bones.

    ``triangles`` (F, 3) are point indices, ``colours`` (V, 3) sRGB, 0 to 1, ``gloss`` is (V,). ``arm_length`` and
    ``leg_length`` are metres from shoulder to wrist and from hip to ankle.
    """

    def __init__(self, character: Character) -> None:
        body = at_rest(character.build)
        worn = _wear(body, character)
        meshes = [surface.mesh for surface in worn]
        counts = [mesh.n_points for mesh in meshes]
        firsts = np.cumsum([0, *counts[:-1]])
        points = np.concatenate([np.asarray(mesh.points) for mesh in meshes])
        normals = np.concatenate([np.asarray(mesh.point_data["Normals"]) for mesh in meshes])
        weights = np.concatenate([np.asarray(mesh.point_data[BONES]) for mesh in meshes])
        self.triangles: NDArray[np.int64] = np.concatenate(
            [np.asarray(mesh.regular_faces) + first for mesh, first in zip(meshes, firsts, strict=True)]
        )
        self.colours = np.concatenate([_colours(surface) for surface in worn])
        self.gloss = np.repeat([surface.gloss for surface in worn], counts)
        self.leg_length = _chain(body.skeleton, "upperleg01", "lowerleg01", "foot")
        self.arm_length = _chain(body.skeleton, "upperarm01", "lowerarm01", "wrist")
        self.skeleton = body.skeleton
        self._binding = bind(body.skeleton, points, normals, weights)
        self._ears, self._toes = ears_of(body), toes_of(body)
        self._ankle_height = float(body.skeleton.at("foot.L")[2] - points[:, 2].min())

    def place(self, pose: BodyPose, at: tuple[float, float]) -> PlacedBody:
        """Return the body in a pose, with flat soles on the floor; ``at`` is below its unshifted mid-hip.

        Raises ``ValueError``, as posing does, when a limb cannot reach its goal.
        """
        rotations = self.skeleton.pose(pose)
        heads = bone_heads(self.skeleton, rotations)
        heads += self._origin(pose, heads, at)
        points, normals = self._binding.carry(rotations, heads)
        return PlacedBody(points, normals, self._joints(rotations, heads))

    def rest(self, rotations: Array, root: tuple[float, float], lowest: float = 0.0) -> PlacedBody:
        """Return the body with rotations (bones, 3, 3), the root above ``root``, and the lowest point at ``lowest``."""
        heads = bone_heads(self.skeleton, rotations)
        points, normals = self._binding.carry(rotations, heads)
        shift = np.array([*root, lowest - float(points[:, 2].min())])
        return PlacedBody(points + shift.astype(np.float32), normals, self._joints(rotations, heads + shift))

    def _origin(self, pose: BodyPose, heads: Array, at: tuple[float, float]) -> Array:
        """Return the position (3,) of the root.

        Posing measures ankles from the root, minus the shift of the hips, and heights from the hip joints. This
        compensates for both, so that a planted ankle stays in place however hips and trunk move.
        """
        left, forward = np.multiply(pose.hip_shift, self.leg_length)
        cosine, sine = np.cos(np.radians(pose.heading)), np.sin(np.radians(pose.heading))
        hips = (self._at(heads, "upperleg01.L") + self._at(heads, "upperleg01.R"))[2] / 2
        height = pose.hip_height * self.leg_length + self._ankle_height - hips
        return np.array([at[0] + cosine * left + sine * forward, at[1] + sine * left - cosine * forward, height])

    def _at(self, heads: Array, bone: str) -> Array:
        return np.asarray(heads[self.skeleton.names.index(bone)])

    def _joints(self, rotations: Array, heads: Array) -> Array:
        """Return the joints as pose estimators define them (``estimators.landmarks.JOINT_SOURCES``)."""

        def moved(bone: str, mark: Array) -> Array:
            index = self.skeleton.names.index(bone)
            return np.asarray(heads[index] + rotations[index] @ (mark - self.skeleton.heads[index]))

        places: dict[str, Array] = {}
        for side, word in WORDS.items():
            for joint, bone in LIMBS.items():
                places[f"{word}_{joint}"] = self._at(heads, f"{bone}.{side}")
            places[f"{word}_hand"] = np.mean([self._at(heads, f"{bone}.{side}") for bone in KNUCKLES], axis=0)
            places[f"{word}_foot"] = moved(f"foot.{side}", self._toes[side])
        shoulders = (places["left_shoulder"] + places["right_shoulder"]) / 2
        places["hip"] = (places["left_hip"] + places["right_hip"]) / 2
        places["spine"] = (places["hip"] + shoulders) / 2
        places["head"] = moved("head", self._ears)
        places["neck"] = shoulders + NECK_SHARE * (places["head"] - shoulders)
        joints = np.zeros((len(JOINTS), 3))
        for joint, place in places.items():
            joints[INDEX[joint]] = place
        return joints


def dress(character: Character) -> DressedBody:
    """Dress a character; takes a second, so call it once."""
    return DressedBody(character)


def _wear(body: Body, character: Character) -> list[Surface]:
    top, bottoms, looks = character.top, character.bottoms, character.looks
    fields = [top_field(body, top), bottoms_field(body, bottoms)]
    worn = [_span_legs(body, tailor_bottoms(body, bottoms, CLOTH_ROUNDS)), tailor_top(body, top, CLOTH_ROUNDS)]
    if character.shoes:
        worn += shoemaker(body, character.shoes, CLOTH_ROUNDS)
        fields.append(shoe_field(body))
    hidden = covered(body, fields)
    return [*worn, skin(body, looks, hidden, HEAD), *eyes(body, looks, HEAD), *hair(body, looks, HEAD)]


def _span_legs(body: Body, bottoms: Surface) -> Surface:
    """Bind cloth between the legs to both thighs; bound to the trunk alone it would hang out below a squat."""
    mesh = bottoms.mesh
    x, _, z = np.asarray(mesh.points).T
    away = np.hypot(x, z - body.skeleton.at("upperleg01.L")[2] + CROTCH_DROP)
    share = np.clip(1.5 - away / CROTCH_RADIUS, 0, 1)
    triangles = np.asarray(mesh.regular_faces, dtype=np.int64)
    mesh.point_data[BONES] = spread(np.asarray(mesh.point_data[BONES]), triangles, CROTCH_PASSES, share)
    return bottoms


def _colours(surface: Surface) -> Array:
    if callable(surface.colour):
        raise TypeError("worn surfaces need vertex colours, not a colour function")
    return np.asarray(np.broadcast_to(np.asarray(surface.colour, dtype=np.float64), (surface.mesh.n_points, 3)))


def _chain(skeleton: Skeleton, *bones: str) -> float:
    places = [skeleton.at(f"{bone}.L") for bone in bones]
    return sum(float(np.linalg.norm(b - a)) for a, b in itertools.pairwise(places))


def ears_of(body: Body) -> Array:
    """Return the midpoint (3,) between the ears at rest."""
    ears = np.unique(faces("skin"))
    ears = ears[(mask("ears")[ears] > MOSTLY) & (body.head_share[ears] > MOSTLY)]
    sides = [body.rest[ears][body.rest[ears, 0] * sign > 0].mean(axis=0) for sign in SIDES.values()]
    return np.asarray(np.mean(sides, axis=0))


def toes_of(body: Body) -> dict[str, Array]:
    """Return the foremost point (3,) of each foot at rest."""
    feet = body.rest[np.unique(faces("skin"))][body.leg[np.unique(faces("skin"))] > 1]
    toes = {}
    for side, sign in SIDES.items():
        foot = feet[feet[:, 0] * sign > 0]
        toes[side] = np.asarray(foot[foot[:, 1].argmin()])
    return toes

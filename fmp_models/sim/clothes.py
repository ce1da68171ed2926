"""Clothes and their patterns, cut from the garment shell that comes with the body, and shoes.

A cut is a field per shell vertex: metres inside the edge of the cloth, negative outside. The shell is posed with the
body, widened, smoothed, pushed off the skin where it sank in, and cut along the field. A pattern gives a garment its
second colour, by position on the resting body.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyvista as pv
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from fmp_models.pose import Array
from fmp_models.sim.body import BONES, Body, faces
from fmp_models.sim.light import Colour, Surface, smooth
from fmp_models.sim.posing import FORWARD, SIDES, Skeleton

Pattern = Literal["stripes", "hoops", "check", "dots", "raglan", "side_stripe"]
STRIPE, HOOP, CHECK, DOT = 0.06, 0.09, 0.075, 0.075  # periods of the patterns in metres
DOT_RADIUS = 0.017
SIDE_STRIPE = 0.022  # metres to either side of the outer seam of a leg
EDGE = 0.008  # metres of transition between two colours
ARM_RADIUS = 0.05  # radius in metres of an unrolled sleeve


def soft(edge: Array) -> Array:
    """Return 0 below an edge, 1 above it, and a ramp of one unit between: edges of vertex colours look smooth."""
    return np.asarray(np.clip(edge + 0.5, 0, 1))


def second_colour(pattern: Pattern, skeleton: Skeleton, place: Array, arm: Array) -> Array:
    """Return the share (N,), 0 to 1, of the second colour at resting points (N, 3) with arm weights ``arm`` (N,)."""
    if pattern == "stripes":
        # Only around the trunk; "hoops" continue along the sleeves.
        return np.asarray(soft((np.sin(place[:, 2] * 2 * np.pi / STRIPE) - 0.3) * 1.2) * (1 - arm))
    if pattern == "raglan":
        return soft((arm - 0.5) / 0.2)
    if pattern == "side_stripe":
        return _side_stripe(skeleton, place)
    across, down = _unrolled(skeleton, place, arm)
    if pattern == "hoops":
        return _bands(down, HOOP, 0.36)
    if pattern == "check":
        return (_bands(across, CHECK, 0.5) + _bands(down, CHECK, 0.5)) / 2
    row = np.round(down / (DOT * 0.8))
    aside = (across / DOT + 0.5 * row) % 1 * DOT - DOT / 2
    return soft((DOT_RADIUS - np.hypot(aside, down - row * DOT * 0.8)) / EDGE)


def _bands(where: Array, period: float, share: float) -> Array:
    """Return 1 in the middle of every period, over a share of it, else 0."""
    return soft((share * period / 2 - np.abs(where % period - period / 2)) / EDGE)


def _unrolled(skeleton: Skeleton, place: Array, arm: Array) -> tuple[Array, Array]:
    """Return metres across and down the flattened cloth: trunk seen from the front, sleeves unrolled."""
    across, down = place[:, 0], -place[:, 2]
    for side, sign in SIDES.items():
        shoulder = skeleton.at(f"upperarm01.{side}")
        axis = skeleton.at(f"wrist.{side}") - shoulder
        axis = axis / np.linalg.norm(axis)
        ahead = FORWARD - (FORWARD @ axis) * axis
        ahead = ahead / np.linalg.norm(ahead)
        offset = place - shoulder
        sleeve = (arm > 0.5) & (place[:, 0] * sign > 0)  # noqa: PLR2004 - more arm than trunk
        across = np.where(sleeve, ARM_RADIUS * np.arctan2(offset @ np.cross(axis, ahead), offset @ ahead), across)
        down = np.where(sleeve, offset @ axis, down)
    return across, down


def _side_stripe(skeleton: Skeleton, place: Array) -> Array:
    """Return the share of a stripe down the outer seam of trousers."""
    leg = np.stack([skeleton.at(f"{bone}.L") for bone in ("foot", "lowerleg01", "upperleg01")])
    middle = [np.interp(place[:, 2], leg[:, 2], leg[:, axis]) for axis in (0, 1)]
    outside = np.abs(place[:, 0]) > middle[0]
    return soft((SIDE_STRIPE - np.abs(place[:, 1] - middle[1])) / EDGE) * outside


SHELL = "helper-tights"
ROUNDS = 2  # of subdivision, for close-up pictures
TUCK = 0.02  # metres of skin that are kept under the edge of the cloth
SOLE = 0.02


@dataclass(frozen=True)
class Cloth:
    """Sewn cloth: its colours, and its distance from the skin in metres; ``stripe`` is the colour of its pattern."""

    colour: Colour
    trim: Colour
    loose: float = 0.008
    stripe: Colour | None = None
    pattern: Pattern = "stripes"
    band: float = 0.012  # width of the trim


@dataclass(frozen=True)
class Top:
    """A shirt; ``sleeve`` is its end along the arm (1 elbow, 2 wrist), ``hem`` metres above the hip joints."""

    cloth: Cloth
    sleeve: float
    hem: float = 0.02
    neck: float = 0.0  # metres the neckline lies higher (+) or lower (-) than the root of the neck
    hang: float = 0.0  # extra metres of distance from the skin at the hem


@dataclass(frozen=True)
class Bottoms:
    """Trousers; ``hem`` is the end along the leg (1 knee, 2 ankle), ``flare`` the extra metres of width at the hem."""

    cloth: Cloth
    hem: float
    waist: float = 0.10
    flare: float = 0.0


@dataclass(frozen=True)
class Shoes:
    """Colours of a trainer and its sock."""

    colour: Colour
    sock: Colour = (0.93, 0.93, 0.91)
    sole: Colour = (0.93, 0.93, 0.91)


def top_field(body: Body, top: Top) -> Array:
    """Return metres (V,) inside a shirt."""
    x, y, z = body.rest.T
    root = body.skeleton.at("neck01")
    forearm = float(np.linalg.norm(body.skeleton.at("lowerarm01.L") - body.skeleton.at("upperarm01.L")))
    # The neckline is a plane, lower in front, and a little rounded.
    neckline = root[2] + top.neck + 0.45 * (y - root[1]) + 0.10 * np.abs(x)
    hem = z - _hips(body) - top.hem + body.arm_share
    return np.asarray(np.minimum.reduce([(top.sleeve - body.arm) * forearm, hem, neckline - z]))


def bottoms_field(body: Body, bottoms: Bottoms) -> Array:
    """Return metres (V,) inside trousers, shorts or leggings."""
    shank = float(np.linalg.norm(body.skeleton.at("foot.L") - body.skeleton.at("lowerleg01.L")))
    waist = _hips(body) + bottoms.waist - body.rest[:, 2] - body.arm_share
    return np.asarray(np.minimum(waist, (bottoms.hem - body.leg) * shank))


def shoe_field(body: Body) -> Array:
    """Return metres (V,) below the collar of a shoe."""
    ankle = body.skeleton.at("foot.L")
    rising = 0.10 * (body.rest[:, 1] - ankle[1])
    return np.asarray(np.where(body.leg > 1, ankle[2] + 0.012 + rising - body.rest[:, 2], -1.0))


def sock_field(body: Body) -> Array:
    """Return metres (V,) below the edge of a sock."""
    return np.asarray(np.where(body.leg > 1, body.skeleton.at("foot.L")[2] + 0.075 - body.rest[:, 2], -1.0))


def tailor_top(body: Body, top: Top, rounds: int = ROUNDS) -> Surface:
    """Return a shirt on the posed body; ``rounds`` of subdivision make its mesh finer."""
    field, chest = top_field(body, top), body.skeleton.at("spine01")[2]
    below = np.clip((chest - body.rest[:, 2]) / (chest - _hips(body)), 0, 1) * (1 - body.arm_share)
    return _sew(body, field, top.cloth, top.cloth.loose + top.hang * below, rounds)


def tailor_bottoms(body: Body, bottoms: Bottoms, rounds: int = ROUNDS) -> Surface:
    """Return trousers on the posed body."""
    field = bottoms_field(body, bottoms)
    loose = bottoms.cloth.loose + bottoms.flare * np.clip(body.leg / bottoms.hem, 0, 1) ** 1.5
    return _sew(body, field, bottoms.cloth, loose, rounds)


def shoemaker(body: Body, shoes: Shoes, rounds: int = ROUNDS) -> list[Surface]:
    """Return socks and two shoes: the shell's feet widened, on flat soles; a shoe moves rigidly with its foot."""
    sock = Cloth(shoes.sock, shoes.sock, loose=0.002)
    field = shoe_field(body)
    pair = [_sew(body, np.minimum(sock_field(body), TUCK - field), sock, np.full(len(body.rest), sock.loose), rounds)]
    for side, sign in SIDES.items():
        shell = _shell(body.rest, {"field": np.where(body.rest[:, 0] * sign > 0, field, -1.0)}, rounds)
        shell = shell.clip_scalar(scalars="field", value=0.0, invert=False)
        points, normals = np.array(shell.points), np.array(shell.point_data["Normals"])
        floor = points[:, 2].min()
        low = np.clip(1 - (points[:, 2] - floor) / SOLE, 0, 1)
        sole = soft((floor + SOLE - points[:, 2]) / 0.003)
        collar = np.clip(np.asarray(shell.point_data["field"]) / 0.03, 0, 1)
        points += normals * (0.004 + 0.005 * collar)[:, None]
        outward = normals * [1, 1, 0]
        points += outward / (np.linalg.norm(outward, axis=1, keepdims=True) + 1e-3) * (0.006 * sole)[:, None]
        points[:, 2] -= 0.014 * low
        shell.points = body.carry(f"foot.{side}", points)
        shell.point_data[BONES] = body.only(f"foot.{side}", shell.n_points)
        colour = shoes.colour + sole[:, None] * np.subtract(shoes.sole, shoes.colour)
        pair.append(Surface(smooth(shell), colour, gloss=0.05))
    return pair


def covered(body: Body, fields: list[Array]) -> Array:
    """Return a mask (V,) of the vertices that lie deep enough under cloth to be invisible."""
    return np.asarray(np.max([*fields, np.full(len(body.rest), -1.0)], axis=0) > TUCK)


def _hips(body: Body) -> float:
    return float(body.skeleton.at("upperleg01.L")[2])


def _shell(points: Array, data: Mapping[str, NDArray[np.floating]], rounds: int) -> pv.PolyData:
    quads = faces(SHELL)
    used, index = np.unique(quads, return_inverse=True)
    mesh = pv.PolyData(points[used], np.insert(index.reshape(quads.shape), 0, 4, axis=1).ravel())
    for name, values in data.items():
        mesh.point_data[name] = values[used]
    return smooth(mesh.triangulate().subdivide(rounds, "loop"))


def _sew(body: Body, field: Array, cloth: Cloth, loose: Array, rounds: int) -> Surface:
    data: dict[str, NDArray[np.floating]] = {
        "field": field,
        "loose": loose,
        "rest": body.rest,
        "arm": body.arm_share,
        BONES: body.weights,
    }
    shell = _shell(body.posed, data, rounds)
    points = shell.points + np.asarray(shell.point_data["Normals"]) * shell.point_data["loose"][:, None]
    shell.points = points
    shell = shell.smooth_taubin(n_iter=30, pass_band=0.06)
    shell.points = _off_skin(body, np.asarray(shell.points), np.asarray(shell.point_data["loose"]))
    cut = shell.clip_scalar(scalars="field", value=0.0, invert=False)
    inside = np.asarray(cut.point_data["field"])
    colour = np.tile(np.asarray(cloth.colour), (cut.n_points, 1))
    if cloth.stripe is not None:
        place, arm = np.asarray(cut.point_data["rest"]), np.asarray(cut.point_data["arm"])
        share = second_colour(cloth.pattern, body.skeleton, place, arm)
        colour += share[:, None] * (np.asarray(cloth.stripe) - colour)
    colour += soft((cloth.band - inside) / 0.006)[:, None] * (np.asarray(cloth.trim) - colour)
    return Surface(smooth(cut), colour, gloss=0.02)


def _off_skin(body: Body, points: Array, loose: Array) -> Array:
    """Push cloth that sank into the body back out, to half of its looseness."""
    quads = faces("body")
    used, index = np.unique(quads, return_inverse=True)
    skin = smooth(pv.PolyData(body.posed[used], np.insert(index.reshape(quads.shape), 0, 4, axis=1).ravel()))
    tree, normals = cKDTree(np.asarray(skin.points)), np.asarray(skin.point_data["Normals"])
    for _ in range(2):
        nearest = tree.query(points)[1]
        out = normals[nearest]
        height = ((points - skin.points[nearest]) * out).sum(axis=1)
        points = points + out * np.clip(loose / 2 - height, 0, 0.03)[:, None]
    return np.asarray(points)

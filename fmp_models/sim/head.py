"""Skin, eyes and hair of a person: colours by position on the resting head, and hair as a shell around the skull."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyvista as pv
from scipy.spatial import cKDTree

from fmp_models.pose import Array
from fmp_models.sim.body import BONES, Body, faces, mask
from fmp_models.sim.light import Colour, Surface, smooth
from fmp_models.sim.posing import SIDES

Style = Literal["cropped", "short", "pixie", "bun", "ponytail", "receding", "curly", "bob", "long"]
# The hairline: degrees above the middle of the skull, by degrees around the head from the face to the back.
ROUND = (0, 25, 50, 70, 82, 95, 110, 140, 180)
HAIRLINE: dict[Style, tuple[float, ...]] = {
    "cropped": (33, 33, 28, 2, -20, -2, -20, -38, -46),
    "short": (30, 30, 24, -2, -22, -2, -20, -38, -46),
    "bun": (31, 30, 22, 0, -16, -2, -20, -38, -46),
    "pixie": (27, 22, 10, -10, -26, -6, -24, -40, -48),
    "ponytail": (31, 30, 22, 0, -16, -2, -20, -38, -46),
    "receding": (60, 56, 36, 2, -20, -2, -20, -38, -46),
    "curly": (27, 24, 14, -8, -26, -12, -26, -40, -48),
    "bob": (31, 28, 14, -14, -40, -40, -42, -44, -48),
    "long": (34, 30, 16, -12, -40, -40, -42, -44, -48),
}
# Distance in metres of hair from the skull at the sides and on top.
THICK: dict[Style, tuple[float, float]] = {
    "cropped": (0.003, 0.007),
    "short": (0.006, 0.030),
    "bun": (0.012, 0.014),
    "pixie": (0.013, 0.030),
    "ponytail": (0.012, 0.014),
    "receding": (0.003, 0.006),
    "curly": (0.038, 0.046),
    "bob": (0.016, 0.018),
    "long": (0.012, 0.014),
}
# Directions of a bun and a ponytail from the middle of the skull.
BUN, TAIL = np.array([0.0, 0.48, 0.877]), np.array([0.0, 0.85, 0.53])
ROUGH: dict[Style, float] = {"curly": 0.006}  # metres that curls stand out
STRAIGHT = 0.0005
# Hair that hangs behind the face, by metres above the middle of the skull: half its width and depth, how far back its
# middle lies, and how much of it rests on the back instead of hanging from the head.
LEVELS: dict[Style, tuple[tuple[float, float, float, float, float], ...]] = {
    "bob": (
        (0.075, 0.060, 0.070, 0.010, 0.0),
        (0.03, 0.086, 0.088, 0.016, 0.0),
        (-0.02, 0.096, 0.088, 0.022, 0.0),
        (-0.07, 0.100, 0.082, 0.026, 0.0),
        (-0.13, 0.096, 0.072, 0.030, 0.0),
    ),
    "long": (
        (0.075, 0.060, 0.070, 0.010, 0.0),
        (0.03, 0.082, 0.084, 0.014, 0.0),
        (-0.02, 0.090, 0.084, 0.020, 0.0),
        (-0.08, 0.093, 0.076, 0.030, 0.0),
        (-0.16, 0.096, 0.055, 0.045, 0.5),
        (-0.24, 0.098, 0.032, 0.060, 1.0),
        (-0.36, 0.075, 0.020, 0.060, 1.0),
    ),
}
SOFT = 13.0  # degrees over which hair grows to its full thickness


@dataclass(frozen=True)
class Detail:
    """Mesh detail of a head: rounds of subdivision of skin, eyes and hair, points along and around a ponytail."""

    skin: int
    eyes: int
    hair: int
    along: int
    round: int


CLOSE = Detail(skin=1, eyes=3, hair=6, along=80, round=48)  # for close-up pictures


@dataclass(frozen=True)
class Appearance:
    """Colours (sRGB, 0 to 1) and hair of a person; ``beard`` from 0 to 1 darkens the jaw."""

    skin: Colour
    hair: Colour
    style: Style
    lips: Colour
    iris: Colour = (0.22, 0.13, 0.08)
    beard: float = 0.0


def skin(body: Body, looks: Appearance, hidden: Array, detail: Detail = CLOSE) -> Surface:
    """Return the visible skin, with lips, brows, slightly coloured cheeks, and the scalp under the hair."""
    quads = faces("skin")
    quads = quads[~hidden[quads].all(axis=1)]
    used, index = np.unique(quads, return_inverse=True)
    mesh = pv.PolyData(body.posed[used], np.insert(index.reshape(quads.shape), 0, 4, axis=1).ravel())
    mesh.point_data["rest"] = body.rest[used]
    mesh.point_data["lips"] = mask("lips")[used] * (body.head_share[used] > 0)
    mesh.point_data["ears"] = mask("ears")[used]
    mesh.point_data["head"] = body.head_share[used]
    mesh.point_data[BONES] = body.weights[used]
    mesh = smooth(_finer(mesh, detail.skin))
    place, head = np.asarray(mesh.point_data["rest"]), np.asarray(mesh.point_data["head"])
    colour = np.tile(np.asarray(looks.skin, dtype=np.float64), (len(place), 1))
    ears = np.asarray(mesh.point_data["ears"])
    scalp = 0.9 * head * (1 - ears) * np.clip(_inside(body, looks.style, place) / 6 + 0.2, 0, 1)
    blush = np.asarray(looks.skin) * [1.0, 0.80, 0.76]
    for share, paint in (
        (0.55 * head * _cheeks(body, place), blush),
        (0.75 * np.asarray(mesh.point_data["lips"]), looks.lips),
        (scalp, looks.hair),
        (looks.beard * head * _jaw(body, place), looks.hair),
        (0.85 * head * _brows(body, place), np.asarray(looks.hair) * 0.8),
    ):
        colour += np.clip(share, 0, 1)[:, None] * (np.asarray(paint) - colour)
    return Surface(mesh, colour, gloss=0.06)


def eyes(body: Body, looks: Appearance, detail: Detail = CLOSE) -> list[Surface]:
    """Return eyeballs, coloured by the angle from their axis, and lashes."""
    surfaces = []
    for side in SIDES:
        quads = faces(f"helper-{side.lower()}-eye")
        used, index = np.unique(quads, return_inverse=True)
        ball = pv.PolyData(body.rest[used], np.insert(index.reshape(quads.shape), 0, 4, axis=1).ravel())
        ball = _finer(ball, detail.eyes)
        points = np.asarray(ball.points)
        axis = points - points.mean(axis=0)
        angle = np.degrees(np.arccos(np.clip(-axis[:, 1] / np.linalg.norm(axis, axis=1), -1, 1)))
        colour = np.tile(np.array([0.90, 0.88, 0.86]), (len(points), 1))
        colour[angle < 31] = looks.iris  # noqa: PLR2004 - degrees an iris takes of an eyeball
        colour[angle < 13] = (0.02, 0.02, 0.02)  # noqa: PLR2004 - and its pupil
        ball.points = body.carry(f"eye.{side}", points)
        ball.point_data[BONES] = body.only(f"eye.{side}", ball.n_points)
        surfaces.append(Surface(smooth(ball), colour, gloss=0.3, shadow=False))
        quads = faces(f"helper-{side.lower()}-eyelashes-2")
        used, index = np.unique(quads, return_inverse=True)
        lash = pv.PolyData(body.posed[used], np.insert(index.reshape(quads.shape), 0, 4, axis=1).ravel())
        lash.point_data[BONES] = body.weights[used]
        surfaces.append(Surface(smooth(lash), (0.07, 0.05, 0.04), shadow=False))
    return surfaces


def hair(body: Body, looks: Appearance, detail: Detail = CLOSE) -> list[Surface]:
    """Return a cap of hair with the hairline of its style, and the hair that hangs from it; it moves with the head."""
    centre = _centre(body)
    ball = pv.Icosphere(radius=1.0, nsub=detail.hair)
    way = np.asarray(ball.points)
    inside = _above_hairline(way, looks.style)
    grown = np.clip(inside / SOFT, -1, 1)
    grown = np.sign(grown) * (1 - (1 - np.abs(grown)) ** 2)
    strands = _strands(way, looks.style)
    out = (
        _skull(body, centre, way)
        + _thick(way, looks.style) * grown
        + ROUGH.get(looks.style, STRAIGHT) * strands * (grown > 0)
    )
    ball.points = body.carry("head", centre + way * out[:, None])
    ball.point_data["inside"] = inside
    ball.point_data["strands"] = strands
    ball.point_data[BONES] = body.only("head", ball.n_points)
    cap = ball.clip_scalar(scalars="inside", value=-SOFT, invert=False)
    pieces = [Surface(smooth(cap), _hair_colour(looks, np.asarray(cap.point_data["strands"])), gloss=0.10)]
    back = float(_skull(body, centre, BUN[None])[0])
    if looks.style == "bun":
        knot = pv.Icosphere(radius=1.0, nsub=detail.hair - 1)
        curl = np.sin(9 * np.arctan2(knot.points[:, 0], knot.points[:, 2]) + 7 * knot.points[:, 1])
        at = centre + BUN * (back + 0.033)
        knot.points = body.carry("head", at + knot.points * [0.047, 0.040, 0.043] * (1 + 0.015 * curl[:, None]))
        knot.point_data[BONES] = body.only("head", knot.n_points)
        pieces.append(Surface(smooth(knot), _hair_colour(looks, curl), gloss=0.10))
    if looks.style == "ponytail":
        pieces.append(_tail(body, looks, centre, back, detail))
    if looks.style in LEVELS:
        pieces.append(_mane(body, looks, centre, detail))
    return pieces


def _mane(body: Body, looks: Appearance, centre: Array, detail: Detail) -> Surface:
    """Return loose hair behind the face: a flattened sack whose lower part lies on the back."""
    sack = pv.Sphere(radius=1.0, theta_resolution=detail.round * 2, phi_resolution=detail.along * 2)
    around, along = np.asarray(sack.points)[:, :2], np.asarray(sack.points)[:, 2]
    levels = np.array(LEVELS[looks.style])[::-1] * [*(4 * [_scale(body)]), 1.0]
    height = np.interp(along, [-1, 1], [levels[0, 0], levels[-1, 0]])
    wide, deep, back, lies = (np.interp(height, levels[:, 0], levels[:, i]) for i in range(1, 5))
    full = np.sqrt(1 - along**6) / np.maximum(np.linalg.norm(around, axis=1), 1e-9)
    outline = around * full[:, None]
    behind = centre[1] + back
    behind += lies * np.maximum(_back_of(body, centre[2] + height) - behind, 0)
    rest = np.stack([outline[:, 0] * wide, behind + outline[:, 1] * deep, centre[2] + height], axis=1)
    on_head, on_back = body.carry("head", rest), body.carry("spine01", rest)
    sack.points = on_head + lies[:, None] * (on_back - on_head)
    sack.point_data[BONES] = (1 - lies)[:, None] * body.only("head", len(rest)) + lies[:, None] * body.only(
        "spine01", len(rest)
    )
    strands = np.sin(70 * np.arctan2(outline[:, 0], outline[:, 1]) + 20 * height)
    return Surface(smooth(sack), _hair_colour(looks, strands), gloss=0.10)


def _back_of(body: Body, height: Array) -> Array:
    """Return how far back (N,) neck and back reach at heights (N,) on the resting body."""
    middle = body.rest[np.unique(faces("skin"))]
    middle = middle[np.abs(middle[:, 0]) < 0.09]  # noqa: PLR2004 - metres; what hair can lie on
    steps = np.linspace(height.min(), height.max(), 24)
    reach = [middle[np.abs(middle[:, 2] - step) < 0.02, 1].max() for step in steps]  # noqa: PLR2004 - metres
    return np.asarray(np.interp(height, steps, reach))


def _tail(body: Body, looks: Appearance, centre: Array, back: float, detail: Detail) -> Surface:
    """Return a ponytail that leaves the head backwards and then hangs down, in any pose of the head."""
    root = centre + TAIL * (back + 0.008)
    start, beyond = body.carry("head", np.stack([root, root + TAIL]))
    out = beyond - start
    hang = np.array([0.0, 0.0, -1.0])
    path = pv.Spline(
        start + np.array([0 * out, 0.035 * out, 0.06 * out + 0.05 * hang, 0.05 * out + 0.21 * hang]), detail.along
    )
    path.point_data["width"] = np.interp(
        np.linspace(0, 1, detail.along), [0, 0.08, 0.3, 0.6, 0.85, 1], [0.013, 0.017, 0.029, 0.027, 0.016, 0.002]
    )
    tail = path.tube(scalars="width", absolute=True, n_sides=detail.round)
    tail.clear_data()
    tail.point_data[BONES] = body.only("head", tail.n_points)
    around = np.asarray(tail.points) - start
    strands = np.sin(260 * around[:, 0] + 12 * around[:, 2]) * np.sin(230 * around[:, 1] + 9 * around[:, 2])
    return Surface(smooth(tail), _hair_colour(looks, strands), gloss=0.10)


def _finer(mesh: pv.PolyData, rounds: int) -> pv.PolyData:
    triangles: pv.PolyData = mesh.triangulate()
    return triangles.subdivide(rounds, "loop") if rounds else triangles


def _hair_colour(looks: Appearance, strands: Array) -> Array:
    return np.clip(np.asarray(looks.hair) * (1 + 0.10 * strands[:, None]), 0, 1)


def _thick(way: Array, style: Style) -> Array:
    """Return the distance (N,) in metres of hair from the skull in directions ``way``."""
    side, top = THICK[style]
    return np.asarray(side + (top - side) * np.clip((way[:, 2] - 0.25) / 0.5, 0, 1))


def _strands(way: Array, style: Style) -> Array:
    """Return waves (N,) between -1 and 1 that follow the combing of the hair: short, or all to the back."""
    across = np.arctan2(way[:, 0], way[:, 2] + 0.6)
    if style in {"cropped", "short", "pixie"}:
        return np.asarray(np.sin(31 * way[:, 0] + 9 * way[:, 2]) * np.sin(27 * way[:, 1] + 13 * way[:, 0]))
    waves = ((0.35, 37), (0.35, 71), (0.3, 113))
    return np.asarray(sum(share * np.sin(often * across + 3 * way[:, 1] + often) for share, often in waves))


def _inside(body: Body, style: Style, place: Array) -> Array:
    """Return how many degrees (N,) positions on the resting head lie within the hair."""
    way = place - _centre(body)
    return _above_hairline(way / np.linalg.norm(way, axis=1, keepdims=True), style)


def _above_hairline(way: Array, style: Style) -> Array:
    """Return degrees (N,) from the hairline up to directions from the middle of the skull; negative on the face."""
    degrees_round = np.degrees(np.arctan2(np.abs(way[:, 0]), -way[:, 1]))
    degrees_up = np.degrees(np.arcsin(np.clip(way[:, 2], -1, 1)))
    return np.asarray(degrees_up - np.interp(degrees_round, ROUND, HAIRLINE[style]))


def _centre(body: Body) -> Array:
    """Return the middle of the skull at rest."""
    eye = (body.skeleton.at("eye.L") + body.skeleton.at("eye.R")) / 2
    return np.asarray(eye + np.array([0.0, 0.095, 0.018]))


def _skull(body: Body, centre: Array, way: Array) -> Array:
    """Return metres (N,) from the middle of the skull to the skin in directions ``way``, without the ears."""
    used = np.unique(faces("skin"))
    used = used[(body.head_share[used] > 0.5) & (mask("ears")[used] < 0.1)]  # noqa: PLR2004 - mostly head, no ear
    offset = body.rest[used] - centre
    reach = np.linalg.norm(offset, axis=1)
    distance, nearest = cKDTree(offset / reach[:, None]).query(way, k=8)
    weight = 1 / (distance + 0.02)
    return np.asarray((reach[nearest] * weight).sum(axis=1) / weight.sum(axis=1))


def _scale(body: Body) -> float:
    """Return the size of the face relative to the face of which the lengths in this module were taken."""
    return float(np.linalg.norm(body.skeleton.at("eye.L") - body.skeleton.at("eye.R"))) / 0.062


def _brows(body: Body, place: Array) -> Array:
    shares = np.zeros(len(place))
    for side, sign in SIDES.items():
        out, _, up = ((place - body.skeleton.at(f"eye.{side}")) / _scale(body)).T
        along = (out * sign - 0.002) / 0.024
        arch = 0.0225 - 0.005 * (along - 0.25) ** 2
        share = np.exp(-(((up - arch) / 0.0036) ** 2)) * (np.abs(along) < 1) * (1 - along**4)
        shares = np.maximum(shares, np.where(place[:, 1] < _centre(body)[1], share, 0.0))
    return shares


def _cheeks(body: Body, place: Array) -> Array:
    shares = np.zeros(len(place))
    for side, sign in SIDES.items():
        offset = (place - body.skeleton.at(f"eye.{side}")) / _scale(body) - [sign * 0.012, 0.0, -0.036]
        shares += np.exp(-(offset**2).sum(axis=1) / 0.026**2)
    return shares


def _jaw(body: Body, place: Array) -> Array:
    """Return the beard area: below a line from the ear to under the nose, down to the throat."""
    _, back, up = ((place - _centre(body)) / _scale(body)).T
    edge = np.interp(back, [-0.12, -0.09, -0.02, 0.0], [-0.083, -0.075, -0.055, -0.01])
    throat = np.clip((up + 0.165) / 0.02, 0, 1)
    return np.asarray(np.clip((edge - up) / 0.012, 0, 1) * throat * (back < 0.012))  # noqa: PLR2004 - the ear

"""Figures of an answer: skeletons drawn over the photographs, and the target in red over the current picture.

All of them are computed from :class:`MeasuredPhotographs` and contain no text, so they suit every language.

Uncertain joints are those that two photographs do not clearly show. The figure dashes their bones, and the chart marks
their distances as guesses. Text and figures agree: a joint is uncertain if its pose marks it so, or if it belongs to a
limb that the text could not judge.

Attention maps of the words of an answer are small enough to send with the page: weights become levels from 0 to 35, one
character each. Level 0 is a place with average attention or less.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageDraw, ImageEnhance, ImageFilter, ImageOps

from fmp_models.describe import CheckedClause
from fmp_models.estimators import PoseEstimate
from fmp_models.geometry import VISIBLE, Direction, Part, Side
from fmp_models.inference import AttentionMap, MeasuredPhotographs
from fmp_models.pose import BODY_PARTS, BONES, INDEX, Array, Pose, PosePair, joint_distances
from fmp_models.preprocessing import PersonCrop

FAR_CM = 30  # end of the colour ramp
STILL_CM = 5  # a smaller movement is not visible in a photograph

_SHOWN_SIDE = 720  # pixels: longest side of a figure
_MAX_ZOOM = 3.0

# Sky blue, yellow and vermillion of Okabe and Ito: distinct in every kind of colour vision. Their order in lightness
# is clear only together with the growing dots.
RAMP = ((86, 180, 233), (240, 228, 66), (213, 94, 0))

# Half the width of a body around each bone's end joint, in metres.
_GIRTH = {
    "spine": 0.13, "neck": 0.1, "head": 0.09, "shoulder": 0.07, "elbow": 0.055, "wrist": 0.045, "hand": 0.045,
    "hip": 0.11, "knee": 0.08, "ankle": 0.06, "foot": 0.055,
}  # fmt: skip
_HEAD = 0.125


@dataclass(frozen=True)
class DrawnSkeleton:
    """A photograph cropped to its person, as a data URI, and its overlay drawing in the same pixels.

    ``origin`` is the photograph's pixel at the upper left of the crop, and ``zoom`` the magnification of the crop.
    ``heads`` are the centres and radii of other people's heads that are visible in the crop.
    """

    picture: str
    drawing: str
    size: tuple[int, int]
    origin: tuple[float, float]
    zoom: float
    heads: tuple[tuple[float, float, float], ...] = ()


@dataclass(frozen=True)
class Difference:
    """The current picture and the target person in red, in one frame; ``aligned`` if the target was rescaled."""

    start: str
    goal: str
    size: tuple[int, int]
    aligned: bool


def ramp_colour(centimetres: float) -> str:
    """Return the colour of a distance on the ramp, as CSS."""
    position = min(max(centimetres / FAR_CM, 0.0), 1.0) * (len(RAMP) - 1)
    lower = min(int(position), len(RAMP) - 2)
    mixed = [a + (b - a) * (position - lower) for a, b in zip(RAMP[lower], RAMP[lower + 1], strict=True)]
    return "#{:02x}{:02x}{:02x}".format(*(round(value) for value in mixed))


def skeletons(measurements: MeasuredPhotographs, uncertain: tuple[Mask, Mask]) -> tuple[DrawnSkeleton, DrawnSkeleton]:
    """Return both photographs with skeletons: joints coloured by distance moved, bones to ``uncertain`` ones dashed."""
    pair, estimates = _measured_pair(measurements)
    distances = joint_distances(pair) * 100
    current, target = (
        _skeleton(photograph.image, estimate, distances, dashed)
        for photograph, estimate, dashed in zip(measurements.photographs, estimates, uncertain, strict=True)
    )
    return current, target


def plain_pictures(measurements: MeasuredPhotographs) -> tuple[DrawnSkeleton, DrawnSkeleton]:
    """Return both whole photographs without a drawing, for photographs without joints."""
    current, target = (_plain(photograph.image) for photograph in measurements.photographs)
    return current, target


def difference(measurements: MeasuredPhotographs) -> Difference:
    """Return the difference picture of the paper: the target person in red over the current picture."""
    (start, goal), (at_start, at_goal) = (
        (photo.image for photo in measurements.photographs),
        _measured_pair(measurements)[1],
    )
    aligned = not _same_view(start, goal, at_start, at_goal)
    scale = pixels_per_metre(at_start) / pixels_per_metre(at_goal) if aligned else 1.0
    hip = INDEX["hip"]
    shift = at_start.image_joints[hip] - scale * at_goal.image_joints[hip] if aligned else np.zeros(2)

    placed = scale * at_goal.image_joints + shift
    frame = _frame(np.concatenate([at_start.image_joints, placed]), pixels_per_metre(at_start))
    if not aligned:
        frame = _inside(frame, start.size)
    left, top, right, bottom = frame
    zoom = min(_MAX_ZOOM, _SHOWN_SIDE / max(right - left, bottom - top))
    size = (round((right - left) * zoom), round((bottom - top) * zoom))

    shown_start = view(start, (left, top), zoom, size)
    shown_goal = view(goal, ((left - shift[0]) / scale, (top - shift[1]) / scale), zoom * scale, size)
    placed_in_view, per_metre = (placed - [left, top]) * zoom, pixels_per_metre(at_start) * zoom
    body = _silhouette(placed_in_view, per_metre, size)
    if not aligned:
        before = _silhouette((at_start.image_joints - [left, top]) * zoom, per_metre, size)
        changed = ImageChops.subtract(_changed_near(shown_start, shown_goal, placed_in_view, per_metre), before)
        body = ImageChops.lighter(body, changed)
    covered = view(
        Image.new("L", goal.size, 255), ((left - shift[0]) / scale, (top - shift[1]) / scale), zoom * scale, size
    )
    red = ImageOps.colorize(
        shown_goal.convert("L"), black=(92, 0, 0), mid=(214, 38, 24), white=(255, 176, 160)
    ).convert("RGBA")
    red.putalpha(ImageChops.multiply(body, covered.convert("L")))
    pale = ImageEnhance.Color(shown_start.convert("RGB")).enhance(0.35)
    return Difference(data_uri(pale, "JPEG"), data_uri(red, "WEBP"), size, aligned)


def data_uri(image: Image.Image, kind: str) -> str:
    """Return the picture as a data URI without metadata, so that no file is stored or shared."""
    buffer = io.BytesIO()
    image.save(buffer, kind, quality=86, method=1)
    return f"data:image/{kind.lower()};base64,{base64.b64encode(buffer.getvalue()).decode('ascii')}"


def pixels_per_metre(estimate: PoseEstimate) -> float:
    """Return the scale from joints to picture: the size of the person in the picture, independent of the pose."""
    flat = estimate.pose.joints[:, :2] - estimate.pose.joints[:, :2].mean(axis=0)
    on_picture = estimate.image_joints - estimate.image_joints.mean(axis=0)
    return max(float(np.linalg.norm(on_picture) / max(float(np.linalg.norm(flat)), 1e-6)), 1.0)


def _measured_pair(measurements: MeasuredPhotographs) -> tuple[PosePair, tuple[PoseEstimate, PoseEstimate]]:
    """Return the two poses and estimates; raise ValueError if the joints of either photograph are unknown."""
    pair, (current, target) = measurements.pair, measurements.estimates
    if pair is None or current is None or target is None:
        raise ValueError("there are no joints to draw")
    return pair, (current, target)


def _plain(image: Image.Image) -> DrawnSkeleton:
    zoom = min(_MAX_ZOOM, _SHOWN_SIDE / max(image.size))
    size = (max(round(image.width * zoom), 1), max(round(image.height * zoom), 1))
    drawing = f'<svg viewBox="0 0 {size[0]} {size[1]}" aria-hidden="true" focusable="false"></svg>'
    picture = image.resize(size, Image.Resampling.LANCZOS).convert("RGB")
    return DrawnSkeleton(data_uri(picture, "JPEG"), drawing, size, (0.0, 0.0), zoom)


def _skeleton(image: Image.Image, estimate: PoseEstimate, distances: Array, uncertain: Mask) -> DrawnSkeleton:
    per_metre = pixels_per_metre(estimate)
    left, top, right, bottom = _inside(_frame(estimate.image_joints, per_metre), image.size)
    zoom = min(_MAX_ZOOM, _SHOWN_SIDE / max(right - left, bottom - top))
    size = (round((right - left) * zoom), round((bottom - top) * zoom))
    picture = image.resize(size, Image.Resampling.LANCZOS, box=(left, top, right, bottom))
    drawing = _drawing((estimate.image_joints - [left, top]) * zoom, uncertain, distances, size)
    heads = _heads_within(
        size, ([(x - left) * zoom, (y - top) * zoom, radius * zoom] for x, y, radius in estimate.heads)
    )
    return DrawnSkeleton(data_uri(picture.convert("RGB"), "JPEG"), drawing, size, (left, top), zoom, heads)


def _heads_within(size: tuple[int, int], heads: Iterable[Sequence[float]]) -> tuple[tuple[float, float, float], ...]:
    """Return the visible heads, rounded to tenths of a pixel."""
    visible = (
        head for head in heads if all(-head[2] < at < end + head[2] for at, end in zip(head, size, strict=False))
    )
    return tuple((round(x, 1), round(y, 1), round(radius, 1)) for x, y, radius in visible)


def _drawing(joints: Array, uncertain: Mask, distances: Array, size: tuple[int, int]) -> str:
    width = max(size) * 0.0085
    halo, bones, dots = [], [], []
    for parent, child in BONES:
        (x1, y1), (x2, y2) = joints[parent], joints[child]
        ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        dashed = f' stroke-dasharray="{width:.1f} {1.8 * width:.1f}"' if uncertain[parent] or uncertain[child] else ""
        colour = ramp_colour(float(distances[parent] + distances[child]) / 2)
        ends += f' data-joint="{child}"'
        halo.append(f'<line {ends} stroke="#10181a" stroke-opacity=".75" stroke-width="{width * 1.9:.1f}"{dashed}/>')
        bones.append(f'<line {ends} stroke="{colour}" stroke-width="{width:.1f}"{dashed}/>')
    for joint, ((x, y), distance) in enumerate(zip(joints, distances, strict=True)):
        radius = width * (0.85 + min(float(distance) / FAR_CM, 1.0))
        dots.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{ramp_colour(float(distance))}"'
            f' stroke="#10181a" stroke-width="{width * 0.4:.1f}" data-joint="{joint}"/>'
        )
    return (
        f'<svg viewBox="0 0 {size[0]} {size[1]}" aria-hidden="true" focusable="false" stroke-linecap="round">'
        f"{''.join(halo)}{''.join(bones)}{''.join(dots)}</svg>"
    )


def stick_figure(joints: Array) -> dict[str, Any]:
    """Return the size in centimetres, the bones as an SVG path and the head of a pose (20, 3) seen by its camera."""
    left, top, right, bottom = _frame(joints[:, :2], 0.5)
    points = np.rint(100 * (joints[:, :2] - (left, top))).astype(int).tolist()
    bones = "".join("M{} {}L{} {}".format(*points[parent], *points[child]) for parent, child in BONES)
    return {
        "size": (round(100 * (right - left)), round(100 * (bottom - top))),
        "bones": bones,
        "head": points[INDEX["head"]],
    }


def _frame(joints: Array, per_metre: float) -> tuple[float, float, float, float]:
    """Return a box around the joints with a margin of about 0.3 m, at least three quarters as wide as high."""
    (left, top), (right, bottom) = joints.min(axis=0), joints.max(axis=0)
    margin = 0.3 * per_metre
    left, top, right, bottom = left - margin, top - margin * 1.1, right + margin, bottom + margin * 0.8
    lacking = max(0.75 * (bottom - top) - (right - left), 0.0) / 2
    return float(left - lacking), float(top), float(right + lacking), float(bottom)


def _inside(box: tuple[float, float, float, float], size: tuple[int, int]) -> tuple[float, float, float, float]:
    left, top, right, bottom = max(box[0], 0.0), max(box[1], 0.0), min(box[2], size[0]), min(box[3], size[1])
    if right - left <= 1 or bottom - top <= 1:
        return 0.0, 0.0, float(size[0]), float(size[1])
    return left, top, right, bottom


def view(image: Image.Image, origin: tuple[float, float], zoom: float, size: tuple[int, int]) -> Image.Image:
    """Return the part of ``image`` right of and below ``origin``, magnified by ``zoom``; grey outside the image."""
    grey = {"L": 0}.get(image.mode, (196, 198, 196))
    matrix = (1 / zoom, 0.0, origin[0], 0.0, 1 / zoom, origin[1])
    return image.transform(
        size, Image.Transform.AFFINE, matrix, Image.Resampling.BICUBIC, fillcolor=cast("float", grey)
    )


def _silhouette(joints: Array, per_metre: float, size: tuple[int, int], wider: float = 1.0) -> Image.Image:
    """Return a soft mask (L) of the body, from its joints and typical girths."""
    mask = Image.new("L", size, 0)
    draw = ImageDraw.Draw(mask)

    def blob(name: str, radius: float) -> None:
        x, y = joints[INDEX[name]]
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=255)

    def girth(index: int) -> float:
        name = next(name for name, i in INDEX.items() if i == index)
        return _GIRTH[name.rsplit("_", maxsplit=1)[-1]] * per_metre * wider

    for parent, child in BONES:
        a, b = joints[parent], joints[child]
        for step in np.linspace(0.0, 1.0, 25):
            x, y = a + (b - a) * step
            radius = girth(parent) + (girth(child) - girth(parent)) * step
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=255)
    trunk = ["left_shoulder", "right_shoulder", "right_hip", "left_hip"]
    draw.polygon([tuple(joints[INDEX[name]]) for name in trunk], fill=255)
    blob("head", _HEAD * per_metre * wider)
    return mask.filter(ImageFilter.GaussianBlur(0.02 * per_metre))


def _changed_near(start: Image.Image, goal: Image.Image, joints: Array, per_metre: float) -> Image.Image:
    """Return a mask (L) of changes near the target's body, for a fixed camera; it includes sleeves and hair."""
    changes = np.abs(np.asarray(start, np.int16) - np.asarray(goal, np.int16)).max(axis=-1)
    clear = 40  # grey levels of 255
    changed = Image.fromarray(np.where(changes > clear, 255, 0).astype(np.uint8)).filter(ImageFilter.MedianFilter(3))
    near = _silhouette(joints, per_metre, start.size, wider=2.0)
    return ImageChops.multiply(changed, near).filter(ImageFilter.GaussianBlur(0.01 * per_metre))


def _same_view(start: Image.Image, goal: Image.Image, at_start: PoseEstimate, at_goal: PoseEstimate) -> bool:
    """Return whether the camera stood still: equal sizes, and almost no change around the two bodies."""
    if start.size != goal.size:
        return False
    small = (max(start.width // 4, 1), max(start.height // 4, 1))
    changes = np.abs(np.asarray(start.resize(small), np.int16) - np.asarray(goal.resize(small), np.int16)).mean(axis=-1)
    bodies = [
        np.asarray(_silhouette(estimate.image_joints / 4, pixels_per_metre(estimate) / 4, small, wider=2.0)) > 0
        for estimate in (at_start, at_goal)
    ]
    around = changes[~(bodies[0] | bodies[1])]
    tolerance = 10  # grey levels of 255: noise and compression stay below it
    return around.size == 0 or float(np.quantile(around, 0.75)) < tolerance


Mask = NDArray[np.bool_]

_FAR_OFF = 0.16  # metres in the picture plane: if pose samples deviate more, the position of the joint is uncertain
_AS_MUCH = 0.8  # of the deviation in the other photograph: from here a limb is uncertain in both


def uncertain_joints(pair: PosePair, clauses: Sequence[CheckedClause]) -> tuple[Mask, Mask]:
    """Return two masks (20,), of the current and the target pose; ``clauses`` are those of the text about them."""
    uncertain = _uncertain(pair.current), _uncertain(pair.target)
    unseen = {(one.clause.side, one.clause.part) for one in clauses if one.clause.direction is Direction.UNSEEN}
    for sides, part in unseen:
        for side in sides.each if part in {Part.ARM, Part.FOREARM, Part.LEG} and sides is not Side.NONE else ():
            joints = [INDEX[name] for name in part.joints(side)[1:]]
            # The text does not name the photograph: take the one with more deviation, or both if it is similar.
            doubts = [float(_deviation(pose)[joints].mean()) for pose in (pair.current, pair.target)]
            for mask, doubt in zip(uncertain, doubts, strict=True):
                mask[joints] |= doubt >= _AS_MUCH * max(doubts)
    return uncertain


def _uncertain(pose: Pose) -> Mask:
    """Return the mask from the pose itself: joints outside the picture or of uncertain position in it."""
    if pose.pose_samples is None:
        return np.asarray(pose.visibility < VISIBLE)
    return np.asarray((_deviation(pose, axes=2) > _FAR_OFF) | (pose.visibility <= 0))


def _deviation(pose: Pose, axes: int = 3) -> Array:
    """Return the median deviation (20,) in metres of the pose samples from their median, along the first ``axes``.

    A few outlying samples do not count. It is 0 if the pose has no samples.
    """
    if pose.pose_samples is None:
        return np.zeros(len(INDEX))
    bodies = pose.pose_samples[..., :axes]
    return np.asarray(np.median(np.linalg.norm(bodies - np.median(bodies, axis=0), axis=-1), axis=0))


AROUND, NOWHERE = "looks.around", "looks.nowhere"

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_CLEAR = 4.0  # times the uniform weight: a weight that reaches it can have full strength
_FAINT = 0.15  # strength; a weaker maximum means that the attention has no focus
_AMONG = 0.5  # of the strongest part: other parts above it are named too
_NAMED = 3


@dataclass(frozen=True)
class WordLook:
    """Attention levels of one word: over the crop of each photograph, row by row, and at each joint.

    A level string is empty if the model has no such input. ``at_pictures`` and ``at_joints`` describe the same for
    screen readers: keys of the page's texts.
    """

    current: str
    target: str
    joints: str
    at_pictures: tuple[str, ...]
    at_joints: tuple[str, ...]


def word_looks(
    looks: Sequence[AttentionMap], squares: tuple[PersonCrop, PersonCrop] | None, measurements: MeasuredPhotographs
) -> tuple[WordLook, ...]:
    """Return the attention of each word; empty if the model has none, as the geometry."""
    if all(_is_blind(look) for look in looks):
        return ()
    return tuple(_word_look(look, squares, measurements) for look in looks)


def place(square: PersonCrop, skeleton: DrawnSkeleton) -> str:
    """Return the position of a photograph's crop over its figure, as CSS percentages of the figure."""
    width, height = skeleton.size
    left, top = (
        (start - origin) * skeleton.zoom
        for start, origin in zip((square.left, square.top), skeleton.origin, strict=True)
    )
    side = square.side * skeleton.zoom
    return f"left:{left / width:.2%};top:{top / height:.2%};width:{side / width:.2%};height:{side / height:.2%}"


def _is_blind(look: AttentionMap) -> bool:
    return all(weights is None for weights in (look.current, look.target, look.joints, look.differences))


def _word_look(
    look: AttentionMap, squares: tuple[PersonCrop, PersonCrop] | None, measurements: MeasuredPhotographs
) -> WordLook:
    pictures = [None if weights is None else _strengths(weights) for weights in (look.current, look.target)]
    of_joints = [weights for weights in (look.joints, look.differences) if weights is not None]
    joints = _strengths(np.mean(of_joints, axis=0)) if of_joints else None
    return WordLook(
        current=_packed(pictures[0]),
        target=_packed(pictures[1]),
        joints=_packed(joints),
        at_pictures=_at_pictures(pictures, squares, measurements),
        at_joints=() if joints is None else _parts(joints, float(joints.max())),
    )


def _strengths(weights: Array) -> Array:
    """Return attention weights scaled from 0 (uniform or less) to 1."""
    even = 1 / weights.size
    return np.asarray(np.clip((weights - even) / (max(float(weights.max()), _CLEAR * even) - even), 0, 1))


def _packed(strengths: Array | None) -> str:
    if strengths is None:
        return ""
    return "".join(_DIGITS[level] for level in np.rint(strengths.ravel() * (len(_DIGITS) - 1)).astype(int))


def _at_pictures(
    pictures: list[Array | None],
    squares: tuple[PersonCrop, PersonCrop] | None,
    measurements: MeasuredPhotographs,
) -> tuple[str, ...]:
    """Return the body parts with attention in photographs with joints, or the key for attention off the body."""
    if squares is None:
        return ()
    looked_at = [
        (strengths, square.places(estimate.image_joints))
        for strengths, square, estimate in zip(pictures, squares, measurements.estimates, strict=True)
        if strengths is not None and estimate is not None
    ]
    if not looked_at:
        return ()
    at_joints = np.max([_at(strengths, places) for strengths, places in looked_at], axis=0)
    return _parts(at_joints, max(float(strengths.max()) for strengths, _ in looked_at))


def _at(strengths: Array, places: NDArray[np.float32]) -> Array:
    """Return the strengths (g, g) at points (20, 2) of the crop; 0 outside it."""
    cells = np.floor(places * len(strengths)).astype(int)
    inside = np.all((cells >= 0) & (cells < len(strengths)), axis=1)
    across, down = np.where(inside[:, None], cells, 0).T
    return np.where(inside, strengths[down, across], 0.0)


def _parts(at_joints: Array, strongest: float) -> tuple[str, ...]:
    """Return the parts with the most attention, strongest first; ``strongest`` is the maximum on and off the body."""
    if strongest < _FAINT:
        return (NOWHERE,)
    strengths = {part: max(float(at_joints[INDEX[name]]) for name in names) for part, names in BODY_PARTS.items()}
    least = max(_AMONG * strongest, _FAINT)
    parts = sorted((part for part in strengths if strengths[part] >= least), key=lambda part: -strengths[part])
    return tuple(f"parts.{part}" for part in parts[:_NAMED]) or (AROUND,)

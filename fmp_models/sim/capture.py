"""Capture of a dataset: the schedule of units, the rendering of each, and their parallel production.

A *unit* is one character in one room in front of one camera. As in the release, three of the six characters visit each
room, each has its own spot, and every animation is performed in every unit. A pair is captured every twenty frames of
an animation, its target ten frames after its current pose (paper, Appendix B.1). The poses of ``wide`` pairs are drawn
in :mod:`fmp_models.sim.wide`; their number per unit is set here.

Every unit becomes one file under ``OUT/.units``, written atomically, so a run that was killed resumes where it stopped.
The order (pairs, seed, recordings) determines every byte; the number of processes has no influence.
"""

from __future__ import annotations

import functools
import io
import json
import math
import os
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, astuple, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from tqdm import tqdm

from fmp_models.data import (
    CAPTIONING_FEATURES,
    MOMENTS,
    PAPER_PAIRS,
    PICTURE_SIZE,
    SIMULATION_NOTE,
    PictureName,
    Shot,
    Uid,
    broken_rules,
    captioning_row,
    captioning_split,
    mean_distance,
    scaled_sizes,
)
from fmp_models.describe import SceneDescription, describe_in_scene
from fmp_models.errors import BadInputError
from fmp_models.geometry import Landmark, unmistakable_kinds
from fmp_models.languages import LANGUAGES
from fmp_models.pose import JOINTS, Array, PosePair, pose_pair
from fmp_models.sim.characters import CHARACTERS
from fmp_models.sim.dressing import DressedBody, PlacedBody, dress
from fmp_models.sim.light import project, to_camera
from fmp_models.sim.motion_capture import MotionSample, MotionSource, repertoire
from fmp_models.sim.motions import MOTIONS
from fmp_models.sim.rooms import COUNT, PlacedObject, Room, make_room
from fmp_models.sim.stage import Stage
from fmp_models.workers import Workers

SPACING, OFFSET = 20, 10  # frames
WIDE_SHARE = 0.65  # wide pairs for each pair of the captioning splits
WIDE_TEST = 0.039  # wide evaluation pairs for each pair: three hundred at the paper's size
_SPARE = 1.05  # captures planned for each pair: some are too still, out of view or in furniture
_TURN = 10.0  # maximum degrees that a take is turned from the spot's heading to either side


@dataclass(frozen=True, order=True)
class Unit:
    """One character at its spot in one room; all its pictures share a backdrop."""

    room: int
    character: int

    @property
    def spot(self) -> int:
        """The spot in the room, 0 to 2; the release gives every character of a room its own."""
        return self.character % 3

    @property
    def split(self) -> str:
        """The captioning split of its pairs; ``val_seen`` is drawn from ``train`` later."""
        return captioning_split(self.uid(0, 0))

    def uid(self, animation: int, capture: int) -> Uid:
        """Return the uid of one of its pairs."""
        return Uid(animation, self.room, self.character, capture, self.spot)

    def __str__(self) -> str:
        """Return the name of the unit's file."""
        return f"{self.room}_{self.character}"


@dataclass(frozen=True)
class Performance:
    """One take of an animation: its seed, whether it is mirrored, degrees turned from the spot's heading."""

    animation: int
    seed: int
    mirrored: bool
    turn: float = 0.0

    def take(self, motions: Sequence[MotionSource] = MOTIONS) -> MotionSample:
        """Generate the take."""
        return motions[self.animation].take(self.seed, mirrored=self.mirrored)


@dataclass(frozen=True)
class Moment:
    """A frame of a performance."""

    performance: Performance
    frame: float


@dataclass(frozen=True)
class Capture:
    """A pair to capture."""

    uid: Uid
    current: Moment
    target: Moment


def all_units() -> list[Unit]:
    """Return the 75 units: characters 0 to 2 in even rooms, 3 to 5 in odd ones."""
    return [Unit(room, character + 3 * (room % 2)) for room in range(COUNT) for character in range(3)]


def units_for(pairs: int, seed: int) -> list[Unit]:
    """Return the units that ``pairs`` captioning pairs need: the same share of every split, at least one of each.

    Within the rooms of a split the characters take turns, so that a few units are as balanced as all.
    """
    groups: dict[str, list[Unit]] = {}
    for unit in all_units():
        groups.setdefault(unit.split, []).append(unit)
    chosen: list[Unit] = []
    for number, group in enumerate(groups.values()):
        order = np.random.default_rng([seed, 1, number]).permutation(len(group))
        turn: dict[int, int] = {}
        ranked: list[tuple[int, int, Unit]] = []
        for i in order:
            unit = group[i]
            turn[unit.character] = turn.get(unit.character, 0) + 1
            ranked.append((turn[unit.character], len(ranked), unit))
        wanted = max(1, math.ceil(len(group) * min(1.0, pairs / PAPER_PAIRS)))
        chosen += [unit for _, _, unit in sorted(ranked)[:wanted]]
    return sorted(chosen)


def captures_of(unit: Unit, seed: int, share: float = 1.0, motions: Sequence[MotionSource] = MOTIONS) -> list[Capture]:
    """Return the pairs of one unit over all animations: the first ``share`` of each animation's captures, at least one.

    With a share above one every animation is performed several times, and its captures are numbered on.
    """
    captures = []
    for motion in motions:
        wanted = max(1, math.ceil(motion.captures * share))
        for number in range(wanted):
            again, capture = divmod(number, motion.captures)
            performance = _performance(unit, motion.number, seed, again)
            uid = unit.uid(motion.number, number)
            at = SPACING * capture
            captures.append(Capture(uid, Moment(performance, at), Moment(performance, at + OFFSET)))
    return captures


def _performance(unit: Unit, animation: int, seed: int, again: int) -> Performance:
    random = np.random.default_rng([seed, 2, animation, unit.room, unit.character, again])
    mirrored = bool(random.integers(2))
    return Performance(animation, int(random.integers(2**31)), mirrored, float(random.uniform(-_TURN, _TURN)))


def share_for(pairs: int, units: Sequence[Unit], motions: Sequence[MotionSource] = MOTIONS) -> float:
    """Return the share of every unit's captures that ``pairs`` pairs need, for :func:`captures_of`.

    It is the largest share that any split needs.
    """
    each = sum(motion.captures for motion in motions)
    has = Counter(unit.split for unit in units)
    sizes = scaled_sizes(pairs)
    sizes["train"] += sizes.pop("val_seen")
    return _SPARE * max(size / (each * has[split]) for split, size in sizes.items())


def wide_counts(units: Sequence[Unit], pairs: int) -> dict[str, dict[Unit, int]]:
    """Return the number of wide pairs of every unit, by split: ``train`` or ``test_unseen`` after the room."""
    counts = {}
    for split, wanted in (("train", round(WIDE_SHARE * pairs)), ("test_unseen", max(1, round(WIDE_TEST * pairs)))):
        chosen = [unit for unit in units if unit.split == split]
        each, rest = divmod(wanted, len(chosen))
        counts[split] = {unit: each + (number < rest) for number, unit in enumerate(chosen)}
    return counts


JPEG_QUALITY = 85
STILLEST = 0.03  # metres of mean joint movement; below it people tick "no clear difference"
_MARGIN = 3.0  # minimum distance in pixels of every joint from the edge of the picture
_BERTH = 0.05  # minimum distance in metres of joints from furniture
LANDMARK_SHARE = 0.006  # share of the picture that a thing must fill to be named


@dataclass(frozen=True)
class RenderedPair:
    """A rendered capture: JPEG pictures, joints (20, 3) in the camera frame, and its flaw (``None`` if usable)."""

    capture: Capture
    joints: tuple[Array, Array]
    flaw: str | None
    pictures: tuple[bytes, bytes] = (b"", b"")

    @property
    def poses(self) -> PosePair:
        """Both poses, placed in the same room."""
        return pose_pair(*self.joints)


def describe_pair(
    poses: PosePair, landmarks: Sequence[Landmark], uid: Uid, which: int, seed: int
) -> dict[str, SceneDescription]:
    """Return description number ``which`` of a pair in every language; the same for the same seed."""
    return describe_in_scene(
        poses, landmarks, int(np.random.default_rng([seed, 4, *astuple(uid), which]).integers(2**31))
    )


@functools.cache
def dressed(character: int) -> DressedBody:
    """Return the body of a character, dressed once in a process."""
    return dress(CHARACTERS[character])


class RenderJob:
    """A unit's room, camera and character; the backdrop is rendered on the first request for a picture or landmark."""

    def __init__(self, unit: Unit, motions: Sequence[MotionSource] = MOTIONS) -> None:
        """Furnish the room and dress the character; takes seconds the first time in a process."""
        self.unit = unit
        self._room: Room = make_room(unit.room)
        self._spot = self._room.spots[unit.spot]
        self._body = dressed(unit.character)
        self._take_of = functools.lru_cache(maxsize=64)(lambda performance: performance.take(motions))

    @functools.cached_property
    def stage(self) -> Stage:
        """The room in front of the camera."""
        return Stage(self._room.shell, self._room.items, self._spot.camera)

    @functools.cached_property
    def landmarks(self) -> list[Landmark]:
        """Visible things of the room whose name means no other thing of the room."""
        visible_items = [
            item for i, item in enumerate(self._room.items) if self.stage.visible.get(i, 0.0) >= LANDMARK_SHARE
        ]
        kinds = unmistakable_kinds([item.kind for item in self._room.items])
        return [
            Landmark(item.kind, self._seen_from_camera(item), level_radius(item))
            for item in visible_items
            if item.kind in kinds
        ]

    def place(self, moment: Moment) -> PlacedBody:
        """Return the character at a moment of a performance, in the room."""
        performance = moment.performance
        pose = self._take_of(performance).pose(moment.frame)
        heading = pose.heading + self._spot.heading + performance.turn
        return self._body.place(replace(pose, heading=heading), self._spot.at)

    def take(self, capture: Capture, *, pictures: bool = True) -> RenderedPair:
        """Return one pair; pictures are left out if the pair has a flaw."""
        try:
            placed = self.place(capture.current), self.place(capture.target)
        except ValueError:  # a recording of another body may need a pose that this one cannot reach
            nowhere = np.zeros((len(JOINTS), 3))
            return RenderedPair(capture, (nowhere, nowhere), "out of reach")
        joints = self.joints(placed[0]), self.joints(placed[1])
        flaw = self._flaw(placed, joints)
        if flaw or not pictures:
            return RenderedPair(capture, joints, flaw)
        return RenderedPair(capture, joints, None, (self.photograph(placed[0]), self.photograph(placed[1])))

    def joints(self, placed: PlacedBody) -> Array:
        """Return camera-frame joints (20, 3) rounded as they are stored: texts are true of the stored values."""
        joints = to_camera(placed.joints, self._spot.camera)
        return np.asarray(joints.astype(np.float32), dtype=np.float64)

    def pixels(self, placed: PlacedBody) -> Array:
        """Return the pixel positions (20, 2) of the joints, from the left and upper edge of the picture."""
        return np.asarray(project(placed.joints, self._spot.camera), dtype=np.float64)

    def photograph(self, placed: PlacedBody) -> bytes:
        """Return the JPEG file of one picture."""
        file = io.BytesIO()
        self.stage.photograph(self._body, placed).save(file, "JPEG", quality=JPEG_QUALITY)
        return file.getvalue()

    def _seen_from_camera(self, item: PlacedObject) -> tuple[float, float, float]:
        x, y, z = to_camera(np.asarray(item.centre), self._spot.camera).tolist()
        return x, y, z

    def _flaw(self, placed: tuple[PlacedBody, PlacedBody], joints: tuple[Array, Array]) -> str | None:
        """Return the flaw: no clear difference, a body out of the picture or in furniture; ``None`` if usable."""
        if mean_distance(*joints) < STILLEST:
            return "no clear difference"
        for person in placed:
            pixels = self.pixels(person)
            if (pixels < _MARGIN).any() or (pixels > np.subtract(PICTURE_SIZE, _MARGIN)).any():
                return "out of the picture"
            if any(within(item, np.asarray(person.joints)) for item in self._room.items):
                return "through an object"
        return None


def flawed_text(description: dict[str, SceneDescription]) -> bool:
    """Return whether a text breaks a writing rule (paper, Appendix B.3)."""
    return any(broken_rules(of_language.text) for of_language in description.values())


def level_radius(item: PlacedObject) -> float:
    """Return half the diagonal of an item's outline on the floor, metres."""
    corners = np.asarray(item.corners)
    return float(np.linalg.norm(corners - corners.mean(axis=0), axis=1).max())


def within(item: PlacedObject, joints: Array) -> bool:
    """Return whether a joint lies in the box of an item, or nearer to its sides than ``_BERTH``."""
    corners = np.asarray(item.corners)
    edges = np.roll(corners, -1, axis=0) - corners
    inward = np.stack([-edges[:, 1], edges[:, 0]], axis=1) / np.linalg.norm(edges, axis=1, keepdims=True)
    turn = np.sign(edges[0, 0] * edges[1, 1] - edges[0, 1] * edges[1, 0])
    depth = np.einsum("jek,ek->je", joints[:, None, :2] - corners[None], inward * turn)
    beside = (joints[:, 2] > item.low - _BERTH) & (joints[:, 2] < item.high + _BERTH)
    flat = item.high - item.low < _BERTH  # people may stand on a rug
    return bool((beside & (depth > -_BERTH).all(axis=1)).any()) and not flat


VERSION = 2  # of the result of an order; increase it with every change of pictures, texts or candidates
WIDE_VERSION = (
    2  # of the wide pairs only: a finished folder with an older version gets new wide pairs, and nothing else
)
TEXTS = 3  # descriptions of an evaluation pair
UNITS_FOLDER = ".units"
ABOUT = b"fixmypose"


@dataclass(frozen=True)
class CaptureOrder:
    """The order: captioning pairs over all splits, the seed, and the SHA-256 of each recording used."""

    pairs: int = PAPER_PAIRS
    seed: int = 0
    recordings: list[str] = field(default_factory=list)
    version: int = VERSION


Work = TypeVar("Work")


def take_units(out: Path, order: CaptureOrder, workers: Workers, recordings: Sequence[Path] = ()) -> list[Unit]:
    """Capture every unit of the order that has no file yet, with progress; return all units."""
    motions = repertoire(recordings)
    units = units_for(order.pairs, order.seed)
    folder = out / UNITS_FOLDER
    folder.mkdir(exist_ok=True)
    left = [unit for unit in units if not _file(out, unit).exists()]
    share = share_for(order.pairs, units, motions)
    files = tuple(path.resolve() for path in recordings)
    work = [_Work(out.resolve(), unit, order.seed, share, files) for unit in left]
    on_workers(
        _take_unit,
        {work.unit: work for work in work},
        {unit: len(captures_of(unit, order.seed, share, motions)) for unit in left},
        workers,
        folder,
    )
    return units


def on_workers(
    take: Callable[[Work], int], work: Mapping[Unit, Work], counts: Mapping[Unit, int], workers: Workers, folder: Path
) -> None:
    """Run ``take`` for every unit on the workers, with progress; ``take`` returns how many pairs are done."""
    for stale in folder.glob("*.part"):
        stale.unlink()
    # Dressing a character is slow, so its units are submitted together.
    units = sorted(work, key=lambda unit: (unit.character, unit.room))
    with (
        tqdm(total=sum(counts.values()), unit=" pairs", desc="taking pictures", disable=not units) as bar,
        closing(workers.completed(take, [work[unit] for unit in units])) as completed,
    ):
        for _, job in completed:
            bar.update(job.result())


def unit_rows(out: Path, unit: Unit, columns: list[str] | None = None) -> list[dict[str, Any]]:
    """Return the usable pairs of a unit, as rows of the captioning schema."""
    rows: list[dict[str, Any]] = pq.read_table(_file(out, unit), columns=columns).to_pylist()
    return rows


def unit_about(out: Path, unit: Unit) -> tuple[list[Landmark], Counter[str]]:
    """Return the landmarks of a unit, and the number of captures left out for each flaw."""
    about = json.loads(pq.read_schema(_file(out, unit)).metadata[ABOUT])
    landmarks = [Landmark(kind, tuple(place), radius) for kind, place, radius in about["landmarks"]]
    return landmarks, Counter(about["flaws"])


def finish(out: Path, order: CaptureOrder, facts: Mapping[str, Any]) -> None:
    """Record in the folder that it is complete, and delete the units' files."""
    _write_order(out, {**asdict(order), "finished": True, "wide": WIDE_VERSION, **facts})
    _let_go(out)


def begin(out: Path, order: CaptureOrder) -> bool:
    """Record the order in an empty folder, or check that it matches the recorded one; return whether it is finished.

    Raises :class:`BadInputError` if ``out`` holds something else or cannot be written.
    """
    note = out / SIMULATION_NOTE
    try:
        out.mkdir(parents=True, exist_ok=True)
        if note.exists():
            begun = json.loads(note.read_text(encoding="utf-8"))
            if {key: begun.get(key) for key in asdict(order)} != asdict(order):
                raise BadInputError("folder_other_order", path=str(out))
            if (finished := bool(begun.get("finished"))) and begun.get("wide") == WIDE_VERSION:
                _let_go(out)
            return finished
        if any(path.name != f"{SIMULATION_NOTE}.part" for path in out.iterdir()):
            raise BadInputError("folder_not_empty", path=str(out))
        _write_order(out, asdict(order))
    except (OSError, ValueError, AttributeError):
        raise BadInputError("folder_unusable", path=str(out)) from None
    return False


def wide_is_current(out: Path) -> bool:
    """Return whether the wide pairs of a finished folder are of the current version."""
    return bool(noted(out).get("wide") == WIDE_VERSION)


def noted(out: Path) -> dict[str, Any]:
    """Return the content of the folder's note."""
    note: dict[str, Any] = json.loads((out / SIMULATION_NOTE).read_text(encoding="utf-8"))
    return note


def _let_go(out: Path) -> None:
    """Delete the units' files, which a finished folder does not need."""
    shutil.rmtree(out / UNITS_FOLDER, ignore_errors=True)


def _write_order(out: Path, facts: Mapping[str, Any]) -> None:
    part = out / f"{SIMULATION_NOTE}.part"
    part.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    part.replace(out / SIMULATION_NOTE)


def _file(out: Path, unit: Unit) -> Path:
    return out / UNITS_FOLDER / f"pairs_{unit}.parquet"


@dataclass(frozen=True)
class _Work:
    """The arguments of a process that captures one unit."""

    out: Path
    unit: Unit
    seed: int
    share: float
    recordings: tuple[Path, ...]


def _take_unit(work: _Work) -> int:
    """Write one unit's file; return the number of captures tried."""
    motions = repertoire(work.recordings)
    job = RenderJob(work.unit, motions)
    tried = captures_of(work.unit, work.seed, work.share, motions)
    flaws: Counter[str] = Counter()
    rows = []
    for capture in tried:
        taken = job.take(capture)
        if taken.flaw is None and (row := _row(taken, job, work.seed)):
            rows.append(row)
        else:
            flaws[taken.flaw or "text"] += 1
    landmarks = [(mark.kind, [float(x) for x in mark.place], mark.radius) for mark in job.landmarks]
    about = json.dumps({"landmarks": landmarks, "flaws": flaws}).encode()
    write_whole(_file(work.out, work.unit), rows, _SCHEMA, about)
    return len(tried)


def write_whole(file: Path, rows: Sequence[Mapping[str, Any]], schema: pa.Schema, about: bytes) -> None:
    """Write rows as a unit's file atomically."""
    table = pa.Table.from_pylist(list(rows), schema=schema).replace_schema_metadata({ABOUT: about})
    part = file.with_suffix(f".{os.getpid()}.part")
    pq.write_table(table, part)
    part.replace(file)


def _row(taken: RenderedPair, job: RenderJob, seed: int) -> dict[str, Any] | None:
    """Return a row of the captioning schema; ``None`` if a text breaks a writing rule."""
    count = 1 if job.unit.split == "train" else TEXTS
    uid = taken.capture.uid
    descriptions = [describe_pair(taken.poses, job.landmarks, uid, which, seed) for which in range(count)]
    if any(flawed_text(texts) for texts in descriptions):
        return None
    current, target = (
        Shot(PictureName(uid, moment), picture, joints)
        for moment, picture, joints in zip(MOMENTS, taken.pictures, taken.joints, strict=True)
    )
    texts = {code: [each[code].text for each in descriptions] for code in LANGUAGES}
    return captioning_row(uid, current, target, texts)


_SCHEMA = CAPTIONING_FEATURES.arrow_schema.remove_metadata()

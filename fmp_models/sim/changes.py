"""Pairs of furnished rooms in which one thing changes, with changes of light and view that no text mentions.

The types of change are those of CLEVR-Change (Park et al., ICCV 2019): one thing is added, removed, moved, recoloured
or swapped for another; one pair in six has none. The kinds of a scene's things differ, so a kind names one thing. The
seed and the number of a pair determine it, and the rooms of the test split are not those of training.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from tqdm import tqdm

from fmp_models.data import CAPTIONING_FEATURES, CHANGES, MOMENTS, ShardWriter, write_pairs_card
from fmp_models.files import demand_empty
from fmp_models.languages import LANGUAGES, change_words
from fmp_models.sim.furniture import Palette, build_piece
from fmp_models.sim.light import Camera, Colour, Lamps, Surface
from fmp_models.sim.rooms import COUNT, build_shell, read_plan
from fmp_models.sim.stage import ROOM_LAMPS, RenderedBody, flat_mesh, render_view
from fmp_models.workers import Workers

KINDS = (
    *("armchair", "ball", "bench", "bicycle", "bookshelf", "cabinet"),
    *("chair", "sofa", "stool", "suitcase", "table", "wardrobe"),
)
COLOURS: Mapping[str, Colour] = {
    "red": (0.80, 0.10, 0.09),
    "yellow": (0.93, 0.78, 0.10),
    "green": (0.12, 0.55, 0.18),
    "blue": (0.12, 0.28, 0.80),
    "purple": (0.50, 0.16, 0.62),
    "white": (0.95, 0.95, 0.95),
    "black": (0.07, 0.07, 0.08),
}
TYPES = ("added", "removed", "moved", "recoloured", "swapped", "unchanged")
_TALL = ("bookshelf", "wardrobe")  # they would hide what is behind them
# Places (x, y) in metres: four at the back, three at the front.
_PLACES = (*((x, 1.2) for x in (-2.1, -0.7, 0.7, 2.1)), *((x, -0.9) for x in (-1.6, 0.0, 1.6)))
_BACK = 4  # places at the back
_ROOM = (6.4, 5.2, 3.2)  # metres
_FOCUS, _HEIGHT = (0.0, 0.0, 0.75), 5.2  # of the camera: its aim, and the metres that a picture is high there
_WIDTHS = (0.75, 1.35)  # metres that a thing is at least or at most wide: it is scaled
_THINGS = (4, 6)
_PICTURE = (128, 128)
_VISIBLE = 0.006  # share of the picture that a changed thing fills at least
_FAR = 1.4  # metres that a moved thing moves at least
_THIRD = 1.0  # metres from the middle to its edges
_TEST_ROOMS = 5
_TEXTS = 5
MAX_ATTEMPTS = 1000
_SPLITS = {0: "val_seen", 1: "test_unseen", 2: "test_unseen"}  # by the number of a pair modulo _EVERY
_EVERY = 20


@dataclass(frozen=True)
class Thing:
    """A piece of furniture: its place among seven, its offset from there in metres, and its turn in degrees."""

    kind: str
    colour: str
    place: int
    offset: tuple[float, float]
    turn: float

    @property
    def at(self) -> tuple[float, float]:
        """Its position on the floor."""
        x, y = _PLACES[self.place]
        return x + self.offset[0], y + self.offset[1]


@dataclass(frozen=True)
class Scene:
    """A room with things of different kinds, its lamps, and where the camera stands."""

    room: int
    things: tuple[Thing, ...]
    lamps: Lamps
    eye: tuple[float, float, float]


@dataclass(frozen=True)
class ChangedPair:
    """Two scenes of one room, and the thing that changes between them: ``before``, ``after``, or None."""

    scenes: tuple[Scene, Scene]
    type: str
    before: Thing | None
    after: Thing | None
    light: bool
    view: bool

    @property
    def thing(self) -> Thing | None:
        """The thing that the texts are about."""
        return self.before or self.after


def split_of(number: int) -> str:
    """Return the split of a pair."""
    return _SPLITS.get(number % _EVERY, "train")


def draw_pair(seed: int, number: int, attempt: int = 0) -> ChangedPair:
    """Draw a pair of scenes; another ``attempt`` draws another."""
    random = np.random.default_rng([seed, 31, number, attempt])
    test = split_of(number) == "test_unseen"
    room = int(random.integers(COUNT - _TEST_ROOMS, COUNT) if test else random.integers(COUNT - _TEST_ROOMS))
    kinds = [str(kind) for kind in random.permutation(KINDS)]
    places = [int(place) for place in random.permutation(len(_PLACES))]
    count = int(random.integers(_THINGS[0], _THINGS[1] + 1))
    things = [_draw_thing(kinds, places.pop(), random) for _ in range(count)]
    change = str(random.choice(TYPES))
    thing = things[int(random.integers(len(things)))]
    others = [other for other in things if other is not thing]
    after: Thing | None = thing
    if change == "moved":
        free = [place for place in places if place < _BACK or thing.kind not in _TALL]
        far = [place for place in free if np.hypot(*np.subtract(_PLACES[place], thing.at)) > _FAR]
        if not far:
            return draw_pair(seed, number, attempt + MAX_ATTEMPTS)
        after = replace(thing, place=int(random.choice(far)))
    elif change == "recoloured":
        after = replace(thing, colour=str(random.choice([name for name in COLOURS if name != thing.colour])))
    elif change == "swapped":
        after = replace(_draw_thing(kinds, thing.place, random), offset=thing.offset)
    before = None if change == "added" else thing
    after = None if change == "removed" else after
    light, view = (bool(value) for value in random.integers(2, size=2)) if random.integers(2) else (False, False)
    first = Scene(room, tuple(others) if before is None else tuple(things), _lamps(random), _eye(random))
    second = replace(first, things=(*others, *([after] if after else [])))
    second = replace(second, lamps=_lamps(random)) if light else second
    second = replace(second, eye=_eye(random)) if view else second
    if change == "unchanged":
        before = after = None
    return ChangedPair((first, second), change, before, after, light, view)


def _draw_thing(kinds: list[str], place: int, random: np.random.Generator) -> Thing:
    """Draw a thing of a kind that is taken from ``kinds``."""
    kind = kinds.pop(next(n for n, kind in enumerate(kinds) if place < _BACK or kind not in _TALL))
    across, back = random.uniform(-0.15, 0.15, 2).tolist()
    return Thing(kind, str(random.choice([*COLOURS])), place, (across, back), float(random.uniform(-30, 30)))


def _lamps(random: np.random.Generator) -> Lamps:
    limits = [(-1.0, 1.0), (-1.0, -0.4), (0.6, 1.1), (0.8, 1.0), (1.0, 1.9), (0.6, 1.0)]
    side, front, up, warm, key, sky = (float(random.uniform(*of)) for of in limits)
    tint = (1.0, 0.5 + 0.5 * warm, warm)
    return replace(ROOM_LAMPS, key=(side, front, up), key_strength=key, key_tint=tint, sky_strength=sky)


def _eye(random: np.random.Generator) -> tuple[float, float, float]:
    x, y, z = random.uniform((-0.5, -5.6, 2.4), (0.5, -5.2, 2.9))
    return float(x), float(y), float(z)


@functools.lru_cache(maxsize=COUNT)
def _shell(room: int) -> tuple[Surface, ...]:
    return build_shell(replace(read_plan(room), size=_ROOM))


@functools.cache
def _mesh(kind: str, colour: str) -> RenderedBody:
    """Return a thing around the origin."""
    piece = build_piece(kind, 0, Palette(*[COLOURS[colour]] * 5))
    mesh = flat_mesh(piece.surfaces)
    return replace(mesh, points=mesh.points * np.float32(np.clip(piece.size[0], *_WIDTHS) / piece.size[0]))


def _placed(thing: Thing) -> RenderedBody:
    mesh = _mesh(thing.kind, thing.colour)
    cos, sin = np.cos(np.radians(thing.turn)), np.sin(np.radians(thing.turn))
    matrix = np.array([[cos, sin, 0], [-sin, cos, 0], [0, 0, 1]], np.float32)
    at = np.array([*thing.at, 0.0], np.float32)
    return replace(mesh, points=mesh.points @ matrix + at, normals=mesh.normals @ matrix)


@functools.lru_cache(maxsize=2)  # both scenes of an unchanged pair can be the same
def render_scene(scene: Scene) -> tuple[Image.Image, dict[Thing, float]]:
    """Return the picture of a scene, and the share of it that each thing fills."""
    camera = Camera(scene.eye, _FOCUS, _HEIGHT, _PICTURE)
    picture, shares = render_view(_shell(scene.room), [_placed(thing) for thing in scene.things], camera, scene.lamps)
    return Image.fromarray(picture), dict(zip(scene.things, shares, strict=True))


def describe_change(pair: ChangedPair, language: str, random: np.random.Generator) -> list[str]:
    """Return sentences about a change; some also name a place or a neighbouring thing."""
    words = change_words(language)
    by_form: Mapping[str, list[str]] = words["texts"][pair.type]
    templates = next(iter(by_form.values()))
    blanks: dict[str, str] = {}
    if (thing := pair.thing) is not None:
        form = words["things"][thing.kind]["form"]
        templates = by_form[form]
        blanks = _blanks("", thing, pair.scenes[pair.before is None], words)
        if pair.before is not None and pair.after is not None:
            colour, hue = words["colours"][pair.after.colour], words["hue"]
            blanks |= _blanks("new_", pair.after, pair.scenes[1], words)
            blanks |= {"new_colour": colour[form], "hue": colour[hue], "of_hue": colour[f"of_{hue}"]}
    order = random.permutation(len(templates))[:_TEXTS]
    sentences = [templates[number].format_map(blanks) for number in order]
    return [sentence[0].upper() + sentence[1:] for sentence in sentences]


def _blanks(start: str, thing: Thing, scene: Scene, words: Mapping[str, Any]) -> dict[str, str]:
    """Return the words for a thing, its place, and where it stands from the nearest other thing of the scene."""
    x, _ = thing.at
    side = "middle" if abs(x) < _THIRD else "left" if x < 0 else "right"
    others = [other for other in scene.things if other.kind != thing.kind]
    near = min(others, key=lambda other: float(np.hypot(*np.subtract(other.at, thing.at))))
    across, back = np.subtract(thing.at, near.at)
    level = abs(across) > abs(back)
    where = ("left" if across < 0 else "right") if level else ("front" if back < 0 else "back")
    blanks = {
        **_named(thing, words),
        "place": words["places"][f"{side} {'back' if thing.place < _BACK else 'front'}"],
        "beside": words["beside"][where].format_map(_named(near, words)),
    }
    return {f"{start}{name}": text for name, text in blanks.items()}


def _named(thing: Thing, words: Mapping[str, Any]) -> dict[str, str]:
    of_kind, colour = words["things"][thing.kind], words["colours"][thing.colour]
    form = of_kind["form"]
    return {"thing": f"{colour[form]} {of_kind['plain']}", "of_thing": f"{colour[f'of_{form}']} {of_kind['of']}"}


def take_pair(work: tuple[int, int]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the row of captioning and that of ``changes`` for ``work``, a seed and a number.

    Pairs in which the changed thing can hardly be seen are drawn again.
    """
    seed, number = work
    for attempt in range(MAX_ATTEMPTS):
        pair = draw_pair(seed, number, attempt)
        rendered = [render_scene(scene) for scene in pair.scenes]
        ends = zip((pair.before, pair.after), rendered, strict=True)
        if all(thing is None or shares[thing] >= _VISIBLE for thing, (_, shares) in ends):
            break
    uid = f"{seed}-{number}"
    pictures = zip(MOMENTS, rendered, strict=True)
    images = {moment: _stored(picture, f"{moment}_{uid}") for moment, (picture, _) in pictures}
    random = np.random.default_rng([seed, 32, number])
    texts = {f"descriptions_{code}": describe_change(pair, code, random) for code in LANGUAGES}
    thing, new = pair.thing, pair.after if pair.before else None
    changed = {"recoloured": ("colour",), "swapped": ("kind", "colour")}.get(pair.type, ())
    about = {"uid": uid, "type": pair.type, "light": pair.light, "view": pair.view}
    for what in ("kind", "colour"):
        about |= {what: getattr(thing, what, None), f"new_{what}": getattr(new, what) if what in changed else None}
    return {**dict.fromkeys(CAPTIONING_FEATURES), **texts, "uid": uid, **images}, about


def _stored(picture: Image.Image, name: str) -> dict[str, object]:
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=90)
    return {"bytes": file.getvalue(), "path": f"{name}.jpg"}


def build_changes(out: Path, pairs: int, seed: int, workers: Workers) -> dict[str, int]:
    """Write ``pairs`` pairs as a dataset folder, new or empty, with its card; return the pairs of each split.

    Raise ``BadInputError``: ``folder_not_empty``, ``folder_unusable``.
    """
    demand_empty(out)
    splits = sorted({split_of(number) for number in range(pairs)})
    work = [(seed, number) for number in range(pairs)]
    with ExitStack() as stack:
        of_splits = [(config, split) for config in ("captioning", CHANGES) for split in splits]
        writers = {key: stack.enter_context(ShardWriter(out, *key)) for key in of_splits}
        taken = stack.enter_context(closing(workers.map(take_pair, work)))
        for (_, number), rows in zip(work, tqdm(taken, total=pairs, unit=" pairs"), strict=True):
            for config, row in zip(("captioning", CHANGES), rows, strict=True):
                writers[config, split_of(number)].add(row)
    write_pairs_card(out, LANGUAGES, (), CHANGES)
    return {split: writers["captioning", split].rows for split in splits}

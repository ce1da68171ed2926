"""Whether people can stand in the rooms, be seen whole, and see enough around them."""

from __future__ import annotations

import hashlib
import itertools
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from fmp_models.sim.furniture import KINDS, MOUNTS
from fmp_models.sim.rooms import COUNT, PATTERNS, SIDES, PlacedObject, Room, Spot, furnish, make_room, read_plan
from fmp_models.sim.stage import Stage
from tests.nonempty import nonempty
from tests.thoroughness import some, thorough

FREE = 0.9  # radius of the place around a person
TALL = 2.2
ASPECT = 2.0
SPOTS = [(number, which) for number in range(25) for which in range(3)]
OF_SPOTS = pytest.mark.parametrize(("number", "which"), some(SPOTS, 5))
ROOMS = range(25)


def spot_of(number: int, which: int) -> tuple[Room, Spot]:
    room = make_room(number)
    return room, room.spots[which]


def outline(item: PlacedObject, steps: int = 12) -> np.ndarray:
    """Places along the edge of a footprint."""
    corners = np.asarray(item.corners)
    along = (np.arange(steps) / steps)[:, None, None]
    return (corners + (np.roll(corners, -1, axis=0) - corners) * along).reshape(-1, 2)


def covers(item: PlacedObject, places: np.ndarray) -> np.ndarray:
    """Which places (..., 2) lie in the footprint of a thing."""
    corners = np.asarray(item.corners)
    edges = np.roll(corners, -1, axis=0) - corners
    offset = places[..., None, :] - corners
    return np.asarray((edges[:, 0] * offset[..., 1] - edges[:, 1] * offset[..., 0] >= 0).all(axis=-1))


def overlap(first: PlacedObject, second: PlacedObject, slack: float = 0.01) -> bool:
    """Whether two boxes share room (separating axes of the footprints, then the heights)."""
    if min(first.high, second.high) - max(first.low, second.low) < slack:
        return False
    one, other = np.asarray(first.corners), np.asarray(second.corners)
    for corners in (one, other):
        for edge in (corners[1] - corners[0], corners[2] - corners[1]):
            axis = edge / np.linalg.norm(edge)
            if min((one @ axis).max(), (other @ axis).max()) - max((one @ axis).min(), (other @ axis).min()) < slack:
                return False
    return True


def in_view(places: np.ndarray, spot: Spot) -> np.ndarray:
    """World (N, 3) -> right, up (1 at the border of the picture) and depth in metres."""
    camera = spot.camera
    right, up, ahead = (np.subtract(places, camera.place) @ camera.axes.T).T
    reach = camera.slope * np.maximum(ahead, 1e-9)
    return np.stack([right / (reach * ASPECT), up / reach, ahead], axis=1)


def shown(room: Room, spot: Spot) -> list[tuple[str, float, float, float]]:
    """Of everything but rugs: kind, share of the picture its box fills, middle (-1 to 1), metres behind the person."""
    things = []
    for item in room.items:
        corners = [(x, y, z) for x, y in item.corners for z in (item.low, item.high)]
        view = in_view(np.array(corners), spot)
        if item.kind == "rug" or view[:, 2].min() < 0.2:
            continue
        low, high = np.clip(view[:, :2].min(axis=0), -1, 1), np.clip(view[:, :2].max(axis=0), -1, 1)
        share = float(np.prod(high - low) / 4)
        depth = float(view[:, 2].mean()) - float(np.linalg.norm(np.subtract(spot.camera.focus, spot.camera.place)))
        things.append((item.kind, share, float(low[0] + high[0]) / 2, depth))
    return things


def test_there_are_twenty_five_rooms_with_themes_of_their_own() -> None:
    assert COUNT == 25
    assert len({read_plan(number).theme for number in range(COUNT)}) == 25


@pytest.mark.parametrize("number", [-1, 25])
def test_an_unknown_room_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="no room"):
        make_room(number)


@thorough
def test_every_kind_of_furniture_stands_in_two_rooms_at_least() -> None:
    rooms = Counter(kind for number in ROOMS for kind in {item.kind for item in make_room(number).items})
    assert len(rooms) >= 45
    assert [kind for kind in KINDS if rooms[kind] < 2] == []


@pytest.mark.parametrize("number", some(ROOMS, 5))
def test_a_room_is_furnished_with_things_that_can_be_told_apart(number: int) -> None:
    items = make_room(number).items
    counts = Counter(item.kind for item in items)
    assert 8 <= len(items) <= 18
    assert sum(1 for count in counts.values() if count == 1) >= 8


@pytest.mark.parametrize("number", some(ROOMS, 5))
def test_nothing_pokes_through_walls_floor_or_ceiling(number: int) -> None:
    width, depth, height = read_plan(number).size
    assert 3.5 <= min(width, depth) <= max(width, depth) <= 8
    for item in make_room(number).items:
        beyond = np.abs(np.asarray(item.corners)).max(axis=0) - np.array([width, depth]) / 2
        assert beyond.max() <= 1e-3, item.kind
        assert item.low >= -1e-6, item.kind
        assert item.high <= height, item.kind


@pytest.mark.parametrize("number", some(ROOMS, 5))
def test_no_thing_is_within_another(number: int) -> None:
    items = [item for item in make_room(number).items if item.kind != "rug"]
    assert [(a.kind, b.kind) for a, b in itertools.combinations(items, 2) if overlap(a, b)] == []


@pytest.mark.parametrize("number", some(ROOMS, 5))
def test_things_stand_hang_or_lie_on_something(number: int) -> None:
    room = make_room(number)
    half = np.array(read_plan(number).size[:2]) / 2
    items = {mount: [item for item in room.items if MOUNTS[item.kind] == mount] for mount in MOUNTS.values()}
    for item in nonempty(items["floor"]):
        assert item.low == pytest.approx(0), item.kind
    for item in nonempty(items["wall"]):
        assert (half - np.abs(np.asarray(item.corners))).min() == pytest.approx(0, abs=1e-3), item.kind
    for item in items["on_top"]:
        below = [
            under
            for under in room.items
            if under.high == pytest.approx(item.low) and covers(under, np.array(item.centre[:2]))
        ]
        assert below, item.kind


@pytest.mark.parametrize("number", some(ROOMS, 5))
def test_the_surfaces_of_a_thing_fill_its_box(number: int) -> None:
    for item in nonempty(make_room(number).items):
        points = np.concatenate([np.asarray(surface.mesh.points) for surface in item.surfaces])
        box = np.array([*item.corners])
        assert points[:, :2].min(axis=0) == pytest.approx(box.min(axis=0), abs=0.3), item.kind
        assert (points[:, :2] >= box.min(axis=0) - 1e-3).all(), item.kind
        assert (points[:, :2] <= box.max(axis=0) + 1e-3).all(), item.kind
        assert (points[:, 2].min(), points[:, 2].max()) == pytest.approx((item.low, item.high), abs=1e-3), item.kind


@pytest.mark.parametrize("number", some(ROOMS, 5))
def test_doors_can_be_reached(number: int) -> None:
    room = make_room(number)
    for door in nonempty(item for item in room.items if item.kind == "door"):
        middle = np.array(door.centre[:2])
        half = np.array(read_plan(number).size[:2]) / 2
        inward = np.where(half - np.abs(middle) < 0.2, -np.sign(middle), 0)
        before = middle + 0.4 * inward
        assert [item.kind for item in room.items if item.kind != "rug" and covers(item, before)] == []


@OF_SPOTS
def test_a_person_stands_freely(number: int, which: int) -> None:
    room, spot = spot_of(number, which)
    half = np.array(read_plan(number).size[:2]) / 2
    assert (half - np.abs(spot.at)).min() >= FREE
    for item in nonempty(item for item in room.items if item.kind != "rug" and item.low < TALL):
        assert not covers(item, np.array(spot.at)), item.kind
        assert np.linalg.norm(outline(item) - spot.at, axis=1).min() >= FREE, item.kind


@OF_SPOTS
def test_nothing_stands_between_camera_and_person(number: int, which: int) -> None:
    room, spot = spot_of(number, which)
    across = spot.camera.axes[0]
    heights, sides = (0.1, 0.5, 1.6, 2.1), (-FREE, 0, FREE)
    joints = np.array([np.array([*spot.at, height]) + side * across for height in heights for side in sides])
    shares = np.linspace(0, 1, 80)[:, None, None]
    places = (np.array(spot.camera.place) + shares * (joints - spot.camera.place)).reshape(-1, 3)
    for item in nonempty(room.items):
        beside = (item.low < places[:, 2]) & (places[:, 2] < item.high)
        assert item.kind == "rug" or not (beside & covers(item, places[:, :2])).any(), item.kind


@OF_SPOTS
def test_the_camera_is_level_and_sees_a_whole_person(number: int, which: int) -> None:
    room, spot = spot_of(number, which)
    camera = spot.camera
    assert camera.size == (448, 224)
    assert camera.place[2] == camera.focus[2]
    assert 1.0 <= camera.place[2] <= 1.35
    assert 3.49 < np.linalg.norm(np.subtract(camera.focus, camera.place)) < 5.51
    assert 0.58 <= 1.75 / camera.height <= 0.68
    right, up, ahead = camera.axes
    body = np.array([*spot.at, 0.0])
    reach = [body + 0.02 * up, body + 2.45 * up, body + 0.9 * right, body - 0.9 * right, body - 0.55 * ahead]
    assert np.abs(in_view(np.array(reach), spot)[:, :2]).max() <= 1
    assert all(np.linalg.norm(outline(item) - camera.place[:2], axis=1).min() > 0.3 for item in room.items)


@OF_SPOTS
def test_the_person_faces_the_camera_more_or_less(number: int, which: int) -> None:
    _, spot = spot_of(number, which)
    heading = np.radians(spot.heading)
    facing = np.array([np.sin(heading), -np.cos(heading)])
    towards = np.subtract(spot.camera.place[:2], spot.at)
    assert facing @ towards / np.linalg.norm(towards) >= np.cos(np.radians(50)) - 1e-9


@OF_SPOTS
def test_a_picture_shows_landmarks_on_both_sides_and_behind(number: int, which: int) -> None:
    room, spot = spot_of(number, which)
    clear = [(kind, middle, depth) for kind, share, middle, depth in shown(room, spot) if share > 0.01]
    assert len({kind for kind, _, _ in clear}) >= 4
    assert any(middle < 0 for _, middle, _ in clear)
    assert any(middle > 0 for _, middle, _ in clear)
    assert any(depth > 0.3 for _, _, depth in clear)


@OF_SPOTS
def test_the_room_fills_the_picture_from_edge_to_edge(number: int, which: int) -> None:
    camera = spot_of(number, which)[1].camera
    half = np.array(read_plan(number).size[:2]) / 2
    right, _, ahead = camera.axes
    for side in nonempty(np.linspace(-1, 1, 9)):
        ray = (ahead + side * camera.slope * ASPECT * right)[:2] + 1e-9
        to_planes = (np.stack([-half, half]) - camera.place[:2]) / ray
        assert max(0.0, to_planes.min(axis=0).max()) < to_planes.max(axis=0).min()


@thorough
def test_a_camera_outside_sees_the_things_in_the_room() -> None:
    room, spot = spot_of(3, 0)
    half = np.array(read_plan(3).size[:2]) / 2
    assert (np.abs(spot.camera.place[:2]) > half).any()
    visible = Stage(room.shell, room.items, spot.camera).visible
    seen = {room.items[item].kind for item, share in visible.items() if share > 0.006}
    assert len(seen) >= 4


@pytest.mark.parametrize("number", some(ROOMS, 5))
def test_the_spots_of_a_room_show_different_parts_of_it(number: int) -> None:
    spots = make_room(number).spots
    for one, other in nonempty(itertools.combinations(spots, 2)):
        assert one.camera.axes[2] @ other.camera.axes[2] < np.cos(np.radians(25))


@thorough
def test_no_two_rooms_share_colours_or_furniture() -> None:
    looks = [(read_plan(number).walls["south"], read_plan(number).floor) for number in ROOMS]
    things = [tuple(sorted(item.kind for item in make_room(number).items)) for number in ROOMS]
    sizes = [read_plan(number).size for number in ROOMS]
    assert len(set(looks)) == len(set(things)) == len(set(sizes)) == 25


def test_every_finish_is_used_and_gives_colours() -> None:
    plans = [read_plan(number) for number in ROOMS]
    used = {plan.floor.pattern for plan in plans} | {finish.pattern for plan in plans for finish in plan.walls.values()}
    assert used == set(PATTERNS)
    places = np.random.default_rng(3).uniform(-3, 3, (500, 2))
    for pattern in PATTERNS.values():
        colours = pattern(places, (0.6, 0.5, 0.4), (0.3, 0.3, 0.3))
        assert colours.shape == (500, 3)
        assert colours.min() >= 0
        assert colours.max() <= 1


def test_a_wall_too_short_for_its_things_is_told() -> None:
    plan = read_plan(0)
    crowded = {"north": plan.along["north"] * 3}
    with pytest.raises(ValueError, match="north wall"):
        furnish(type(plan)(**{**vars(plan), "along": crowded}))


def test_a_plan_names_every_wall_of_its_room() -> None:
    for number in nonempty(ROOMS):
        assert set(read_plan(number).walls) == set(SIDES)


def digest(number: int) -> str:
    room = make_room(number)
    sums = hashlib.sha256(repr([(item.kind, item.corners, item.low, item.high) for item in room.items]).encode())
    sums.update(repr(room.spots).encode())
    for item in room.items:
        for surface in item.surfaces:
            sums.update(np.asarray(surface.mesh.points).tobytes())
    return sums.hexdigest()


@thorough
def test_another_process_builds_the_same_room() -> None:
    code = (
        "import importlib.util, sys;"
        f"spec = importlib.util.spec_from_file_location('rooms_test', {__file__!r});"
        "module = importlib.util.module_from_spec(spec); sys.modules['rooms_test'] = module;"
        "spec.loader.exec_module(module); print(module.digest(14))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split()[-1] == digest(14)

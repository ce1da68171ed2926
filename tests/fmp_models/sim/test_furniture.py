"""Every piece of furniture is a sound mesh of a believable size, and the same each time."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.sim.furniture import KINDS, MOUNTS, PALETTES, VARIANTS, Palette, Piece, build_piece
from fmp_models.sim.furniture.shapes import box, cushion, leaf, mix, picture, prism, rod, shade, surfaces, turned
from tests.nonempty import nonempty
from tests.thoroughness import examples, some, thorough

ROOT = Path(__file__).resolve().parents[3]
TRIANGLES = 6000
COMMON = {"sofa", "chair", "table", "bed", "lamp", "rug", "painting", "plant", "curtain", "bookshelf", "cabinet"}
# kind: (least, most) width, depth and height in metres of such things in homes.
SIZES = {
    "sofa": ((1.5, 2.6), (0.8, 1.7), (0.7, 1.0)),
    "armchair": ((0.65, 1.1), (0.7, 1.0), (0.75, 1.1)),
    "chair": ((0.38, 0.7), (0.4, 0.7), (0.75, 1.2)),
    "table": ((0.9, 2.0), (0.75, 1.2), (0.7, 0.95)),
    "coffee_table": ((0.6, 1.3), (0.4, 0.9), (0.35, 0.65)),
    "desk": ((1.0, 1.7), (0.5, 0.85), (0.7, 1.3)),
    "bed": ((0.9, 2.0), (1.9, 2.3), (0.7, 1.3)),
    "lamp": ((0.3, 1.5), (0.3, 0.7), (1.3, 2.0)),
    "rug": ((1.2, 2.6), (0.9, 2.2), (0.002, 0.012)),
    "window": ((0.8, 2.1), (0.05, 0.3), (1.0, 1.8)),
    "door": ((0.8, 1.1), (0.05, 0.16), (2.0, 2.2)),
    "television": ((0.8, 2.1), (0.2, 0.5), (0.8, 1.4)),
    "bookshelf": ((0.6, 1.4), (0.22, 0.45), (0.8, 2.2)),
    "plant": ((0.25, 1.1), (0.25, 1.1), (0.6, 2.0)),
    "piano": ((1.4, 1.6), (0.5, 2.1), (1.0, 2.0)),
    "painting": ((0.3, 1.3), (0.01, 0.08), (0.3, 1.0)),
    "curtain": ((1.2, 2.3), (0.05, 0.3), (2.0, 2.5)),
    "fridge": ((0.55, 1.0), (0.55, 0.8), (1.5, 2.0)),
    "mirror": ((0.35, 0.9), (0.02, 0.1), (0.6, 1.8)),
    "clock": ((0.2, 0.5), (0.03, 0.2), (0.2, 0.95)),
    "box": ((0.3, 0.95), (0.25, 0.75), (0.25, 0.9)),
    "bathtub": ((1.5, 1.9), (0.65, 0.95), (0.5, 1.0)),
    "sink": ((0.45, 1.0), (0.35, 0.6), (0.8, 1.25)),
    "toilet": ((0.35, 0.5), (0.6, 0.8), (0.7, 1.05)),
    "stove": ((0.5, 0.75), (0.5, 0.75), (0.85, 1.2)),
    "cabinet": ((0.8, 1.9), (0.35, 0.6), (0.7, 2.0)),
    "wardrobe": ((0.9, 1.8), (0.5, 0.75), (1.8, 2.3)),
    "fireplace": ((1.1, 1.8), (0.3, 0.8), (1.0, 1.6)),
    "guitar": ((0.28, 0.45), (0.2, 0.6), (0.95, 1.3)),
    "computer": ((0.3, 0.8), (0.2, 0.5), (0.2, 0.6)),
    "stool": ((0.3, 0.5), (0.3, 0.5), (0.4, 0.85)),
    "bench": ((1.0, 1.6), (0.35, 0.7), (0.4, 0.95)),
    "basket": ((0.3, 0.65), (0.25, 0.6), (0.3, 0.65)),
    "vase": ((0.1, 0.45), (0.1, 0.45), (0.25, 0.8)),
    "bicycle": ((1.6, 1.95), (0.45, 0.75), (0.9, 1.2)),
    "treadmill": ((0.65, 0.95), (1.4, 1.9), (1.2, 1.6)),
    "radiator": ((0.6, 1.4), (0.06, 0.2), (0.5, 0.8)),
    "shelf": ((0.5, 1.2), (0.15, 0.35), (0.2, 1.1)),
    "nightstand": ((0.35, 0.6), (0.3, 0.5), (0.6, 1.0)),
    "aquarium": ((0.6, 1.2), (0.3, 0.6), (0.9, 1.4)),
    "suitcase": ((0.35, 0.8), (0.15, 0.4), (0.4, 1.2)),
    "fan": ((0.35, 0.75), (0.25, 0.5), (0.45, 1.5)),
    "washing_machine": ((0.55, 0.65), (0.5, 0.7), (0.8, 0.9)),
    "ladder": ((0.4, 0.7), (0.7, 1.3), (1.4, 2.2)),
    "ball": ((0.15, 0.8), (0.15, 0.8), (0.15, 0.8)),
}
PIECES = [(kind, variant) for kind in KINDS for variant in range(VARIANTS[kind])]
every_piece = pytest.mark.parametrize(("kind", "variant"), some(PIECES, 15))
channel = st.floats(0, 1)
colour = st.tuples(channel, channel, channel)


@cache
def piece(kind: str, variant: int) -> Piece:
    return build_piece(kind, variant, None)


def points_of(built: Piece) -> np.ndarray:
    return np.concatenate([np.asarray(surface.mesh.points) for surface in built.surfaces])


def colours_of(built: Piece) -> np.ndarray:
    return np.concatenate([np.asarray(surface.colour) for surface in built.surfaces])


def fingerprint(built: Piece) -> str:
    digest = hashlib.sha256(repr((built.kind, built.size)).encode())
    for surface in built.surfaces:
        for part in (surface.mesh.points, surface.mesh.faces, surface.mesh.point_data["Normals"], surface.colour):
            digest.update(np.ascontiguousarray(part).tobytes())
        digest.update(repr((surface.gloss, surface.glow)).encode())
    return digest.hexdigest()


def test_the_kinds_are_those_that_the_languages_can_name() -> None:
    assert list(KINDS) == list(SIZES)
    assert set(MOUNTS) == set(KINDS)
    assert set(MOUNTS.values()) <= {"floor", "wall", "on_top", "ceiling"}


def test_things_on_walls_are_mounted_there() -> None:
    walls = {kind for kind, mount in MOUNTS.items() if mount == "wall"}
    assert walls == {"window", "door", "painting", "curtain", "mirror", "clock", "radiator", "shelf"}


@pytest.mark.parametrize("kind", some(KINDS, 10))
def test_a_kind_comes_in_variants_that_differ(kind: str) -> None:
    assert VARIANTS[kind] >= (3 if kind in COMMON else 2)
    prints = {fingerprint(piece(kind, variant)) for variant in range(VARIANTS[kind])}
    shapes = {points_of(build_piece(kind, variant, PALETTES[0])).tobytes() for variant in range(VARIANTS[kind])}
    assert len(prints) == VARIANTS[kind]
    assert len(shapes) == VARIANTS[kind] or kind in {"piano", "washing_machine", "treadmill"}


@every_piece
def test_a_piece_has_a_believable_size(kind: str, variant: int) -> None:
    for length, (least, most) in nonempty(zip(piece(kind, variant).size, SIZES[kind], strict=True)):
        assert least <= length <= most


@every_piece
def test_a_piece_fills_its_size_and_stands_centred_on_the_floor(kind: str, variant: int) -> None:
    built = piece(kind, variant)
    width, depth, height = built.size
    points = points_of(built)
    np.testing.assert_allclose(points.min(axis=0), [-width / 2, -depth / 2, 0], atol=1e-5)
    np.testing.assert_allclose(points.max(axis=0), [width / 2, depth / 2, height], atol=1e-5)


@every_piece
def test_a_piece_is_a_sound_mesh_of_few_triangles(kind: str, variant: int) -> None:
    total = 0
    for surface in piece(kind, variant).surfaces:
        mesh = surface.mesh
        normals = np.asarray(mesh.point_data["Normals"])
        triangles = np.asarray(mesh.regular_faces)
        assert mesh.is_all_triangles
        assert triangles.min() >= 0
        assert triangles.max() < mesh.n_points
        assert np.isfinite(mesh.points).all()
        assert np.isfinite(normals).all()
        used = np.unique(triangles)
        np.testing.assert_allclose(np.linalg.norm(normals[used], axis=1), 1, atol=1e-3)
        total += len(triangles)
    assert 0 < total <= TRIANGLES


@every_piece
def test_a_piece_is_coloured_point_by_point(kind: str, variant: int) -> None:
    built = piece(kind, variant)
    for surface in built.surfaces:
        assert np.asarray(surface.colour).shape == (surface.mesh.n_points, 3)
        assert 0 <= surface.gloss <= 1
        assert 0 <= surface.glow <= 1
    colours = colours_of(built)
    assert np.isfinite(colours).all()
    assert colours.min() >= 0
    assert colours.max() <= 1


@pytest.mark.parametrize("kind", ["lamp", "window", "fireplace", "aquarium", "computer"])
def test_what_gives_light_glows(kind: str) -> None:
    for variant in nonempty(range(VARIANTS[kind])):
        assert any(surface.glow > 0.3 for surface in piece(kind, variant).surfaces)


@thorough
def test_a_piece_is_the_same_in_another_process() -> None:
    names = [("bookshelf", 0), ("plant", 3), ("fireplace", 0), ("vase", 1)]
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); sys.path.insert(0, sys.argv[2])\n"
        "from test_furniture import fingerprint, build_piece\n"
        f"for kind, variant in {names!r}: print(fingerprint(build_piece(kind, variant, None)))"
    )
    command = [sys.executable, "-c", program, str(ROOT), str(Path(__file__).parent)]
    there = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert there == [fingerprint(build_piece(kind, variant, None)) for kind, variant in names]


@given(kind=st.sampled_from(["sofa", "curtain", "cabinet", "rug", "bed"]), variant=st.integers(-3, 40))
@examples(15)
def test_variants_start_again_after_the_last(kind: str, variant: int) -> None:
    first = build_piece(kind, variant % VARIANTS[kind], PALETTES[0])
    assert fingerprint(build_piece(kind, variant, PALETTES[0])) == fingerprint(first)


@given(fabric=colour, wood=colour)
@examples(15)
def test_a_palette_colours_a_piece_and_leaves_its_shape(fabric: tuple, wood: tuple) -> None:
    built = build_piece("sofa", 0, Palette(wood, fabric, (1, 0, 0), (0, 0, 0), (1, 1, 1)))
    np.testing.assert_array_equal(points_of(built), points_of(piece("sofa", 0)))
    colours = colours_of(built)
    for wanted in (fabric, wood):
        assert np.abs(colours - wanted).max(axis=1).min() < 1e-6
    assert 0 <= colours.min() <= colours.max() <= 1


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="no furniture of the kind 'spaceship'"):
        build_piece("spaceship", 0, None)


@pytest.mark.parametrize(
    "part",
    [
        box((0, 0, -0.5), (1, 2, 1), (1, 1, 1), 0.1),
        cushion((0, 0, -0.5), (1, 2, 1), (1, 1, 1)),
        turned([(0, -0.5), (0.5, -0.5), (0.5, 0.5), (0, 0.5)], (0, 0, 0), (1, 1, 1), depth=0.5, square=4),
        rod((-0.3, -0.4, -0.2), (0.3, 0.4, 0.2), 0.1, (1, 1, 1)),
        prism([(-1, -1), (1, -1), (0.5, 1), (-1, 1)], 0.4, (1, 1, 1)),
    ],
    ids=["box", "cushion", "turned", "rod", "prism"],
)
def test_a_solid_is_closed_and_looks_outwards(part) -> None:  # noqa: ANN001
    (surface,) = surfaces([part])
    corners = np.asarray(surface.mesh.points)[np.asarray(surface.mesh.regular_faces)]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.einsum("ij,ij->i", across, corners.mean(axis=1)) > -1e-9).all()
    np.testing.assert_allclose(across.sum(axis=0), 0, atol=1e-6)
    volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    spread = np.ptp(np.asarray(surface.mesh.points), axis=0)
    assert 0.02 * np.prod(spread) < volume <= np.prod(spread) * (1 + 1e-6)


def test_a_part_is_moved_turned_and_sized_as_told() -> None:
    post = box((1, 0, 0), (0.2, 0.2, 2.0), (0.5, 0.5, 0.5))
    np.testing.assert_allclose(post.spun(90).points.mean(axis=0), [0, 1, 1], atol=1e-9)
    np.testing.assert_allclose(post.spun(90, "x").points.mean(axis=0), [1, -1, 0], atol=1e-9)
    np.testing.assert_allclose(post.spun(90, "y").points.mean(axis=0), [1, 0, -1], atol=1e-9)
    np.testing.assert_allclose(post.moved(0, 2, 3).points.mean(axis=0), [1, 2, 4], atol=1e-9)
    np.testing.assert_allclose(post.scaled(0.5).points, post.points / 2)
    np.testing.assert_allclose(post.shaded(0.5).colours, 0.25)


def test_a_picture_is_painted_the_right_way_round() -> None:
    shown = picture((0, 0, 0), (2, 2), lambda at: np.column_stack([at / 2 + 0.5, at[:, :1] * 0]), (8, 8))
    np.testing.assert_allclose(shown.colours[:, 0], shown.points[:, 0] / 2 + 0.5, atol=1e-9)
    np.testing.assert_allclose(shown.colours[:, 1], shown.points[:, 2] / 2, atol=1e-9)
    np.testing.assert_allclose(shown.normals, np.tile([0, -1, 0], (len(shown.points), 1)))


def test_tiles_have_one_colour_each() -> None:
    plain = box((0, 0, 0), (1, 1, 1), (0, 0, 0))
    tiled = plain.tiled(lambda at: np.where(at[:, :1] > 0, [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]))
    assert len(tiled.triangles) == len(plain.triangles)
    assert (np.ptp(tiled.colours[tiled.triangles], axis=1) == 0).all()


@given(colour, st.floats(0, 3))
def test_shades_stay_colours(tint: tuple, factor: float) -> None:
    assert all(0 <= value <= 1 for value in shade(tint, factor))
    assert mix(tint, (0.2, 0.4, 0.6), 0.0) == pytest.approx(tint)
    assert mix(tint, (0.2, 0.4, 0.6), 1.0) == pytest.approx((0.2, 0.4, 0.6))


def test_a_leaf_grows_from_its_stalk_and_bends_to_its_side() -> None:
    grid = leaf(1.0, 0.8, 0.15, 20, 5)
    np.testing.assert_allclose(grid[0, :, [0, 2]], 0, atol=0.01)
    assert grid[-1, 2, 0] > 0.4
    assert grid[-1, 2, 2] > 0.5
    np.testing.assert_allclose(grid[:, 0, 1], -grid[:, -1, 1])

"""The joints of a simulated pair are found in its pictures where the simulator put them."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from fmp_models.data.camera import SIZE, focal_length, in_picture
from fmp_models.data.folder import SPLITS
from fmp_models.data.sample import sample_rows
from fmp_models.data.uids import MOMENTS, Uid, parse_uid
from fmp_models.sim.light import project, to_camera
from fmp_models.sim.rooms import COUNT, find_spot, read_plan
from tests.nonempty import nonempty

places = st.lists(st.floats(-1, 1), min_size=3, max_size=3)


@given(st.integers(0, COUNT - 1), st.integers(0, 2), places)
def test_a_point_is_where_the_simulator_sees_it(room: int, spot: int, off: list[float]) -> None:
    seen_from = find_spot(read_plan(room).views[spot])
    point = np.array([*seen_from.at, 1.0]) + off
    focal = focal_length(Uid(0, room, 0, 0, spot))
    place = in_picture(to_camera(point, seen_from.camera), focal)
    assert place == pytest.approx(project(point, seen_from.camera))


def test_every_joint_of_the_sample_lies_in_its_picture_on_the_person() -> None:
    for row in nonempty([row for split in SPLITS for row in sample_rows("captioning", split)]):
        focal = focal_length(parse_uid(row["uid"]))
        both = [in_picture(np.array(row[f"{moment}_joints"]), focal) for moment in MOMENTS]
        assert all(((points > 0) & (points < SIZE)).all() for points in both)
        # The pictures of a pair differ where the person was and is, so around every hand that has moved far.
        images = [np.asarray(Image.open(io.BytesIO(row[moment]["bytes"])), dtype=float) for moment in MOMENTS]
        change = np.abs(images[1] - images[0]).sum(axis=-1)
        moved = np.linalg.norm(both[1] - both[0], axis=-1) > 15
        for x, y in both[1][moved].round().astype(int):
            assert change[max(y - 4, 0) : y + 5, max(x - 4, 0) : x + 5].max() > 40


def test_many_cameras_at_once_give_what_each_gives() -> None:
    points = np.random.default_rng(0).normal(size=(4, 20, 3)) + np.array([0, 0, 4])
    focal = np.array([300.0, 310.0, 320.0, 330.0])
    together = in_picture(points, focal[:, None])
    assert together == pytest.approx(np.stack([in_picture(p, f) for p, f in zip(points, focal, strict=True)]))


def test_a_room_that_the_simulator_does_not_have_has_no_camera() -> None:
    with pytest.raises(KeyError):
        focal_length(Uid(0, COUNT, 0, 0, 0))

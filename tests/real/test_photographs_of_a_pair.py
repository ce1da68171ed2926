"""Which of a pair's two poses a picture shows: what MediaPipe measures of one against what our own estimator does."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from PIL import Image

from annotate.campaigns.builder import Split
from annotate.errors import RefusedError
from annotate.photos import demand_fit
from annotate.ports import Examined
from demo.tabs.annotate import pose_distance
from fmp_models.data.sample import FOLDER
from fmp_models.estimators.learned import LearnedEstimator
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.estimators.pose_models import ESTIMATOR
from fmp_models.preprocessing import read_photograph
from tests.thoroughness import thorough

SPLITS = ("val_seen", "val_unseen", "test_unseen")  # our own estimator has seen none of them

DIFFERENT = 0.15  # metres of the mean joint

pytestmark = pytest.mark.real


def enlarged(picture: bytes) -> bytes:
    """As a telephone might give it: people of the simulator are small."""
    made = io.BytesIO()
    with Image.open(io.BytesIO(picture)) as opened:
        opened.resize((3 * opened.width, 3 * opened.height)).save(made, "JPEG")
    return made.getvalue()


@thorough
def test_no_right_picture_is_taken_for_the_other_and_exchanged_ones_are_noticed_where_poses_differ(
    estimator: MediaPipeEstimator,
) -> None:
    ours = LearnedEstimator(ESTIMATOR)
    right, exchanged = [], []
    for split in SPLITS:
        folder = Split(FOLDER, "captioning", split)
        for row in folder.rows(range(len(folder.uids())), []):
            current, target = (
                estimator.estimate(read_photograph(enlarged(picture))).pose for picture in (row.current, row.target)
            )
            for photograph, like, other in ((row.current, current, target), (row.target, target, current)):
                pose = ours.estimate(read_photograph(photograph)).pose
                examined = Examined(1, 400, (), pose_distance(pose, like), None, pose_distance(pose, other), (), "")
                right.append(refusal(examined))
                if pose_distance(current, target) >= DIFFERENT:
                    exchanged.append(
                        refusal(replace(examined, pose_distance=examined.other, other=examined.pose_distance))
                    )
    assert right == [""] * len(right)
    assert len(exchanged) >= 8
    assert exchanged.count("") <= len(exchanged) / 8


def refusal(examined: Examined) -> str:
    try:
        demand_fit(examined, 1280)
    except RefusedError as refused:
        return refused.code
    return ""

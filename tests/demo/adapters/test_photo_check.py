from __future__ import annotations

import io

import pytest
from PIL import Image

from annotate.campaigns.campaign import READY_CAMPAIGNS, Campaign
from annotate.errors import SENTENCES, RefusedError
from demo.adapters.photo_check import examiner, watcher
from fmp_models.estimators.mediapipe import MediaPipeEstimator


@pytest.mark.parametrize(("size", "code"), [((43, 1280), "photo_too_small"), ((300, 300), "photo_nobody")])
def test_a_photograph_that_nobody_can_be_measured_in_is_refused_in_words(
    estimator: MediaPipeEstimator, size: tuple[int, int], code: str
) -> None:
    made = io.BytesIO()
    Image.new("RGB", size).save(made, "JPEG")
    with pytest.raises(RefusedError) as refused:
        examiner(estimator)(*[made.getvalue()] * 3)
    assert refused.value.code == code
    assert code in SENTENCES


def test_a_body_is_whole_before_a_camera_only_with_head_hands_and_feet(estimator: MediaPipeEstimator) -> None:
    campaign = Campaign.open(READY_CAMPAIGNS / "sample")
    with Image.open(io.BytesIO(campaign.picture(campaign.items[0].current))) as opened:
        room = opened.convert("RGB")
    watch = watcher(estimator)

    def missing(*box: int) -> str | None:
        made = io.BytesIO()
        room.crop(box).resize(((box[2] - box[0]) * 2, (box[3] - box[1]) * 2)).save(made, "JPEG")
        body = watch(made.getvalue())
        return "everybody" if body is None else body.missing

    assert missing(120, 30, 330, 224) is None
    assert missing(120, 30, 330, 165) == "feet"
    assert missing(0, 0, 60, 60) == "everybody"


def test_what_is_no_picture_of_a_camera_is_refused(estimator: MediaPipeEstimator) -> None:
    with pytest.raises(RefusedError) as refused:
        watcher(estimator)(b"no picture")
    assert refused.value.code in SENTENCES

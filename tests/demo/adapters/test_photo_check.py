from __future__ import annotations

import io

import pytest
from PIL import Image

from annotate.errors import SENTENCES, RefusedError
from demo.adapters.photo_check import examiner
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

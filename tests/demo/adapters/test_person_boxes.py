"""Where the person of a campaign's picture is: found in the sample, looked for once, and nobody where nobody is."""

from __future__ import annotations

import io

from PIL import Image

from annotate.campaigns.campaign import READY, Campaign
from demo.adapters.person_boxes import person_finder
from fmp_models.estimators.base import PoseEstimate, PoseEstimator
from fmp_models.preprocessing.photograph import Photograph


class Counting:
    """Counts what an estimator is asked."""

    def __init__(self, estimator: PoseEstimator) -> None:
        self.name, self.asked, self._estimator = estimator.name, 0, estimator

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        self.asked += 1
        return self._estimator.estimate(photograph)


def test_the_person_of_a_picture_is_found_and_looked_for_once(estimator: PoseEstimator) -> None:
    campaign, counting = Campaign.open(READY / "sample"), Counting(estimator)
    find, picture = person_finder(counting), campaign.picture(campaign.items[0].current)

    first, again = find(picture), find(picture)

    assert first is not None
    assert first == again
    assert counting.asked == 1
    left, top, right, bottom = first.box
    assert 0 <= left < right <= first.size[0]
    assert bottom - top > first.size[1] / 3


def test_a_picture_without_anybody_has_no_box(estimator: PoseEstimator) -> None:
    made = io.BytesIO()
    Image.new("RGB", (64, 64), "white").save(made, "JPEG")
    find = person_finder(estimator)

    assert find(made.getvalue()) is None
    assert find(b"no picture at all") is None

"""Where the person of a campaign's picture is: found in the sample, looked for once, and nobody where nobody is."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from PIL import Image

from annotate.campaigns.campaign import READY_CAMPAIGNS, Campaign
from demo.adapters.person_boxes import person_finder
from fmp_models.estimators.base import PoseEstimate, PoseEstimator
from fmp_models.preprocessing.photograph import Photograph


class Counting:
    """Counts what an estimator is asked."""

    def __init__(self, estimator: PoseEstimator) -> None:
        self.name, self.asked, self._estimator = estimator.name, 0, estimator
        self.meanwhile: Callable[[], None] = lambda: None

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        self.asked += 1
        self.meanwhile()
        return self._estimator.estimate(photograph)


def test_the_person_of_a_picture_is_found_and_looked_for_once(estimator: PoseEstimator) -> None:
    campaign, counting = Campaign.open(READY_CAMPAIGNS / "sample"), Counting(estimator)
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


def test_who_asks_while_a_picture_is_looked_at_waits_for_nothing_and_is_told_later(estimator: PoseEstimator) -> None:
    campaign, counting, boxes = Campaign.open(READY_CAMPAIGNS / "sample"), Counting(estimator), list[object]()
    find = person_finder(counting)
    first, other = (campaign.picture(name) for name in (campaign.items[0].current, campaign.items[0].target))
    counting.meanwhile = lambda: boxes.extend([find(other), find(first)])

    assert find(first) is not None

    assert (boxes, counting.asked) == ([None, None], 1)
    counting.meanwhile = lambda: None
    assert find(other) is not None
    assert counting.asked == 2


def test_an_estimator_that_fails_costs_a_page_no_more_than_the_square(
    estimator: PoseEstimator, caplog: pytest.LogCaptureFixture
) -> None:
    campaign, failing = Campaign.open(READY_CAMPAIGNS / "sample"), Counting(estimator)
    find, picture = person_finder(failing), campaign.picture(campaign.items[0].current)

    def fail() -> None:
        raise MemoryError

    failing.meanwhile = fail
    assert find(picture) is None
    assert "could not be checked" in caplog.text
    failing.meanwhile = lambda: None
    assert find(campaign.picture(campaign.items[0].target)) is not None  # the next one's turn comes

"""The annotation tab: kept answers, checks of re-enacted poses, and person boxes."""

from __future__ import annotations

import io
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from annotate.campaigns.campaign import READY_CAMPAIGNS, Campaign
from annotate.errors import SENTENCES, RefusedError
from annotate.publishing.destinations import HubDestination
from demo.serving.startup import open_answers
from demo.serving.uploads import UploadLedger
from demo.settings import Settings
from demo.tabs.annotate import examiner, open_annotation, person_finder, ranker, watcher
from fmp_models.estimators.base import PoseEstimate, PoseEstimator
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.inference import Retrievers, TargetFinder
from fmp_models.preprocessing import Photograph
from tests.hub_answers import READER
from tests.hub_server import api_of, reach_from_here, running_hub
from tests.retrievers import TEXTS, ColourEstimator, picture, save_retriever
from tests.without_unix import unix_alone


@unix_alone
@pytest.mark.parametrize(
    ("storage_settings", "code"),
    [
        ({}, "space_forgets"),
        ({"dataset_repo": "team/answers"}, "space_forgets"),
        ({"pseudonym_key": "k" * 32}, "space_forgets"),
        ({"space_id": ""}, None),
    ],
)
def test_a_space_takes_answers_only_where_they_outlive_its_disk(
    estimator: MediaPipeEstimator, tmp_path: Path, storage_settings: dict[str, str], code: str | None
) -> None:
    values = {"space_id": "team/space", **storage_settings}
    settings = Settings.model_construct(data_dir=tmp_path, **{**Settings().model_dump(exclude={"data_dir"}), **values})
    tmp_path.chmod(0o755)
    annotation = open_annotation(settings, open_answers(settings), estimator, UploadLedger())
    try:
        assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700
        annotation.start()
        reason = annotation.store.read_only
        assert (reason and reason.code) == code
    finally:
        annotation.close()


def test_a_space_whose_token_may_not_write_takes_no_answers(
    estimator: MediaPipeEstimator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reach_from_here(monkeypatch)
    values = {"space_id": "team/space", "dataset_repo": "team/answers", "pseudonym_key": "k" * 32, "database_url": ""}
    settings = Settings.model_construct(data_dir=tmp_path, **{**Settings().model_dump(exclude={"data_dir"}), **values})
    with running_hub() as hub:
        hub.add_repo("team/answers", kind="dataset")
        reader = HubDestination("team/answers", api_of(hub, READER))
        monkeypatch.setattr("demo.tabs.annotate.choose_destination", lambda *_: reader)
        annotation = open_annotation(settings, open_answers(settings), estimator, UploadLedger())
        try:
            annotation.start()
            reason = annotation.store.read_only
        finally:
            annotation.close()
    assert reason is not None
    assert reason.code == "publish_refused"


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


def test_a_model_to_fool_answers_with_and_without_the_current_picture(tmp_path: Path) -> None:
    save_retriever(tmp_path / "full", "en", "hi")
    save_retriever(tmp_path / "language", "en", "hi", current=False)
    full, language = (
        TargetFinder(ColourEstimator(), Retrievers(str(tmp_path / name))) for name in ("full", "language")
    )
    pictures = [picture(20 * number, 90, 60) for number in range(6)]
    rank = ranker(full, language)

    first = rank(pictures[0], pictures[1:], TEXTS["en"], "en")
    other = rank(pictures[1], pictures[1:], TEXTS["en"], "en")

    assert first.model.endswith("full")
    assert sum(first.probabilities) == pytest.approx(1)
    assert first.language_probabilities == other.language_probabilities
    assert first.probabilities != other.probabilities
    assert len(set(first.language_probabilities)) > 1
    assert ranker(full)(pictures[0], pictures[1:], TEXTS["hi"], "hi").language_probabilities == ()


@pytest.mark.parametrize("text", ["", "zxqv wvxq", "?!"])
def test_a_model_to_fool_that_reads_nothing_prefers_nothing(tmp_path: Path, text: str) -> None:
    save_retriever(tmp_path / "full", "en")
    finder = TargetFinder(ColourEstimator(), Retrievers(str(tmp_path / "full")))
    pictures = [picture(20 * number, 90, 60) for number in range(5)]
    assert ranker(finder)(pictures[0], pictures[1:], text, "en").probabilities == (0.25,) * 4

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from annotate.publishing.destinations import HubDestination
from demo.gradio_parts.uploads import UploadLedger
from demo.serving.opened_answers import open_answers
from demo.settings import Settings
from demo.tabs.annotate import open_annotation
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from tests.hub_answers import READER
from tests.hub_server import api_of, reach_from_here, running_hub
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

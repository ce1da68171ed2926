from __future__ import annotations

import stat
from pathlib import Path

import pytest

from demo.gradio_parts.uploads import UploadLedger
from demo.settings import Settings
from demo.tabs.annotate import open_annotation
from fmp_models.estimators.mediapipe import MediaPipeEstimator
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
    annotation = open_annotation(settings, estimator, UploadLedger())
    try:
        assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700
        annotation.start()
        reason = annotation.store.read_only
        assert (reason and reason.code) == code
    finally:
        annotation.close()

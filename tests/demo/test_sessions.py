"""What it costs that Gradio makes a session for every browser."""

from __future__ import annotations

import pytest
from gradio.data_classes import FileData

from demo import shell
from demo.gradio_parts.components import UploadedPhotograph, UploadedPhotographs
from tests.benchmarks.annotators import MANY


def test_the_schema_of_a_file_is_not_made_anew_for_every_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    one, several = UploadedPhotograph(), UploadedPhotographs()
    before = one.api_info(), several.api_info()
    monkeypatch.setattr(FileData, "model_json_schema", lambda: pytest.fail("it was made anew"))
    assert (one.api_info(), several.api_info()) == before


def test_the_sessions_of_many_people_are_all_remembered() -> None:
    assert 2 * MANY.people <= shell._MAX_SESSIONS

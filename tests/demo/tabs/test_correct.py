from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr
import pytest

from demo.gradio_parts.components import NoPhotograph
from demo.gradio_parts.uploads import UploadLedger
from demo.i18n import error_text
from demo.tabs.correct import CorrectTab
from fmp_models.errors import BadInputError
from fmp_models.inference.backends import GEOMETRY, find_speaker
from fmp_models.inference.corrector import Corrector
from tests.retrievers import TEXTS, ColourEstimator, picture

JOINTS_OF_NOBODY = [[0.0, 0.0, 0.0]] * 20
PICTURE = picture(90, 60, 30)


@pytest.fixture
def tab() -> CorrectTab:
    return CorrectTab(Corrector(ColourEstimator(), [find_speaker(GEOMETRY.id)]), UploadLedger())


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda tab: tab.correct(None, PICTURE, "hi"), BadInputError("photo_missing").about("current")),
        (
            lambda tab: tab.correct(PICTURE, NoPhotograph("photo_is_address"), "hi"),
            BadInputError("photo_is_address").about("target"),
        ),
        (lambda tab: tab.correct(PICTURE, b"GIF89a", "hi"), BadInputError("photo_broken").about("target")),
        (
            lambda tab: tab.correct(PICTURE, PICTURE, "hi", current_person=[2, 2]),
            BadInputError("place_outside").about("current"),
        ),
        (
            lambda tab: tab.demonstrate(TEXTS["hi"], JOINTS_OF_NOBODY),
            BadInputError("joints_no_size", which="current", found_m="0.00", least_m="0.2", most_m="5"),
        ),
        (lambda tab: tab.demonstrate("", [], language="hi"), BadInputError("joints_no_body", which="current")),
    ],
)
def test_a_program_that_asks_in_hindi_is_refused_in_hindi(
    tab: CorrectTab, call: Callable[[CorrectTab], dict[str, Any]], error: BadInputError
) -> None:
    with pytest.raises(gr.Error) as refused:
        call(tab)

    assert refused.value.message == error_text(error).by_language["hi"]


def test_a_program_that_asks_in_english_is_refused_in_english(tab: CorrectTab) -> None:
    with pytest.raises(gr.Error) as refused:
        tab.correct(PICTURE, b"no picture")

    assert refused.value.message.startswith("Target photograph: This file is not a JPEG")

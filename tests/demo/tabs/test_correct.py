from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gradio as gr
import pytest
from gradio.data_classes import FileData

from demo.gradio_parts.components import NoPhotograph, Request
from demo.i18n import error_text, text
from demo.serving.uploads import UploadLedger
from demo.tabs.correct import CorrectTab
from fmp_models.common.picture_files import MAX_DESCRIPTION_CHARS
from fmp_models.dialogue.conversation import MAX_CHARS
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PoseEstimate
from fmp_models.geometry.lexicon import EXCLUDABLE_PARTS
from fmp_models.inference.correction import GEOMETRY
from fmp_models.inference.corrector import Corrector, load_correction_model
from fmp_models.inference.given_joints import AXES, EXAMPLE, correct_joints, read_joints
from fmp_models.preprocessing import Photograph
from tests.bodies import Body
from tests.fmp_models.sim.test_motion_capture import ARMS_DOWN, write
from tests.retrievers import TEXTS, ColourEstimator, picture

JOINTS_OF_NOBODY = [[0.0, 0.0, 0.0]] * 20
PICTURE = picture(90, 60, 30)
BODY = Body().pose().joints.tolist()
CAPTURE = {"format": "bvh", "text": write([ARMS_DOWN, {"LeftArm": (0, 0, 60), "RightArm": (0, 0, -60)}])}


@pytest.fixture
def tab() -> CorrectTab:
    return CorrectTab(Corrector(ColourEstimator(), [load_correction_model(GEOMETRY.id)]), UploadLedger())


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
            lambda tab: tab.correct(PICTURE, PICTURE, "hi", leave_out=["legs", "tail"]),
            BadInputError("unknown_part", part="tail", known=", ".join(EXCLUDABLE_PARTS)),
        ),
        (
            lambda tab: tab.correct(PICTURE, PICTURE, "hi", leave_out={"legs": 1}),
            BadInputError("unknown_part", part="{'legs': 1}", known=", ".join(EXCLUDABLE_PARTS)),
        ),
        (
            lambda tab: tab.correct(PICTURE, PICTURE, "hi", current_orientation={"turned_by": 45}),
            BadInputError("orientation_unknown").about("current"),
        ),
        (
            lambda tab: tab.correct(PICTURE, PICTURE, "hi", target_orientation="mirrored"),
            BadInputError("orientation_unknown").about("target"),
        ),
        (
            lambda tab: tab.correct(None, None, "hi", current_joints=JOINTS_OF_NOBODY, target_joints=None),
            BadInputError("joints_flat", which="current"),
        ),
        (
            lambda tab: tab.correct(None, None, "hi", current_joints=BODY, target_joints="/etc/passwd"),
            BadInputError("joints_malformed", which="target", example=EXAMPLE),
        ),
        (
            lambda tab: tab.correct(
                None, None, "hi", current_joints=BODY, target_joints={"joints": BODY, "axes": "up"}
            ),
            BadInputError("joints_axes", which="target", known=", ".join(AXES)),
        ),
        (
            lambda tab: tab.correct(None, None, "hi", current_joints={**CAPTURE, "text": 7}, target_joints=CAPTURE),
            BadInputError("bvh_unexpected", line=1, wanted="HIERARCHY"),
        ),
        (
            lambda tab: tab.correct(None, None, "hi", current_joints={"format": "bvh"}, target_joints=CAPTURE),
            BadInputError("bvh_empty"),
        ),
        (
            lambda tab: tab.correct(
                None, None, "hi", current_joints={**CAPTURE, "text": "HIERARCHY " * 100_001}, target_joints=CAPTURE
            ),
            BadInputError("bvh_too_large", limit_mb=1),
        ),
        (
            lambda tab: tab.correct(None, None, "hi", current_joints=CAPTURE, target_joints={**CAPTURE, "frame": "2"}),
            BadInputError("number_out_of_range", name="target_joints.frame", least=0, most=1),
        ),
        (
            lambda tab: tab.correct(None, None, "hi", current_joints=CAPTURE, target_joints={**CAPTURE, "axes": 3}),
            BadInputError("joints_axes", which="target", known=", ".join(AXES)),
        ),
        (lambda tab: tab.edit(PICTURE, PICTURE, "", "hi"), BadInputError("description_empty")),
        (
            lambda tab: tab.edit(PICTURE, PICTURE, "Подними руку", "hi"),
            BadInputError("description_other_language", language="hi"),
        ),
        (
            lambda tab: tab.edit(PICTURE, PICTURE, "हाथ " * 300, "hi"),
            BadInputError("description_too_long", limit=MAX_DESCRIPTION_CHARS),
        ),
        (lambda tab: tab.edit(PICTURE, None, TEXTS["hi"]), BadInputError("photo_missing").about("target")),
        (
            lambda tab: tab.edit(PICTURE, PICTURE, TEXTS["hi"], target_person="me"),
            BadInputError("place_outside").about("target"),
        ),
        (
            lambda tab: tab.edit(PICTURE, PICTURE, TEXTS["hi"], leave_out="tail"),
            BadInputError("unknown_part", part="tail", known=", ".join(EXCLUDABLE_PARTS)),
        ),
        (lambda tab: tab.ask(PICTURE, PICTURE, "", language="hi"), BadInputError("question_length", most=MAX_CHARS)),
        (lambda tab: tab.ask(PICTURE, PICTURE, "और दूसरा?", "क्या?"), BadInputError("history_unreadable")),
        (lambda tab: tab.ask(PICTURE, None, "और दूसरा?"), BadInputError("photo_missing").about("target")),
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


def test_frames_of_a_capture_are_corrected_as_those_of_the_same_file(tab: CorrectTab, tmp_path: Path) -> None:
    path = tmp_path / "capture.bvh"
    path.write_text(str(CAPTURE["text"]), encoding="utf-8")

    told = tab.correct(None, None, current_joints=CAPTURE, target_joints={**CAPTURE, "frame": 1})

    assert told["text"] == correct_joints(read_joints(path), read_joints(path, frame=1)).text
    assert "arms" in told["text"]


def test_a_program_that_asks_in_english_is_refused_in_english(tab: CorrectTab) -> None:
    with pytest.raises(gr.Error) as refused:
        tab.correct(PICTURE, b"no picture")

    assert refused.value.message.startswith("Target photograph: This file is not a JPEG")


class SizeEstimator(ColourEstimator):
    """Remembers which sizes of pictures it was shown."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: set[tuple[int, int]] = set()

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        self.sizes.add(photograph.image.size)
        return super().estimate(photograph)


def test_the_joints_are_those_of_the_photograph_that_a_program_turns_upright() -> None:
    estimator = SizeEstimator()
    turning = CorrectTab(Corrector(estimator, [load_correction_model(GEOMETRY.id)]), UploadLedger())

    turning.correct(PICTURE, picture(20, 90, 200), target_orientation={"turned_by": 90, "mirrored": True})

    assert estimator.sizes == {(80, 96), (96, 80)}


@pytest.mark.parametrize(
    ("orientations", "same"),
    [
        ((None, None), True),
        (({"turned_by": 90}, {"turned_by": 90}), True),
        ((None, {"mirrored": True}), False),
        (({"turned_by": 90}, None), False),
    ],
)
def test_one_photograph_and_its_mirror_picture_are_two(
    tab: CorrectTab, tmp_path: Path, orientations: tuple[object, object], *, same: bool
) -> None:
    path = tmp_path / "me.png"
    path.write_bytes(PICTURE)
    file = FileData(path=str(path))

    html = tab.answer(Request(current=file, target=file, language="en", orientations=orientations))

    assert text("answer.heading").default in html
    assert (text("answer.same_file").default in html) == same


@pytest.mark.parametrize("orientations", [({"turned_by": 1}, None), (None, "mirrored")])
def test_a_form_with_an_unknown_orientation_is_refused(
    tab: CorrectTab, tmp_path: Path, orientations: tuple[object, object]
) -> None:
    path = tmp_path / "me.png"
    path.write_bytes(PICTURE)
    file = FileData(path=str(path))

    html = tab.answer(Request(current=file, target=file, language="en", orientations=orientations))

    assert text("errors.orientation_unknown").default in html

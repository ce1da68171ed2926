from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.gradio_parts.api_joints import ApiJoints, body
from demo.i18n import error_text
from fmp_models.errors import BadInputError
from fmp_models.inference.demonstration import demonstrate
from tests.demo.views.test_figures import standing

JOINTS = [[float(value) for value in joint] for joint in standing()]


def with_first(value: object) -> list[object]:
    """Return a body whose first number is changed."""
    return [[value, *JOINTS[0][1:]], *JOINTS[1:]]


def test_a_body_is_its_joints() -> None:
    assert np.allclose(body(JOINTS, "current").joints, JOINTS)
    assert body(JOINTS, "current", [0.5] * 20).visibility.tolist() == [0.5] * 20
    assert body(JOINTS, "current", [float("nan")] * 20).visibility.tolist() == [1.0] * 20


@pytest.mark.parametrize(
    "given_joints",
    [
        None,
        "joints",
        {},
        [],
        JOINTS[:19],
        [*JOINTS, JOINTS[0]],
        [[*joint, 0.0] for joint in JOINTS],
        with_first(float("nan")),
        with_first(float("inf")),
        with_first(10**400),
        with_first(1e308),
        with_first("0"),
        with_first(None),
        with_first(True),  # noqa: FBT003  a value
        with_first([[[]]]),
        [[value * 1000 for value in joint] for joint in JOINTS],  # millimetres
        [[0.0, 0.0, 0.0]] * 20,
        [[value * 0.01 for value in joint] for joint in JOINTS],
        [JOINTS[0], JOINTS[0], *JOINTS[2:]],
    ],
)
def test_what_is_no_body_is_refused_in_one_sentence(given_joints: object) -> None:
    with pytest.raises(BadInputError) as refusal:
        body(given_joints, "target")

    assert refusal.value.code.startswith("joints_")
    assert refusal.value.sentence.startswith("The target joints are not those of a body: ")
    assert "\n" not in refusal.value.sentence
    assert error_text(refusal.value).by_language["hi"].startswith("“आपका लक्ष्य” वाली फ़ोटो में")


numbers = st.floats() | st.integers() | st.booleans() | st.none() | st.text(max_size=3)
hostile = st.recursive(numbers, lambda inner: st.lists(inner, max_size=4), max_leaves=10)
points = st.lists(st.floats(-3, 3, width=32), min_size=3, max_size=3)
scattered = st.lists(points, min_size=20, max_size=20)


@given(hostile | st.lists(st.lists(numbers, min_size=3, max_size=3), min_size=20, max_size=20))
def test_whatever_is_sent_is_a_body_or_refused(sent: object) -> None:
    with suppress(BadInputError):
        assert np.isfinite(body(sent, "current").joints).all()


@given(scattered, st.none() | scattered)
def test_a_text_is_done_on_any_joints_that_pass_for_a_body(current: list[object], target: list[object] | None) -> None:
    try:
        bodies = body(current, "current"), None if target is None else body(target, "target")
    except BadInputError:
        return
    done = demonstrate("Raise your left arm and bend both knees.", "en", *bodies).as_json()

    assert np.isfinite(np.array(done["poses"])).all()
    assert done["way"] is None or -1 <= done["way"] <= 1


def test_programs_are_told_to_send_lists_of_numbers() -> None:
    schema = ApiJoints(label="current").api_info()

    assert schema["type"] == "array"
    assert schema["items"]["items"]["type"] == "number"

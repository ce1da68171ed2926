"""A user's own motion capture is performed beside the catalogue, by our characters in our rooms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fmp_models.__main__ import main
from fmp_models.data.splits import retrieval_split
from fmp_models.errors import BadInputError
from fmp_models.pose import INDEX
from fmp_models.sim.capture.render_job import RenderJob
from fmp_models.sim.capture.schedule import Unit, captures_of
from fmp_models.sim.motions import FRAMES_PER_SECOND, MOTIONS, repertoire
from tests.fmp_models.sim.motions.test_bvh import saved, write
from tests.nonempty import nonempty
from tests.thoroughness import thorough

SECONDS = 2.2


def waving(folder: Path, frames: int = round(SECONDS * FRAMES_PER_SECOND)) -> Path:
    """Both arms swing between hanging and overhead, once a second."""
    lifts = 80 * -np.cos(np.arange(frames) / FRAMES_PER_SECOND * 2 * np.pi)
    rows = [{"LeftArm": (0, 0, lift), "RightArm": (0, 0, -lift)} for lift in lifts]
    return saved(folder, write(rows, seconds=1 / FRAMES_PER_SECOND))


def test_a_recording_is_numbered_after_the_catalogue_and_trains(tmp_path: Path) -> None:
    motions = repertoire([waving(tmp_path)])
    assert motions[: len(MOTIONS)] == MOTIONS
    assert (motions[-1].number, motions[-1].captures) == (20, 2)
    captures = [c for c in captures_of(Unit(0, 1), 0, motions=motions) if c.uid.animation == 20]
    assert [str(c.uid) for c in captures] == ["20_0_1_0_1", "20_0_1_1_1"]
    assert {retrieval_split(c.uid) for c in captures} == {"train"}


@thorough
def test_a_character_performs_it(tmp_path: Path) -> None:
    motions = repertoire([waving(tmp_path)])
    shoot = RenderJob(Unit(0, 1), motions)
    for capture in nonempty(captures_of(shoot.unit, 0, motions=motions)[-2:]):
        pair = shoot.take(capture)
        assert pair.flaw is None
        assert pair.pictures[0] != pair.pictures[1]
        for side in ("left", "right"):
            wrist = INDEX[f"{side}_wrist"]
            risen = pair.joints[0][wrist, 1] - pair.joints[1][wrist, 1]
            assert abs(risen) > 0.3


def test_a_recording_that_is_too_short_for_a_pair_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="too short"):
        repertoire([waving(tmp_path, frames=12)])


@pytest.mark.parametrize("content", [b"", b"\x00\x01", b"HIERARCHY\nROOT Hips\n{"])
def test_a_broken_recording_is_refused_before_anything_is_made(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.bvh"
    path.write_bytes(content)
    assert main(["simulate", str(tmp_path / "out"), "--bvh", str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "out").exists()

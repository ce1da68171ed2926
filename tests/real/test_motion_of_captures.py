"""Recorded movements of real people, told pose by pose: true of the joints, and not told back and forth."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from fmp_models.coach.instruction_choice import TURNING, are_opposites, ways_of
from fmp_models.coach.motion import describe_motion
from fmp_models.geometry.measured_changes import changes
from fmp_models.geometry.planner import clauses_beyond
from fmp_models.geometry.verdicts import agrees
from fmp_models.inference.given_joints import captured_poses
from fmp_models.pose import PosePair
from fmp_models.sim.motion_capture import read_recording
from tests.nonempty import nonempty
from tests.thoroughness import some

TAKES = ("13_01", "13_10", "13_18", "13_26", "13_30", "13_31", "14_07", "14_12", "14_27", "14_30")
EVERY, MAX_POSES = 0.5, 60


@pytest.mark.parametrize("name", some(TAKES, 2))
def test_every_step_of_a_capture_is_true_and_a_way_back_is_clear(shared: Path, name: str) -> None:
    recording = read_recording(shared / "data" / "bvh" / f"{name}.bvh")
    frames = list(range(recording.first, len(recording.values), round(EVERY / recording.seconds)))[:MAX_POSES]
    times = [round(frame * recording.seconds, 3) for frame in frames]
    poses = dict(zip(times, captured_poses(recording, frames, placed=True), strict=True))

    steps = nonempty(list(describe_motion(poses.items(), "en")))
    ends = [times[0], *(step.end for step in steps)]
    pairs = [PosePair(poses[start], poses[end]) for start, end in pairwise(ends)]
    told = [(step, pair, clause) for step, pair in zip(steps, pairs, strict=True) for clause in step.clauses]
    assert [(step.text, str(clause)) for step, pair, clause in told if agrees(clause, pair) is False] == []

    back = [
        (pair, clause)
        for (before, after), pair in zip(pairwise(steps), pairs[1:], strict=True)
        for clause in after.clauses
        if after.end - before.end < TURNING and any(are_opposites(clause, other) for other in before.clauses)
    ]
    clear = [{way for one, _ in clauses_beyond(changes(pair), 1.5, pair) for way in ways_of(one)} for pair, _ in back]
    assert [str(clause) for (_, clause), ways in zip(back, clear, strict=True) if not ways_of(clause) <= ways] == []

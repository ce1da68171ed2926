"""Run lengths of conditions over frames."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fmp_models.coach.observation import RunLengths

FRAMES = st.lists(st.sets(st.sampled_from("abc")), min_size=1, max_size=12)


@given(FRAMES)
def test_a_run_is_as_long_as_the_frames_before_it_that_say_the_same(frames: list[set[str]]) -> None:
    kept, noted = RunLengths[str](), RunLengths[str]()
    for now, things in enumerate(frames):
        kept.keep(now, things)
        for thing in "abc":
            noted.note(now, thing, so=thing in things)
    for thing in ("a", "b", "c"):
        ago = next((ago for ago, things in enumerate(reversed(frames)) if thing not in things), len(frames))
        assert kept.length(len(frames) - 1, thing) == noted.length(len(frames) - 1, thing) == ago - 1
        assert (thing in kept.longer(len(frames) - 1, 2)) is (ago > 2)


def test_a_break_begins_anew() -> None:
    runs = RunLengths[str]()
    assert [runs.note(now, "off", so=so) for now, so in ((0, True), (1, True), (2, False), (3, True))] == [0, 1, -1, 0]
    runs.clear()
    assert runs.length(4, "off") < 0

"""A film becomes a folder of labelled pairs, and whatever is none is refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from fmp_models.errors import BadInputError
from fmp_models.evaluation.films.film_pairs import write_film_pairs
from fmp_models.evaluation.real.pairs import read_real_pairs
from tests.bodies import Arm, Body
from tests.fmp_models.evaluation.films.film_of_body import CAMERAS, SeesTheBody, write_film

BODIES = [Body(), Body(left_arm=Arm(lift=150)), Body(lean=25), Body(right_arm=Arm(lift=85))]


def test_every_camera_has_every_pair_of_moments_with_what_all_of_them_measured(tmp_path: Path) -> None:
    film = write_film(tmp_path / "film", len(BODIES))
    lines: list[str] = []
    written = write_film_pairs(film, tmp_path / "pairs", SeesTheBody(BODIES, backwards=[(1, 1)]), lines.append)
    pairs = read_real_pairs(tmp_path / "pairs").pairs
    assert len(pairs) == written == 6 * len(CAMERAS)
    assert {pair.view for pair in pairs} == {*CAMERAS}
    raised = {pair.truth["left_arm_up"] for pair in pairs if pair.id.endswith(("00000_00001", "00001_00000"))}
    assert raised in ({1}, {-1})
    assert all("frame" in line for line in lines)


def test_a_moment_in_which_a_camera_sees_nobody_is_left_out(tmp_path: Path) -> None:
    film = write_film(tmp_path / "film", len(BODIES))
    written = write_film_pairs(film, tmp_path / "pairs", SeesTheBody(BODIES, nobody=2), print)
    assert written == 3 * len(CAMERAS)


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "truth.json").write_text("[]")
    with pytest.raises(BadInputError) as refusal:
        write_film_pairs(tmp_path / "film", tmp_path, SeesTheBody(BODIES), print)
    assert refusal.value.code == "folder_not_empty"
    assert (tmp_path / "truth.json").read_text() == "[]"


@pytest.mark.parametrize("broken", ["nothing", "calibration", "numbers", "two cameras", "videos", "one moment"])
def test_what_is_no_film_of_calibrated_cameras_is_refused(tmp_path: Path, broken: str) -> None:
    film = tmp_path / "film"
    if broken != "nothing":
        write_film(film, 1 if broken == "one moment" else len(BODIES))
    calibration = film / "calibration" / "room.qca.txt"
    videos = [*(film / "videos").glob("*")]
    if broken == "calibration":
        calibration.write_bytes(b"\x00<cameras>")
    elif broken == "numbers":
        calibration.write_text(calibration.read_text().replace('x="', 'x="1e400" was="'))
    elif broken == "two cameras":
        for video in videos[2:]:
            video.unlink()
    elif broken == "videos":
        videos[0].write_bytes(b"no video")
    with pytest.raises(BadInputError) as refusal:
        write_film_pairs(film, tmp_path / "pairs", SeesTheBody(BODIES), print)
    assert refusal.value.code == "film_unusable"
    assert not (tmp_path / "pairs").exists()

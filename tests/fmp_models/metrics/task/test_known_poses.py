from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fmp_models.data.folder import read_rows
from fmp_models.data.sample import FOLDER
from fmp_models.errors import BadInputError
from fmp_models.metrics.task.known_poses import find_poses

ROW = next(iter(read_rows(FOLDER, "captioning", "val_seen", ["uid", "current_joints", "target_joints"])))


def test_poses_are_those_of_a_dataset() -> None:
    nobody, pair = find_poses(FOLDER, ["99_0_0_0_0", ROW["uid"]])
    assert nobody is None
    assert pair is not None
    assert pair.placed
    np.testing.assert_allclose(pair.current.joints, ROW["current_joints"])
    np.testing.assert_allclose(pair.target.joints, ROW["target_joints"])


def written(folder: Path, name: str, metres: float) -> None:
    lines = [f"Bone{number}:({number / 100}, {metres}, 2.0)" for number in range(65)]
    (folder / name).write_text("\n".join(lines), encoding="utf-8")


def test_poses_are_those_of_joint_files_of_the_release(tmp_path: Path) -> None:
    written(tmp_path, "current_13_19_4_13_1.txt", 1.0)
    written(tmp_path, "target_13_19_4_13_1.txt", 1.5)
    pair, other = find_poses(tmp_path, ["13_19_4_13_1", "../13_19_4_13_1"])
    assert other is None
    assert pair is not None
    assert pair.current.joints[:, 1] == pytest.approx(-1.0)  # up in the file, down in our frame
    assert pair.target.joints[:, 1] == pytest.approx(-1.5)


def test_a_damaged_joint_file_is_named(tmp_path: Path) -> None:
    written(tmp_path, "current_13_19_4_13_1.txt", 1.0)
    (tmp_path / "target_13_19_4_13_1.txt").write_text("nothing", encoding="utf-8")
    with pytest.raises(BadInputError) as refused:
        find_poses(tmp_path, ["13_19_4_13_1"])
    assert refused.value.code == "joints_unreadable"

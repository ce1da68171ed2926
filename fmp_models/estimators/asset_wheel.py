"""MediaPipe's pose model, extracted from a wheel of the package index by ``make venv`` without any other download.

Up to 0.10.21 the wheels of MediaPipe (Apache-2.0) contained its networks; later versions download them from
elsewhere. One such wheel is fetched but never installed. The two networks of the variant "full" are extracted
and packed into a ``.task`` file, which is an uncompressed zip. The landmark network lacks metadata that a
``.task`` file needs: that its input is an image, and how it is scaled. The same library versions always
produce the same bytes.
"""

from __future__ import annotations

import argparse
import importlib.util
import io
import struct
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import flatbuffers
import numpy as np
from numpy.typing import NDArray

from fmp_models.common import OneSentenceParser, replace_file, run_command
from fmp_models.errors import BadInputError
from fmp_models.estimators.pose_models import BUILT
from fmp_models.files import WheelFile, WheelMissingError, WheelOtherError, taken_out
from fmp_models.files import fetch_wheel as fetch_any_wheel

REQUIREMENT = "mediapipe==0.10.21"
# A wheel for any platform works, since only data are extracted.
_WHEEL = ("--platform=manylinux_2_28_x86_64", "--python-version=3.11", "--implementation=cp")
_ALIGNMENT = 16  # bytes, required by TensorFlow Lite's schema for a network's constants
_PADDING = 0xD935  # id of an extra field that only aligns, as written by Android's zipalign
_HEADER = 30  # bytes before the name of a file in a zip
_METADATA = "TFLITE_METADATA"  # name under which MediaPipe looks for it


@dataclass(frozen=True)
class Network(WheelFile):
    """A network in the wheel."""

    needs_scaling: bool = False  # its file lacks the metadata that pixels are 0 to 1


NETWORKS = {
    "pose_detector.tflite": Network(
        "mediapipe/modules/pose_detection/pose_detection.tflite",
        2_959_046,
        "9ba9dd3d42efaaba86b4ff0122b06f29c4122e756b329d89dca1e297fd8f866c",
    ),
    "pose_landmarks_detector.tflite": Network(
        "mediapipe/modules/pose_landmark/pose_landmark_full.tflite",
        6_440_512,
        "e9a5c5cb17f736fafd4c2ec1da3b3d331d6edbe8a0d32395855aeb2cdfd64b9f",
        needs_scaling=True,
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the file if it is missing; return 2, with a one-sentence error, if the index has no such wheel."""
    parser = OneSentenceParser(prog="python -m fmp_models.estimators.asset_wheel", description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=BUILT, help="where to put it (default: in this environment)")
    parser.set_defaults(run=_run)
    return run_command(parser, arguments)


def _run(options: argparse.Namespace) -> int:
    if not is_whole(options.out):
        build(options.out)
    return 0


def fetch_wheel(folder: Path) -> Path:
    """Download the wheel into ``folder`` and return its path; raise ``pose_wheel_missing`` if the index lacks it."""
    try:
        return fetch_any_wheel(REQUIREMENT, folder, _WHEEL)
    except WheelMissingError:
        raise BadInputError("pose_wheel_missing", requirement=REQUIREMENT) from None


def build(
    out: Path, *, networks: Mapping[str, Network] = NETWORKS, fetch: Callable[[Path], Path] = fetch_wheel
) -> None:
    """Make the ``.task`` file ``out`` from the networks in the wheel that ``fetch`` downloads into a folder.

    Raise :class:`BadInputError`: the errors of ``fetch``, ``pose_wheel_other`` if the wheel's content is not the
    expected one, ``pose_wheel_unused`` if MediaPipe itself is not installed, ``folder_unusable`` for the folder of
    ``out``.
    """
    with tempfile.TemporaryDirectory(prefix="fixmypose-") as folder:
        try:
            files = taken_out(fetch(Path(folder)), networks)
        except WheelOtherError:
            raise BadInputError("pose_wheel_other", requirement=REQUIREMENT) from None
    bundle = _bundle({name: scaled(file) if networks[name].needs_scaling else file for name, file in files.items()})
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        replace_file(out, lambda part: part.write_bytes(bundle))
    except OSError:
        raise BadInputError("folder_unusable", path=str(out.parent)) from None


def is_whole(path: Path) -> bool:
    """Return whether an undamaged file of this kind exists."""
    try:
        with zipfile.ZipFile(path) as bundle:
            return sorted(bundle.namelist()) == sorted(NETWORKS) and bundle.testzip() is None
    except (OSError, zipfile.BadZipFile):
        return False


def scaled(network: bytes) -> bytes:
    """Return the ``.tflite`` file with metadata that its input is an image with pixels from 0 to 1."""
    tflite, words = _schema("schema_py_generated"), _schema("metadata_schema_py_generated")
    options = words.NormalizationOptionsT()
    options.mean, options.std = [0.0], [255.0]
    unit = words.ProcessUnitT()
    unit.optionsType, unit.options = words.ProcessUnitOptions.NormalizationOptions, options
    properties = words.ImagePropertiesT()
    properties.colorSpace = words.ColorSpaceType.RGB
    content = words.ContentT()
    content.contentPropertiesType, content.contentProperties = words.ContentProperties.ImageProperties, properties
    stats = words.StatsT()
    stats.min, stats.max = [0.0], [1.0]
    tensor = words.TensorMetadataT()
    tensor.name, tensor.content, tensor.processUnits, tensor.stats = "image", content, [unit], stats
    graph = words.SubGraphMetadataT()
    graph.inputTensorMetadata = [tensor]
    metadata = words.ModelMetadataT()
    metadata.name, metadata.subgraphMetadata = "pose landmarks", [graph]

    model = tflite.ModelT.InitFromObj(tflite.Model.GetRootAs(network, 0))
    buffer, place = tflite.BufferT(), tflite.MetadataT()
    buffer.data = np.frombuffer(_packed(metadata, b"M001"), np.uint8)
    place.name, place.buffer = _METADATA, len(model.buffers)
    model.buffers.append(buffer)
    model.metadata = [*(model.metadata or []), place]
    return _packed(model, b"TFL3")


class _Builder(flatbuffers.Builder):  # type: ignore[misc]
    """A FlatBuffers builder that keeps the alignment of constants, which the generated code omits."""

    def CreateNumpyVector(self, x: NDArray[Any]) -> int:  # noqa: N802  the library's name
        self.Prep(_ALIGNMENT, x.nbytes)
        return int(super().CreateNumpyVector(x))


def _packed(table: Any, identifier: bytes) -> bytes:  # noqa: ANN401  generated classes
    builder = _Builder(1 << 16)
    builder.Finish(table.Pack(builder), identifier)
    return bytes(builder.Output())


def _schema(name: str) -> ModuleType:
    """Load a generated module of MediaPipe from its file; an import would load libraries that may be missing."""
    mediapipe = importlib.util.find_spec("mediapipe")
    for place in (mediapipe and mediapipe.submodule_search_locations) or []:
        path = Path(place) / "tasks" / "metadata" / f"{name}.py"
        spec = importlib.util.spec_from_file_location(f"mediapipe_{name}", path)
        if path.is_file() and spec is not None and spec.loader is not None:
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    raise BadInputError("pose_wheel_unused")


def _bundle(files: Mapping[str, bytes]) -> bytes:
    """Return a zip of the uncompressed files with aligned constants and a fixed date."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name, file in sorted(files.items()):
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o644 << 16  # the same on every system
            gap = -(packed.tell() + _HEADER + len(name) + 4) % _ALIGNMENT
            entry.extra = struct.pack("<HH", _PADDING, gap) + bytes(gap)
            archive.writestr(entry, file)
    return packed.getvalue()


if __name__ == "__main__":
    sys.exit(main())

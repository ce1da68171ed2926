from __future__ import annotations

import ast
import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

import fmp_models
from fmp_models import (
    BadInputError,
    Corrector,
    ModelUnavailableError,
    NoPersonError,
    Pose,
    TargetFinder,
    UnreadableImageError,
)
from fmp_models.pose import JOINTS
from tests.commands import run_here
from tests.retrievers import TEXTS, ColourEstimator, picture, save_retriever
from tests.taught_captioners import save_taught

ROOT = Path(__file__).resolve().parents[2]
CURRENT, TARGET = (ROOT / "demo" / "examples" / f"warrior_{which}.jpg" for which in ("current", "target"))
CANDIDATES = [picture(200, 40, 90), picture(30, 160, 60)]


@pytest.fixture(scope="module")
def corrector(pose_model: Path) -> Corrector:
    return Corrector.from_pretrained(pose_model=pose_model)


@pytest.mark.parametrize("name", fmp_models.__all__)
def test_every_public_name_is_there_and_is_called_so_where_it_lies(name: str) -> None:
    assert getattr(fmp_models, name).__name__ == name


def test_type_checkers_are_told_of_the_same_names() -> None:
    tree = ast.parse(Path(fmp_models.__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    told = {
        alias.asname: f"{node.module}.{alias.name}"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert told == {name: f"fmp_models.{module}.{name}" for name, module in fmp_models._ROOMS.items()}


def test_a_name_that_is_not_public_is_refused_as_python_does() -> None:
    with pytest.raises(AttributeError, match="module 'fmp_models' has no attribute 'Correcter'"):
        _ = fmp_models.Correcter


def test_importing_the_package_loads_neither_torch_nor_mediapipe() -> None:
    asked = "import sys, fmp_models; print(sorted({'torch', 'mediapipe', 'numpy'} & {*sys.modules}))"
    done = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_correction_prints_as_its_text_and_says_as_json_what_the_command_prints(
    corrector: Corrector, pose_model: Path
) -> None:
    correction = corrector(CURRENT, TARGET, language="hi")

    done = run_here("correct", CURRENT, TARGET, "--language", "hi", "--json", FMP_POSE_MODEL=pose_model)

    printed, said = json.loads(done.stdout), json.loads(json.dumps(correction.as_json()))
    assert str(correction) == printed["text"]
    assert printed.pop("milliseconds").keys() == said.pop("milliseconds").keys()
    assert printed == said
    assert correction.joints == said["joints"]
    assert correction.steps


def test_a_photograph_is_a_path_bytes_or_an_opened_picture(corrector: Corrector) -> None:
    by_path = corrector(str(CURRENT), TARGET)

    by_bytes = corrector(CURRENT.read_bytes(), bytearray(TARGET.read_bytes()))
    with Image.open(CURRENT) as current, Image.open(TARGET) as target:
        opened = corrector(current, target)

    assert by_path.text == by_bytes.text == opened.text


def test_an_opened_picture_is_turned_upright_as_its_file_is(corrector: Corrector, tmp_path: Path) -> None:
    turned = tmp_path / "turned.jpg"
    with Image.open(CURRENT) as current:
        exif = current.getexif()
        exif[274] = 6
        current.transpose(Image.Transpose.ROTATE_90).save(turned, exif=exif, quality=95)

    with Image.open(turned) as opened:
        assert corrector(opened, TARGET).text == corrector(turned, TARGET).text == corrector(CURRENT, TARGET).text


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (b"", "This file is empty"),
        (b"dear diary", "This file is not a JPEG"),
        (ROOT / "LICENSE", "This file is not a JPEG"),
        (ROOT, "cannot be read"),
        ("no such file.jpg", "The file “no such file.jpg” cannot be read"),
        ("a\0b.jpg", "cannot be read"),
        ("", "cannot be read"),
        (None, "not a value of type NoneType"),
        (7, "not a value of type int"),
        (Image.new("RGB", (10_000, 6_000)), "larger than 52 megapixels"),
        (Image.new("L", (20, 20)), "smaller than 64 pixels"),
    ],
    ids=lambda value: f"{value.size}" if isinstance(value, Image.Image) else str(value),
)
@pytest.mark.parametrize("which", ["current", "target"])
def test_what_is_no_photograph_is_refused_in_one_sentence(
    given: object, sentence: str, which: str, corrector: Corrector
) -> None:
    pair = {"current": CURRENT, "target": TARGET, which: given}
    with pytest.raises(UnreadableImageError) as refused:
        corrector(**pair)  # type: ignore[arg-type]
    assert refused.value.sentence.startswith(f"{which.capitalize()} photograph: ")
    assert sentence in refused.value.sentence


def test_a_photograph_without_a_person_is_refused_as_such(corrector: Corrector) -> None:
    with pytest.raises(NoPersonError, match="current photograph"):
        corrector(Image.new("RGB", (400, 300), "grey"), TARGET)


@pytest.mark.parametrize("load", [Corrector.from_pretrained, TargetFinder.from_pretrained])
@pytest.mark.parametrize(
    "asked",
    [{"model": "nobody"}, {"model": "./nowhere"}, {"model": ROOT / "demo"}, {"model": "captioner", "revision": "v9"}],
    ids=str,
)
def test_a_model_that_cannot_be_used_is_refused_as_such(load: Callable[..., object], asked: dict[str, object]) -> None:
    with pytest.raises(ModelUnavailableError):
        load(pose_model=ColourEstimator(), **asked)


def test_a_pose_model_that_cannot_be_used_is_refused_as_such() -> None:
    with pytest.raises(ModelUnavailableError, match="pose model"):
        Corrector.from_pretrained(pose_model=__file__)


def test_a_corrector_has_the_model_of_a_folder_on_the_device_that_is_named(tmp_path: Path) -> None:
    folder = save_taught(tmp_path / "model", {"en": ["Raise both arms to the sides. Well done."]})

    corrector = Corrector.from_pretrained(folder, pose_model=ColourEstimator())
    nowhere = Corrector.from_pretrained(folder, pose_model=ColourEstimator(), device="meta")

    assert corrector.models == nowhere.models == ("./model",)
    assert corrector(picture(90, 60, 30), CANDIDATES[0]).model.id == "./model"
    with pytest.raises(RuntimeError, match="meta"):
        nowhere(picture(90, 60, 30), CANDIDATES[0])


def test_a_finder_ranks_pictures_and_prints_their_places(tmp_path: Path) -> None:
    finder = TargetFinder.from_pretrained(save_retriever(tmp_path / "tiny", "en"), pose_model=ColourEstimator())

    ranking = finder(picture(90, 60, 30), TEXTS["en"], CANDIDATES)

    lines = str(ranking).splitlines()
    assert len(lines) == len(CANDIDATES)
    assert lines[0].startswith(f"candidates[{ranking.ranking[0].candidate}]: ")
    with pytest.raises(UnreadableImageError, match="empty") as refused:
        finder(CURRENT, TEXTS["en"], [TARGET, b""])
    assert refused.value.sentence.startswith("Candidate photograph 2 of 2: ")
    with pytest.raises(BadInputError, match="1 were received"):
        finder(CURRENT, TEXTS["en"], str(TARGET))


def test_a_pose_prints_in_one_line(corrector: Corrector) -> None:
    poses = corrector(CURRENT, TARGET).poses
    assert poses is not None
    assert isinstance(poses.current, Pose)
    assert str(poses.current) == f"Pose with {len(JOINTS)} of {len(JOINTS)} joints seen"


@pytest.mark.parametrize(
    ("code", "details", "kind"),
    [
        ("photo_empty", {}, UnreadableImageError),
        ("no_person", {"which": "given"}, NoPersonError),
        ("model_not_found", {"model": "a/b"}, ModelUnavailableError),
        ("not_json", {"path": "here"}, BadInputError),
    ],
)
def test_an_error_is_of_the_kind_of_its_code_in_every_process(
    code: str, details: dict[str, str], kind: type[BadInputError]
) -> None:
    error = BadInputError(code, **details)

    again = pickle.loads(pickle.dumps(error))  # noqa: S301  our own

    assert type(error) is type(again) is type(error.about("target")) is kind
    assert (again.code, again.details, str(again)) == (error.code, error.details, str(error))


def test_a_renamed_name_still_works_for_one_version_and_warns() -> None:
    with pytest.warns(DeprecationWarning, match="find_speaker is now load_correction_model"):
        assert fmp_models.find_speaker is fmp_models.load_correction_model

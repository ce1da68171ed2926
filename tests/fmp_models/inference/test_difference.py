"""The difference of two pictures, by a captioner without joints: in Python and on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from fmp_models.errors import BadInputError
from fmp_models.inference.difference import DifferenceCaptioner
from tests.commands import run_here
from tests.taught_captioners import save_taught

TEXTS = {"en": ["The red chair is further left."], "hi": ["लाल कुर्सी अब बाईं ओर है।"]}


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_taught(tmp_path_factory.mktemp("models") / "english", {"en": TEXTS["en"]}, joints=False)


@pytest.fixture
def pictures(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("white", "grey"):
        Image.new("RGB", (300, 200), name).save(tmp_path / f"{name}.png")
    return tmp_path / "white.png", tmp_path / "grey.png"


def test_a_language_that_the_captioner_lacks_is_replaced_by_one_that_it_has(
    english: Path, pictures: tuple[Path, Path]
) -> None:
    done = run_here("difference", *pictures, "--captioner", english, "--language", "hi", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["text"], told["language"], told["model"]["id"]) == (TEXTS["en"][0], "en", "./english")
    assert run_here("difference", *pictures, FMP_DIFFERENCE_CAPTIONER=english).stdout == f"{TEXTS['en'][0]}\n"


def test_where_a_gpu_is_refused_the_processor_writes_the_same(english: Path, pictures: tuple[Path, Path]) -> None:
    files = [picture.read_bytes() for picture in pictures]
    refused = DifferenceCaptioner(str(english), lambda work: lambda *given: work(*given, device="cpu"))
    assert refused.describe(*files, "en").text == TEXTS["en"][0]


@pytest.mark.parametrize("switches", [{}, {"vision": False, "joints": False}])
def test_a_captioner_that_cannot_do_without_joints_is_refused(tmp_path: Path, switches: dict[str, bool]) -> None:
    folder = save_taught(tmp_path / "joints", TEXTS, **switches)
    with pytest.raises(BadInputError, match="needs joints") as refusal:
        DifferenceCaptioner(str(folder))
    assert refusal.value.code == "captioner_needs_joints"


def test_the_command_needs_a_captioner_and_two_pictures(pictures: tuple[Path, Path], english: Path) -> None:
    without = run_here("difference", *pictures)
    assert (without.returncode, without.stdout) == (2, "")
    assert "--captioner" in without.stderr
    broken = run_here("difference", pictures[0], Path(__file__), "--captioner", english)
    assert (broken.returncode, broken.stdout) == (2, "")
    assert broken.stderr.startswith("Target photograph: ")

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fmp_models.common.picture_files import MAX_SIDE
from fmp_models.errors import SENTENCES
from tests.hostile_uploads import hostile_uploads
from tests.nonempty import nonempty
from tests.thoroughness import thorough

ROOT = Path(__file__).resolve().parents[3]
MAX_MEMORY_BYTES = 1_500_000_000
BESIDE = {"name", "peak", "as_annotated"}

# Reads every file of a folder as both sides do, in a process of its own, so that a crash or a swollen memory belongs to
# the pictures.
READ_ALL = """
import hashlib, json, pathlib, re, resource, sys
from annotate.errors import RefusedError
from annotate.photos import read_photograph as read_annotated
from fmp_models.errors import BadInputError
from fmp_models.preprocessing import read_photograph
def answer(read, refusal):
    try:
        image = read()
    except refusal as error:
        return {"code": error.code, "details": error.details, "sentence": error.sentence}
    pixels = hashlib.sha256(image.tobytes()).hexdigest()
    told = {"mode": image.mode, "size": image.size, "info": len(image.info), "exif": len(image.getexif())}
    return {"pixels": pixels, **told}
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    sys.stderr.write(f"reading {path.name}\\n")
    data = path.read_bytes()
    told = answer(lambda: read_photograph(data).image, BadInputError)
    told["as_annotated"] = answer(lambda: read_annotated(data), RefusedError)
    status = pathlib.Path("/proc/self/status")
    if status.exists():  # getrusage would count the process that this one was forked from
        peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", status.read_text())[1]) * 1024
    else:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"name": path.name, "peak": peak, **told}), flush=True)
"""


@pytest.fixture(scope="module", params=[False, pytest.param(True, marks=thorough)], ids=["most", "all"])
def uploads(request: pytest.FixtureRequest) -> list[tuple[str, bytes]]:
    return list(hostile_uploads(vast=request.param))


@pytest.fixture(scope="module")
def answers(uploads: list[tuple[str, bytes]], tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    folder = tmp_path_factory.mktemp("uploads")
    for name, data in uploads:
        (folder / name).write_bytes(data)
    command = [sys.executable, "-W", "ignore", "-c", READ_ALL, str(folder)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    answers_of_run = [json.loads(line) for line in run.stdout.splitlines()]
    return {answer["name"]: answer for answer in answers_of_run}


def test_there_are_more_than_two_hundred_different_files(uploads: list[tuple[str, bytes]]) -> None:
    assert len({name for name, _ in uploads}) == len(uploads) > 200
    assert len({data for _, data in uploads}) > 200


def test_every_file_is_answered_with_a_bounded_photograph_or_one_sentence(
    uploads: list[tuple[str, bytes]], answers: dict[str, dict[str, object]]
) -> None:
    assert set(answers) == {name for name, _ in uploads}
    refused = [answer for answer in answers.values() if "code" in answer]
    for answer in nonempty(refused):
        assert answer["code"] in SENTENCES, answer
        sentence = str(answer["sentence"])
        assert sentence.endswith("."), answer
        assert "\n" not in sentence, answer
    for answer in nonempty(answer for answer in answers.values() if answer not in refused):
        assert answer["mode"] == "RGB", answer
        width, height = answer["size"]
        assert 1 <= min(width, height) <= max(width, height) <= MAX_SIDE, answer
        assert answer["info"] == answer["exif"] == 0, answer


def test_both_sides_see_the_same_pixels_and_refuse_with_the_same_words(answers: dict[str, dict[str, object]]) -> None:
    for name, answer in nonempty(answers.items()):
        # Where several photographs share a budget, the sentence speaks of all of them.
        beside = BESIDE | ({"sentence"} if answer.get("code") == "photo_too_slow" else set())
        annotated = {key: told for key, told in dict(answer["as_annotated"]).items() if key not in beside}
        assert annotated == {key: answer[key] for key in answer if key not in beside}, name


def test_no_file_takes_more_than_a_bounded_amount_of_memory(answers: dict[str, dict[str, object]]) -> None:
    assert max(int(answer["peak"]) for answer in answers.values()) < MAX_MEMORY_BYTES


@pytest.mark.parametrize(
    ("names", "code"),
    [
        ("cut-[1-9]0-*", "photo_broken"),
        ("only-signature-*", "photo_broken"),
        ("header-*x*.png", "photo_too_many_pixels photo_too_small photo_broken"),
        ("bomb-too-many-pixels.*", "photo_too_many_pixels"),
        ("bomb-of-s*.jpg", "photo_broken"),
        ("bomb-of-*.gif", "photo_broken"),
        ("bomb-of-*.avif", "photo_broken"),
        ("bomb-behind-*.avif", "photo_too_many_pixels"),
        ("bomb-run-length*", "photo_too_slow photo_broken"),
        ("header-*x*.bmp", "photo_too_many_pixels photo_too_small photo_broken"),
        ("header-frame-65535.gif", "photo_too_many_pixels"),
        ("bomb-in-many-texts.png", "photo_broken"),
        ("other*", "photo_unknown_type"),
        ("page.*", "photo_unknown_type"),
        ("drawing.*", "photo_unknown_type"),
        ("film.*", "photo_unknown_type"),
        ("animated*.png", "photo_animated"),
        ("animated*.webp", "photo_animated"),
        ("animated*.gif", "photo_animated"),
        ("animated*.avif", "photo_animated"),
        ("animated.jpg", "photo_animated"),
        ("sequence-*", "photo_animated"),
        ("size-1x*", "photo_too_small"),
        ("size-63x*", "photo_too_small"),
        ("empty*", "photo_empty"),
        ("too-many-bytes*", "photo_too_many_bytes"),
    ],
)
def test_the_reason_names_what_is_wrong(answers: dict[str, dict[str, object]], names: str, code: str) -> None:
    family = {name: answer.get("code") for name, answer in answers.items() if Path(name).match(names)}
    assert family
    assert set(family.values()) <= set(code.split()), family


@pytest.mark.parametrize(
    "names",
    [
        "mode-RGBA*",
        "mode-CMYK*",
        "mode-16*",
        "mode-*.gif",
        "mode-*.bmp",
        "mode-*.avif",
        "brand-of-heic.avif",
        "still-in-a-film.avif",
        "frame-larger-than-screen.gif",
        "size-64x64*",
        "rubbish-behind-*",
        "*exif*",
        "profile-*",
        "jpeg-named*",
        "*-behind.*",
    ],
)
def test_what_is_only_odd_is_accepted(answers: dict[str, dict[str, object]], names: str) -> None:
    family = {name: answer.get("code", "accepted") for name, answer in answers.items() if Path(name).match(names)}
    assert family
    assert set(family.values()) == {"accepted"}, family

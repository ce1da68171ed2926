from __future__ import annotations

import json
import multiprocessing
import shutil
import time
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from PIL import Image

from demo.examples.catalogue import FOLDER as EXAMPLES
from fmp_models.errors import BadInputError
from fmp_models.inference.batches import read_pairs, write_batch
from fmp_models.workers import HERE
from tests.commands import run_here
from tests.worked_items import noted

ROWS = [{"id": str(number), "current": "a.jpg"} for number in range(12)]


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_killed_batch_goes_on_where_it_stopped_and_nothing_comes_twice(tmp_path: Path) -> None:
    out, log = tmp_path / "new" / "out.jsonl", tmp_path / "log"
    work = partial(noted, log)
    process = multiprocessing.get_context("spawn").Process(target=write_batch, args=(ROWS, work, out, HERE))
    process.start()
    while process.is_alive() and not (out.exists() and out.read_bytes().count(b"\n") > 3):
        time.sleep(0.01)
    process.kill()
    process.join()
    before = out.read_bytes()
    with out.open("ab") as file:
        file.write(b'{"id": "4", "cur')
    tried = len(log.read_text().splitlines())

    counts = write_batch(ROWS, work, out, HERE)

    assert counts == {"": 10, "no_person": 1, "internal": 1}
    assert out.read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    found = lines(out)
    assert [row["id"] for row in found] == [row["id"] for row in ROWS]
    assert found[1] == {
        **ROWS[1],
        "error": "no_person",
        "sentence": BadInputError("no_person", which="current").sentence,
    }
    assert found[2]["sentence"] == "RuntimeError: unexpected"
    assert found[3]["text"] == "घुटना मोड़िए"
    finished = before.count(b"\n")
    assert len(log.read_text().splitlines()) == tried + len(ROWS) - finished
    assert write_batch(ROWS, work, out, HERE) == counts
    assert len(log.read_text().splitlines()) == tried + len(ROWS) - finished


@pytest.mark.parametrize(
    "content",
    [
        b"[1]\n",
        b"junk\n",
        b"a text without a last newline",
        b'{"id": "1"}',
        b"\xff\xfe\n",
        b'{"id": "99", "current": "a.jpg"}\n',
        b'{"id": "1", "current": "b.jpg"}\n',
        b'{"id": {}}\n',
        b"[" * 100_000 + b"\n",
        b'{"id": "1", "current": "a.jpg"}\n' * 2,
    ],
)
def test_a_file_of_another_batch_is_left_as_it_is(content: bytes, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_bytes(content)
    with pytest.raises(BadInputError) as refused:
        write_batch(ROWS, partial(noted, tmp_path / "log"), out, HERE)
    assert refused.value.code == "batch_other"
    assert out.read_bytes() == content


@pytest.mark.parametrize(
    ("table", "code"),
    [
        (b"", "table_columns"),
        (b"current;target\na;b\n", "table_columns"),
        (b"current,target,current\na,b,c\n", "table_columns"),
        (b"current,target,id,id\na,b,c,d\n", "table_columns"),
        (b"current,target\n", "table_empty"),
        (b"current,target\n" + b"a" * 200_000 + b",b\n", "table_broken"),
        (b"current,target,id\na,b,x\nc,d,x\n", "uid_twice"),
        (b"current,target,id\na,b,2\nc,d,\n", "uid_twice"),
        ("current,target\n\u0915,b\n".encode("utf-16"), "not_utf8"),
    ],
)
def test_a_table_that_cannot_be_used_is_one_sentence(table: bytes, code: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_bytes(table)
    with pytest.raises(BadInputError) as refused:
        read_pairs(path, "en")
    assert refused.value.code == code


def test_a_table_as_a_spreadsheet_saves_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_bytes('\ufeffTarget , Current,Language,note\r\n"b, ब.jpg",a.jpg,hi,x\r\n\0c.jpg,d.jpg\r\n'.encode())
    assert read_pairs(path, "en") == [
        {"id": "1", "current": "a.jpg", "target": "b, ब.jpg", "language": "hi"},
        {"id": "2", "current": "d.jpg", "target": "\0c.jpg", "language": "en"},
    ]


def test_a_table_of_pairs_is_corrected_as_single_pairs_are(pose_model: Path, tmp_path: Path) -> None:
    for name in ("warrior_current.jpg", "warrior_target.jpg"):
        shutil.copy(EXAMPLES / name, tmp_path)
    table, out = tmp_path / "pairs.csv", tmp_path / "out.jsonl"
    table.write_text("current,target\nwarrior_current.jpg,warrior_target.jpg\nmissing.jpg,warrior_target.jpg\n")
    done = run_here("correct", "--pairs", table, "--out", out, "--json", "--processes", 1, FMP_POSE_MODEL=pose_model)
    assert (done.returncode, json.loads(done.stdout)) == (0, {"pairs": 2, "errors": {"file_unreadable": 1}})
    pair = EXAMPLES / "warrior_current.jpg", EXAMPLES / "warrior_target.jpg"
    single = json.loads(run_here("correct", *pair, "--json", FMP_POSE_MODEL=pose_model).stdout)
    found = lines(out)
    assert [found[0][name] for name in ("text", "steps", "joints")] == [
        single[name] for name in ("text", "steps", "joints")
    ]


@pytest.mark.parametrize(
    "arguments",
    [("--pairs", "pairs.csv"), ("a.jpg", "b.jpg", "--pairs", "pairs.csv", "--out", "out"), ("a.jpg",), ()],
)
def test_two_photographs_or_a_table_are_asked_for(arguments: tuple[str, ...]) -> None:
    done = run_here("correct", *arguments)
    assert (done.returncode, done.stderr) == (2, f"{BadInputError('pair_missing').sentence}\n")


@pytest.mark.parametrize(
    ("arguments", "option", "needed"),
    [
        (("correct", "a.jpg", "b.jpg", "--out", "out.jsonl"), "--out", "--pairs"),
        (("correct", "--joints", "a.json", "b.json", "--scheduler", "tcp://here:1"), "--scheduler", "--pairs"),
        (("retrieve", "a.jpg", "raise an arm", "b.jpg", "c.jpg", "--top", "3"), "--top", "--gallery"),
        (("retrieve", "a.jpg", "raise an arm", "b.jpg", "c.jpg", "--scheduler", "x"), "--scheduler", "--gallery"),
        (("describe-motion", "a.mp4", "--axes", "y-up"), "--axes", "a .bvh file"),
    ],
)
def test_an_option_without_effect_is_refused(arguments: tuple[str, ...], option: str, needed: str) -> None:
    done = run_here(*arguments)
    sentence = BadInputError("option_needs", option=option, with_option=needed).sentence
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{sentence}\n")


def test_a_folder_is_measured_into_one_file_and_only_new_pictures_the_second_time(
    pose_model: Path, tmp_path: Path
) -> None:
    images, out = tmp_path / "images", tmp_path / "out" / "joints.parquet"
    (images / "deep").mkdir(parents=True)
    shutil.copy(EXAMPLES / "tree_target.jpg", images / "deep" / "वृक्ष.JPG")
    Image.new("RGB", (300, 300)).save(images / "black.png")
    (images / "junk.webp").write_bytes(b"junk")
    (images / "note.txt").write_text("no picture")
    measured = "measure", "--images", images, "--out", out, "--processes", 1

    done = run_here(*measured, FMP_POSE_MODEL=pose_model)

    assert done.returncode == 0, done.stderr
    assert "3 pictures, 2 of them with an error" in done.stdout
    rows = pq.read_table(out).to_pylist()
    assert [(row["picture"], row["error"]) for row in rows] == [
        ("black.png", "no_person"),
        ("deep/वृक्ष.JPG", None),
        ("junk.webp", "photo_unknown_type"),
    ]
    assert [len(rows[1][name]) for name in ("estimated_joints", "image_joints", "visibility")] == [20] * 3
    assert [path.name for path in out.parent.iterdir()] == ["joints.parquet"]

    shutil.copy(EXAMPLES / "tree_current.jpg", images)
    (out.parent / "joints.parquet.jsonl").write_text('{"picture": "gone.png", "bytes": 9, "people": 0}\n')
    again = run_here(*measured, FMP_POSE_MODEL=pose_model)

    assert "4 pictures" in again.stdout
    assert "1/1" in again.stderr
    assert pq.read_table(out).to_pylist()[:2] == rows[:2]

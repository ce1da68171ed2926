"""FixMyPose-Dialog: a folder that loads, verification that fails on what is wrong, figures, and its commands."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import datasets
import pytest

from fmp_models.data.features import DIALOGUE, DIALOGUE_FEATURES
from fmp_models.data.folder import ShardWriter, read_rows
from fmp_models.data.sample import FOLDER
from fmp_models.dialogue import generation
from fmp_models.dialogue.dataset import (
    CHECKS,
    _kept_rows,
    dialogue_rows,
    dialogue_statistics,
    read_dialogues,
    verify_dialogues,
    write_dialogues,
)
from fmp_models.dialogue.scene_graph import BY_NAME
from fmp_models.errors import BadInputError
from fmp_models.languages import LANGUAGES
from tests.commands import run_here
from tests.nonempty import nonempty

Row = dict[str, Any]


@pytest.fixture(scope="module")
def small_beam() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generation, "BEAM", 25)
        yield


@pytest.fixture(scope="module")
def made(small_beam: None, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: ARG001
    out = tmp_path_factory.mktemp("dialogues") / "out"
    assert write_dialogues(FOLDER, out, 2) == (2, 200)
    return out


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "copy"))


def rows_of(out: Path) -> dict[str, list[Row]]:
    splits = [path.name.rsplit("-", 3)[0] for path in sorted((out / DIALOGUE).glob("*.parquet"))]
    return {split: [*read_rows(out, DIALOGUE, split, [*DIALOGUE_FEATURES])] for split in splits}


def change(out: Path, changed: Callable[[Row], object]) -> None:
    """Change the first row of the last five questions of a dialogue for which ``changed`` returns columns."""
    for split, rows in rows_of(out).items():
        with ShardWriter(out, DIALOGUE, split) as writer:
            for row in rows:
                writer.add({**row, **(changed(row) or {})})


def test_the_folder_loads_with_its_pairs(made: Path, tmp_path: Path) -> None:
    loaded = datasets.load_dataset(str(made), DIALOGUE, cache_dir=str(tmp_path))
    pairs = datasets.load_dataset(str(made), "captioning", cache_dir=str(tmp_path))
    assert loaded.keys() == pairs.keys()
    rows = [row for split in loaded.values() for row in split]
    assert next(iter(loaded.values())).features == DIALOGUE_FEATURES
    assert {row["uid"] for row in rows} == {row["uid"] for split in pairs.values() for row in split}
    assert len({row["dialogue_id"] for row in rows}) == 2 * 5 * len(LANGUAGES)
    assert [row["round"] for row in rows] == [*range(1, 11)] * (len(rows) // 10)
    by_language = [[row["program"] for row in rows if row["language"] == code] for code in LANGUAGES]
    assert by_language[0] == by_language[1]
    card = (made / "README.md").read_text(encoding="utf-8")
    assert "FixMyPose-Dialog" in card
    assert (made / "plots" / "distances.png").stat().st_size > 1000


def test_all_that_was_written_is_derived_again(made: Path) -> None:
    found = verify_dialogues(made)
    assert found == {"dialogues": 20, "questions": 200} | dict.fromkeys(CHECKS, 200)


KNOWN = "count(filter(moves, yes, parts()))"
WRONG: list[tuple[str, Callable[[Row], Row], str]] = [
    ("answer", lambda row: {"answer": row["answer"] + "!"}, "agreed"),
    ("nodes", lambda row: {"nodes": [*row["nodes"], "head"]}, "agreed"),
    ("program", lambda _: {"program": "seek(angle, unique(relate(above, current, focus())))"}, "revealed_only"),
    ("program", lambda _: {"program": "not a program"}, "agreed"),
    ("program", lambda _: {"program": "exist(objects())"}, "labels_kept"),
    ("kind", lambda _: {"kind": "count-everything"}, "labels_kept"),
    ("dependence", lambda row: {"dependence": "all" if row["dependence"] != "all" else "none"}, "labels_kept"),
    ("distance", lambda row: {"distance": row["distance"] + 1}, "labels_kept"),
    ("question", lambda row: {"question": row["question"].swapcase()}, "labels_kept"),
    ("caption", lambda row: {"caption": row["caption"].swapcase()}, "labels_kept"),
    ("round", lambda row: {"round": row["round"] + 1}, "counts_kept"),
    ("language", lambda row: {"language": next(code for code in LANGUAGES if code != row["language"])}, "labels_kept"),
]


@pytest.mark.parametrize(
    ("column", "wrong", "check"), WRONG, ids=[f"{n}-{column}" for n, (column, *_) in enumerate(WRONG)]
)
def test_a_wrong_column_is_found(copied: Path, column: str, wrong: Callable[[Row], Row], check: str) -> None:
    change(copied, lambda row: wrong(row) if row["round"] == 4 and row["language"] == LANGUAGES[0] else None)
    changed = sum(row["round"] == 4 for rows in rows_of(copied).values() for row in rows)
    assert changed
    found = verify_dialogues(copied)
    assert found["questions"] == 200
    assert found[check] < 200, column


def test_a_question_whose_answer_is_known_is_found(copied: Path) -> None:
    change(copied, lambda row: {"program": KNOWN, "kind": "count-all"} if row["round"] in {2, 3} else None)
    found = verify_dialogues(copied)
    assert found["not_known_yet"] <= 180
    assert found["counts_kept"] < 200


def test_a_dataset_is_not_written_into_its_own_folder(copied: Path) -> None:
    with pytest.raises(BadInputError) as refused:
        write_dialogues(copied, copied / ".." / copied.name, 1)
    assert refused.value.code == "folder_not_empty"


def test_a_caption_that_is_not_true_is_found(copied: Path) -> None:
    change(copied, lambda _: {"caption_program": "name(node(left knee))"})
    assert verify_dialogues(copied)["labels_kept"] == 0


def test_dialogues_of_changed_poses_do_not_agree(copied: Path) -> None:
    for split in nonempty(rows_of(copied)):
        pairs = [*read_rows(copied, "captioning", split, _columns())]
        with ShardWriter(copied, "captioning", split) as writer:
            for row in pairs:
                writer.add({**row, "target_joints": row["current_joints"]})
    found = verify_dialogues(copied)
    assert found["agreed"] < 150


def _columns() -> list[str]:
    from fmp_models.data.features import CAPTIONING_FEATURES  # noqa: PLC0415

    return [*CAPTIONING_FEATURES]


def test_an_unfinished_folder_is_continued_with_the_same_bytes(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    made_now: list[str] = []

    def stopping(row: Row, seed: int) -> list[Row]:
        if len(made_now) == 1:
            raise KeyboardInterrupt
        made_now.append(row["uid"])
        return dialogue_rows(row, seed)

    monkeypatch.setattr("fmp_models.dialogue.dataset.dialogue_rows", stopping)
    with pytest.raises(KeyboardInterrupt):
        write_dialogues(FOLDER, out, 2)
    monkeypatch.setattr(
        "fmp_models.dialogue.dataset.dialogue_rows",
        lambda row, seed: made_now.append(row["uid"]) or dialogue_rows(row, seed),
    )
    write_dialogues(FOLDER, out, 2)
    assert len({*made_now}) == len(made_now)
    files = sorted(path.relative_to(made) for path in made.rglob("*.parquet"))
    assert [(out / path).read_bytes() for path in files] == [(made / path).read_bytes() for path in files]
    assert not (out / ".dialogues").exists()


@pytest.mark.parametrize(
    "program", ["seek(angle, node(left knee))", f"count(these({'; '.join(BY_NAME)}))", "count(parts())", "parts()"]
)
def test_a_caption_of_no_known_kind_is_found(copied: Path, program: str) -> None:
    change(copied, lambda _: {"caption_program": program})
    assert verify_dialogues(copied)["labels_kept"] == 0


@pytest.mark.parametrize("uid", ["../../outside", "a/b", "x" * 300])
def test_a_pair_of_any_name_is_kept_in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, uid: str) -> None:
    monkeypatch.setattr("fmp_models.dialogue.dataset.dialogue_rows", lambda row, _: [{"uid": row["uid"]}])
    assert _kept_rows(tmp_path, 0, {"uid": uid}) == [{"uid": uid}]
    assert len([*tmp_path.iterdir()]) == 1


def test_the_figures_are_those_of_the_rows(made: Path) -> None:
    figures = dialogue_statistics(made)
    rows = [row for _, dialogue in read_dialogues(made) for row in dialogue]
    distances = [row["distance"] for row in rows if row["dependence"] == "coref"]
    assert figures["mean_coreference_distance"] == pytest.approx(sum(distances) / len(distances))
    assert figures["none"] + figures["all"] + figures["coref"] == pytest.approx(1)
    assert sum(figures["kinds"].values()) == figures["questions"] == len(rows) == 200
    assert sum(figures["after_round_3"].values()) == pytest.approx(1)
    assert set(figures["languages"]) == set(LANGUAGES)
    assert figures["paper"]["mean_coreference_distance"] == 3.2


def test_folders_that_are_no_datasets_are_refused(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "note.txt").write_text("mine")
    with pytest.raises(BadInputError) as refused:
        write_dialogues(FOLDER, tmp_path / "full", 1)
    assert refused.value.code == "folder_not_empty"
    with pytest.raises(BadInputError) as refused:
        write_dialogues(tmp_path / "missing", tmp_path / "out", 1)
    assert refused.value.code == "dataset_missing"
    with pytest.raises(BadInputError) as refused:
        verify_dialogues(FOLDER)
    assert refused.value.code == "dialogue_missing"


def test_the_commands_print_one_object(made: Path, copied: Path) -> None:
    verified = run_here("dialogue", "verify", made, "--json")
    assert verified.returncode == 0, verified.stderr
    assert json.loads(verified.stdout)["labels_kept"] == 200
    statistics = run_here("dialogue", "statistics", made, "--json")
    assert json.loads(statistics.stdout)["questions"] == 200
    change(copied, lambda row: {"answer": "?"} if row["round"] == 1 else None)
    assert run_here("dialogue", "verify", copied).returncode == 1
    refused = run_here("dialogue", "generate", FOLDER, copied.parent / "out", "--pairs", 0)
    assert refused.returncode == 2
    assert "--pairs" in refused.stderr

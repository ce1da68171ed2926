from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from demo.examples.catalogue import FOLDER as EXAMPLES
from fmp_models.data.sample import FOLDER
from fmp_models.errors import BadInputError
from fmp_models.hub import CHECKPOINTS, load_retriever
from fmp_models.inference import gallery as galleries
from fmp_models.inference.batches import BatchOptions
from fmp_models.inference.demonstration import read_description
from fmp_models.inference.gallery import open_gallery
from fmp_models.inference.retrievers import Retrievers
from fmp_models.pose import Array
from tests.bodies import Body
from tests.commands import run_here
from tests.thoroughness import thorough

SPACE, STANDING = load_retriever("retriever-space"), Body().pose()


def never(folder: Path, _: Path) -> None:
    raise AssertionError(folder)


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "dataset"))


def measured(path: Path, names: list[str], joints: list[object]) -> Path:
    kind = pa.list_(pa.list_(pa.float32()))
    pq.write_table(pa.table({"picture": names, "estimated_joints": pa.array(joints, kind)}), path)
    return path


def drawn(count: int) -> Array:
    generator = np.random.default_rng(3)
    return STANDING.joints + 0.15 * generator.standard_normal((count, 20, 3))


def test_a_dataset_is_searched_whole_or_by_split_and_kept_beside_it(dataset: Path) -> None:
    train = open_gallery(f"{dataset}:train", SPACE, never)
    whole = open_gallery(str(dataset), SPACE, never)
    assert 0 < len(train.names) < len(whole.names)
    assert isinstance(train.vectors, np.memmap)
    assert train.vectors.dtype == np.float16
    kept = {path: path.stat().st_mtime_ns for path in dataset.rglob("*.npy")}
    assert open_gallery(str(dataset), SPACE, never).names.tolist() == whole.names.tolist()
    assert {path: path.stat().st_mtime_ns for path in dataset.rglob("*.npy")} == kept


def test_a_changed_file_is_read_anew_and_the_old_vectors_go(tmp_path: Path) -> None:
    file = measured(tmp_path / "joints.parquet", ["a", "b"], [drawn(2)[0].tolist(), None])
    assert open_gallery(str(file), SPACE, never).names.tolist() == [b"a"]
    measured(file, ["a", "ब"], drawn(2).tolist())
    found = open_gallery(str(file), SPACE, never)
    assert [found.name(place) for place in range(2)] == ["a", "ब"]
    assert len([*tmp_path.glob("*.gallery/*")]) == 1


@thorough
def test_the_estimated_scores_find_most_of_what_the_exact_ones_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = measured(tmp_path / "joints.parquet", [str(n) for n in range(3000)], drawn(3000).tolist())
    found = open_gallery(str(file), SPACE, never)
    read = read_description("raise your left arm and bend your right knee", "en")
    places, scores = found.nearest(SPACE, read, STANDING.joints)
    assert len(places) == galleries.MAX_RESULTS
    assert (np.diff(scores) <= 0).all()
    monkeypatch.setattr(galleries, "MAX_RESULTS", 3000)
    exact, _ = found.nearest(SPACE, read, STANDING.joints)
    assert len({*exact[:100].tolist()} & {*places.tolist()}) > 80


def test_the_clauses_put_the_described_pose_first(tmp_path: Path) -> None:
    from fmp_models.geometry.execution import execute  # noqa: PLC0415

    read = read_description("raise your left arm overhead", "en")
    goals = tuple(piece.goal for piece in read.reading.asked)
    target = execute(goals, STANDING).joints
    joints = [*(STANDING.joints + 0.03 * np.random.default_rng(1).standard_normal((30, 20, 3))), target]
    found = open_gallery(
        str(measured(tmp_path / "a.parquet", [str(n) for n in range(31)], [one.tolist() for one in joints])),
        SPACE,
        never,
    )
    places, shares = found.find(SPACE, read, STANDING)
    assert found.name(places[0]) == "30"
    assert shares.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("names", "joints", "code"),
    [
        (["a"], [None], "gallery_empty"),
        ([], [], "gallery_empty"),
        (["a"], [[[0.0, 0.0]] * 20], "results_damaged"),
        (["a"], [[[0.0] * 3] * 19], "results_damaged"),
        (["a"], [[[float("nan")] * 3] * 20], "results_damaged"),
    ],
)
def test_joints_of_no_body_are_one_sentence(names: list[str], joints: list[object], code: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError) as refused:
        open_gallery(str(measured(tmp_path / "a.parquet", names, joints)), SPACE, never)
    assert refused.value.code == code


@pytest.mark.parametrize("source", ["nothing", "nothing:train", "DATASET:nosplit", "JUNK", "", ":"])
def test_what_is_no_collection_is_one_sentence(source: str, dataset: Path, tmp_path: Path) -> None:
    (tmp_path / "junk").write_bytes(b"junk")
    source = source.replace("DATASET", str(dataset)).replace("JUNK", str(tmp_path / "junk"))
    with pytest.raises(BadInputError) as refused:
        open_gallery(source, SPACE, never)
    assert refused.value.code in {"gallery_missing", "results_damaged"}


def test_the_command_searches_a_folder_page_by_page(pose_model: Path, tmp_path: Path) -> None:
    for name in ("warrior_current", "warrior_target", "tree_target"):
        shutil.copy(EXAMPLES / f"{name}.jpg", tmp_path)
    asked = (EXAMPLES / "tree_current.jpg", "put your left foot on your right knee and raise both arms overhead")
    options = ("--gallery", tmp_path, "--top", 2, "--processes", 1, "--json")
    first, second = (
        run_here("retrieve", *asked, *options, "--page", page, FMP_POSE_MODEL=pose_model) for page in (1, 2)
    )
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    pages = [json.loads(done.stdout) for done in (first, second)]
    assert [result["rank"] for page in pages for result in page["results"]] == [1, 2, 3]
    assert pages[0]["results"][0]["picture"] == "tree_target.jpg"
    assert sum(result["probability"] for page in pages for result in page["results"]) == pytest.approx(1)
    assert (pages[0]["size"], pages[0]["pages"]) == (3, 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--top", "0"), "--top must be"),
        (("--page", "0"), "--page must be"),
        (("other.jpg",), "not both"),
        (("--model", "retriever-en"), "cannot search a collection"),
    ],
)
def test_a_search_that_cannot_be_done_is_one_sentence(options: tuple[str, ...], message: str, dataset: Path) -> None:
    current = EXAMPLES / "tree_current.jpg"
    done = run_here("retrieve", current, "raise your left arm", *options, "--gallery", dataset)
    assert done.returncode == 2
    assert message in done.stderr.splitlines()[-1]


@thorough
def test_recall_over_a_whole_split_is_measured_without_the_own_current_picture(dataset: Path) -> None:
    done = run_here("evaluate", "retriever-space", dataset, "--split", "test_unseen", "--gallery", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["test_unseen"]
    assert set(found) == {"en", "hi"}
    values = [found[language][f"recall_at_{k}"] for language in ("en", "hi") for k in (1, 5, 10, 50)]
    assert values[:4] == sorted(values[:4])
    assert 0 < values[3] <= 1


def test_a_search_in_a_language_that_the_retriever_does_not_read_is_one_sentence(
    dataset: Path, pose_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = galleries.GallerySearch(str(dataset), "", BatchOptions(str(pose_model), tmp_path))
    english = {"en": SPACE.vocabularies["en"]}
    monkeypatch.setattr(Retrievers, "_read", lambda *_: replace(SPACE, vocabularies=english))
    with pytest.raises(BadInputError) as refused:
        search.find((EXAMPLES / "tree_current.jpg").read_bytes(), "बायाँ हाथ ऊपर उठाइए", None)
    assert refused.value.code == "retriever_other_language"


def test_a_damaged_retriever_is_one_sentence(dataset: Path, tmp_path: Path) -> None:
    model = Path(shutil.copytree(CHECKPOINTS / "retriever-space", tmp_path / "damaged"))
    (model / "model.safetensors").write_bytes(b"junk")
    asked = ("retrieve", EXAMPLES / "tree_current.jpg", "raise your left arm", "--gallery", dataset, "--model", model)
    searched, evaluated = run_here(*asked), run_here("evaluate", model, dataset, "--gallery")
    assert (searched.returncode, searched.stdout) == (evaluated.returncode, evaluated.stdout) == (2, "")
    assert searched.stderr == evaluated.stderr
    assert searched.stderr.count("\n") == 1

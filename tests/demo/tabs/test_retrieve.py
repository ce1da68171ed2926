from __future__ import annotations

from pathlib import Path

import gradio as gr
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from gradio.data_classes import FileData

from demo.gradio_parts.components import FindRequest
from demo.i18n import interface_texts, refusal_sentence
from demo.serving.uploads import UploadLedger
from demo.tabs.retrieve import RetrieveTab, _form_html
from fmp_models.errors import BadInputError
from fmp_models.inference.batches import BatchOptions
from fmp_models.inference.gallery import GallerySearch
from fmp_models.inference.retrievers import Retrievers
from fmp_models.inference.target_finder import TargetFinder
from tests.bodies import random_pairs
from tests.retrievers import TEXTS, ColourEstimator, picture, save_retriever


@pytest.fixture
def tab(tmp_path: Path) -> RetrieveTab:
    retrievers = Retrievers(str(save_retriever(tmp_path / "tiny", "en")))
    return RetrieveTab(TargetFinder(ColourEstimator(), retrievers), UploadLedger())


def uploads(folder: Path, *files: bytes) -> list[str]:
    """Store files as Gradio does, each in a folder of its own."""
    paths = []
    for number, file in enumerate(files):
        path = folder / f"upload{number}" / "picture"
        path.parent.mkdir()
        path.write_bytes(file)
        paths.append(str(path))
    return paths


def request(paths: list[str], text: str = TEXTS["en"]) -> FindRequest:
    current, *candidates = (FileData(path=path) for path in paths)
    return FindRequest(current=current, description=text, candidates=candidates)


def test_an_answer_leaves_no_upload(tab: RetrieveTab, tmp_path: Path) -> None:
    paths = uploads(tmp_path, picture(90, 60, 30), picture(200, 30, 40), picture(20, 60, 220))

    html = tab.answer(request(paths))

    assert 'data-outcome="ranking"' in html
    assert not [path for path in paths if Path(path).exists()]


@pytest.mark.parametrize(
    ("file", "code"), [(b"no picture", "photo_unknown_type"), (b"", "photo_empty"), (None, "pictures_missing")]
)
def test_a_refusal_leaves_no_upload_either(tab: RetrieveTab, tmp_path: Path, file: bytes | None, code: str) -> None:
    paths = uploads(tmp_path, picture(90, 60, 30), picture(200, 30, 40), file or b"")
    if file is None:
        Path(paths[-1]).unlink()

    html = tab.answer(request(paths))

    assert 'data-outcome="refusal"' in html
    assert interface_texts()["en"][f"errors.{code}"] in html
    assert not [path for path in paths if Path(path).exists()]


def test_more_files_than_allowed_are_forgotten_unread(tab: RetrieveTab, tmp_path: Path) -> None:
    paths = uploads(tmp_path, *[b"no picture"] * 40)

    html = tab.answer(request(paths))

    assert interface_texts()["en"]["errors.candidates_count"].format(least=2, most=20, found=39) in html
    assert not [path for path in paths if Path(path).exists()]


def test_a_fault_of_ours_is_said_without_its_traceback(
    tab: RetrieveTab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ColourEstimator, "estimate", lambda *_: 1 / 0)
    paths = uploads(tmp_path, picture(90, 60, 30), picture(200, 30, 40), picture(20, 60, 220))

    html = tab.answer(request(paths))

    assert interface_texts()["en"]["faults.ours"] in html
    assert "ZeroDivisionError" not in html


def test_without_a_retriever_the_form_says_so() -> None:
    missing = interface_texts()["en"]["errors.retriever_missing"]

    assert missing in _form_html(installed=False)
    assert missing not in _form_html(installed=True)


def test_a_retriever_that_cannot_be_read_is_a_fault_of_ours(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = save_retriever(tmp_path / "tiny", "en")
    (folder / "model.safetensors").write_text("version https://git-lfs.github.com/spec/v1")
    tab = RetrieveTab(TargetFinder(ColourEstimator(), Retrievers(str(folder))), UploadLedger())
    paths = uploads(tmp_path, picture(90, 60, 30), picture(200, 30, 40), picture(20, 60, 220))

    html = tab.answer(request(paths))

    assert interface_texts()["en"]["faults.ours"] in html
    assert "cannot be used" in caplog.text
    assert str(tmp_path) not in html


@pytest.mark.parametrize(
    ("text", "language", "told"),
    [(TEXTS["hi"], None, "hi"), (TEXTS["en"], "hi", "hi"), (TEXTS["en"], None, "en"), (TEXTS["en"], "fr", "en")],
)
def test_a_program_is_refused_in_its_own_language(tab: RetrieveTab, text: str, language: str | None, told: str) -> None:
    with pytest.raises(gr.Error) as refused:
        tab.retrieve(picture(90, 60, 30), text, [picture(20, 60, 220)], language)

    error = BadInputError("candidates_count", least=2, most=20, found=1)
    assert refused.value.message == refusal_sentence(error, told)
    assert refused.value.message.isascii() == (told == "en")


def test_no_candidates_search_the_collection_of_the_owner(tmp_path: Path) -> None:
    joints = [random_pairs(1, seed)[0].target.joints.tolist() for seed in range(12)]
    kind = pa.list_(pa.list_(pa.float32()))
    file = tmp_path / "joints.parquet"
    names = [f"{number}.jpg" for number in range(12)]
    pq.write_table(pa.table({"picture": names, "estimated_joints": pa.array(joints, kind)}), file)
    estimator = ColourEstimator()
    finder = TargetFinder(estimator, Retrievers("retriever-space"))
    finder.gallery = GallerySearch(str(file), "", BatchOptions("full", tmp_path), estimator=estimator)
    tab = RetrieveTab(finder, UploadLedger())
    pages = []
    for page in (None, 1, 2, 9):
        (tmp_path / str(page)).mkdir()
        (current,) = uploads(tmp_path / str(page), picture(90, 60, 30))
        pages.append(tab.retrieve(current, TEXTS["en"], [], page=page)["results"])
        assert not Path(current).exists()
    assert pages[0] == pages[1]
    assert sorted(one["picture"] for one in pages[1] + pages[2]) == sorted(names)
    assert [one["rank"] for one in pages[2]] == [11, 12]
    assert pages[3] == []
    (tmp_path / "empty").mkdir()
    (current,) = uploads(tmp_path / "empty", picture(90, 60, 30))
    with pytest.raises(gr.Error, match="describe what to change"):
        tab.retrieve(current, "", [])

"""An upload lists the changes first and sends them in one commit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
import torch
from huggingface_hub import HfApi
from torch import nn

from fmp_models.errors import BadInputError
from fmp_models.hub.models import load_model, save_model
from fmp_models.hub.publishing import PushResult, push_files
from fmp_models.hub.references import resolve_model
from fmp_models.languages.vocabulary import SPECIALS, Vocabulary
from tests.hub_answers import READER, WRITER
from tests.hub_server import Fault, HubServer, api_of, said_with

NAMES = ("README.md", "config.json", "model.safetensors")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model").mkdir()
    for name in NAMES:
        (tmp_path / "model" / name).write_text(f"the {name}")
    return tmp_path / "model"


def refused(folder: Path, repo: str, hub: HubServer, token: str | None = WRITER, **options: object) -> str:
    with pytest.raises(BadInputError) as error:
        push_files(folder, repo, api=api_of(hub, token), **options)
    assert "\n" not in error.value.sentence
    return error.value.code


def held(hub: HubServer, repo: str = "org/name", kind: str = "model") -> dict[str, bytes]:
    return {path: file.data for path, file in hub.repos[kind, repo].head.files.items() if path != ".gitattributes"}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def written(hub: HubServer) -> int:
    return hub.count("POST", "") + hub.count("PUT", "")


# What changes


def test_a_new_repo_is_private_and_holds_the_folder(folder: Path, hub: HubServer) -> None:
    sent = push_files(folder, "org/name", api=api_of(hub))
    repo = hub.repos["model", "org/name"]
    assert sent == PushResult("org/name", True, NAMES, (), (), (), repo.head.sha)  # noqa: FBT003  it is new
    assert held(hub) == contents(folder)
    assert repo.private
    assert len(repo.commits) == 2


def test_a_model_loads_back_from_the_hub_as_it_was_saved(tmp_path: Path, hub: HubServer) -> None:
    torch.manual_seed(0)
    vocabularies = {"hi": Vocabulary("hi", (*SPECIALS, "हाथ", "।"))}
    save_model(tmp_path / "model", "retriever", {}, nn.LSTM(5, 4), vocabularies, "---\nlicense: mit\n---\n# Card\n")
    sent = push_files(tmp_path / "model", "org/name", api=api_of(hub))
    model_folder = resolve_model(f"org/name@{sent.revision}", api=api_of(hub), cache=tmp_path / "cache")
    assert contents(model_folder.path) == contents(tmp_path / "model")
    network, loaded = load_model(model_folder, "retriever", lambda _: nn.LSTM(5, 4))
    same, _ = load_model(resolve_model(str(tmp_path / "model")), "retriever", lambda _: nn.LSTM(5, 4))
    assert all(torch.equal(value, same.state_dict()[name]) for name, value in network.state_dict().items())
    assert loaded == vocabularies


def test_what_would_change_is_said_before_anything_is_sent(folder: Path, hub: HubServer) -> None:
    hub.add_repo("org/name", {**contents(folder), "config.json": b"older", "model-00001-of-00002.safetensors": b"old"})
    (folder / "vocabulary.hi.txt").write_text("हाथ\n")
    plans: list[PushResult] = []

    def confirm(planned: PushResult) -> bool:
        plans.append(planned)
        return written(hub) == 0

    sent = push_files(folder, "org/name", api=api_of(hub), confirm=confirm)
    assert [line.split("  ", 1)[-1] for line in str(plans[0]).splitlines()] == [
        "org/name: 2 files stay, 25 bytes to send",
        "+ vocabulary.hi.txt  10 bytes",
        "~ config.json  15 bytes",
        "- model-00001-of-00002.safetensors",
    ]
    assert len(plans) == 1
    assert (sent.new, sent.changed) == (("vocabulary.hi.txt",), ("config.json",))
    assert (sent.deleted, sent.unchanged) == (("model-00001-of-00002.safetensors",), ("README.md", "model.safetensors"))
    assert held(hub) == contents(folder)
    assert ".gitattributes" in hub.repos["model", "org/name"].head.files


def test_a_dry_run_sends_nothing(folder: Path, hub: HubServer) -> None:
    planned = push_files(folder, "org/new", api=api_of(hub), dry_run=True)
    assert (planned.creates, planned.new, planned.revision) == (True, NAMES, None)
    repo = hub.add_repo("org/name", {"config.json": b"older"})
    planned = push_files(folder, "org/name", api=api_of(hub), dry_run=True)
    assert (planned.changed, planned.revision) == (("config.json",), repo.head.sha)
    assert written(hub) == 0
    assert list(hub.repos) == [("model", "org/name")]


@pytest.mark.parametrize("token", [None, WRITER])
def test_a_dry_run_lists_every_file_where_no_hub_answers(folder: Path, token: str | None) -> None:
    nowhere = HfApi(endpoint="http://127.0.0.1:1", token=token or False)
    planned = push_files(folder, "org/name", api=nowhere, dry_run=True)
    assert (planned.new, planned.compared, planned.is_empty) == (NAMES, False, False)
    assert str(planned).splitlines() == [
        "org/name: not compared, because the Hub did not answer, 49 bytes to send",
        "  + README.md  13 bytes",
        "  + config.json  15 bytes",
        "  + model.safetensors  21 bytes",
    ]
    with pytest.raises(BadInputError) as error:
        push_files(folder, "org/name", api=nowhere)
    assert error.value.code == "push_unanswered"


@pytest.mark.parametrize("fault", [Fault(401), Fault(403), Fault(500), Fault(cut=True)])
def test_a_dry_run_lists_every_file_where_the_hub_does_not_show_the_repo(
    folder: Path, hub: HubServer, fault: Fault
) -> None:
    hub.add_repo("org/name", {"config.json": b"older"})
    hub.fail("GET", "/api/models/org/name", *[fault] * 9)
    planned = push_files(folder, "org/name", api=api_of(hub, None), dry_run=True)
    assert planned.new == NAMES
    assert written(hub) == 0


def test_a_dry_run_still_refuses_a_name_that_no_repo_can_have(folder: Path, hub: HubServer) -> None:
    assert refused(folder, "org/--", hub, dry_run=True) == "repo_name_malformed"


def test_nothing_is_sent_where_it_is_not_confirmed(folder: Path, hub: HubServer) -> None:
    repo = hub.add_repo("org/name", {"config.json": b"older"})
    asked: list[PushResult] = []
    planned = push_files(folder, "org/name", api=api_of(hub), confirm=lambda plan: bool(asked.append(plan)))
    assert asked == [planned]
    assert (planned.changed, planned.revision) == (("config.json",), repo.head.sha)
    assert written(hub) == 0


def test_files_are_sent_under_the_paths_they_are_given(folder: Path, hub: HubServer) -> None:
    push_files({"README.md": folder / "config.json", "deep/card.md": folder / "README.md"}, "org/name", api=api_of(hub))
    assert held(hub) == {"README.md": b"the config.json", "deep/card.md": b"the README.md"}


def test_pushing_again_makes_no_commit(folder: Path, hub: HubServer) -> None:
    first = push_files(folder, "org/name", api=api_of(hub))
    hub.asked.clear()
    again = push_files(folder, "org/name", api=api_of(hub))
    assert again.is_empty
    assert again.revision == first.revision
    assert str(again) == "org/name: no changes"
    assert written(hub) == 0


def test_a_changed_file_of_the_same_size_is_sent(folder: Path, hub: HubServer) -> None:
    push_files(folder, "org/name", api=api_of(hub))
    for name in ("README.md", "model.safetensors"):
        (folder / name).write_text(f"THE {name}")
    assert push_files(folder, "org/name", api=api_of(hub)).changed == ("README.md", "model.safetensors")
    assert held(hub) == contents(folder)


def test_where_others_add_too_nothing_of_theirs_is_deleted(folder: Path, hub: HubServer) -> None:
    theirs = {"data/vote/2026-01-01-a.parquet": b"votes", "README.md": b"older"}
    hub.add_repo("org/name", theirs, "dataset")
    sent = push_files(folder, "org/name", repo_type="dataset", mirror=False, api=api_of(hub))
    assert (sent.changed, sent.deleted) == (("README.md",), ())
    assert held(hub, kind="dataset") == {**theirs, **contents(folder)}


def test_folders_are_sent_and_hidden_files_are_not(folder: Path, hub: HubServer) -> None:
    for name in ("data/a/b.txt", ".env", ".git/config", "src/__pycache__/x.pyc", "data/.cache/y", ".gitattributes"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    assert push_files(folder, "org/name", api=api_of(hub)).new == (
        ".gitattributes",
        *NAMES[:2],
        "data/a/b.txt",
        NAMES[2],
    )


def test_a_long_list_of_files_is_compared_to_its_end(folder: Path, hub: HubServer) -> None:
    hub.add_repo("org/name", {**contents(folder), **{f"data/{i}.txt": b"x" for i in range(9)}})
    hub.page_size = 2
    sent = push_files(folder, "org/name", api=api_of(hub))
    assert (len(sent.deleted), sent.new, sent.unchanged) == (9, (), NAMES)


def test_a_space_is_made_for_gradio(folder: Path, hub: HubServer) -> None:
    push_files(folder, "org/name", repo_type="space", private=False, api=api_of(hub))
    repo = hub.repos["space", "org/name"]
    assert (repo.sdk, repo.private) == ("gradio", False)
    assert held(hub, kind="space") == contents(folder)


def test_a_public_repo_stays_public(folder: Path, hub: HubServer) -> None:
    hub.add_repo("org/name", {})
    push_files(folder, "org/name", api=api_of(hub), private=True)
    assert not hub.repos["model", "org/name"].private


def test_finding_and_pushing_do_not_load_torch() -> None:
    script = "import sys, fmp_models.hub.publishing, fmp_models.hub.references; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_pushed_dataset_is_read_by_load_dataset(tmp_path: Path, hub: HubServer) -> None:
    (tmp_path / "set" / "data").mkdir(parents=True)
    rows = pa.table({"uid": ["a", "b"], "description": ["raise it", "हाथ उठाओ"]})
    pyarrow.parquet.write_table(rows, tmp_path / "set" / "data" / "train-00000-of-00001.parquet")
    push_files(tmp_path / "set", "org/poses", repo_type="dataset", api=api_of(hub))
    script = "import datasets; print(datasets.load_dataset('org/poses', split='train')['description'][1])"
    done = said_with(hub, script, tmp_path / "home")
    assert (done.returncode, done.stdout) == (0, "हाथ उठाओ\n"), done.stderr


# What goes wrong


@pytest.mark.parametrize("token", [None, READER, "hf_expired"])
@pytest.mark.parametrize("repo", ["org/open", "org/new"])
def test_a_token_that_may_not_write_changes_nothing(folder: Path, hub: HubServer, repo: str, token: str | None) -> None:
    hub.add_repo("org/open", {"config.json": b"{}"})
    assert refused(folder, repo, hub, token) == "push_refused"
    assert list(hub.repos) == [("model", "org/open")]
    assert held(hub, "org/open") == {"config.json": b"{}"}


def test_the_work_of_somebody_else_is_not_undone(folder: Path, hub: HubServer) -> None:
    repo = hub.add_repo("org/name", {"config.json": b"{}"})
    code = refused(folder, "org/name", hub, confirm=lambda _: bool(hub.change(repo, {"README.md": b"theirs"})))
    assert code == "push_conflict"
    assert held(hub) == {"config.json": b"{}", "README.md": b"theirs"}


@pytest.mark.parametrize("after", [False, True])
def test_a_push_whose_answer_is_lost_can_be_repeated(folder: Path, hub: HubServer, *, after: bool) -> None:
    hub.fail("POST", "/commit/", Fault(cut=True, after=after))
    assert refused(folder, "org/name", hub) == "push_unanswered"
    assert push_files(folder, "org/name", api=api_of(hub)).is_empty == after
    assert held(hub) == contents(folder)
    assert len(hub.repos["model", "org/name"].commits) == 2


@pytest.mark.parametrize(("status", "code"), [(409, "push_conflict"), (412, "push_conflict"), (500, "push_unanswered")])
def test_a_commit_that_the_hub_turns_down_leaves_the_repo_as_it_was(
    folder: Path, hub: HubServer, status: int, code: str
) -> None:
    hub.add_repo("org/name", {"config.json": b"{}"})
    hub.fail("POST", "/commit/", Fault(status))
    assert refused(folder, "org/name", hub) == code
    assert held(hub) == {"config.json": b"{}"}


def test_a_large_file_is_sent_again_where_the_hub_stumbles(folder: Path, hub: HubServer) -> None:
    hub.fail("PUT", "/large/", Fault(500))
    push_files(folder, "org/name", api=api_of(hub))
    assert held(hub) == contents(folder)


def test_a_large_file_that_is_turned_down_fails_the_push(folder: Path, hub: HubServer) -> None:
    hub.fail("PUT", "/large/", Fault(403))
    assert refused(folder, "org/name", hub) == "push_refused"
    assert held(hub) == {}


def test_a_hub_without_network_is_said(folder: Path, hub: HubServer) -> None:
    hub.fail("GET", "/api/", Fault(cut=True))
    assert refused(folder, "org/name", hub) == "push_unanswered"


def test_a_login_page_on_the_way_is_said(folder: Path, hub: HubServer) -> None:
    hub.fail("GET", "/api/", Fault(200, page=b"<html>Please log in to the hotel</html>"))
    assert refused(folder, "org/name", hub) == "push_unanswered"


def test_a_card_that_the_hub_cannot_read_stops_the_push(folder: Path, hub: HubServer) -> None:
    hub.add_repo("org/name", {"config.json": b"{}"})
    (folder / "README.md").write_text("---\nlicense: mit\n# no end")
    assert refused(folder, "org/name", hub) == "push_card_refused"
    assert held(hub) == {"config.json": b"{}"}


@pytest.mark.parametrize("repo", ["name", "", "org/", "org/na me", "org/../name", "a/b/c"])
def test_a_name_that_is_none_is_refused_without_a_request(folder: Path, hub: HubServer, repo: str) -> None:
    assert refused(folder, repo, hub) == "repo_name_malformed"
    assert hub.asked == []


def test_an_empty_or_missing_folder_is_refused(tmp_path: Path, hub: HubServer) -> None:
    (tmp_path / ".env").write_text("secret")
    assert refused(tmp_path, "org/name", hub) == "push_nothing"
    assert refused(tmp_path / "none", "org/name", hub) == "folder_missing"
    assert hub.asked == []

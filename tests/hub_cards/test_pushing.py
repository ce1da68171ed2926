"""What is pushed of a model, a dataset and the Space, and what is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from gradio_client import Client, handle_file
from huggingface_hub import HfApi

from annotate.campaigns import campaign
from annotate.campaigns.builder import CampaignOrder, make_campaign
from annotate.campaigns.campaign import READY_CAMPAIGNS, Campaign, find_campaign, find_on_hub
from annotate.errors import RefusedError
from fmp_models.data.folder import MeasuredPicture, PictureKey, estimated_row, finish_estimates
from fmp_models.data.sample import FOLDER
from fmp_models.errors import BadInputError
from fmp_models.hub.models import load_captioner
from fmp_models.hub.references import resolve_model
from hub_cards import pushing
from hub_cards.__main__ import main
from hub_cards.cards import render
from hub_cards.pushing import (
    PROJECT,
    PushOrder,
    dataset_files,
    looked_through,
    push_model,
    push_space,
    render_dataset,
    space_files,
    space_readme,
)
from tests.browser.visits import running_app
from tests.hub_answers import READER, WRITER
from tests.hub_server import Fault, HubServer, api_of, said_with
from tests.thoroughness import thorough

CAMPAIGN = READY_CAMPAIGNS / "sample"
Tiny = Callable[..., Path]
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    for name in SENT:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (folder / "README.md").write_text(README)
    return folder


@pytest.fixture
def sendable(tiny: Tiny, project: Path) -> dict[str, list[object]]:
    """Give the arguments that send a model, a dataset, a campaign and a Space."""
    return {
        "model": [tiny("estimator")],
        "dataset": [FOLDER],
        "campaign": [CAMPAIGN],
        "space": ["--project", project],
    }


def held(hub: HubServer, kind: str) -> dict[str, bytes]:
    files = hub.repos[kind, "org/name"].head.files
    return {path: file.data for path, file in files.items() if path != ".gitattributes"}


def written(hub: HubServer) -> int:
    return hub.count("POST", "") + hub.count("PUT", "")


def push(hub: HubServer, *arguments: object, token: str | None = WRITER) -> int:
    return main(["push", *map(str, arguments), "--repo", "org/name"], api=api_of(hub, token))


# What arrives


def test_a_model_loads_back_from_the_hub_with_the_same_tensors(tiny: Tiny, hub: HubServer, tmp_path: Path) -> None:
    folder = tiny("captioner")
    assert push(hub, "model", folder, "--yes") == 0
    ours = load_captioner(str(folder))
    model_folder = resolve_model("org/name", api=api_of(hub), cache=tmp_path / "cache")
    theirs = load_captioner(model_folder)
    state = theirs.network.state_dict()
    assert all(torch.equal(value, state[name]) for name, value in ours.network.state_dict().items())
    assert theirs.vocabularies == ours.vocabularies
    assert (model_folder.path / "README.md").read_bytes() == (folder / "README.md").read_bytes()
    assert hub.repos["model", "org/name"].private


def test_tables_go_along_with_their_model(tiny: Tiny, hub: HubServer) -> None:
    folder = tiny("captioner")
    (folder / "tables").mkdir()
    (folder / "tables" / "table2.json").write_text(
        '{"table": "2", "title": "t", "command": "c", "columns": ["cider"], "rows": [], "dataset": {}, "size": "small"}'
    )
    render([folder])
    assert push(hub, "model", folder, "--yes") == 0
    assert {"tables/table2.json", "evaluation.json", "training.json", "config.json"} <= set(held(hub, "model"))


def test_examples_are_part_of_the_card_and_go_along_with_their_pictures(tiny: Tiny, hub: HubServer) -> None:
    folder = tiny("captioner")
    (folder / "examples.md").write_text("## Examples\n\n![A](examples/a.jpg) {{ name }}\n", encoding="utf-8")
    (folder / "examples").mkdir()
    (folder / "examples" / "a.jpg").write_bytes(b"picture")
    render([folder])
    assert push(hub, "model", folder, "--yes") == 0
    assert {"examples/a.jpg", "examples.md"} <= set(held(hub, "model"))
    assert "![A](examples/a.jpg) {{ name }}" in (folder / "README.md").read_text(encoding="utf-8")


def test_a_bundled_model_is_pushed_by_its_name(tiny: Tiny, hub: HubServer) -> None:
    folder = tiny("estimator")
    sent = push_model("estimator", PushOrder("org/name", api=api_of(hub)), bundled=folder.parent)
    assert sent.revision == hub.repos["model", "org/name"].head.sha


def test_a_dataset_is_read_by_load_dataset(hub: HubServer, tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "set")
    assert push(hub, "dataset", tmp_path / "set", "--yes", "--public") == 0
    assert not hub.repos["dataset", "org/name"].private
    script = (
        "import datasets; rows = datasets.load_dataset('org/name', 'captioning', split='test_unseen');"
        "print(len(rows), rows[0]['current'].size[0] > 0, len(rows[0]['current_joints']))"
    )
    done = said_with(hub, script, tmp_path / "home")
    assert (done.returncode, done.stdout) == (0, "4 True 20\n"), done.stderr


def test_a_campaign_is_opened_at_its_commit_and_again_without_the_hub(hub: HubServer, tmp_path: Path) -> None:
    assert push(hub, "campaign", CAMPAIGN, "--yes") == 0
    repo = hub.repos["dataset", "org/name"]
    pushed = repo.head.sha
    hub.change(repo, {"campaign.json": b"{}", "pictures/other.txt": b"no picture", "notes/large.bin": b"notes"})

    folder = find_campaign(f"org/name@{pushed}", api_of(hub), tmp_path)

    assert Campaign.open(folder).model_dump() == Campaign.open(CAMPAIGN).model_dump()
    requests = len(hub.asked)
    assert find_campaign(f"org/name@{pushed}", api_of(hub), tmp_path) == folder
    assert len(hub.asked) == requests


def test_of_a_repo_nothing_but_the_campaign_is_fetched(hub: HubServer, tmp_path: Path) -> None:
    assert push(hub, "campaign", CAMPAIGN, "--yes") == 0
    hub.change(hub.repos["dataset", "org/name"], {"pictures/deep/a.jpg": b"no", "pictures/a.txt": b"no", "a.py": b"no"})
    folder = find_campaign("org/name", api_of(hub), tmp_path)
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert names == {"campaign.json", *(f"pictures/{name}" for name in Campaign.open(CAMPAIGN).picture_names())}


@pytest.mark.parametrize(
    ("name", "code"), [("org/missing", "campaign_not_on_hub"), ("org/name@nothing", "campaign_not_on_hub")]
)
def test_a_campaign_that_the_hub_does_not_have_is_refused(hub: HubServer, tmp_path: Path, name: str, code: str) -> None:
    assert push(hub, "campaign", CAMPAIGN, "--yes") == 0
    with pytest.raises(RefusedError) as refused:
        find_campaign(name, api_of(hub), tmp_path)
    assert refused.value.code == code


def test_a_campaign_is_made_from_some_splits_of_a_dataset_of_the_hub(hub: HubServer, tmp_path: Path) -> None:
    assert push(hub, "dataset", FOLDER, "--yes") == 0
    folder = find_on_hub("org/name", ["*/val_seen-*.parquet"], api_of(hub), tmp_path / "cache")
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert {name.split("/")[1].split("-")[0] for name in names} == {"val_seen"}
    order = CampaignOrder(folder, "made", items=1, retrieval_items=0, real_items=0, gold=0, kinds=("write",))
    assert len(make_campaign(order, tmp_path / "made").questions("write", "en")) == 1


def test_a_campaign_is_unreachable_without_a_hub(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="cannot be reached"):
        find_campaign("org/name", HfApi(endpoint="http://127.0.0.1:1", token=False), tmp_path)


def test_a_campaign_that_is_too_large_is_not_fetched(
    hub: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert push(hub, "campaign", CAMPAIGN, "--yes") == 0
    monkeypatch.setattr(campaign, "MAX_HUB_BYTES", 1000)
    with pytest.raises(RefusedError, match="larger than"):
        find_campaign("org/name", api_of(hub), tmp_path)


def test_a_space_holds_the_app_and_its_front_page(project: Path, hub: HubServer) -> None:
    assert push(hub, "space", "--project", project, "--yes") == 0
    files = held(hub, "space")
    assert set(files) == {*SENT, "README.md"}
    assert files["README.md"].startswith(b"---\ntitle: Tiny\n")
    assert b".github" not in files["README.md"]
    repo = hub.repos["space", "org/name"]
    assert (repo.sdk, repo.private) == ("gradio", True)


def test_what_left_the_project_leaves_the_space(project: Path, hub: HubServer) -> None:
    assert push(hub, "space", "--project", project, "--yes") == 0
    (project / "demo" / "page.py").rename(project / "demo" / "shell.py")
    assert push(hub, "space", "--project", project, "--yes") == 0
    assert "demo/page.py" not in held(hub, "space")
    assert "demo/shell.py" in held(hub, "space")


# What is shown and asked first


def test_what_would_change_is_shown_with_its_bytes(project: Path, hub: HubServer, capsys: Captured) -> None:
    hub.add_repo("org/name", {"app.py": b"older", "gone.txt": b"x", "packages.txt": b"packages.txt"}, "space")
    assert push(hub, "space", "--project", project, "--dry-run") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("org/name: 1 files stay, ")
    assert {"  ~ app.py  6 bytes", "  + demo/page.py  12 bytes", "  - gone.txt"} <= set(lines)
    assert lines[-1] == "Nothing was pushed."
    assert written(hub) == 0


@pytest.mark.parametrize("what", ["model", "dataset", "campaign", "space"])
def test_a_dry_run_sends_nothing(sendable: dict[str, list[object]], hub: HubServer, what: str) -> None:
    assert push(hub, what, *sendable[what], "--dry-run", "--yes") == 0
    assert hub.repos == {}
    assert written(hub) == 0


@pytest.mark.parametrize("what", ["model", "dataset", "campaign", "space"])
def test_a_dry_run_lists_the_files_without_a_hub_and_without_a_token(
    sendable: dict[str, list[object]], capsys: Captured, what: str
) -> None:
    nowhere = HfApi(endpoint="http://127.0.0.1:1", token=False)
    arguments = [str(one) for one in sendable[what]]
    assert main(["push", what, *arguments, "--repo", "org/name", "--dry-run"], api=nowhere) == 0
    first, *lines, last = capsys.readouterr().out.splitlines()
    assert first.startswith("org/name: not compared, because the Hub did not answer, ")
    assert sum(line.startswith("  + ") for line in lines) == len(lines) > 1
    assert any(line.startswith("  + README.md  ") for line in lines)
    assert last == "Nothing was pushed."


def test_nobody_to_ask_means_nothing_is_sent(project: Path, hub: HubServer, capsys: Captured) -> None:
    assert push(hub, "space", "--project", project) == 2
    assert capsys.readouterr().err.startswith("Nothing was pushed, because no terminal is attached to confirm it")
    assert written(hub) == 0


@pytest.mark.parametrize(("reply", "sent"), [("y", True), ("Yes", True), ("", False), ("n", False)])
def test_a_person_at_a_terminal_is_asked(  # noqa: PLR0913
    project: Path, hub: HubServer, monkeypatch: pytest.MonkeyPatch, capsys: Captured, *, reply: str, sent: bool
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: reply)
    assert push(hub, "space", "--project", project) == 0
    assert (("space", "org/name") in hub.repos) == sent
    assert capsys.readouterr().out.splitlines()[-1].startswith("org/name is at" if sent else "Nothing was pushed.")


def test_pushing_again_sends_nothing(project: Path, hub: HubServer, capsys: Captured) -> None:
    assert push(hub, "space", "--project", project, "--yes") == 0
    hub.asked.clear()
    capsys.readouterr()
    assert push(hub, "space", "--project", project) == 0
    assert capsys.readouterr().out == "org/name: no changes\n"
    assert written(hub) == 0


# What is refused


@pytest.mark.parametrize("token", [None, READER])
@pytest.mark.parametrize("what", ["model", "dataset", "campaign", "space"])
def test_without_a_token_that_may_write_one_sentence_says_so(
    sendable: dict[str, list[object]], hub: HubServer, capsys: Captured, what: str, token: str | None
) -> None:
    assert push(hub, what, *sendable[what], "--yes", token=token) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "set HF_TOKEN" in line
    assert hub.repos == {}


def test_a_push_that_the_hub_fails_is_repeated_with_success(project: Path, hub: HubServer, capsys: Captured) -> None:
    hub.fail("POST", "/commit/", Fault(500))
    assert push(hub, "space", "--project", project, "--yes") == 2
    assert "push again" in capsys.readouterr().err
    assert push(hub, "space", "--project", project, "--yes") == 0
    assert set(held(hub, "space")) == {*SENT, "README.md"}


def test_an_interrupted_push_goes_on_where_it_was(tiny: Tiny, hub: HubServer) -> None:
    folder = tiny("estimator")
    hub.fail("POST", "/commit/", Fault(cut=True))
    assert push(hub, "model", folder, "--yes") == 2
    assert held(hub, "model") == {}
    hub.asked.clear()
    assert push(hub, "model", folder, "--yes") == 0
    assert hub.count("PUT", "/large/") == 0  # the weights had arrived
    assert held(hub, "model")["model.safetensors"] == (folder / "model.safetensors").read_bytes()


def test_a_model_whose_card_is_out_of_date_stays_here(tiny: Tiny, hub: HubServer, capsys: Captured) -> None:
    folder = tiny("estimator")
    (folder / "README.md").write_text("# Older\n")
    assert push(hub, "model", folder, "--yes") == 2
    assert "hub_cards render" in capsys.readouterr().err
    assert hub.asked == []


def test_a_model_that_does_not_load_stays_here(tiny: Tiny, hub: HubServer, capsys: Captured) -> None:
    folder = tiny("captioner")
    (folder / "vocabulary.hi.txt").unlink()
    assert push(hub, "model", folder, "--yes") == 2
    assert "vocabulary.hi.txt" in capsys.readouterr().err
    assert hub.asked == []


def test_a_name_that_is_no_model_is_refused(hub: HubServer, capsys: Captured) -> None:
    assert push(hub, "model", "poet", "--yes") == 2
    assert "“poet” is not a model" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("demo/page.py", "TOKEN = 'hf_" + "a1" * 17 + "'"),
        ("fmp_models/pose.py", "-----BEGIN RSA PRIVATE " + "KEY-----"),
        ("demo/server.pem", "x"),
        ("demo/credentials.json", "{}"),
    ],
)
def test_a_secret_is_not_sent(project: Path, hub: HubServer, capsys: Captured, name: str, content: str) -> None:
    (project / name).write_text(content)
    assert push(hub, "space", "--project", project, "--yes") == 2
    assert f"“{name}” may contain a secret" in capsys.readouterr().err
    assert hub.asked == []


def test_a_file_that_is_too_large_for_a_space_is_not_sent(project: Path, hub: HubServer) -> None:
    with (project / "demo" / "film.bin").open("wb") as file:
        file.truncate(pushing.MAX_SPACE_FILE_BYTES + 1)
    with pytest.raises(BadInputError) as error:
        push_space(project, PushOrder("org/name", api=api_of(hub)))
    assert (error.value.code, error.value.details["path"]) == ("push_too_large", "demo/film.bin")
    assert hub.asked == []


def test_the_project_itself_may_be_sent() -> None:
    looked_through(space_files(), pushing.MAX_SPACE_FILE_BYTES, pushing.MAX_SPACE_BYTES)


def test_many_files_may_be_too_large_together(project: Path) -> None:
    files = {name: project / name for name in SENT}
    looked_through(files, 1000, 1000)
    with pytest.raises(BadInputError) as error:
        looked_through(files, 1000, 20)
    assert (error.value.code, error.value.details["path"]) == ("push_too_large", f"{len(SENT)} files")


HEADER = "---\ntitle: Tiny\nsdk: gradio\n---\n"
README = f"{HEADER}\n# Tiny\n\n![The page](.github/page.jpg)\n\nText.\n\n![A pose](demo/pose.jpg)\n"
SENT = (
    "app.py",
    "annotate/storage/store.py",
    "demo/__init__.pyi",
    "demo/page.py",
    "demo/copy/en.toml",
    "fmp_models/pose.py",
    "requirements.txt",
    "packages.txt",
)
KEPT_HERE = (
    ".env",
    ".git/config",
    ".venv/bin/python",
    "demo/.secret",
    "demo/__pycache__/page.pyc",
    "demo/page.pyi",
    "fmp_models/.cache/x.json",
    "hub_cards/pushing.py",
    "requirements-dev.txt",
    "tests/test_page.py",
    "notes.txt",
)


@pytest.fixture
def space_project(tmp_path: Path) -> Path:
    for name in (*SENT, *KEPT_HERE):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "README.md").write_text(README)
    (tmp_path / "demo" / "link.txt").symlink_to(tmp_path / ".env")
    return tmp_path


def test_the_app_is_sent_and_tests_caches_hidden_files_and_links_are_not(space_project: Path) -> None:
    assert set(space_files(space_project)) == set(SENT)


def test_a_licence_that_is_there_goes_along(space_project: Path) -> None:
    (space_project / "LICENSE").write_text("MIT")
    assert set(space_files(space_project)) == {*SENT, "LICENSE"}


def test_the_project_itself_can_be_sent() -> None:
    files = space_files(PROJECT)
    assert {"app.py", "annotate/storage/store.py", "demo/shell.py", "fmp_models/pose.py", "requirements.txt"} <= set(
        files
    )
    assert not any(name.startswith("tests/") or "/." in f"/{name}" for name in files)


def test_the_header_stays_and_pictures_that_are_not_sent_go(space_project: Path) -> None:
    assert space_readme(space_project) == f"{HEADER}\n# Tiny\n\nText.\n\n![A pose](demo/pose.jpg)\n"


def test_the_projects_own_readme_becomes_that_of_the_space() -> None:
    assert space_readme(PROJECT).startswith("---\ntitle: FixMyPose\n")
    assert ".github" not in space_readme(PROJECT)


@pytest.mark.parametrize("text", ["# No header\n", "---\ntitle: no end\n", ""])
def test_a_readme_without_a_header_is_refused(space_project: Path, text: str) -> None:
    (space_project / "README.md").write_text(text)
    with pytest.raises(BadInputError) as error:
        space_readme(space_project)
    assert error.value.code == "space_header_missing"


@pytest.mark.parametrize("name", ["app.py", "requirements.txt"])
def test_a_part_that_is_missing_is_named(space_project: Path, name: str) -> None:
    (space_project / name).unlink()
    with pytest.raises(BadInputError) as error:
        space_files(space_project)
    assert error.value.details["path"] == str(space_project / name)


NOTE = {"pairs": 16, "seed": 3, "recordings": [], "version": 1, "finished": True, "left_out": {"through an object": 2}}


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Copy the sample as a folder that the simulator would have left."""
    shutil.copytree(FOLDER, tmp_path / "set")
    (tmp_path / "set" / "simulation.json").write_text(json.dumps(NOTE))
    return tmp_path / "set"


def test_the_card_of_a_simulated_dataset_is_written_anew_with_its_figures(dataset: Path) -> None:
    card = render_dataset(dataset)
    text = card.read_text(encoding="utf-8")
    assert "simulate OUT --pairs 16 --seed 3" in text
    assert "2 through an object" in text
    assert list((dataset / "plots").glob("*.png"))


@thorough
def test_the_names_of_motion_captures_are_told(dataset: Path) -> None:
    (dataset / "simulation.json").write_text(json.dumps({**NOTE, "recordings": ["ab"], "names": ["walk.bvh"]}))
    assert "--bvh walk.bvh" in render_dataset(dataset).read_text(encoding="utf-8")


@pytest.mark.parametrize("note", [None, "[]", "{}", "no json", json.dumps({**NOTE, "recordings": ["ab"]})])
def test_a_dataset_whose_making_is_not_noted_keeps_its_card(dataset: Path, note: str | None) -> None:
    (dataset / "simulation.json").unlink() if note is None else (dataset / "simulation.json").write_text(note)
    before = (dataset / "README.md").read_bytes()
    with pytest.raises(BadInputError) as error:
        render_dataset(dataset)
    assert error.value.code == "dataset_unknown"
    assert (dataset / "README.md").read_bytes() == before


def test_shards_card_and_figures_are_sent_and_nothing_else(dataset: Path) -> None:
    (dataset / "sheets").mkdir()
    for name in ("sheets/pairs.jpg", "notes.txt", ".hidden", "captioning/.train-00000.parquet.part"):
        (dataset / name).write_text("x")
    files = dataset_files(dataset)
    assert {"README.md", "sheets/pairs.jpg", "captioning/train-00000-of-00001.parquet"} <= set(files)
    assert {Path(name).suffix for name in files} == {".md", ".jpg", ".parquet"}
    assert not any(Path(name).name.startswith(".") for name in files)


def test_measured_joints_are_sent_too_and_the_card_tells_of_them(dataset: Path) -> None:
    assert "estimated_joints" not in render_dataset(dataset).read_text(encoding="utf-8")
    nobody, joints = PictureKey("target_0_0_0_0_0", "ab" * 32), np.zeros((20, 3))
    measured_picture = MeasuredPicture("mediapipe", joints, joints[:, :2], joints[:, 0])
    finish_estimates(
        dataset,
        [
            estimated_row(PictureKey("current_0_0_0_0_0", "cd" * 32), measured_picture),
            estimated_row(nobody, MeasuredPicture("mediapipe")),
        ],
    )
    shard = "estimated_joints/pictures-00000-of-00001.parquet"
    assert dataset_files(dataset)[shard] == dataset / shard
    short = (dataset / "README.md").read_text(encoding="utf-8")
    assert "config_name: estimated_joints" in short
    assert "as mediapipe measured them" in render_dataset(dataset).read_text(encoding="utf-8")
    assert "config_name: estimated_joints" in (dataset / "README.md").read_text(encoding="utf-8")


def test_a_folder_without_shards_or_card_is_refused(dataset: Path, tmp_path: Path) -> None:
    (dataset / "README.md").unlink()
    (tmp_path / "empty").mkdir()
    for folder in (dataset, tmp_path / "empty", tmp_path / "none"):
        with pytest.raises(BadInputError) as error:
            dataset_files(folder)
        assert error.value.code == "dataset_missing"
    with pytest.raises(BadInputError):
        render_dataset(tmp_path / "empty")


# The Space's hardware, and its models on the Hub


def test_hardware_is_requested_and_suggested_and_not_again(project: Path, hub: HubServer, capsys: Captured) -> None:
    assert push(hub, "space", "--project", project, "--hardware", "zero-a10g", "--yes") == 0
    repo = hub.repos["space", "org/name"]
    assert (repo.hardware, repo.variables) == ("zero-a10g", {})
    assert held(hub, "space")["README.md"].startswith(f"{HEADER[:-4]}suggested_hardware: zero-a10g\n---\n".encode())
    capsys.readouterr()
    assert push(hub, "space", "--project", project, "--hardware", "zero-a10g") == 0
    assert capsys.readouterr().out == "org/name: no changes\n"

    repo.hardware, commit = "cpu-upgrade", repo.head.sha
    assert push(hub, "space", "--project", project, "--hardware", "zero-a10g", "--yes") == 0
    assert "  = hardware zero-a10g\n" in capsys.readouterr().out
    assert (repo.hardware, repo.head.sha) == ("zero-a10g", commit)
    assert push(hub, "space", "--project", project, "--hardware", "cpu-basic", "--yes") == 0
    assert repo.hardware == "cpu-basic"
    assert b"suggested_hardware: cpu-basic\n---\n" in held(hub, "space")["README.md"]
    assert b"zero-a10g" not in held(hub, "space")["README.md"]


def test_hardware_that_needs_a_paid_plan_is_named(project: Path, hub: HubServer, capsys: Captured) -> None:
    hub.fail("POST", "/api/repos/create", Fault(402))
    assert push(hub, "space", "--project", project, "--hardware", "cpu-basic", "--yes") == 2
    assert "--hardware zero-a10g" in capsys.readouterr().err
    assert hub.repos == {}


@pytest.mark.parametrize("model", ["captioner", str(READY_CAMPAIGNS), "org/nothing", "org/captioner@0123", "", "a@b/c"])
def test_a_model_that_is_not_on_the_hub_is_refused(hub: HubServer, capsys: Captured, model: str) -> None:
    hub.add_repo("org/captioner", {"config.json": b"{}"})
    assert push(hub, "space", "--captioner", model, "--yes") == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert ("space", "org/name") not in hub.repos


@thorough
def test_a_space_starts_from_its_pushed_files_with_the_models_on_the_hub(
    tiny: Tiny, hub: HubServer, tmp_path: Path, pose_model: Path
) -> None:
    options, pinned = [], {}
    for role, name in (("captioner", "captioner"), ("retriever", "retriever-en")):
        files = {path.name: path.read_bytes() for path in tiny(name).iterdir()}
        pinned[role] = hub.change(hub.add_repo(f"org/{role}", {}), files).sha
        options += [f"--{role}", f"org/{role}@{pinned[role]}"]
    assert push(hub, "space", *options, "--hardware", "zero-a10g", "--yes") == 0

    repo, files = hub.repos["space", "org/name"], held(hub, "space")
    assert repo.variables == {f"FMP_{role.upper()}": f"org/{role}@{commit}" for role, commit in pinned.items()}
    bundled = {Path(name).parent.name for name in files if name.startswith("fmp_models/checkpoints/")}
    assert {"estimator", "captioner-vision"} <= bundled
    assert bundled.isdisjoint({"captioner", "retriever-en", "retriever-hi", "retriever-space"})
    header = files["README.md"].decode().split("---\n")[1]
    assert "models:\n  - org/captioner\n  - org/retriever\n" in header
    weights = "README.md,config.json,evaluation.json,model.safetensors,training.json,vocabulary.en.txt"
    assert f"  - org/retriever {weights} {pinned['retriever']}\n" in header
    assert 'python_version: "3.12"\n' in header

    space = tmp_path / "space"
    for name, data in files.items():
        (space / name).parent.mkdir(parents=True, exist_ok=True)
        (space / name).write_bytes(data)
    for line in header.split("preload_from_hub:\n")[1].splitlines():  # as the Hub builds the Space
        name, names, commit = line.removeprefix("  - ").split()
        api_of(hub).snapshot_download(
            name, revision=commit, allow_patterns=names.split(","), cache_dir=tmp_path / "hub"
        )
    environment = {"SPACE_ID": "org/name", "HF_HUB_CACHE": str(tmp_path / "hub"), "FMP_HOST": "127.0.0.1"}
    start = (str(space / "app.py"),)
    hub.asked.clear()
    with running_app(
        pose_model, tmp_path / "data", tmp_path, start, cold=True, **hub.environment, **environment, **repo.variables
    ) as app:
        asked = Client(app.url, verbose=False)
        pictures = [handle_file(space / f"demo/examples/lunge_{which}.jpg") for which in ("current", "target")]
        answer = asked.predict(*pictures, "en", api_name="/correct")
    assert answer["model"] == {"id": "org/captioner", "revision": pinned["captioner"]}
    assert hub.asked == []

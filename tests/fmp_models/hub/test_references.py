"""A model is found by its bundled name, as a folder, or on the Hub at one commit."""

from __future__ import annotations

import logging
from pathlib import Path

import huggingface_hub
import pytest
from huggingface_hub import HfApi

from fmp_models.errors import BadInputError
from fmp_models.hub import references
from fmp_models.hub.references import ModelFolder, bundled_names, resolve_model
from tests.hub_answers import READER, WRITER
from tests.hub_server import Fault, HubServer, api_of, running_hub, said_with
from tests.thoroughness import thorough

FILES = {"config.json": b"{}", "model.safetensors": b"weights" * 999, "vocabulary.en.txt": b"a\n", "README.md": b"card"}

FETCH = """
from fmp_models.errors import BadInputError
from fmp_models.hub.references import resolve_model

try:
    print(resolve_model("org/name").path)
except BadInputError as error:
    print(error.code)
"""


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def bundled(tmp_path: Path) -> Path:
    folder = tmp_path / "bundled" / "captioner"
    folder.mkdir(parents=True)
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    return folder.parent


def refused(model: str, **where: object) -> BadInputError:
    with pytest.raises(BadInputError) as error:
        resolve_model(model, **where)
    return error.value


def contents(folder: ModelFolder) -> dict[str, bytes]:
    return {path.relative_to(folder.path).as_posix(): path.read_bytes() for path in folder.path.rglob("*.*")}


# On this machine


def test_a_bundled_name_comes_before_a_folder_of_that_name(
    bundled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "captioner").mkdir()
    monkeypatch.chdir(tmp_path)
    model_folder = resolve_model("captioner", bundled=bundled)
    assert (model_folder.path, model_folder.id) == (bundled / "captioner", "captioner")


def test_only_a_folder_with_a_config_is_bundled(bundled: Path) -> None:
    (bundled / "scratch").mkdir()
    assert bundled_names(bundled) == ["captioner"]


def test_a_folder_is_known_by_what_its_answers_depend_on(bundled: Path) -> None:
    folder = bundled / "captioner"
    before = resolve_model(str(folder), bundled=bundled.parent / "none")
    (folder / "README.md").write_text("another card")
    (folder / "results.json").write_text("{}")
    assert resolve_model(str(folder)) == before
    (folder / "vocabulary.en.txt").write_text("b\n")
    assert resolve_model(str(folder)).revision != before.revision


def test_a_copy_of_a_folder_has_its_revision(bundled: Path, tmp_path: Path) -> None:
    (bundled / "captioner").rename(tmp_path / "moved")
    moved = resolve_model(str(tmp_path / "moved")).revision
    (tmp_path / "moved").rename(bundled / "captioner")
    assert resolve_model("captioner", bundled=bundled).revision == moved


def test_strangers_read_no_path(bundled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (bundled / "captioner").rename(tmp_path / "mine")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for given in (str(tmp_path / "mine"), "./mine", "mine", "../" + tmp_path.name + "/mine", "~/mine"):
        assert resolve_model(given, bundled=bundled).shown_id == "./mine"


def test_strangers_read_what_anybody_can_name(bundled: Path, hub: HubServer, cache: Path) -> None:
    hub.add_repo("org/name", FILES)
    assert resolve_model("captioner", bundled=bundled).shown_id == "captioner"
    assert resolve_model("org/name", api=api_of(hub), cache=cache).shown_id == "org/name"


@pytest.mark.parametrize("model", ["./nowhere", "../nowhere", "/no/where", "~/no/where/at/all", "../../etc/shadow"])
def test_a_path_that_is_no_folder_is_said_to_be_missing(model: str) -> None:
    assert refused(model).code == "folder_missing"


@pytest.mark.parametrize(
    "model",
    [
        "",
        "retriever",
        "org/name@",
        "org/name@../../secret",
        "org/name@/main",
        "org/name@a..b",
        "org/name@v1/",
        "org/name@v1@v2",
        "org/name/more",
        "org/na me",
        "org/../name",
        "org/name\n",
        "org/na\0me",
        "https://huggingface.co/org/name",
        "org/" + "n" * 5000,
    ],
)
def test_what_is_neither_name_nor_folder_nor_id_is_told_the_choices(
    model: str, bundled: Path, hub: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    error = refused(model, bundled=bundled, api=api_of(hub))
    assert error.code == "model_name_unknown"
    assert error.details["known"] == "captioner"
    assert hub.asked == []


# On the Hub


def test_the_latest_commit_is_said_and_can_be_named_later(
    hub: HubServer, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "fmp_models")
    references._log_latest.cache_clear()  # other tests make the same commit
    repo = hub.add_repo("org/name", FILES)
    first = repo.head.sha
    model_folder = resolve_model("org/name", api=api_of(hub), cache=cache)
    assert (model_folder.id, model_folder.revision) == ("org/name", first)
    assert contents(model_folder) == FILES
    assert [f"org/name@{first}" in line for line in caplog.messages] == [True]
    hub.change(repo, {"config.json": b"{1}"})
    assert resolve_model("org/name", api=api_of(hub), cache=cache).revision == repo.head.sha
    kept = resolve_model(f"org/name@{first}", api=api_of(hub), cache=cache)
    assert contents(kept) == FILES
    assert len(caplog.messages) == 2


@pytest.mark.parametrize("name", ["v1.0", "refs/pr/1"])
def test_a_tag_or_branch_is_pinned_to_its_commit(hub: HubServer, cache: Path, name: str) -> None:
    repo = hub.add_repo("org/name", FILES)
    repo.refs[name] = repo.head.sha
    hub.change(repo, {"config.json": b"{1}"})
    model_folder = resolve_model(f"org/name@{name}", api=api_of(hub), cache=cache)
    assert model_folder.revision == repo.refs[name]
    assert contents(model_folder)["config.json"] == b"{}"


def test_nothing_that_could_run_is_fetched_and_nothing_leaves_its_folder(hub: HubServer, cache: Path) -> None:
    more = {
        "pytorch_model.bin": b"pickle",
        "modeling.py": b"import os",
        "checkpoint/config.json": b"{}",
        "../evil.json": b"{}",
        "/evil.json": b"{}",
    }
    hub.add_repo("org/name", {**FILES, **more})
    assert contents(resolve_model("org/name", api=api_of(hub), cache=cache)) == FILES
    assert list(cache.rglob("evil.json")) == []


def test_a_model_that_is_too_large_is_refused_before_it_is_fetched(hub: HubServer, cache: Path) -> None:
    hub.add_repo("org/name", {**FILES, "model-2.safetensors": bytes(1_000_000), "video.bin": bytes(2_000_000)})
    error = refused("org/name", api=api_of(hub), cache=cache, most_bytes=1_000_000)
    assert error.code == "model_too_large"
    assert hub.count("GET", "/resolve/") == 0
    assert resolve_model("org/name", api=api_of(hub), cache=cache, most_bytes=1_100_000).id == "org/name"


@pytest.mark.parametrize(
    ("model", "token", "code"),
    [
        ("org/none", None, "model_not_found"),
        ("org/none", READER, "model_not_found"),
        ("org/none@" + "0" * 40, READER, "model_not_found"),
        ("org/private", None, "model_not_found"),
        ("org/private", READER, "model_not_found"),
        ("org/gated", None, "model_no_access"),
        ("org/gated", READER, "model_no_access"),
        ("org/open", "hf_expired", "model_no_access"),
        ("org/open@v9", None, "model_no_revision"),
        ("org/open@" + "0" * 40, READER, "model_no_revision"),
    ],
)
def test_each_refusal_of_the_hub_is_one_sentence(
    hub: HubServer, cache: Path, model: str, token: str | None, code: str
) -> None:
    hub.add_repo("org/open", FILES)
    hub.add_repo("org/private", FILES, private=True)
    hub.add_repo("org/gated", FILES, gated=True)
    error = refused(model, api=api_of(hub, token), cache=cache)
    assert error.code == code
    assert model.partition("@")[0] in error.sentence
    assert "\n" not in error.sentence


@pytest.mark.parametrize("name", ["org/private", "org/gated"])
def test_a_token_that_may_read_opens_a_closed_model(hub: HubServer, cache: Path, name: str) -> None:
    hub.add_repo("org/private", FILES, private=True)
    hub.add_repo("org/gated", FILES, gated=True)
    assert contents(resolve_model(name, api=api_of(hub, WRITER), cache=cache)) == FILES


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_hub_in_trouble_is_unreachable(hub: HubServer, cache: Path, status: int) -> None:
    hub.add_repo("org/name", FILES)
    hub.fail("GET", "/api/", Fault(status))
    assert refused("org/name", api=api_of(hub), cache=cache).code == "model_unreachable"


@pytest.mark.parametrize("part", ["/revision/", "/tree/", "/api/models/org/name"])
def test_a_login_page_on_the_way_is_no_hub(hub: HubServer, cache: Path, part: str) -> None:
    hub.add_repo("org/name", FILES)
    hub.fail("GET", part, *[Fault(200, page=b"<html>Please log in to the hotel</html>")] * 9)
    assert refused("org/name", api=api_of(hub), cache=cache).code == "model_unreachable"


@pytest.mark.parametrize("client", [{"token": "hf_tökén"}, {"endpoint": "http://[::1"}])
def test_what_no_request_can_be_made_of_is_unreachable(hub: HubServer, cache: Path, client: dict[str, str]) -> None:
    api = HfApi(**{"endpoint": hub.url, **client})
    assert refused("org/name", api=api, cache=cache).code == "model_unreachable"


@thorough
def test_large_files_in_a_storage_that_does_not_answer_are_unreachable(hub: HubServer, tmp_path: Path) -> None:
    hub.add_repo("org/name", FILES)
    hub.storage = "http://127.0.0.1:9"
    done = said_with(hub, FETCH, tmp_path, HF_HUB_DISABLE_XET="0", HF_XET_CLIENT_RETRY_MAX_ATTEMPTS="1")
    assert done.stdout.strip() == "model_unreachable", done.stderr
    assert hub.count("GET", "/xet-read-token/") > 0


@pytest.mark.usefixtures("hub")
def test_without_network_what_is_not_cached_is_unreachable(cache: Path) -> None:
    with running_hub() as gone:
        client = api_of(gone)
    for model in ("org/name", "org/name@" + "0" * 40):
        assert refused(model, api=client, cache=cache).code == "model_unreachable"


def test_offline_what_is_not_cached_is_unreachable(
    hub: HubServer, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add_repo("org/name", FILES)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    for model in ("org/name", "org/name@v1", "org/name@" + "0" * 40):
        assert refused(model, api=api_of(hub), cache=cache).code == "model_unreachable"
    assert hub.asked == []


def test_a_commit_in_the_cache_costs_no_request(hub: HubServer, cache: Path) -> None:
    repo = hub.add_repo("org/name", FILES)
    pinned = f"org/name@{repo.head.sha}"
    first = resolve_model(pinned, api=api_of(hub), cache=cache)
    hub.asked.clear()
    assert resolve_model(pinned, api=api_of(hub), cache=cache) == first
    assert hub.asked == []


def test_what_another_tool_fetched_alone_is_made_whole(hub: HubServer, cache: Path) -> None:
    repo = hub.add_repo("org/name", FILES)
    api = api_of(hub)
    api.hf_hub_download("org/name", "README.md", cache_dir=cache)
    assert contents(resolve_model(f"org/name@{repo.head.sha}", api=api, cache=cache)) == FILES


def test_what_another_tool_fetched_file_by_file_serves_offline(
    hub: HubServer, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = hub.add_repo("org/name", FILES)
    api = api_of(hub)
    for name in FILES:
        api.hf_hub_download("org/name", name, cache_dir=cache)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    assert contents(resolve_model(f"org/name@{repo.head.sha}", api=api, cache=cache)) == FILES


def test_the_card_alone_is_no_model_offline(hub: HubServer, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = hub.add_repo("org/name", FILES)
    api = api_of(hub)
    api.hf_hub_download("org/name", "README.md", cache_dir=cache)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    assert refused(f"org/name@{repo.head.sha}", api=api, cache=cache).code == "model_unreachable"


def test_offline_the_latest_known_commit_serves(hub: HubServer, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = hub.add_repo("org/name", FILES)
    known = resolve_model("org/name", api=api_of(hub), cache=cache)
    hub.change(repo, {"config.json": b"{1}"})
    hub.fail("GET", "/api/", Fault(503))
    assert resolve_model("org/name", api=api_of(hub), cache=cache) == known
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    assert resolve_model("org/name", api=api_of(hub), cache=cache) == known


def test_a_download_that_breaks_off_goes_on_where_it_stopped(hub: HubServer, cache: Path) -> None:
    large = {**FILES, "model.safetensors": bytes(24_000_000)}  # the client keeps what it has by 10 MB
    hub.add_repo("org/name", large)
    hub.fail("GET", "/model.safetensors", Fault(cut=True, after=True))
    assert contents(resolve_model("org/name", api=api_of(hub), cache=cache)) == large
    last = [request for request in hub.asked if request.path.endswith("/model.safetensors")][-1]
    assert last.headers["Range"] == f"bytes={10 * 2**20}-"


def test_a_download_that_failed_is_made_whole_by_the_next(hub: HubServer, cache: Path) -> None:
    repo = hub.add_repo("org/name", FILES)
    hub.fail("GET", "/model.safetensors", Fault(403))
    pinned = f"org/name@{repo.head.sha}"
    assert refused(pinned, api=api_of(hub), cache=cache).code == "model_no_access"
    assert contents(resolve_model(pinned, api=api_of(hub), cache=cache)) == FILES


def test_a_cache_that_cannot_be_written_is_named(hub: HubServer, tmp_path: Path) -> None:
    hub.add_repo("org/name", FILES)
    (tmp_path / "taken").write_text("a file")
    error = refused("org/name", api=api_of(hub), cache=tmp_path / "taken")
    assert error.code == "folder_unusable"
    assert str(tmp_path / "taken") in str(error.details["path"])

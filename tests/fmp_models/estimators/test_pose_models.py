"""The pose model is found or downloaded, and an estimator chosen."""

from __future__ import annotations

import hashlib
import json
import socket
import sys
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from fmp_models.errors import BadInputError
from fmp_models.estimators import pose_models
from fmp_models.estimators.pose_models import (
    DEFAULT_POSE_MODEL,
    VARIANTS,
    OfficialModel,
    choose_estimator,
    find_pose_model,
)
from tests.commands import ROOT, run_command, run_here
from tests.estimators import save_estimator
from tests.retrievers import TEXTS, save_retriever
from tests.thoroughness import thorough

GOOD, LATEST, HEAVY = b"a pose model" * 50_000, b"the same anew" * 50_000, b"a larger one" * 80_000


class ModelServer(ThreadingHTTPServer):
    """Serves files below /good, /latest, /other, /cut and /silent, and remembers what was asked for."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[str] = []
        self.done = threading.Event()


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        place, _, name = self.path.strip("/").partition("/")
        if place == "silent":
            self.server.done.wait()
            return
        good = {"full.task": GOOD, "heavy.task": HEAVY}.get(name, b"")
        body = {"good": good, "cut": good, "latest": LATEST, "other": b"<html>"}.get(place)
        if body is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if place == "cut" else body)

    def log_message(self, *_: object) -> None:
        """Say nothing on standard error, which the tests read."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    with ModelServer() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.05,))
        thread.start()
        yield running
        running.done.set()
        running.shutdown()
        thread.join()


class Finding:
    """Somebody who looks for a pose model: their cache, their environment, and what is logged meanwhile."""

    def __init__(self, folder: Path, server: ModelServer, caplog: pytest.LogCaptureFixture) -> None:
        self.cache, self.built = folder / "new" / "cache", folder / "environment" / "full.task"
        self.server, self.log = server, caplog

    def url(self, place: str, variant: str = "full") -> str:
        """Give the address of a variant below ``place``."""
        return f"http://127.0.0.1:{self.server.server_port}/{place}/{variant}.task"

    def find(self, place: str = "good", wanted: str = DEFAULT_POSE_MODEL) -> Path:
        """Find a model where the official ones lie below ``place`` of the server."""
        hashes = {"full": (GOOD, LATEST), "heavy": (HEAVY,)}
        variants = {
            variant: OfficialModel(
                self.url(place, variant), frozenset(hashlib.sha256(file).hexdigest() for file in files)
            )
            for variant, files in hashes.items()
        }
        return find_pose_model(wanted, self.cache, variants=variants, built=self.built)

    def refusal(self, place: str = "good", wanted: str = DEFAULT_POSE_MODEL) -> BadInputError:
        """Find none."""
        with pytest.raises(BadInputError) as refused:
            self.find(place, wanted)
        return refused.value

    def keep(self, file: bytes, variant: str = "full") -> Path:
        """Have a file in the cache."""
        self.cache.mkdir(parents=True, exist_ok=True)
        path = self.cache / f"{variant}.task"
        path.write_bytes(file)
        return path

    def build(self) -> Path:
        """Have a file in the environment."""
        self.built.parent.mkdir()
        self.built.write_bytes(b"built of a wheel")
        return self.built


@pytest.fixture
def finding(tmp_path: Path, server: ModelServer, caplog: pytest.LogCaptureFixture) -> Finding:
    return Finding(tmp_path, server, caplog)


def test_a_named_file_is_taken_as_it_is(tmp_path: Path, finding: Finding) -> None:
    named = tmp_path / "my_own.task"
    named.write_bytes(b"another model")
    finding.build()
    assert finding.find(wanted=str(named)) == named
    assert finding.server.asked == []
    assert not finding.cache.exists()


def test_a_named_file_may_lie_in_the_home_folder(
    tmp_path: Path, finding: Finding, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.task").write_bytes(b"another model")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert finding.find(wanted="~/mine.task") == tmp_path / "mine.task"


def test_a_named_file_that_cannot_be_read_is_refused_and_nothing_is_downloaded(
    tmp_path: Path, finding: Finding
) -> None:
    finding.build()
    for named in (tmp_path / "nowhere.task", tmp_path):
        assert finding.refusal(wanted=str(named)).code == "pose_model_unreadable"
    assert finding.server.asked == []


def test_the_model_is_downloaded_once_with_progress_on_standard_error(
    finding: Finding, capsys: pytest.CaptureFixture[str]
) -> None:
    first = finding.find()
    output = capsys.readouterr()
    assert first.read_bytes() == GOOD
    assert first == finding.cache / "full.task"
    assert [path.name for path in finding.cache.iterdir()] == ["full.task"]
    assert "100%" in output.err
    assert output.out == ""
    assert finding.find() == first
    assert finding.server.asked == ["/good/full.task"]
    assert finding.log.messages == []


def test_any_of_the_hashes_of_a_variant_will_do(finding: Finding) -> None:
    assert finding.find("latest").read_bytes() == LATEST
    assert finding.find("good").read_bytes() == LATEST
    assert finding.server.asked == ["/latest/full.task"]


def test_another_variant_is_another_file(finding: Finding) -> None:
    assert finding.find().read_bytes() == GOOD
    assert finding.find(wanted="heavy").read_bytes() == HEAVY
    assert finding.log.messages == []


def test_a_cached_model_needs_no_server_and_goes_before_that_of_the_environment(finding: Finding) -> None:
    finding.build()
    kept = finding.keep(GOOD)
    assert finding.find("absent") == kept
    assert finding.server.asked == []


def test_a_damaged_cached_model_is_downloaded_again(finding: Finding) -> None:
    finding.keep(GOOD[:-1])
    assert finding.find().read_bytes() == GOOD


def test_a_download_goes_before_the_model_of_the_environment(finding: Finding) -> None:
    finding.build()
    assert finding.find().read_bytes() == GOOD


@pytest.mark.parametrize("place", ["other", "cut", "absent"])
def test_without_the_download_the_environments_model_serves_and_nothing_is_said(finding: Finding, place: str) -> None:
    built = finding.build()
    assert finding.find(place) == built
    assert finding.log.messages == []


@pytest.fixture
def brief_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the wait for a server; the silent one says nothing until the end of the test."""
    monkeypatch.setattr(pose_models, "_ANSWER", 0.3)
    monkeypatch.setattr(pose_models, "_ANSWER_NEEDED", 0.3)


@pytest.mark.usefixtures("brief_waits")
def test_a_server_that_does_not_answer_is_not_waited_for(finding: Finding) -> None:
    assert finding.refusal("silent").code == "pose_model_missing"


@pytest.mark.usefixtures("brief_waits")
def test_the_environments_model_serves_where_the_server_does_not_answer(finding: Finding) -> None:
    place = finding.build()
    assert finding.find("silent") == place


def test_for_another_variant_that_cannot_be_had_the_environments_serves_and_one_line_says_so(
    finding: Finding,
) -> None:
    built = finding.build()
    assert finding.find("absent", "heavy") == built
    (line,) = finding.log.messages
    assert "“heavy”" in line
    assert "“full”" in line
    assert "\n" not in line


def test_for_another_variant_the_official_default_one_serves_before_the_environments(finding: Finding) -> None:
    finding.build()
    kept = finding.keep(GOOD)
    assert finding.find("absent", "heavy") == kept
    assert len(finding.log.messages) == 1


def test_what_was_downloaded_of_another_variant_serves_where_there_is_nothing_else(finding: Finding) -> None:
    kept = finding.keep(HEAVY, "heavy")
    assert finding.find("absent") == kept
    assert "“heavy”" in finding.log.messages[0]


@pytest.mark.parametrize("place", ["other", "cut", "absent"])
def test_wrong_bytes_are_never_kept(finding: Finding, place: str) -> None:
    refused = finding.refusal(place)
    assert refused.code == "pose_model_missing"
    assert finding.url(place) in refused.sentence
    assert "FMP_POSE_MODEL" in refused.sentence
    assert not finding.cache.exists()
    assert finding.server.asked == [f"/{place}/full.task"]


def test_an_endless_answer_is_cut_off(finding: Finding, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pose_models, "_MAX_FILE_BYTES", len(GOOD) // 2)
    assert finding.refusal().code == "pose_model_missing"


def test_a_failed_download_leaves_the_next_one_free_to_succeed(finding: Finding) -> None:
    finding.refusal("cut")
    assert finding.find().read_bytes() == GOOD


def test_no_connection_is_one_clear_sentence(finding: Finding) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/full.task"
        with pytest.raises(BadInputError) as refused:
            find_pose_model(
                DEFAULT_POSE_MODEL,
                finding.cache,
                variants={DEFAULT_POSE_MODEL: OfficialModel(url, frozenset())},
                built=finding.built,
            )
    assert refused.value.code == "pose_model_missing"
    assert url in refused.value.sentence


def test_a_cache_that_cannot_be_written_is_one_clear_sentence(finding: Finding, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    finding.cache = tmp_path / "file" / "cache"
    assert finding.refusal().code == "pose_model_missing"


def test_the_official_models_are_pinned_by_version_and_hash() -> None:
    assert list(VARIANTS) == ["lite", "full", "heavy"]
    for variant, official in VARIANTS.items():
        assert official.url.startswith("https://storage.googleapis.com/mediapipe-models/pose_landmarker/")
        assert official.name == f"pose_landmarker_{variant}.task"
        assert "/latest/" not in official.url
        assert {len(bytes.fromhex(digest)) for digest in official.hashes} == {32}
    assert len(frozenset().union(*(official.hashes for official in VARIANTS.values()))) == 4


UNREACHABLE = "http://127.0.0.1:9/full.task"  # nobody listens there
NOWHERE = {"full": OfficialModel(UNREACHABLE, frozenset({"0"}))}
WARRIOR = [str(ROOT / "demo" / "examples" / f"warrior_{moment}.jpg") for moment in ("current", "target")]


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")


@pytest.fixture
def bundled(tmp_path: Path) -> Path:
    folder = tmp_path / "checkpoints"
    save_estimator(folder / "estimator")
    return folder


@pytest.fixture
def without_mediapipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mediapipe", None)
    monkeypatch.delitem(sys.modules, "fmp_models.estimators.mediapipe", raising=False)


class Places:
    """Where the models lie that there may be: in nobody's cache, not built, and bundled or not."""

    def __init__(self, folder: Path, bundled: Path, caplog: pytest.LogCaptureFixture) -> None:
        self.log = caplog
        self.cache, self.built, self.bundled = folder / "cache", folder / "built.task", bundled

    def choose(self, wanted: str = "full", variants: Mapping[str, OfficialModel] = NOWHERE) -> tuple[str, str | None]:
        """Give the name of who was chosen, and what is lacking."""
        chosen = choose_estimator(wanted, self.cache, variants=variants, built=self.built, bundled=self.bundled)
        return chosen.estimator.name, chosen.lacking

    def refusal(self, wanted: str = "full") -> str:
        """Give the code with which nobody is chosen."""
        with pytest.raises(BadInputError) as refused:
            self.choose(wanted)
        return refused.value.code


@pytest.fixture
def places(tmp_path: Path, bundled: Path, caplog: pytest.LogCaptureFixture) -> Places:
    return Places(tmp_path, bundled, caplog)


def test_mediapipe_measures_where_its_model_is_named_and_nothing_is_said(pose_model: Path, places: Places) -> None:
    name, lacking = places.choose(str(pose_model))
    assert name.startswith("mediapipe-")
    assert lacking is None
    assert places.log.messages == []


def test_mediapipe_measures_with_what_the_environment_has_where_nothing_can_be_downloaded(
    pose_model: Path, places: Places
) -> None:
    places.built = pose_model
    name, lacking = places.choose()
    assert name.partition("+")[0].endswith(f"/{pose_model.stem}")
    assert (lacking, places.log.messages) == (None, [])


def test_a_named_model_that_cannot_be_read_is_refused_whatever_else_there_is(places: Places, tmp_path: Path) -> None:
    places.built.write_bytes(b"built")
    assert places.refusal(str(tmp_path / "no such.task")) == "pose_model_unreadable"
    assert places.log.messages == []


def test_without_its_model_our_own_estimator_measures_and_one_line_says_so_and_how_to_mend_it(places: Places) -> None:
    name, lacking = places.choose()
    assert name.startswith("learned/estimator@")
    assert lacking == "pose_model"
    (line,) = places.log.messages
    assert name in line
    assert "could not be downloaded" in line
    assert "FMP_POSE_MODEL" in line
    assert "\n" not in line


def test_without_its_model_and_ours_the_missing_model_is_told(places: Places, tmp_path: Path) -> None:
    places.bundled = tmp_path / "empty"
    assert places.refusal() == "pose_model_missing"
    assert places.log.messages == []


@pytest.mark.usefixtures("without_mediapipe")
def test_on_a_machine_without_mediapipe_our_own_estimator_measures(places: Places) -> None:
    name, lacking = places.choose()
    assert name.startswith("learned/estimator@")
    assert lacking == "mediapipe"
    (line,) = places.log.messages
    assert "cannot be loaded" in line
    assert "packages.txt" in line


@pytest.mark.usefixtures("without_mediapipe")
def test_on_a_machine_without_mediapipe_and_ours_that_is_told(places: Places, tmp_path: Path) -> None:
    places.bundled = tmp_path / "empty"
    assert places.refusal() == "mediapipe_missing"


def test_a_damaged_bundled_estimator_is_told_at_once(places: Places) -> None:
    (places.bundled / "estimator" / "model.safetensors").write_bytes(b"no weights")
    assert places.refusal() == "model_damaged"
    assert places.log.messages == []


def test_the_command_line_says_who_measures_and_answers_without_mediapipes_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pose_models, "BUILT", tmp_path / "none")
    done = run_here("correct", *WARRIOR, "--model", "geometry", "--json", **unconnected(tmp_path))
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["estimator"].startswith("learned/estimator@")
    assert answer["estimator"] in done.stderr
    assert answer["people"] == [1, 1]
    assert answer["clauses"]


@thorough
def test_one_estimator_measures_for_corrections_and_for_retrieval(pose_model: Path, tmp_path: Path) -> None:
    retriever = save_retriever(tmp_path / "tiny", "en")
    asked = {
        "correct": (*WARRIOR, "--model", "geometry"),
        "retrieve": (WARRIOR[0], TEXTS["en"], *WARRIOR, "--model", retriever),
    }
    names = {
        json.loads(run_here(command, *words, "--json", FMP_POSE_MODEL=pose_model).stdout)["estimator"]
        for command, words in asked.items()
    }
    assert len(names) == 1
    assert names.pop().startswith("mediapipe-")


@thorough
def test_the_command_line_takes_the_name_of_a_variant_and_does_with_another_where_that_cannot_be_had(
    tmp_path: Path,
) -> None:
    if not pose_models.BUILT.is_file():
        pytest.skip("the environment has no pose model")
    done = run_command("correct", *WARRIOR, "--model", "geometry", "--json", **unconnected(tmp_path, "heavy"))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["estimator"].partition("+")[0].endswith("/pose_landmarker_full")
    (line,) = [line for line in done.stderr.splitlines() if "pose model" in line]
    assert "“heavy”" in line
    assert "“full”" in line


def unconnected(data: Path, wanted: str = "") -> dict[str, object]:
    """Return the settings of a user with no downloads and no network."""
    proxies = dict.fromkeys(("HTTPS_PROXY", "https_proxy"), "http://127.0.0.1:9")
    return {"FMP_POSE_MODEL": wanted, "FMP_DATA_DIR": data, **proxies}

"""The app as a program: one line when it is ready, one sentence when it cannot start, a clean end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryFile

import httpx
import pytest
from gradio_client import Client, handle_file
from playwright.sync_api import Browser, expect

from annotate.kinds.registry import RECORDS
from annotate.kinds.verify import Rating
from annotate.publishing.tables import kind_of, read_shard
from annotate.storage.store import open_store, store_path
from app import main
from demo.examples.catalogue import FOLDER as EXAMPLES
from demo.i18n import interface_texts
from fmp_models.estimators.pose_models import BUILT
from tests.annotate.asking import campaign_json, item, write
from tests.benchmarks.annotators import Crowd, answer_at, app_with_a_campaign
from tests.browser.conftest import visitors
from tests.browser.pressing import Presser
from tests.browser.test_accessibility import findings
from tests.browser.visits import ROOT, START_SECONDS, STOP_SECONDS, App, free_port, running_app, started
from tests.demo.serving.test_connections import HALF_AN_UPLOAD
from tests.hub_server import Fault, HubServer, running_hub
from tests.thoroughness import one_of, thorough

THANKS = interface_texts()["en"]["annotate.thanks"].format(given=1)


# What an app had imported when it ended.
TELLS_IMPORTS = (
    "import sys, app; print(app.main(), [name for name in ('torch', 'gradio', 'mediapipe') if name in sys.modules])"
)

# A machine whose environment has no pose model, which cannot be said by a setting.
BARE = (
    "import sys, app; from fmp_models.estimators import pose_models; pose_models.BUILT /= 'none'; sys.exit(app.main())"
)
UNCONNECTED = dict.fromkeys(("HTTPS_PROXY", "https_proxy"), "http://127.0.0.1:9")  # nobody listens there


def has_version_6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


def start(**settings: str) -> subprocess.CompletedProcess[str]:
    """Start an app that ends by itself."""
    with TemporaryFile("w+", encoding="utf-8") as output, TemporaryFile("w+", encoding="utf-8") as faults:
        ended = started(("app.py",), os.environ | settings, output.fileno(), faults.fileno()).wait(START_SECONDS)
        texts = [file.seek(0) or file.read() for file in (output, faults)]
    return subprocess.CompletedProcess("app.py", ended, *texts)


@pytest.mark.parametrize(
    ("place", "asked"), one_of([("folder", signal.SIGTERM), ("hub", signal.SIGINT), ("folder", signal.SIGHUP)], 2)
)
def test_it_publishes_what_was_thanked_for_leaves_no_upload_and_ends_cleanly(
    place: str, asked: signal.Signals, pose_model: Path, browser: Browser, tmp_path: Path
) -> None:
    """The next time to publish is an hour away; it is the signal that makes the app publish.

    The first start is a cold one, as a user's is, and so is that with the Hub's settings.
    """
    data, temporary = tmp_path / "data", tmp_path / "temporary"
    temporary.mkdir()
    campaign = write(tmp_path / "campaign", campaign_json([item(1)], kinds=["verify"]))
    settings = {"FMP_CAMPAIGN": str(campaign), "FMP_PUBLISH_MINUTES": "60"}
    with running_hub() as hub:
        if place == "hub":
            settings |= {**hub.environment, "FMP_DATASET_REPO": "me/annotations"}
        with running_app(pose_model, data, temporary, cold=asked == signal.SIGTERM, **settings) as app:
            with visitors(app, browser) as open_page:
                page = open_page()
                page.goto(f"{app.url}/#annotate/verify")
                page.locator("#panel-annotate input[name=fmp-agree]").check()
                page.locator("[data-action=agree]").click()
                page.locator("input[name=score][value='3']").check(force=True)
                page.locator("[data-action=give]").click()
                expect(page.locator(".fmp-said-line")).to_have_text(THANKS)
            shards = held_by_hub(hub) if place == "hub" else held_by_folder(data / "dataset")
            assert not [path for path in shards if kind_of(path) == "rating"]

            stored = httpx.post(f"{app.url}/gradio_api/upload", files={"files": ("a.jpg", b"picture")})
            assert stored.status_code == 200
            assert app.stored_uploads()

            app.process.send_signal(asked)
            assert app.process.wait(timeout=STOP_SECONDS) == 0

        assert not app.stored_uploads()
        assert not [line for line in app.output if "Traceback" in line]
        shards = held_by_hub(hub) if place == "hub" else held_by_folder(data / "dataset")
    assert "items" in map(kind_of, shards)
    events = [event for path, held in shards.items() if kind_of(path) in RECORDS for event in read_shard(path, held)]
    assert sorted(event.kind for event in events) == ["consent", "rating"]
    (score,) = (event.payload.score for event in events if isinstance(event.payload, Rating))
    assert score == 3


@thorough
def test_it_corrects_uploads_where_it_finds_what_windows_has(pose_model: Path, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    program = ("-m", "tests.without_unix", "app")
    with running_app(pose_model, tmp_path / "data", temporary, program, cold=True) as app:
        pair = [handle_file(str(EXAMPLES / f"warrior_{which}.jpg")) for which in ("current", "target")]
        answer = Client(app.url, verbose=False).predict(*pair, "hi", api_name="/correct")
        assert "घुटना" in answer["text"]
        app.process.send_signal(signal.SIGTERM)
        assert app.process.wait(timeout=STOP_SECONDS) == 0

    assert not [line for line in app.output if "Traceback" in line]
    assert not list(temporary.iterdir())


@thorough
def test_what_a_killed_app_left_is_removed_at_the_next_start(pose_model: Path, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with running_app(pose_model, tmp_path / "data", temporary) as app:
        sent = httpx.post(f"{app.url}/gradio_api/upload", files={"files": ("a.jpg", b"a waiting photograph")})
        assert sent.status_code == 200
        app.process.kill()
        app.process.wait(STOP_SECONDS)
    assert app.stored_uploads()

    with running_app(pose_model, tmp_path / "data", temporary) as app:
        assert not app.stored_uploads()
        httpx.post(f"{app.url}/gradio_api/upload", files={"files": ("b.jpg", b"a photograph")})
        assert app.stored_uploads()

    assert not list(temporary.iterdir())


def held_by_hub(hub: HubServer) -> dict[str, bytes]:
    files = hub.repos["dataset", "me/annotations"].head.files
    return {path: file.data for path, file in files.items() if kind_of(path)}


def held_by_folder(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.parquet")}


def test_a_taken_port_is_one_sentence(app: App, pose_model: Path, tmp_path: Path) -> None:
    port = app.url.rpartition(":")[2]

    ended = start(FMP_PORT=port, FMP_POSE_MODEL=str(pose_model), FMP_DATA_DIR=str(tmp_path))

    assert ended.returncode == 2
    assert ended.stdout == ""
    assert f"FMP_PORT must be a free port; {port} is taken." in ended.stderr
    assert "Traceback" not in ended.stderr


@thorough
def test_an_address_of_another_machine_is_one_sentence(pose_model: Path, tmp_path: Path) -> None:
    ended = start(FMP_HOST="192.0.2.1", FMP_POSE_MODEL=str(pose_model), FMP_DATA_DIR=str(tmp_path))

    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1] == "FMP_HOST must be an address of this machine; 192.0.2.1 is not."
    assert "Traceback" not in ended.stderr


@thorough
@pytest.mark.skipif(not has_version_6(), reason="this machine has no address of version 6")
@pytest.mark.parametrize("host", one_of(["::1", "::"]))
def test_it_serves_addresses_of_version_6(host: str, pose_model: Path, tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    port = free_port()
    url = f"http://[::1]:{port}"
    settings = {"FMP_HOST": host, "FMP_PORT": str(port)}
    with running_app(pose_model, tmp_path / "data", tmp_path / "temporary", url=url, **settings) as app:
        assert app.output[-1] == f"FixMyPose is ready: {app.owner_url}\n"
        assert ("fmp-owner" in Presser(app).open_as_owner().press("start")["html"]) is (host == "::1")


@pytest.mark.parametrize(
    ("setting", "value"),
    one_of(
        [
            ("FMP_CAMPAIGN", "/nowhere"),
            ("FMP_HOST", "192.0.2.1"),
            ("FMP_DATA_DIR", "/dev/null/data"),
            ("FMP_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none"),
            ("FMP_POSE_MODEL", __file__),
            ("FMP_CAPTIONER", "oracle"),
        ]
    ),
)
def test_a_wrong_setting_is_told_before_anything_slow_is_imported(setting: str, value: str, tmp_path: Path) -> None:
    settings = {"FMP_DATA_DIR": str(tmp_path / "data"), "FMP_PORT": str(free_port()), setting: value}

    ended = subprocess.run(
        [sys.executable, "-c", TELLS_IMPORTS],
        cwd=ROOT,
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.stdout == "2 []\n"
    assert len(ended.stderr.splitlines()) == 1


@thorough
def test_a_home_that_cannot_be_written_is_not_heard_of_at_a_clean_end(pose_model: Path, tmp_path: Path) -> None:
    output, temporary = tmp_path / "output", tmp_path / "temporary"
    temporary.mkdir()
    settings = {"FMP_DATA_DIR": str(tmp_path / "data"), "FMP_POSE_MODEL": str(pose_model), "FMP_PORT": str(free_port())}
    settings |= {"HOME": "/dev/null", "MPLCONFIGDIR": "", "TMPDIR": str(temporary)}
    with output.open("w") as file:
        process = started(("app.py",), os.environ | settings, file.fileno(), file.fileno(), cold=True)
    deadline = time.monotonic() + START_SECONDS
    while "is ready" not in output.read_text(encoding="utf-8"):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
    process.send_signal(signal.SIGTERM)

    assert process.wait(STOP_SECONDS) == 0
    assert "is ready" in output.read_text(encoding="utf-8").splitlines()[-1]
    assert list(temporary.iterdir()) == []


@thorough
def test_a_hub_that_refuses_at_the_start_is_told_once_in_the_terminal(pose_model: Path, tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    places = tmp_path / "data", tmp_path / "temporary"
    with running_hub() as hub:
        hub.fault = lambda _: Fault(403)
        settings = {**hub.environment, "FMP_DATASET_REPO": "me/annotations"}
        with running_app(pose_model, *places, **settings) as app:
            app.wait_until(lambda: hub.count("GET", "/api/datasets/me/annotations") > 2)
            told = [line for line in app.output if "HF_TOKEN" in line]
    assert len(told) == 1


@thorough
def test_it_ends_while_twenty_people_work_and_one_holds_on(pose_model: Path) -> None:
    """What was thanked for until the end is in the store."""
    crowd = Crowd(people=20, seconds=60, pause=1)
    with app_with_a_campaign(pose_model, crowd, FMP_PUBLISH_MINUTES="60") as app, socket.socket() as holding:
        with ThreadPoolExecutor(1) as pool:
            working = pool.submit(asyncio.run, answer_at(app, crowd))
            data = app.temporary.parent / "data"
            app.wait_until(lambda: ratings(data) > 2 * crowd.people)
            host, port = app.url.removeprefix("http://").split(":")
            holding.connect((host, int(port)))
            holding.sendall(HALF_AN_UPLOAD)
            app.process.send_signal(signal.SIGTERM)
            assert app.process.wait(STOP_SECONDS) == 0
            waits = working.result(STOP_SECONDS)
        assert ratings(data) >= len(waits.answers)
        assert not [line for line in app.output if "Traceback" in line]


def ratings(data: Path) -> int:
    """Count what was saved so far."""
    with contextlib.closing(open_store(store_path(data))) as store:
        return len(store.events(kind="rating"))


@pytest.mark.parametrize(
    ("setting", "value", "reason"),
    [
        ("FMP_CAPTIONER", "oracle", "“oracle” is not a model"),
        ("FMP_CAPTIONER", str(ROOT / "demo"), "has no file config.json"),
        ("FMP_RETRIEVER", str(ROOT / "demo"), "has no file config.json"),
        ("FMP_RETRIEVER", "org/name", "not in the cache"),
        ("FMP_LANGUAGE_RETRIEVER", str(ROOT / "demo"), "has no file config.json"),
        ("FMP_GALLERY", str(ROOT / "nothing"), "There is no collection"),
        ("FMP_DIFFERENCE_CAPTIONER", "oracle", "“oracle” is not a model"),
        ("FMP_DIFFERENCE_CAPTIONER", "captioner-language", "needs joints"),
        ("FMP_EDITOR", "oracle", "“oracle” is not a model"),
        ("FMP_EDITOR", str(ROOT / "demo"), "has no file config.json"),
    ],
)
def test_a_model_that_cannot_be_used_is_one_sentence(
    setting: str, value: str, reason: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(setting, value)

    assert main() == 2

    output = capsys.readouterr()
    assert output.out == ""
    (sentence,) = output.err.splitlines()
    assert sentence.startswith(f"{setting} cannot be used: ")
    assert reason in sentence


@thorough
def test_without_a_pose_model_it_starts_and_every_tab_says_that_photographs_are_read_badly_and_how_to_mend_it(
    browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "temporary").mkdir()
    places = tmp_path / "data", tmp_path / "temporary"
    with running_app("", *places, ("-c", BARE), **UNCONNECTED) as app:
        (line,) = [line for line in app.output if "pose model" in line]
        assert "FMP_POSE_MODEL" in line
        with visitors(app, browser) as open_page:
            for language, width in (("en", 1280), ("hi", 390)):
                words = interface_texts()[language]
                page = open_page(language=language, width=width)
                warning = page.get_by_role("complementary", name=words["lacking.label"])
                for tab in reversed(page.locator("[role=tab]:not([aria-disabled])").all()):
                    tab.click()
                    expect(warning).to_be_visible()
                    expect(warning).to_have_text(
                        f"{words['lacking.pose_model']} {words['lacking.pose_model_remedy']}", use_inner_text=True
                    )
                assert page.evaluate("document.documentElement.scrollWidth") <= width
                assert findings(page) == []


def test_without_a_connection_it_starts_with_the_pose_model_of_the_environment_and_says_nothing(
    browser: Browser, tmp_path: Path
) -> None:
    if not BUILT.is_file():
        pytest.skip("the environment has no pose model")
    (tmp_path / "temporary").mkdir()
    with running_app("", tmp_path / "data", tmp_path / "temporary", **UNCONNECTED) as app:
        assert app.output == [f"FixMyPose is ready: {app.owner_url}\n"]
        with visitors(app, browser) as open_page:
            assert open_page().locator(".fmp-lacking").count() == 0


@thorough
def test_a_file_that_is_no_pose_model_is_one_sentence(tmp_path: Path) -> None:
    wrong = tmp_path / "pose.task"
    wrong.write_bytes(b"no model at all")

    ended = start(FMP_POSE_MODEL=str(wrong), FMP_DATA_DIR=str(tmp_path))

    assert ended.returncode == 2
    assert ended.stderr.startswith("FMP_POSE_MODEL must be ")
    assert str(wrong) in ended.stderr
    assert "Traceback" not in ended.stderr

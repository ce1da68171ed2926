from __future__ import annotations

import csv
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from annotate.__main__ import main
from annotate.publishing.destinations import FolderDestination
from annotate.publishing.tables import read_shard
from annotate.storage.store import Store, open_store, store_path
from tests.annotate.sample_events import event
from tests.commands import ROOT
from tests.hub_answers import Request
from tests.hub_server import Fault, running_hub
from tests.thoroughness import thorough


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the app's data folder with a store of three answers, one of them edited."""
    folder = tmp_path / "app"
    monkeypatch.setenv("FMP_DATA_DIR", str(folder))
    store = open_store(store_path(folder))
    first = event()
    store.add_all([first, event(score=1, supersedes=first.id), event("vote"), event("vote", campaign="other")])
    store.close()
    return folder


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_what_still_holds_is_exported_from_the_store_of_the_app(data_dir: Path, tmp_path: Path) -> None:
    assert data_dir.is_dir()
    assert main(["export", str(tmp_path / "out")]) == 0
    assert [row["score"] for row in rows(tmp_path / "out" / "rating.csv")] == ["1"]
    assert len(rows(tmp_path / "out" / "vote.csv")) == 2


def test_every_event_of_one_kind_and_campaign_is_exported(data_dir: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    chosen = ["--campaign", "c", "--kind", "rating", "--what", "events", "--store", str(data_dir)]
    assert main(["export", str(out), *chosen]) == 0
    assert [path.name for path in out.iterdir()] == ["rating.csv"]
    assert len(rows(out / "rating.csv")) == 2


def test_photographs_are_exported_to_be_labelled(
    data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["export", str(out), "--format", "real-pairs"]) == 0
    assert capsys.readouterr().out == "There is nothing to export.\n"
    store = open_store(store_path(data_dir))
    store.add(event("real_pair"))
    store.close()
    assert main(["export", str(out), "--format", "real-pairs", "--campaign", "other"]) == 0
    assert main(["export", str(out), "--format", "real-pairs", "--campaign", "c"]) == 0
    assert "1 to label" in capsys.readouterr().out
    assert len(list((out / "images").iterdir())) == 2


def test_what_waits_is_published_where_the_app_publishes(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish"]) == 0
    assert "4 of 4 events are published" in capsys.readouterr().out
    destination = FolderDestination(data_dir / "dataset")
    assert sum(len(read_shard(path, destination.read(path))) for path in destination.contents().shards) == 4


def test_a_report_says_whose_answers_it_speaks_of_and_that_others_have_some(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert data_dir.is_dir()
    assert main(["report"]) == 0
    output = capsys.readouterr()
    assert "sample" in output.out
    assert "“sample” (0 answers). Other campaigns have answers too: “c” (2 answers), “other” (1 answer)" in output.err
    assert "--campaign" in output.err


def test_a_report_that_no_other_campaign_has_answers_beside_says_nothing_of_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = open_store(tmp_path / "store.sqlite")
    store.add(event("vote", campaign="sample"))
    store.close()
    assert main(["report", "--store", str(tmp_path / "store.sqlite")]) == 0
    assert "have answers too" not in capsys.readouterr().err


@pytest.mark.parametrize("command", ["report", "report --json", "export"])
@pytest.mark.parametrize("kind", ["vote", "rating"])
def test_a_person_who_reads_votes_by_a_command_is_asked_to_vote_no_more_and_nobody_is_marked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, kind: str
) -> None:
    address = str(tmp_path / "store.sqlite")
    store = open_store(Path(address))
    store.add(event(kind, campaign="sample"))
    store.close()
    name, *more = command.split()
    out = [str(tmp_path / "out")] if name == "export" else []

    assert main([name, *out, *more, "--store", address]) == 0

    errors = capsys.readouterr().err
    warning = "in “sample”. If you read it, please do not vote there any more."
    assert (warning in errors) == (kind == "vote")
    assert errors.count("\n") == (kind == "vote")
    store = open_store(Path(address))
    assert [one.kind for one in store.events()] == [kind]
    store.close()


def test_an_export_says_whose_answers_it_holds(
    data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert data_dir.is_dir()
    assert main(["export", str(tmp_path / "all")]) == 0
    assert "“c” (2 answers), “other” (1 answer); choose one with --campaign" in capsys.readouterr().err
    assert main(["export", str(tmp_path / "one"), "--campaign", "other"]) == 0
    output = capsys.readouterr()
    assert "“other” (1 answer). Other campaigns have answers too: “c” (2 answers)" in output.err
    assert [row["campaign"] for row in rows(tmp_path / "one" / "vote.csv")] == ["other"]


def test_publishing_says_that_it_sends_all_campaigns(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert data_dir.is_dir()
    assert main(["publish"]) == 0
    assert "“c” (2 answers), “other” (1 answer)" in capsys.readouterr().out


def test_a_store_by_its_address_is_published_to_a_named_folder(
    postgresql: str, store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.add(event())
    address = postgresql if store.engine.dialect.name == "postgresql" else str(store.engine.url.database)
    assert main(["publish", "--to", str(tmp_path / "here"), "--store", address]) == 0
    assert f"1 of 1 events are published at {tmp_path / 'here'}." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["export", "OUT", "--store", "nowhere.sqlite3"], "There is no store at “nowhere.sqlite3”"),
        (["export", "OUT", "--kind", "song"], "“song” is not a kind of record"),
        (["export", "OUT", "--store", "mysql://x/y"], "an example is postgresql://"),
        (["export", "OUT", "--format", "xls"], "Argument --format: invalid choice"),
        (["export"], "The following arguments are required: out"),
        (["publish", "--to", "FILE"], "cannot be written or read"),
        ([], "The following arguments are required: COMMAND"),
        (["sing"], "invalid choice: 'sing'"),
    ],
)
def test_bad_input_ends_with_two_and_one_sentence(
    arguments: list[str], sentence: str, data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert data_dir.is_dir()
    (tmp_path / "file").touch()
    names = {"OUT": str(tmp_path / "out"), "FILE": str(tmp_path / "file")}
    try:
        code = main([names.get(word, word) for word in arguments])
    except SystemExit as end:
        code = int(str(end.code))
    output = capsys.readouterr()
    assert code == 2
    assert sentence in output.err
    assert output.err.count("\n") == 1
    assert output.out == ""
    assert not (tmp_path / "out").exists()


def test_nothing_is_made_where_no_store_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FMP_DATA_DIR", str(tmp_path / "none"))
    assert main(["publish"]) == 2
    assert not (tmp_path / "none").exists()


@thorough
def test_what_a_killed_command_left_is_removed_by_the_next(data_dir: Path, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    reads = threading.Event()

    def wait_at_a_file(request: Request) -> Fault | None:
        if "/resolve/" not in request.path:
            return None
        reads.set()
        return Fault(seconds=30)

    with running_hub() as hub:
        hub.add_repo("me/answers", {"README.md": b"# Mine"}, kind="dataset")
        hub.fault = wait_at_a_file
        environment = os.environ | hub.environment | {"TMPDIR": str(temporary), "FMP_DATA_DIR": str(data_dir)}
        command = [sys.executable, "-m", "annotate"]
        with subprocess.Popen([*command, "publish", "--to", "me/answers"], cwd=ROOT, env=environment) as killed:
            assert reads.wait(60)
            assert list(temporary.iterdir())
            killed.kill()
    assert list(temporary.iterdir())

    assert subprocess.run([*command, "campaign", "list"], cwd=ROOT, env=environment, check=False).returncode == 0

    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("command", [["report"], ["dataset", "out"]], ids=["report", "dataset"])
def test_published_answers_that_are_nowhere_are_not_taken_for_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*command, "--campaign", "sample", "--from", "no/such/folder"]) != 0
    assert "“no/such/folder”" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []

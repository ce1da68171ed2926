"""Uploaded files: parsing, the ledger of the answers that need them, and the limits of their folder."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from demo.serving import uploads
from demo.serving.uploads import (
    MAX_FOLDER_FILES,
    CountUploads,
    UploadFolder,
    UploadLedger,
    texts_in,
    upload_url,
)


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "hash" / "photo.jpg"
    path.parent.mkdir()
    path.write_bytes(b"picture")
    return path


def test_a_file_goes_with_its_answer_and_takes_its_folder_along(stored: Path) -> None:
    ledger = UploadLedger()
    ledger.received(str(stored))

    ledger.used(str(stored))

    assert not stored.exists()
    assert not stored.parent.exists()


def test_a_file_two_visitors_sent_waits_for_both_answers(stored: Path) -> None:
    ledger = UploadLedger()
    ledger.received(str(stored))
    ledger.received(str(stored))

    ledger.used(str(stored))
    assert stored.exists()

    ledger.used(str(stored))
    assert not stored.exists()


def test_a_neighbour_of_the_same_content_is_left_alone(stored: Path) -> None:
    neighbour = stored.with_name("other.jpg")
    neighbour.write_bytes(b"picture")

    UploadLedger().used(str(stored))

    assert not stored.exists()
    assert neighbour.exists()


def test_the_same_file_for_both_photographs_goes_only_once(stored: Path) -> None:
    ledger = UploadLedger()
    ledger.received(str(stored))

    ledger.used(str(stored))
    ledger.used(str(stored))

    assert not stored.exists()


def test_forgotten_paths_do_not_pile_up(tmp_path: Path) -> None:
    ledger = UploadLedger()

    for number in range(5000):
        ledger.received(str(tmp_path / str(number)))

    assert len(ledger._needed) < 1100


@pytest.mark.parametrize(("status", "counted"), [(200, True), (413, False)])
def test_middleware_counts_what_the_upload_route_hands_out(stored: Path, status: int, counted: bool) -> None:  # noqa: FBT001
    async def route(scope: object, receive: object, send: object) -> None:  # noqa: ARG001
        await send({"type": "http.response.start", "status": status, "headers": []})  # type: ignore[operator]
        body = json.dumps([str(stored)]).encode()
        await send({"type": "http.response.body", "body": body[:5], "more_body": True})  # type: ignore[operator]
        await send({"type": "http.response.body", "body": body[5:]})  # type: ignore[operator]

    sent: list[object] = []

    async def send(message: object) -> None:
        sent.append(message)

    ledger = UploadLedger()
    scope = {"type": "http", "method": "POST", "path": "/gradio_api/upload"}
    with ThreadPoolExecutor(1) as pool:  # a browser test of the same process may own this thread's loop
        pool.submit(asyncio.run, CountUploads(route, ledger)(scope, None, send)).result()  # type: ignore[arg-type]

    assert len(sent) == 3
    assert (str(stored) in ledger._needed) == counted


@pytest.mark.parametrize("name", [".", "gone/photo.jpg", "nul\0"])
def test_what_is_no_file_is_forgotten_without_a_fault(stored: Path, name: str) -> None:
    UploadLedger().used(str(stored.parent / name))

    assert stored.exists()


KEPT_SECONDS = 100.0


@pytest.fixture
def folder(tmp_path: Path) -> UploadFolder:
    return UploadFolder(tmp_path, UploadLedger(), most_bytes=100_000, keep_seconds=KEPT_SECONDS, fresh=0)


def stored_in(folder: UploadFolder, name: str = "hash/photo.jpg", size: int = 10) -> Path:
    path = folder.path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(bytes(size))
    return path


def later(folder: UploadFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sweep when everything that is there now has become old."""
    now = time.time()
    with monkeypatch.context() as patched:
        patched.setattr(time, "time", lambda: now + KEPT_SECONDS + 1)
        folder.sweep()


def test_whole_and_cut_files_that_nobody_owns_go_with_their_folders(
    folder: UploadFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete, cut = stored_in(folder), stored_in(folder, "tmpabcd")

    folder.sweep()
    assert complete.exists()
    assert cut.exists()

    later(folder, monkeypatch)
    later(folder, monkeypatch)
    assert list(folder.path.iterdir()) == []


def test_an_upload_that_was_swept_is_no_longer_counted(folder: UploadFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    path = stored_in(folder)
    folder.ledger.received(str(path))

    later(folder, monkeypatch)

    assert not folder.ledger.waits(str(path))


@pytest.mark.parametrize("escaped", [False, True])
def test_what_a_waiting_question_names_stays(
    folder: UploadFolder,
    monkeypatch: pytest.MonkeyPatch,
    escaped: bool,  # noqa: FBT001  a case
) -> None:
    asked, other = stored_in(folder, "a/ph oto.jpg"), stored_in(folder, "b/photo.jpg")
    question = [{"current": {"path": str(asked)}}] if not escaped else [upload_url(asked), None, 7]
    folder.owned = lambda: texts_in(question)

    later(folder, monkeypatch)

    assert asked.exists()
    assert not other.exists()


def test_what_an_upload_on_its_way_has_written_stays_until_it_ends(
    folder: UploadFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier = stored_in(folder, "tmpearlier")
    os.utime(earlier, (1, 1))
    with folder.arriving():
        half = stored_in(folder, "tmphalf")
        later(folder, monkeypatch)
        assert half.exists()

    later(folder, monkeypatch)
    assert not half.exists()


def test_a_folder_is_full_by_bytes_and_by_files(folder: UploadFolder) -> None:
    stored_in(folder, size=60_000)
    assert folder.let_in(40_000)
    assert not folder.let_in(40_001)

    folder.most_bytes = 10**12
    assert folder.let_in()
    for number in range(MAX_FOLDER_FILES):
        stored_in(folder, f"hash/{number}", 0)
    assert not folder.let_in()


def given(folder: UploadFolder, giver: str, count: int, size: int = 10) -> list[Path]:
    """Files of a network that came one after the other, the oldest first."""
    paths = [stored_in(folder, f"{giver}/{number}", size) for number in range(count)]
    for number, path in enumerate(paths):
        os.utime(path, (time.time() - count + number,) * 2)
        folder.ledger.received(str(path), giver)
    return paths


def in_order_of_use(folder: UploadFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files be as old as they were said to be: when they were moved is known to the disk alone."""
    found = folder._files
    monkeypatch.setattr(folder, "_files", lambda: ((path, size, path.stat().st_mtime) for path, size, _ in found()))


@pytest.mark.parametrize("by_files", [False, True])
def test_a_visitor_with_nothing_stored_gets_in_and_the_largest_user_loses_the_oldest_files(
    folder: UploadFolder,
    monkeypatch: pytest.MonkeyPatch,
    by_files: bool,  # noqa: FBT001  a case
) -> None:
    if by_files:
        monkeypatch.setattr(uploads, "MAX_FOLDER_FILES", 16)
    in_order_of_use(folder, monkeypatch)
    greedy, modest = given(folder, "greedy", 10, 5000), given(folder, "modest", 6, 5000)
    folder.most_bytes = 10**6 if by_files else 80_000
    folder.owned = lambda: [str(greedy[0])]

    assert folder.let_in(4096, "newcomer")

    assert [path for path in (*greedy, *modest) if not path.exists()] == [greedy[1]]
    assert not folder.ledger.waits(str(greedy[1]))
    assert folder.ledger.waits(str(greedy[0]))


def test_a_new_visitor_gets_in_while_small_files_come_from_a_few_networks_all_the_time(
    folder: UploadFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MAX_FOLDER_FILES", 40)
    folder.most_bytes = 10**9
    let_in = {"first": 0, "second": 0}
    for number in range(60):
        giver = ("first", "second")[number % 2]
        if folder.let_in(1, giver):
            let_in[giver] += 1
            folder.ledger.received(str(stored_in(folder, f"flood/{number}", 1)), giver)
    assert let_in == {"first": 20, "second": 20}

    assert folder.let_in(1000, "newcomer")
    assert not folder.let_in(1, "first"), "a network has made room for its own flood"
    assert folder.let_in(1000, ""), "who comes from this machine has nothing stored either"


def test_one_network_holds_at_most_half_and_what_is_on_its_way_counts(folder: UploadFolder) -> None:
    assert folder.let_in(50_000, "one")
    folder.fresh = 3600
    folder._counted_at = time.monotonic()
    assert not folder.let_in(1, "one")
    assert folder.let_in(50_000, "other")

    folder.fresh = 0
    with folder.arriving("one", files=1, size=40_000):
        assert not folder.let_in(20_000, "one")
        assert folder.let_in(20_000, "other")
    assert folder.let_in(20_000, "one")


def test_who_has_as_much_as_the_others_makes_no_room_for_more(folder: UploadFolder) -> None:
    stay = [*given(folder, "one", 1, 34_000), *given(folder, "two", 1, 34_000), *given(folder, "three", 1, 30_000)]

    assert not folder.let_in(10_000, "three")

    assert all(path.exists() for path in stay)


def test_uploads_that_come_together_are_counted_by_what_they_announce(tmp_path: Path) -> None:
    folder = UploadFolder(tmp_path, UploadLedger(), most_bytes=100_000, fresh=3600)
    looks, look = list[str](), os.scandir

    def counted(path: str) -> object:
        looks.append(path)
        return look(path)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "scandir", counted)
        assert [folder.let_in(30_000) for _ in range(5)] == [True, True, True, False, False]
    assert len(looks) == 1, "a flood would be busy with counting the folder"

    folder.fresh = 0
    assert folder.let_in(100_000), "nothing came of what was announced"


def test_sweeps_go_on_by_themselves_until_the_folder_is_gone(tmp_path: Path) -> None:
    folder = UploadFolder(tmp_path / "uploads", UploadLedger(), keep_seconds=0.2)
    folder.path.mkdir()
    before = set(threading.enumerate())
    folder.start()
    (sweeper,) = set(threading.enumerate()) - before
    for name in ("tmpcut", "hash/photo.jpg"):
        stored_in(folder, name)
    deadline = time.monotonic() + 30
    while list(folder.path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert list(folder.path.iterdir()) == []

    folder.path.rmdir()
    sweeper.join(30)
    assert not sweeper.is_alive()


def test_room_is_counted_while_folders_go(folder: UploadFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    gone, stays = (
        stored_in(folder, "going/photo.jpg"),
        stored_in(folder, "staying/photo.jpg"),
    )
    look = os.scandir

    def late(path: str | os.PathLike[str]) -> object:
        if Path(path) == gone.parent and gone.exists():  # the answer that needed it ended a moment ago
            gone.unlink()
            gone.parent.rmdir()
        return look(path)

    monkeypatch.setattr(os, "scandir", late)

    assert folder.let_in()
    folder.sweep()
    assert not gone.exists()
    assert stays.exists()

"""Work for other processes, in a module that is imported quickly."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from fmp_models.errors import BadInputError


def doubled(item: int) -> int:
    if item == 3:
        raise BadInputError("no_person", which="given")
    return 2 * item


def ended_once(folder: Path, item: int) -> tuple[int, int]:
    """Kill this process at the first try of the fifth item, and note each finished try."""
    if item == 5 and not (folder / "killed").exists():
        (folder / "killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    (folder / f"{item}-{os.getpid()}").touch()
    return item, os.getpid()


def always_ended(item: int) -> int:
    if item == 2:
        os._exit(1)
    return item


def imported(_: int) -> tuple[bool, str]:
    return "numpy" in sys.modules, os.environ["OMP_NUM_THREADS"]


def noted(log: Path, row: dict[str, str]) -> dict[str, object]:
    """Note a row in a file, slowly; refuse the second."""
    with log.open("a") as file:
        file.write(f"{row['id']}\n")
    time.sleep(0.05)
    if row["id"] == "1":
        raise BadInputError("no_person", which="current")
    if row["id"] == "2":
        raise RuntimeError("unexpected")
    return {"text": "घुटना मोड़िए"}

"""The folder of one training run: its configuration, log, checkpoints and best weights.

Every file is written under a temporary name and then renamed, so that a killed run leaves complete files only.
"""

from __future__ import annotations

import json
import logging
import os
import platform
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from filelock import FileLock, Timeout

from fmp_models.common import replace_file
from fmp_models.errors import BadInputError

_log = logging.getLogger(__name__)
CONFIG, LOG, CURVES, BEST, SCORES = "config.json", "log.jsonl", "curves.png", "best", "scores.json"
TRAINING = "training.json"  # the machine, hours and packages of a run, and its best score
_LOCK = ".lock"
_KEPT = 2  # checkpoints; the older one is used if the newest cannot be read
_LIMITS = frozenset({"minutes", "save_minutes"})  # engine settings that change no step: a resumed run can differ


@dataclass(frozen=True)
class RunFolder:
    """An opened run folder, locked against other runs; see :func:`opened`."""

    path: Path

    @property
    def best(self) -> Path:
        """The folder of the best weights and their scores."""
        return self.path / BEST

    @property
    def log(self) -> list[dict[str, Any]]:
        """The lines of the log, in order; a line cut off by a kill is left out."""
        try:
            text = (self.path / LOG).read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("}\n")]

    def write_line(self, line: Mapping[str, Any]) -> None:
        """Append a line to the log."""
        with (self.path / LOG).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, allow_nan=False) + "\n")

    def cut_log(self, step: int) -> None:
        """Remove the log lines after a step, which will be written again."""
        lines = [json.dumps(line) + "\n" for line in self.log if line["step"] <= step]
        replace_file(self.path / LOG, lambda new: new.write_text("".join(lines), encoding="utf-8"))

    def save_best(self, save: Callable[[Path], object], scores: Mapping[str, float], step: int) -> None:
        """Replace the best weights by what ``save`` writes to a new folder, with its scores."""
        new, old = self.path / f"{BEST}.new", self.path / f"{BEST}.old"
        save(new)
        text = json.dumps({"step": step, **scores}, indent=2)
        (new / SCORES).write_text(f"{text}\n", encoding="utf-8")
        if self.best.exists():
            self.best.rename(old)
        new.rename(self.best)
        shutil.rmtree(old, ignore_errors=True)

    def save_checkpoint(self, state: Mapping[str, Any], step: int) -> None:
        """Save the complete state of the run; keep only the last two checkpoints."""
        replace_file(self.path / f"checkpoint-{step:09d}.pt", lambda new: torch.save(dict(state), new))
        for old in self._checkpoints()[_KEPT:]:
            old.unlink()

    def write_training(self, seconds: float, chosen: Mapping[str, Any]) -> None:
        """Write the machine of this start, the hours of all starts, the packages, and the best score (``chosen``)."""
        note = {"hours": round(seconds / 3600, 3), "machine": machine(), "packages": packages(), "chosen": chosen}
        text = json.dumps(note, indent=2, ensure_ascii=False)
        replace_file(self.path / TRAINING, lambda new: new.write_text(f"{text}\n", encoding="utf-8"))

    def load_checkpoint(self) -> dict[str, Any] | None:
        """Load the newest checkpoint that can be read; ``None`` if there is none."""
        for checkpoint in self._checkpoints():
            try:
                state: dict[str, Any] = torch.load(checkpoint, map_location="cpu", weights_only=True)
            except (OSError, EOFError, KeyError, RuntimeError, UnpicklingError, ValueError) as error:
                _log.warning("%s cannot be read (%s); using the previous one.", checkpoint.name, type(error).__name__)
            else:
                return state
        return None

    def _checkpoints(self) -> list[Path]:
        """Return the checkpoints, newest first."""
        return sorted(self.path.glob("checkpoint-?????????.pt"), reverse=True)


def machine() -> dict[str, str]:
    """Return the system, the processor with its cores, and the GPU if there is one; neither paths nor a host name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    cpu = next(names, platform.processor() or platform.machine())
    gpu = {"gpu": torch.cuda.get_device_name()} if torch.cuda.is_available() else {}
    return {"system": platform.system(), "cpu": f"{cpu}, {os.cpu_count()} cores", **gpu}


def packages() -> dict[str, str]:
    """Return the versions of Python and of the packages that training rests on."""
    names = ("torch", "numpy", "accelerate", "safetensors")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


@contextmanager
def opened(path: Path, config: Mapping[str, Any]) -> Iterator[RunFolder]:
    """Start a run in an empty folder, or resume the run in it that has the same configuration.

    Raises ``BadInputError`` if another run is using the folder, if its run has another configuration, if it holds
    other files, or if it cannot be written.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        if not (path / CONFIG).exists() and any(child.name != _LOCK for child in path.iterdir()):
            raise BadInputError("folder_not_empty", path=str(path))
        lock = FileLock(path / _LOCK, timeout=0)
        lock.acquire()
    except Timeout:
        raise BadInputError("training_running", path=str(path)) from None
    except OSError:
        raise BadInputError("folder_unusable", path=str(path)) from None
    try:
        if (path / CONFIG).exists() and _deciding(_read_config(path)) != _deciding(json.loads(json.dumps(config))):
            raise BadInputError("folder_other_order", path=str(path))
        _clear_away(path)
        text = json.dumps(config, indent=2, ensure_ascii=False)
        replace_file(path / CONFIG, lambda new: new.write_text(f"{text}\n", encoding="utf-8"))
        yield RunFolder(path)
    finally:
        lock.release()


def _clear_away(path: Path) -> None:
    """Remove what a killed run left unfinished."""
    for left in path.glob("*.part"):
        left.unlink()
    shutil.rmtree(path / f"{BEST}.new", ignore_errors=True)
    old = path / f"{BEST}.old"
    if old.exists() and not (path / BEST).exists():
        old.rename(path / BEST)
    shutil.rmtree(old, ignore_errors=True)


def _read_config(path: Path) -> dict[str, Any]:
    try:
        config: dict[str, Any] = json.loads((path / CONFIG).read_text(encoding="utf-8"))
    except ValueError:
        config = {}
    if not isinstance(config, dict) or not isinstance(config.get("engine"), dict):
        raise BadInputError("folder_not_empty", path=str(path))
    return config


def _deciding(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a configuration that determines the weights."""
    engine = {key: value for key, value in config["engine"].items() if key not in _LIMITS}
    return {**config, "engine": engine}

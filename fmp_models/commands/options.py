"""Options shared by several commands: ranges, the pose model, and result files.

The pose model is the one that is named, else ``FMP_POSE_MODEL``, else the default variant. Result files of long
commands are checked for write access at the start and written atomically at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from platformdirs import user_data_path

from fmp_models.common import MAX_PROCESSES, one_for_each_core, replace_file
from fmp_models.errors import BadInputError
from fmp_models.estimators import DEFAULT_POSE_MODEL, PoseEstimator, find_pose_model, open_estimator
from fmp_models.workers import Workers


def add_changes(parser: argparse.ArgumentParser, place: str) -> None:
    """Add ``--set KEY=VALUE`` to a training command; ``place`` is help text: what is replaced, with an example."""
    parser.add_argument(
        "--set", dest="changes", action="append", default=[], metavar="KEY=VALUE", help=f"{place}; may be repeated"
    )


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add ``--processes N`` and ``--scheduler ADDRESS`` to a command that divides its work."""
    parser.add_argument(
        "--processes", type=int, default=one_for_each_core(), help="number of processes (default: one for each core)"
    )
    parser.add_argument(
        "--scheduler", metavar="tcp://HOST:8786", help="Dask scheduler whose workers do the work instead"
    )


def given_workers(options: argparse.Namespace) -> Workers:
    """Return the workers of a command; raise BadInputError (``number_out_of_range``)."""
    demand_within(options, "processes", 1, MAX_PROCESSES)
    return Workers(options.processes, options.scheduler)


def demand_within(options: argparse.Namespace, name: str, least: float, most: float) -> None:
    """Raise BadInputError (``number_out_of_range``) if an option is below ``least`` or above ``most``."""
    if not least <= getattr(options, name) <= most:
        raise BadInputError("number_out_of_range", name=f"--{name}", least=least, most=most)


def chosen_estimator(pose_model: str | None = None) -> PoseEstimator:
    """Return the estimator of the pose model; raise :class:`BadInputError` for a file that is no pose model."""
    return open_estimator(*wanted_pose_model(pose_model))


def pose_model_file(pose_model: str | None = None) -> Path:
    """Return the file of MediaPipe's pose model that :func:`chosen_estimator` would use."""
    return find_pose_model(*wanted_pose_model(pose_model))


def wanted_pose_model(pose_model: str | None = None) -> tuple[str, Path]:
    """Return the pose model and the folder of downloads.

    The variables are those of ``demo/settings.py``; a command line is an entry of its own and cannot import it.
    """
    data = os.environ.get("FMP_DATA_DIR")
    try:
        kept = (Path(data).expanduser() if data else user_data_path("fixmypose")) / "models"
    except RuntimeError:  # the home of an unknown user
        raise BadInputError("folder_unusable", path=str(data)) from None
    return pose_model or os.environ.get("FMP_POSE_MODEL") or DEFAULT_POSE_MODEL, kept


def check_writable(path: Path) -> None:
    """Create the folder of a future file; raise ``BadInputError`` (``folder_unusable``)."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError:
        raise BadInputError("folder_unusable", path=str(path.parent)) from None
    if path.is_dir():
        raise BadInputError("folder_unusable", path=str(path))


@contextmanager
def cache_folder(given: Path | None) -> Iterator[Path]:
    """Give the named cache folder, or one that is removed at the end."""
    if given is not None:
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="fixmypose-") as folder:
        yield Path(folder)


def write_results(results: Mapping[Path, object]) -> None:
    """Write each object to its file, completely or not at all; raise ``BadInputError`` (``folder_unusable``)."""
    for path, content in results.items():
        text = f"{json_text(content, indent=2)}\n"
        try:
            replace_file(path, partial(Path.write_text, data=text, encoding="utf-8"))
        except OSError:
            raise BadInputError("folder_unusable", path=str(path.parent)) from None


def json_text(content: object, indent: int | None = None) -> str:
    """Return an object as JSON text in the format of all commands here."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=indent)

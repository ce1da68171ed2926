"""``python -m fmp_models import-fixmypose``: the official release converted to the schema of simulated datasets."""

from __future__ import annotations

import argparse
from pathlib import Path

from fmp_models.cli_base import to_standard_error


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--annotations", type=Path, required=True, help="folder of the released json files")
    parser.add_argument("--images", type=Path, help="folder of the released pictures")
    parser.add_argument("--joints", type=Path, help="folder of the released joint text files")
    parser.add_argument("out", type=Path, help="new folder for the dataset")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    # Imported here because it loads datasets and matplotlib, which a correction does not need.
    from fmp_models.data.released.importer import import_release  # noqa: PLC0415

    summary = import_release(options.annotations, options.images, options.joints, options.out, to_standard_error)
    print(summary)
    return 0

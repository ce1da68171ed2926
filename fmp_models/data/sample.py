"""A sample that ships with the code: a few pairs of each split of the simulated dataset, for tests and the page.

``python -m fmp_models.data.sample DATASET`` takes it from a folder that ``python -m fmp_models simulate`` made.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from fmp_models.data.features import FEATURES
from fmp_models.data.folder import ShardWriter, dataset_contents, head, read_rows
from fmp_models.languages import LANGUAGES

FOLDER = Path(__file__).parent / "sample"
# Rows of each split; a row with candidates holds a dozen pictures.
ROWS = {config: 2 if "candidates" in features else 4 for config, features in FEATURES.items()}
_ABOUT = {"license": "mit", "language": list(LANGUAGES), "pretty_name": "FixMyPose-Sim, a sample"}
_TEXT = """# FixMyPose-Sim, a sample

A few pairs of each split of the dataset that `python -m fmp_models simulate OUT` makes, taken from it by
`python -m fmp_models.data.sample OUT`. Everything in it is simulated.
"""


def sample_rows(config: str, split: str) -> list[dict[str, Any]]:
    """Return the rows of one split of the sample; pictures are ``{"bytes": JPEG file, "path": name}``."""
    return list(read_rows(FOLDER, config, split, list(FEATURES[config])))


def take_sample(dataset: Path, out: Path = FOLDER) -> None:
    """Copy rows spread evenly over each split of a whole dataset, so that rooms and characters differ."""
    for config, splits in dataset_contents(dataset).items():
        for split, size in splits.items():
            numbers = {i * size.rows // ROWS[config] for i in range(min(ROWS[config], size.rows))}
            with ShardWriter(out, config, split) as writer:
                rows = read_rows(dataset, config, split, list(FEATURES[config]))
                for number, row in enumerate(rows):
                    if number in numbers:
                        writer.add(row)
    (out / "README.md").write_text(head(out, _ABOUT) + _TEXT, encoding="utf-8")


if __name__ == "__main__":
    take_sample(Path(sys.argv[1]))

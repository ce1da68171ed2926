"""Tables of wording that tests read: a folder a table, with a file a language."""

import csv
from pathlib import Path

import pytest

from fmp_models.languages.language_data import LANGUAGES


def table_lines(table: str, *columns: str) -> list[object]:
    """Return a table's lines as parameters: the language and these columns; its place in the table is its name."""
    lines = []
    for code in LANGUAGES:
        with (Path(__file__).parent / table / f"{code}.tsv").open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True)
            lines += [
                pytest.param(code, *(row[column] for column in columns), id=f"{code}.tsv:{number}")
                for number, row in enumerate(rows, start=2)
            ]
    return lines

from __future__ import annotations

from pathlib import Path

from PIL import Image

from fmp_models.data.sample import sample_rows
from fmp_models.sim.sheets import SHEETS, SheetMaker


def test_sheets_are_drawn_of_what_passes_by(tmp_path: Path) -> None:
    maker = SheetMaker()
    for row in sample_rows("captioning", "train"):
        maker.see(row)
    for row in sample_rows("wide", "train"):
        maker.see_wide(row)
    paths = maker.draw(tmp_path / "sheets")
    assert [path.stem for path in paths] == list(SHEETS)
    for path in paths:
        with Image.open(path) as sheet:
            assert min(sheet.size) > 100


def test_a_recorded_motion_has_a_place_on_the_sheet_of_motions(tmp_path: Path) -> None:
    maker = SheetMaker()
    row = sample_rows("captioning", "train")[0]
    maker.see({**row, "uid": "20_0_1_0_1"})
    assert all(path.is_file() for path in maker.draw(tmp_path))


def test_what_was_not_seen_is_not_drawn_anew(tmp_path: Path) -> None:
    assert SheetMaker().draw(tmp_path) == []
    maker = SheetMaker()
    for row in sample_rows("wide", "train"):
        maker.see_wide(row)
    assert [path.stem for path in maker.draw(tmp_path)] == ["wide"]

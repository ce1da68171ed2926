from __future__ import annotations

from pathlib import Path

from PIL import Image

from fmp_models.data.sample import sample_rows
from fmp_models.sim.sheets import SHEETS, SheetMaker


def test_four_sheets_are_drawn_of_what_passes_by(tmp_path: Path) -> None:
    maker = SheetMaker()
    for row in sample_rows("captioning", "train"):
        maker.see(row)
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


def test_no_rows_give_empty_sheets(tmp_path: Path) -> None:
    assert len(SheetMaker().draw(tmp_path)) == len(SHEETS)

"""One page has the styles, templates and scripts of both rooms: no look and no file of one hides the other's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from demo.i18n import ROOMS

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("demo/page", "annotate/tabs/page")


def classes_with_a_look(text: str) -> set[str]:
    """Return the classes that a rule styles in every context."""
    rules = re.findall(r"([^{}]+)\{", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))
    return {part.strip() for rule in rules for part in rule.split(",") if re.fullmatch(r"\s*\.fmp-[a-z-]+\s*", part)}


def looks(folder: str) -> set[str]:
    return {name for path in (ROOT / folder).glob("*.css") for name in classes_with_a_look(path.read_text())}


def test_no_class_has_its_look_from_the_demo_and_from_the_annotation_tab() -> None:
    demo, annotation = map(looks, FOLDERS)
    assert len(demo) > 50
    assert len(annotation) > 50
    assert demo & annotation == set()


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        (".fmp-a { x: y } .fmp-b, .fmp-c { }", {".fmp-a", ".fmp-b", ".fmp-c"}),
        ("@media print { .fmp-a { } }", {".fmp-a"}),
        (".fmp-a .fmp-b { } .fmp-a:hover { } /* .fmp-c { } */", set()),
    ],
)
def test_a_look_is_known_by_a_rule_for_the_class_alone(text: str, classes: set[str]) -> None:
    assert classes_with_a_look(text) == classes


@pytest.mark.parametrize("kind", ["templates", "page"])
def test_no_room_hides_a_template_or_script_of_another(kind: str) -> None:
    names = [file.name for room in ROOMS for file in (room / kind).glob("*.*")]
    assert len(names) > 20
    assert sorted({name for name in names if names.count(name) > 1}) == []

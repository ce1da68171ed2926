"""What README.md, CONTRIBUTING.md and docs/ promise is what there is: settings, Space header, links, commands, code."""

from __future__ import annotations

import ast
import json
import re
import shlex
import shutil
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from pydantic.fields import FieldInfo

import annotate.__main__
import fmp_models.__main__
import hub_cards.__main__
from demo.examples.catalogue import FOLDER as EXAMPLES
from demo.settings import Settings
from hub_cards.pushing import space_files
from tests.thoroughness import one_of

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
}
ALL = "\n".join(PAGES.values())
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", ALL, re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"\.venv/bin/python -m (annotate|fmp_models|hub_cards) ([^`\n]+)")
PHOTOGRAPHS = {
    "me.jpg": "warrior_current",
    "warrior.jpg": "warrior_target",
    "one.jpg": "warrior_target",
    "two.jpg": "squat_target",
    "three.jpg": "tree_target",
}
MAX_SHORT_DESCRIPTION = 60  # characters; the Hub refuses more
LARGEST_PICTURE = 150_000  # bytes


def links(page: str) -> list[tuple[str, str]]:
    """Return the file and section (or "") that each link or picture of a page leads to, without external links."""
    aims = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```", "", PAGES[page], flags=re.MULTILINE | re.DOTALL))
    destinations = []
    for file, _, section in (aim.partition("#") for aim in aims if "://" not in aim):
        path = (ROOT / page).parent / file if file else ROOT / page
        destinations.append((path.resolve().relative_to(ROOT).as_posix(), section))
    return destinations


def sections(page: str) -> set[str]:
    """Return the anchors of a page's headings."""
    titles = re.findall(r"^#+ (.+)$", PAGES[page], re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.fixture(scope="module")
def header() -> dict[str, Any]:
    """Give the Space header, the YAML between the first two lines of dashes."""
    fields = yaml.safe_load(README.split("---\n")[1])
    assert isinstance(fields, dict)
    return fields


def variable(name: str, field: FieldInfo) -> str:
    """Name the environment variable that a setting is read from."""
    return str(field.validation_alias or f"FMP_{name}".upper())


def test_the_two_commands_come_before_all_others() -> None:
    first = next(text for _, text in re.findall(r"^```(\w*)\n(.*?)^```", README, re.MULTILINE | re.DOTALL))
    assert re.findall(r"^make [a-z]+", first, re.MULTILINE) == ["make run", "make test"]


def figures(text: str) -> list[list[str]]:
    """Return the rows of the tables of figures: what, value and command."""
    tables = re.findall(r"^\| what \| value \| command \|\n\|[-|]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    return [row.strip("| ").split(" | ") for table in tables for row in table.splitlines()]


def test_every_figure_has_its_command() -> None:
    rows = figures(PAGES["docs/measured.md"])
    assert rows
    assert [row for row in rows if len(row) != 3 or not re.search(r"`|^as above", row[2])] == []
    assert [row for row in rows if not re.search(r"\d|equal to|as many as", row[1])] == []
    firsts = re.findall(r"^\|---\|---\|---\|\n\|(.*)\|$", PAGES["docs/measured.md"], re.MULTILINE)
    assert [row for row in firsts if row.endswith("| as above ")] == []


def test_every_figure_of_the_readme_is_one_of_all() -> None:
    rows = figures(README)
    assert rows
    assert [row for row in rows if row not in figures(PAGES["docs/measured.md"])] == []


def test_the_table_names_every_setting_of_ours_once() -> None:
    rows = re.findall(r"^\| `(FMP_\w+)` \|", ALL, re.MULTILINE)
    settings = [variable(name, field) for name, field in Settings.model_fields.items()]
    assert sorted(rows) == sorted(name for name in settings if name.startswith("FMP_"))


@pytest.mark.parametrize(
    ("name", "default"),
    [
        (variable(name, field), field.default)
        for name, field in Settings.model_fields.items()
        if isinstance(field.default, str | int) and field.default != "" and variable(name, field).startswith("FMP_")
    ],
)
def test_the_table_tells_the_default(name: str, default: str | int) -> None:
    row = re.search(rf"^\| `{name}` \| `([^`]*)` \|", ALL, re.MULTILINE)
    assert row is not None
    assert row[1] == (str(default).lower() if isinstance(default, bool) else str(default))


def test_a_space_runs_the_gradio_that_is_required(header: dict[str, Any]) -> None:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    gradio = next(Requirement(line) for line in lines if line.startswith("gradio["))
    assert gradio.specifier.contains(header["sdk_version"])
    assert header["sdk"] == "gradio"


def test_the_space_header_is_one_the_hub_accepts(header: dict[str, Any]) -> None:
    assert (ROOT / header["app_file"]).is_file()
    assert len(header["short_description"]) <= MAX_SHORT_DESCRIPTION
    colours = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
    assert {header["colorFrom"], header["colorTo"]} <= colours
    # A number would lose its last zero one day: 3.10 is 3.1.
    assert isinstance(header["python_version"], str)


def test_pictures_are_there_and_small() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README)
    assert pictures
    drawn = [path for page in PAGES for path, _ in links(page) if not path.endswith(".md")]
    assert set(pictures) <= set(drawn)
    assert [path for path in drawn if not 0 < (ROOT / path).stat().st_size <= LARGEST_PICTURE] == []


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_pages_and_sections_that_are_there(page: str) -> None:
    lost = [
        (path, section)
        for path, section in links(page)
        if not (ROOT / path).is_file() or (section and section not in sections(path))
    ]
    assert lost == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, waiting = set[str](), ["README.md"]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        waiting += [path for path, _ in links(page) if path in PAGES and path not in reached]
    assert reached == set(PAGES)


def test_a_space_is_given_every_page_and_picture_that_is_linked_to() -> None:
    linked = {path for page in PAGES for path, _ in links(page)} - {"README.md"}
    assert linked
    assert linked <= set(space_files())


def test_commands_are_accepted() -> None:
    parsers = {
        "annotate": annotate.__main__._parser(),
        "fmp_models": fmp_models.__main__._parser(),
        "hub_cards": hub_cards.__main__._parser(None),
    }
    commands = COMMAND.findall(ALL)
    assert {room for room, _ in commands} == set(parsers)
    for room, arguments in commands:
        assert parsers[room].parse_args(shlex.split(arguments, comments=True)).run


def test_no_command_is_shown_in_a_form_that_is_not_checked() -> None:
    # Within quotes it is what a command is handed.
    command_lines = re.findall(r"^.*?python -m (?:annotate|fmp_models|hub_cards)\b.*$", ALL, re.MULTILINE)
    unchecked = re.compile(r"(?<!\.venv/bin/)(?<!\")python -m (?:annotate|fmp_models|hub_cards)\b")
    assert command_lines
    assert [line for line in command_lines if unchecked.search(line)] == []


def test_tests_that_measure_are_there_and_are_chosen_by_their_command() -> None:
    chosen = set(re.findall(r"\.venv/bin/pytest( [^`\n]*)?-k (\w+)", ALL))
    # A whole test of the thorough pass; without its mark a command would choose nothing.
    tests = {
        name: bool(marks)
        for path in (ROOT / "tests").rglob("test_*.py")
        for marks, name in re.findall(r"(@thorough\n(?:@.*\n)*)?^def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert chosen
    lacking = [
        part
        for options, part in sorted(chosen)
        if not any(part in name and ("-m thorough" in options or not marked) for name, marked in tests.items())
    ]
    assert lacking == []


def test_programs_of_the_environment_are_there() -> None:
    named = set(re.findall(r"\.venv/bin/([\w-]+)", ALL)) - {"python"}
    assert named
    assert named <= {script.name for script in entry_points(group="console_scripts")}


def test_recipes_are_there() -> None:
    named = set(re.findall(r"fmp_models/training/configs/\w+\.toml", ALL))
    assert named
    assert [path for path in sorted(named) if not (ROOT / path).is_file()] == []


def test_make_targets_are_there() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    code = [text for _, text in BLOCKS] + re.findall(
        r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", ALL, flags=re.DOTALL | re.MULTILINE)
    )
    named = {name for text in code for name in re.findall(r"(?:^|[ \n])make ([a-z-]+)", text)}
    assert {"run", "test", "test-all", "venv", "lint", "bench", "cards"} <= named
    assert named <= set(targets)


@pytest.mark.parametrize("code", [text for language, text in BLOCKS if language == "python"])
def test_lines_of_python_name_what_there_is(code: str) -> None:
    imported = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom)]
    names = [(str(node.module), alias.name) for node in imported for alias in node.names]
    assert [(module, name) for module, name in names if not hasattr(import_module(module), name)] == []


@pytest.mark.parametrize("text", [text for language, text in BLOCKS if language == "json"])
def test_json_that_is_shown_can_be_read(text: str) -> None:
    assert json.loads(text)


@pytest.fixture
def photographs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder, the one that is worked in, with photographs under the names that the pages give them."""
    for name, example in PHOTOGRAPHS.items():
        shutil.copy(EXAMPLES / f"{example}.jpg", tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("photographs")
def test_the_lines_of_python_in_the_readme_correct_a_pose(
    pose_model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (lines,) = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert len([line for line in lines.splitlines() if line]) == 4
    # The model that `make venv` brings, and no way to Google.
    monkeypatch.setattr("fmp_models.estimators.pose_models.BUILT", pose_model)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    exec(compile(lines, "README.md", "exec"), {})  # noqa: S102  what the README tells people to run
    printed = capsys.readouterr().out
    assert re.search(r"\barms?\b.*shoulder height", printed)
    assert re.search(r"\bknee\b", printed)


@pytest.mark.usefixtures("photographs")
@pytest.mark.parametrize(("command", "key"), one_of([("correct", "text"), ("retrieve", "ranking")]))
def test_the_commands_for_photographs_answer(
    pose_model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str, key: str
) -> None:
    (arguments,) = {
        command_line
        for room, command_line in COMMAND.findall(ALL)
        if room == "fmp_models" and command_line.startswith(f"{command} me.jpg")
        if "--gallery" not in command_line
    }
    monkeypatch.setenv("FMP_POSE_MODEL", str(pose_model))
    assert fmp_models.__main__.main(shlex.split(arguments)) == 0
    assert json.loads(capsys.readouterr().out)[key]


def test_the_lines_of_python_load_a_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (lines,) = [text for _, text in BLOCKS if "load_dataset(" in text]
    (tmp_path / "OUT").symlink_to(ROOT / "fmp_models" / "data" / "sample", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    loaded: dict[str, Any] = {}
    exec(compile(lines, "training.md", "exec"), loaded)  # noqa: S102  what the page tells people to run
    assert loaded["pairs"]["train"].num_rows > 0

from __future__ import annotations

from pathlib import Path

import pytest

from fmp_models.errors import BadInputError
from hub_cards.space import PROJECT, space_files, space_readme

HEADER = "---\ntitle: Tiny\nsdk: gradio\n---\n"
README = f"{HEADER}\n# Tiny\n\n![The page](.github/page.jpg)\n\nText.\n\n![A pose](demo/pose.jpg)\n"
SENT = (
    "app.py",
    "annotate/storage/store.py",
    "demo/page.py",
    "demo/copy/en.toml",
    "fmp_models/pose.py",
    "requirements.txt",
    "packages.txt",
)
KEPT_HERE = (
    ".env",
    ".git/config",
    ".venv/bin/python",
    "demo/.secret",
    "demo/__pycache__/page.pyc",
    "demo/page.pyi",
    "fmp_models/.cache/x.json",
    "hub_cards/space.py",
    "requirements-dev.txt",
    "tests/test_page.py",
    "notes.txt",
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in (*SENT, *KEPT_HERE):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "README.md").write_text(README)
    (tmp_path / "demo" / "link.txt").symlink_to(tmp_path / ".env")
    return tmp_path


def test_the_app_is_sent_and_tests_caches_hidden_files_and_links_are_not(project: Path) -> None:
    assert set(space_files(project)) == set(SENT)


def test_a_licence_that_is_there_goes_along(project: Path) -> None:
    (project / "LICENSE").write_text("MIT")
    assert set(space_files(project)) == {*SENT, "LICENSE"}


def test_the_project_itself_can_be_sent() -> None:
    files = space_files(PROJECT)
    assert {"app.py", "annotate/storage/store.py", "demo/shell.py", "fmp_models/pose.py", "requirements.txt"} <= set(
        files
    )
    assert not any(name.startswith("tests/") or "/." in f"/{name}" for name in files)


def test_the_header_stays_and_pictures_that_are_not_sent_go(project: Path) -> None:
    assert space_readme(project) == f"{HEADER}\n# Tiny\n\nText.\n\n![A pose](demo/pose.jpg)\n"


def test_the_projects_own_readme_becomes_that_of_the_space() -> None:
    assert space_readme(PROJECT).startswith("---\ntitle: FixMyPose\n")
    assert ".github" not in space_readme(PROJECT)


@pytest.mark.parametrize("text", ["# No header\n", "---\ntitle: no end\n", ""])
def test_a_readme_without_a_header_is_refused(project: Path, text: str) -> None:
    (project / "README.md").write_text(text)
    with pytest.raises(BadInputError) as error:
        space_readme(project)
    assert error.value.code == "space_header_missing"


@pytest.mark.parametrize("name", ["app.py", "requirements.txt"])
def test_a_part_that_is_missing_is_named(project: Path, name: str) -> None:
    (project / name).unlink()
    with pytest.raises(BadInputError) as error:
        space_files(project)
    assert error.value.details["path"] == str(project / name)

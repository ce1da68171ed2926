"""``fixmypose``: its help, its version, and the programs that it starts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fmp_models import __main__ as command_line
from fmp_models import __version__
from tests.commands import ROOT, run_command, run_here

HEAVY = {"PIL", "annotate", "demo", "hub_cards", "huggingface_hub", "mediapipe", "numpy", "requests", "torch"}


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)


def test_help_lists_every_command_with_a_line_and_imports_none_of_them() -> None:
    done = python(
        "import sys\n"
        "from fmp_models.__main__ import main\n"
        "try:\n    main(['--help'])\n"
        f"finally:\n    print(sorted({HEAVY!r} & {{name.split('.')[0] for name in sys.modules}}), file=sys.stderr)"
    )
    assert (done.returncode, done.stderr) == (0, "[]\n")
    listed = " ".join(done.stdout.split())
    assert done.stdout.startswith("usage: fixmypose ")
    assert [name for name, (_, line) in command_line._COMMANDS.items() if f" {name} {line}" not in listed] == []


@pytest.mark.parametrize("name", command_line._COMMANDS)
def test_every_command_has_a_help_of_its_own(name: str) -> None:
    done = run_here(name, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: fixmypose {name} ")


def test_the_module_is_called_by_the_name_that_started_it() -> None:
    assert run_command("--help").stdout.startswith("usage: python -m fmp_models ")


def test_the_version_is_that_of_the_package() -> None:
    assert run_here("--version").stdout == f"fixmypose {__version__}\n"


@pytest.mark.parametrize(
    ("words", "meant"), [(("corect",), "correct"), (("annotate", "reprot"), "report"), (("cards", "pusch"), "push")]
)
def test_an_unknown_command_is_refused_with_the_nearest_one(words: tuple[str, ...], meant: str) -> None:
    done = run_here(*words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"invalid choice: '{words[-1]}', maybe you meant '{meant}'? (choose from" in done.stderr


def test_a_word_like_no_command_is_refused_without_a_guess() -> None:
    assert "invalid choice: 'zzz' (choose from" in run_here("zzz").stderr


def test_app_reads_the_settings_of_the_environment() -> None:
    done = run_command("app", FMP_PORT="none")
    assert (done.returncode, done.stdout) == (2, "")
    assert "FMP_PORT" in done.stderr


@pytest.mark.parametrize("name", ["app", "cards"])
def test_without_the_source_tree_it_is_said_how_to_get_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_line, "_TREE", tmp_path)
    done = run_here(name)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"fixmypose {name} runs in the source tree; please clone the repository and run make run in it.\n"
    )


def test_a_program_whose_library_is_not_installed_names_the_extra() -> None:
    done = python(
        "import sys\nsys.modules['sqlalchemy'] = None\n"
        "from fmp_models.__main__ import main\nsys.exit(main(['annotate', 'report']))"
    )
    assert done.returncode == 2
    assert done.stderr == (
        "fixmypose annotate needs sqlalchemy, which is not installed; please run pip install 'fixmypose[annotate]'.\n"
    )

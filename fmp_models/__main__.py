"""Command line ``fixmypose COMMAND``, or ``python -m fmp_models COMMAND``.

Exit codes: 0 success, 2 bad input with one sentence that says why, 1 an internal error. With ``--json``
standard output is exactly one JSON object; progress and warnings go to standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from fmp_models import __version__
from fmp_models.common import BAD_INPUT, OneSentenceParser, end_process, let_waiting_threads_sleep, run_command

# The module of each command, which is imported when the command is given, and one line of help.
_COMMANDS = {
    "app": ("app", "serve the page; its settings are FMP_* variables"),
    "correct": ("fmp_models.commands.corrections", "describe how to get from one pose to another"),
    "describe-motion": ("fmp_models.commands.motions", "describe a motion capture or a film, pose by pose"),
    "measure": ("fmp_models.commands.corrections", "measure the joints in a folder of photographs"),
    "retrieve": ("fmp_models.commands.corrections", "find the photograph that a description means"),
    "difference": ("fmp_models.commands.corrections", "describe the difference of two pictures of anything"),
    "score": ("fmp_models.commands.evaluation", "score corrections against human references"),
    "properties": ("fmp_models.commands.evaluation", "count the linguistic properties of texts, beside the paper's"),
    "evaluate": ("fmp_models.commands.evaluation", "score a model on splits that it was not trained on"),
    "evaluate-real": ("fmp_models.commands.real_photographs", "evaluate corrections of labelled real photographs"),
    "evaluate-questions": ("fmp_models.commands.real_photographs", "evaluate retrieval with people's own questions"),
    "edit": ("fmp_models.commands.editing", "make a text right for two photographs, word by word"),
    "ask": ("fmp_models.commands.dialogue", "answer questions about two photographs, one conversation"),
    "imagine": ("fmp_models.commands.counterfactual", "change the target pose in words, and the text follows"),
    "dialogue": ("fmp_models.commands.dialogue", "datasets of questions about poses, and how they are answered"),
    "edit-oracle": ("fmp_models.commands.editing", "replay the fewest edits of a caption editing file"),
    "edit-score": ("fmp_models.commands.editing", "score edited captions against their ground truth"),
    "evaluate-edits": ("fmp_models.commands.editing", "compare editors on the texts to edit of a dataset"),
    "minimal-pairs": ("fmp_models.commands.counterfactual", "tell whether texts and rankings follow edits of poses"),
    "counterfactual-dataset": (
        "fmp_models.commands.counterfactual",
        "add questions about imagined changes to a dataset",
    ),
    "counterfactual-scores": ("fmp_models.commands.counterfactual", "score models on questions about imagined changes"),
    "audit-choices": ("fmp_models.commands.counterfactual", "tell how far words alone answer four-choice questions"),
    "train": ("fmp_models.commands.training", "train a captioner, retriever, estimator or lifter"),
    "table": ("fmp_models.commands.training", "reproduce a table of the paper"),
    "calibrate": ("fmp_models.commands.evaluation", "fit a captioner's confidence on simulated pictures"),
    "measure-joints": ("fmp_models.commands.training", "measure the joints of a dataset once, for training"),
    "simulate": ("fmp_models.commands.datasets", "make a dataset of simulated people in rooms"),
    "simulate-changes": ("fmp_models.commands.datasets", "make a dataset of rooms in which one thing changes"),
    "import-fixmypose": ("fmp_models.commands.datasets", "convert the official release to the same schema"),
    "import-pairs": ("fmp_models.commands.datasets", "convert pairs of pictures of anything to the same schema"),
    "edit-dataset": ("fmp_models.commands.datasets", "add texts to edit to a dataset, for training and evaluation"),
    "annotate": ("annotate.__main__", "make campaigns; export, publish and report answers"),
    "cards": ("hub_cards.__main__", "bundle models; write and push cards, models and data"),
}
_PROGRAMS = ("app", "annotate", "cards")  # they read their arguments themselves
_TREE = Path(__file__).resolve().parents[1]
_PROG = "python -m fmp_models" if sys.argv[0] == __file__ else "fixmypose"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    let_waiting_threads_sleep()
    words = [*(sys.argv[1:] if arguments is None else arguments)]
    if words and words[0] in _PROGRAMS:
        return _run_program(*words)
    return run_command(_parser(words[:1]), words)


def command() -> NoReturn:
    """Run ``fixmypose``, and end its process with the exit code."""
    end_process(main())


def _parser(loaded: Container[str] = _COMMANDS) -> OneSentenceParser:
    """Return the parser of all commands; those that are ``loaded`` have their arguments."""
    parser = OneSentenceParser(prog=_PROG, description="FixMyPose from the command line.")
    parser.add_argument("--version", action="version", version=f"fixmypose {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=OneSentenceParser)
    for name, (module, line) in _COMMANDS.items():
        of_command = commands.add_parser(name, help=line, description=f"{line[0].upper()}{line[1:]}.")
        if name in loaded and name not in _PROGRAMS:
            getattr(import_module(module), f"add_{name.replace('-', '_')}_arguments")(of_command)
    return parser


def _run_program(name: str, *words: str) -> int:
    """Run a program of its own; ``app`` and ``cards`` are in the source tree alone."""
    module, line = _COMMANDS[name]
    prog = f"{_PROG} {name}"
    parser = OneSentenceParser(prog=prog, description=f"{line[0].upper()}{line[1:]}.")
    if name == "app":
        parser.parse_args(words)
    if (_TREE / "demo" / "shell.py").is_file():
        sys.path.insert(0, str(_TREE))
    elif name != "annotate":
        parser.exit(BAD_INPUT, f"{prog} runs in the source tree; please clone the repository and run make run in it.\n")
    try:
        program = import_module(module)
        return int(program.main() if name == "app" else program.main(words, prog=prog))
    except ModuleNotFoundError as missing:
        extra = "annotate" if name == "annotate" else "app"
        parser.exit(
            BAD_INPUT,
            f"{prog} needs {missing.name}, which is not installed; please run pip install 'fixmypose[{extra}]'.\n",
        )


if __name__ == "__main__":
    command()

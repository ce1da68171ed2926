"""The command line: ``python -m annotate campaign | dataset | export | pair | publish | reject | report``.

Exit codes: 0 for success, 2 for bad input with one sentence that explains it, 1 for an internal error.
"""

from __future__ import annotations

from collections.abc import Sequence

from fmp_models.common import OneSentenceParser, end_process, run_command


def main(arguments: Sequence[str] | None = None, prog: str = "python -m annotate") -> int:
    """Run one command and return its exit code; ``prog`` is how a person calls this program."""
    return run_command(_parser(prog), arguments)


def _parser(prog: str = "python -m annotate") -> OneSentenceParser:
    from annotate.cli import COMMANDS  # noqa: PLC0415  it loads the rooms

    parser = OneSentenceParser(
        prog=prog, description="Campaigns for annotators, their answers, and decisions about them."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=OneSentenceParser)
    for add_command in COMMANDS:
        add_command(commands)
    return parser


if __name__ == "__main__":
    end_process(main())

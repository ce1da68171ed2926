"""The command line: ``python -m annotate campaign | dataset | export | publish | report``.

Exit codes: 0 for success, 2 for bad input with one sentence that explains it, 1 for an internal error.
"""

from __future__ import annotations

from collections.abc import Sequence

from fmp_models.common import OneSentenceParser, end_process, run_command


def main(arguments: Sequence[str] | None = None, prog: str = "python -m annotate") -> int:
    """Run one command and return its exit code; ``prog`` is how a person calls this program."""
    return run_command(_parser(prog), arguments)


def _parser(prog: str = "python -m annotate") -> OneSentenceParser:
    from annotate.cli import add_campaign, add_dataset, add_export, add_publish, add_report  # noqa: PLC0415  it loads the rooms

    parser = OneSentenceParser(
        prog=prog, description="Campaigns for annotators, and their answers: dataset, export, publish and report."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=OneSentenceParser)
    for add_command in (add_campaign, add_dataset, add_export, add_publish, add_report):
        add_command(commands)
    return parser


if __name__ == "__main__":
    end_process(main())

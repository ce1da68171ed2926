"""``imagine``, ``minimal-pairs``, ``counterfactual-*``, ``audit-choices``: imagined changes of poses, and questions."""

from __future__ import annotations

import argparse
from pathlib import Path

from fmp_models.commands.options import check_writable, demand_within, json_text, write_results
from fmp_models.common import SEEDS
from fmp_models.languages import LANGUAGES, grammar, language_of, transliterated

_MAX_EDITS = 100_000


def add_imagine_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``imagine``."""
    from fmp_models.commands.corrections import add_pair_arguments  # noqa: PLC0415  loads no photograph for files

    add_pair_arguments(parser)
    parser.add_argument("changes", nargs="+", metavar="CHANGE", help='such as "left hand at head height"; up to three')
    parser.add_argument(
        "--language", help=f"of the text, one of: {', '.join(LANGUAGES)} (default: that of the first change)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_imagine)


def _imagine(options: argparse.Namespace) -> int:
    from fmp_models.commands.corrections import measured_pair, pair_arguments  # noqa: PLC0415
    from fmp_models.counterfactual import imagine, read_edits  # noqa: PLC0415

    first = options.changes[0]
    language = options.language or (transliterated(first) or (language_of(first),))[0] or LANGUAGES[0]
    grammar(language)
    read_edits(options.changes)
    said = imagine(measured_pair(pair_arguments(options)), options.changes, language)
    if options.json:
        print(json_text(said.as_json()))
        return 0
    print(said.imagined)
    marked = [*(("+" if new else " ", text) for text, new in said.steps), *(("-", text) for text in said.gone)]
    print("\n".join(" ".join(line) for line in marked))
    return 0


def add_minimal_pairs_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``minimal-pairs``."""
    parser.add_argument("dataset", type=Path, help="dataset folder, as simulate makes it")
    parser.add_argument("--split", default="test_unseen", help="default: test_unseen")
    parser.add_argument("--edits", type=int, default=500, help="number of minimal pairs (default: 500)")
    parser.add_argument("--seed", type=int, default=0, help="random seed (default: 0)")
    parser.add_argument("--language", choices=LANGUAGES, default=LANGUAGES[0], help="language of texts (default: en)")
    parser.add_argument("--model", metavar="CAPTIONER", help="captioner that writes texts, too, such as captioner")
    parser.add_argument("--out", type=Path, help="file for the shares")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_minimal_pairs)


def _minimal_pairs(options: argparse.Namespace) -> int:
    for name, least, most in (("edits", 1, _MAX_EDITS), ("seed", 0, SEEDS - 1)):
        demand_within(options, name, least, most)
    if options.out is not None:
        check_writable(options.out)
    from fmp_models.counterfactual import measure_minimal_pairs, minimal_pairs_table  # noqa: PLC0415  it loads torch

    about = (options.dataset, options.split, options.edits, options.seed, options.language, options.model)
    report = measure_minimal_pairs(*about)
    if options.out is not None:
        write_results({options.out: report})
    print(json_text(report) if options.json else minimal_pairs_table(report))
    return 0


def add_counterfactual_dataset_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``counterfactual-dataset``."""
    parser.add_argument("dataset", type=Path, help="dataset folder, as simulate makes it")
    parser.add_argument("--split", help="make the questions of one split (default: all)")
    parser.add_argument("--seed", type=int, default=0, help="random seed (default: 0)")
    parser.set_defaults(run=_counterfactual_dataset)


def _counterfactual_dataset(options: argparse.Namespace) -> int:
    demand_within(options, "seed", 0, SEEDS - 1)
    from fmp_models.counterfactual import write_counterfactual  # noqa: PLC0415  it loads torch
    from fmp_models.metrics import audit_lines  # noqa: PLC0415

    for split, audit in write_counterfactual(options.dataset, options.seed, options.split).items():
        print(f"{split}: {audit_lines(audit)}\n")
    return 0


def add_counterfactual_scores_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``counterfactual-scores``."""
    parser.add_argument("dataset", type=Path, help="dataset folder with questions of counterfactual-dataset")
    parser.add_argument("--split", default="test_unseen", help="default: test_unseen")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_counterfactual_scores)


def _counterfactual_scores(options: argparse.Namespace) -> int:
    from fmp_models.counterfactual import choice_scores, choice_scores_table  # noqa: PLC0415  it loads torch

    report = choice_scores(options.dataset, options.split)
    print(json_text(report) if options.json else choice_scores_table(report))
    return 0


def add_audit_choices_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``audit-choices``."""
    parser.add_argument("file", type=Path, help="JSON list of questions with four choices, as CoSIm has them")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_audit_choices)


def _audit_choices(options: argparse.Namespace) -> int:
    from fmp_models.metrics import audit_choices, audit_lines, read_choices  # noqa: PLC0415

    audit = audit_choices(read_choices(options.file))
    print(json_text(audit) if options.json else audit_lines(audit))
    return 0

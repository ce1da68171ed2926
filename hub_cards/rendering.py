"""Model cards: one set of templates, filled from the files of a checkpoint."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from huggingface_hub import ModelCardData
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from fmp_models.errors import BadInputError
from fmp_models.evaluation.reading_out import DIFFERENT_DATA
from fmp_models.hub.references import CARD
from fmp_models.languages.vocabulary import SPECIALS
from hub_cards.checkpoints import Checkpoint, read_checkpoint, tables_beside
from hub_cards.results import (
    DATASET,
    CardTable,
    eval_results,
    evaluation_tables,
    language_name,
    paper_table,
    questions_table,
    real_table,
    task_of,
)

_TEMPLATES = Path(__file__).parent / "templates"
_BLANK_LINES = re.compile(r"\n{3,}")
_TAGS = {
    "captioner": ["human-pose", "image-captioning", "fitness"],
    "retriever": ["human-pose", "image-retrieval", "fitness"],
    "estimator": ["human-pose", "pose-estimation"],
    "lifter": ["human-pose", "pose-estimation", "pose-lifting"],
}


def card_of(checkpoint: Checkpoint) -> str:
    """Return the text of README.md, with the tables of neighbouring models, which may include this one."""
    described, network = checkpoint.described, checkpoint.described.network
    languages = list(described.vocabularies)
    tables = [*checkpoint.tables, *tables_beside(checkpoint.folder)]
    retrieval = described.kind == "retriever"
    shown = [table for table in tables if ("accuracy" in table.columns) == retrieval]
    evaluated = checkpoint.evaluated
    text = (
        _environment()
        .get_template(f"{checkpoint.sort}.md")
        .render(
            front=_front(checkpoint, languages),
            name=checkpoint.name,
            network=network,
            backbone=network.get("backbone"),
            languages=[language_name(language) for language in languages],
            first_language=languages[0] if languages else "",
            words=" and ".join(
                f"{count - len(SPECIALS):,} {language_name(code)} ones"
                for code, count in described.vocabularies.items()
            ),
            parameters=f"{checkpoint.parameters:,}",
            weights=f"{checkpoint.weight_bytes / 1_000_000:.1f} MB",
            training=checkpoint.training,
            evaluated=evaluated,
            stale=evaluated is not None and evaluated.revision != checkpoint.revision,
            evaluation=evaluation_tables(checkpoint),
            different_data=DIFFERENT_DATA,
            tables=[paper_table(table) for table in shown] if described.kind in {"captioner", "retriever"} else [],
            real=_before_real_photographs(checkpoint),
        )
    )
    return _BLANK_LINES.sub("\n\n", text).strip() + "\n"


def render(folders: Iterable[Path], *, check: bool = False) -> list[Path]:
    """Write the card of every model folder and return the cards that were out of date.

    With ``check`` nothing is written. Raise ``BadInputError``: ``card_outdated`` with ``check``, ``folder_unusable``,
    and what :func:`read_checkpoint` raises.
    """
    checkpoints = [read_checkpoint(folder) for folder in folders]
    changed = []
    for checkpoint in checkpoints:
        text = card_of(checkpoint)
        card = checkpoint.folder / CARD
        try:
            if card.is_file() and card.read_bytes() == text.encode():
                continue
            changed.append(card)
            if not check:
                card.write_text(text, encoding="utf-8", newline="\n")
        except OSError:
            raise BadInputError("folder_unusable", path=str(checkpoint.folder)) from None
    if check and changed:
        raise BadInputError("card_outdated", names=", ".join(card.parent.name for card in changed))
    return changed


def _before_real_photographs(checkpoint: Checkpoint) -> CardTable | None:
    if checkpoint.real is not None:
        return real_table(checkpoint.real, checkpoint)
    return None if checkpoint.asked is None else questions_table(checkpoint.asked)


def _front(checkpoint: Checkpoint, languages: list[str]) -> str:
    """Return the YAML front matter for the Hub."""
    results = eval_results(checkpoint)
    return ModelCardData(
        language=languages or None,
        license="mit",
        library_name="pytorch",
        pipeline_tag="text-generation" if checkpoint.sort == "language-only" else task_of(checkpoint)[0],
        tags=["fixmypose", *_TAGS[checkpoint.described.kind]],
        datasets=[DATASET],
        metrics=list(dict.fromkeys(result.metric_type for result in results)) or None,
        model_name=checkpoint.name,
        eval_results=results or None,
    ).to_yaml()


def _environment() -> Environment:
    """Return the template environment.

    Markdown is not HTML, so nothing is escaped; a missing value is an error rather than blank.
    """
    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701
    )

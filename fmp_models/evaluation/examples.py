"""Examples for a card, as in Figures 7 and 16 of the paper: texts of models and references, with the pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from fmp_models.common import DecodingBudget, read_pixels
from fmp_models.data import MOMENTS, read_rows
from fmp_models.errors import BadInputError
from fmp_models.evaluation.model_evaluation import Evaluation, EvaluationRequest, evaluate_model, model_name
from fmp_models.hub import CHECKPOINTS, bundled_names, kind_of, resolve_model
from fmp_models.inference import GEOMETRY
from fmp_models.languages import grammar
from fmp_models.training import dataset_parts

UNIMODAL = ("captioner-language", "captioner-vision")
EXAMPLES = "examples"  # a folder of pictures; the file beside it has the ending md
_SIDE = 448  # pixels of a picture
_MARKUP = re.compile(r"([\\`*_{}\[\]<>|#!~&])")


def check_captioners(models: Sequence[str]) -> None:
    """Raise ``BadInputError`` for a model that cannot be found, or is no captioner (``examples_of_captioners``)."""
    for model in models:
        if model != GEOMETRY.id and kind_of(resolve_model(model)) != "captioner":
            raise BadInputError("examples_of_captioners", model=model_name(model))


def write_examples(  # noqa: PLR0913, PLR0917  the evaluation, and where to write what of it
    request: EvaluationRequest, evaluation: Evaluation, count: int, others: Sequence[str], folder: Path, cache: Path
) -> Path:
    """Write ``count`` pairs of every split to ``examples.md`` with their pictures, and return its path.

    ``others`` are models beside the evaluated one, by default the bundled ones of :data:`UNIMODAL`. Raises
    ``BadInputError``: ``folder_unusable``, and those of :func:`evaluate_model`. All models are captioners.
    """
    models = others or [name for name in UNIMODAL if name in bundled_names(CHECKPOINTS) and name != request.model]
    lines = ["## Examples", ""]
    try:
        (folder / EXAMPLES).mkdir(parents=True, exist_ok=True)
        for split in evaluation.report["splits"]:
            texts = {code: by_uid for (of, code), by_uid in evaluation.predictions.items() if of == split}
            known = list(dict.fromkeys(uid for by_uid in texts.values() for uid in by_uid))
            uids = [known[at] for at in np.unique(np.linspace(0, len(known) - 1, count).round().astype(int))]
            asked = replace(request, splits=(split,), uids=frozenset(uids), votes=(), scores=False)
            answers = {model_name(request.model): texts}
            for model in models:
                predictions = evaluate_model(replace(asked, model=model), cache).predictions
                answers[model_name(model)] = {code: by_uid for (_, code), by_uid in predictions.items()}
            columns = ["uid", *MOMENTS, *(f"descriptions_{code}" for code in texts)]
            ((part, of_split),) = dataset_parts("captioning", [split])
            rows = {
                row["uid"]: row for row in read_rows(request.dataset, part, of_split, columns) if row["uid"] in uids
            }
            for number, uid in enumerate(uids):
                lines += [f"### `{split}`, {_plain(uid)}", "", *_pictures(rows[uid], f"{split}_{number}", folder)]
                lines += [*_table(rows[uid], answers, tuple(texts)), ""]
        path = folder / f"{EXAMPLES}.md"
        path.write_text("\n".join(lines), encoding="utf-8")
    except OSError:
        raise BadInputError("folder_unusable", path=str(folder)) from None
    return path


def write_edit_examples(
    folder: Path,
    rows: Sequence[Mapping[str, Any]],
    texts: Mapping[str, Sequence[str]],
    pictures: Mapping[str, Any],
    table: str,
) -> None:
    """Write ``examples.md``: a ``table`` of scores, then each text to edit with every editor's, below the pictures.

    ``texts`` has the texts of each editor in the order of the rows, and ``pictures`` the rows of the pairs by uid.
    Raise ``BadInputError``: ``folder_unusable``.
    """
    lines = ["### Editors compared", "", "```", table, "```", "", "## Examples", ""]
    try:
        (folder / EXAMPLES).mkdir(parents=True, exist_ok=True)
        for number, row in enumerate(rows):
            lines += [f"### {_plain(row['kind'])}, {_plain(row['uid'])}", ""]
            lines += _pictures(pictures[row["uid"]], f"{row['language']}_{number}", folder)
            told = {"text to edit": row["ref_cap"], "reference": row["gt_cap"]}
            told |= {editor: of_editor[number] for editor, of_editor in texts.items()}
            lines += [
                "| | |",
                "| --- | --- |",
                *(f"| {_plain(name)} | {_plain(text)} |" for name, text in told.items()),
                "",
            ]
        (folder / f"{EXAMPLES}.md").write_text("\n".join(lines), encoding="utf-8")
    except OSError:
        raise BadInputError("folder_unusable", path=str(folder)) from None


def _pictures(row: Mapping[str, Any], name: str, folder: Path) -> list[str]:
    """Write the pictures of a pair that has them; return the lines that show them."""
    shown = []
    for moment in MOMENTS:
        if row[moment] is not None:
            picture = read_pixels(row[moment]["bytes"], DecodingBudget())
            picture.thumbnail((_SIDE, _SIDE), Image.Resampling.LANCZOS)
            picture.save(folder / EXAMPLES / f"{name}_{moment}.jpg", quality=85)
            shown.append(f"![The {moment} pose]({EXAMPLES}/{name}_{moment}.jpg)")
    return [" ".join(shown), ""] if shown else []


def _table(
    row: Mapping[str, Any], answers: Mapping[str, Mapping[str, Mapping[str, str]]], languages: tuple[str, ...]
) -> Iterator[str]:
    """Yield the lines of a table: a column for each language, a row for the references and for each model."""
    yield f"| | {' | '.join(grammar(code).english_name for code in languages)} |"
    yield f"|{' --- |' * (len(languages) + 1)}"
    references = {code: "<br>".join(map(_plain, row[f"descriptions_{code}"])) for code in languages}
    texts = {
        _plain(model): {code: _plain(by_code.get(code, {}).get(row["uid"], "")) for code in languages}
        for model, by_code in answers.items()
    }
    for name, of_name in {"references": references, **texts}.items():
        yield f"| {name} | {' | '.join(of_name[code] for code in languages)} |"


def _plain(text: str) -> str:
    """Return a text on one line in which Markdown has nothing to interpret."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))

"""Scores of caption editing in the file format of COCO-EE and Flickr30K-EE (Wang et al., ECCV 2022).

A file is a JSON list of instances: a reference caption (Ref-Cap), and the ground-truth caption (GT-Cap) to reach.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from fmp_models.editing.operations import editing_steps, oracle, replay
from fmp_models.errors import BadInputError
from fmp_models.files import read_json, shown
from fmp_models.metrics import JavaFailedError, bleu, cider, java_missing, meteor, rouge_l

_MAX_BYTES = 200_000_000
_MAX_CHARS = 10_000
_EXAMPLE = '[{"sample_id": 1, "Ref-Cap": "a red bus", "GT-Cap": "a blue bus"}]'
_PREDICTIONS = '{"1": "a blue bus"}, or a list of texts in the order of the instances'
_ENGLISH = "en"
_PER_CENT = 100

Caption = Annotated[str, Field(max_length=_MAX_CHARS)]
Tokens = Annotated[tuple[Annotated[str, Field(min_length=1, max_length=_MAX_CHARS)], ...], Field(max_length=_MAX_CHARS)]


class _Entry(BaseModel):
    ref: Caption = Field(alias="Ref-Cap")
    gt: Caption = Field(alias="GT-Cap")
    ref_tokens: Tokens | None = Field(None, alias="Ref-Cap_tokens")
    gt_tokens: Tokens | None = Field(None, alias="GT-Cap_tokens")
    sample_id: int | Annotated[str, Field(max_length=200)] | None = None


@dataclass(frozen=True)
class EditInstance:
    """A reference caption and the ground truth, as texts and as tokens."""

    id: str
    ref: str
    gt: str
    ref_tokens: tuple[str, ...]
    gt_tokens: tuple[str, ...]

    @classmethod
    def of(
        cls,
        name: str,
        ref: str,
        gt: str,
        ref_tokens: tuple[str, ...] | None = None,
        gt_tokens: tuple[str, ...] | None = None,
    ) -> EditInstance:
        """Return an instance; a text without tokens is split at white space, in lower case."""
        tokens = (_tokens(text) if known is None else known for text, known in ((ref, ref_tokens), (gt, gt_tokens)))
        return cls(name, ref, gt, *tokens)


def read_edit_instances(path: Path) -> list[EditInstance]:
    """Read the instances of a file; texts without tokens are split at white space, in lower case.

    Raise :class:`BadInputError`: the errors of ``read_json``, ``json_unexpected``, ``json_empty``, ``uid_twice``.
    """
    try:
        entries = TypeAdapter(list[_Entry]).validate_python(read_json(path, _MAX_BYTES, _EXAMPLE))
    except ValidationError:
        raise BadInputError("json_unexpected", path=str(path), example=_EXAMPLE) from None
    if not entries:
        raise BadInputError("json_empty", path=str(path))
    names = [str(number if entry.sample_id is None else entry.sample_id) for number, entry in enumerate(entries)]
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise BadInputError("uid_twice", path=str(path), uid=shown(name))
    return [
        EditInstance.of(name, entry.ref, entry.gt, entry.ref_tokens, entry.gt_tokens)
        for name, entry in zip(names, entries, strict=True)
    ]


def read_edited(path: Path, instances: Sequence[EditInstance]) -> list[str]:
    """Read the edited texts of ``instances``, by id or in their order.

    Raise :class:`BadInputError`: the errors of ``read_json``, ``json_unexpected``, ``predictions_lacking``.
    """
    content = read_json(path, _MAX_BYTES, _PREDICTIONS)
    try:
        adapter = TypeAdapter[dict[str, str] | list[str]](dict[str, Caption] | list[Caption])
        texts = adapter.validate_python(content, strict=True)
    except ValidationError:
        raise BadInputError("json_unexpected", path=str(path), example=_PREDICTIONS) from None
    if isinstance(texts, list) and len(texts) > len(instances):
        raise BadInputError("json_unexpected", path=str(path), example=_PREDICTIONS)
    by_id = texts if isinstance(texts, dict) else dict(zip((one.id for one in instances), texts, strict=False))
    lacking = [instance.id for instance in instances if instance.id not in by_id]
    if lacking:
        raise BadInputError("predictions_lacking", count=len(lacking), total=len(instances), uid=shown(lacking[0]))
    return [by_id[instance.id] for instance in instances]


def score_oracle(instances: Sequence[EditInstance]) -> dict[str, float]:
    """Return how many ground truths the oracle's operations reproduce when replayed, and its mean editing steps."""
    operations = [oracle(instance.ref_tokens, instance.gt_tokens) for instance in instances]
    reproduced = sum(
        replay(of) == instance.gt_tokens and replay(of, 0) == instance.ref_tokens
        for of, instance in zip(operations, instances, strict=True)
    )
    return {
        "n": len(instances),
        "reproduced": reproduced,
        "mean_es": sum(map(editing_steps, operations)) / len(instances),
    }


def score_edits(
    instances: Sequence[EditInstance], edited: Sequence[str], language: str = _ENGLISH, *, java: bool = True
) -> dict[str, Any]:
    """Return the scores of edited texts in per cent, ``mean_es`` from the reference captions, and exact matches.

    Texts are tokenised as in the paper's code, by white space in lower case. METEOR is left out without ``java``.
    """
    outputs, references = [_tokens(text) for text in edited], [[_tokens(instance.gt)] for instance in instances]
    measured = {f"bleu{order}": one for order, one in enumerate(bleu(outputs, references), 1)}
    measured |= {"rouge_l": rouge_l(outputs, references), "cider_d": cider(outputs, references)}
    if java and java_missing() is None:
        with suppress(JavaFailedError):
            measured["meteor"] = meteor(outputs, references, language)
    steps = [
        editing_steps(oracle(_tokens(instance.ref), output))
        for instance, output in zip(instances, outputs, strict=True)
    ]
    return {
        "n": len(instances),
        "reproduced": sum(output == one for output, [one] in zip(outputs, references, strict=True)),
        "mean_es": sum(steps) / len(instances),
        **{name: _PER_CENT * one.value for name, one in measured.items()},
    }


def _tokens(text: str) -> tuple[str, ...]:
    return tuple(text.lower().split())


def score_lines(scores: Mapping[str, float]) -> str:
    """Return scores as lines of a name and a number."""
    width = max(map(len, scores))
    return "\n".join(
        f"{name:{width}}  {value:.10g}" if name in {"n", "reproduced"} else f"{name:{width}}  {value:.2f}"
        for name, value in scores.items()
    )

"""Dataset card (README) of a published dataset: its kinds and their columns; all other content is kept."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from huggingface_hub import DatasetCard, DatasetCardData

from annotate.kinds.registry import RECORDS
from annotate.publishing.shards import features_of

CARD = "README.md"

_ABOUT: dict[str, Any] = {
    "pretty_name": "FixMyPose annotations",
    "language": ["en", "hi"],
    "tags": ["fixmypose", "human-feedback"],
}
_BODY = """
# FixMyPose annotations

People's answers to questions about pairs of poses and their corrections, as the FixMyPose annotation tool saves them.
Every row is one event and is never changed. Each kind is a configuration:

```python
from datasets import load_dataset

load_dataset("{name}", "{example}")
```

`supersedes` names the event that a row replaces after an edit. A `withdrawal` takes back the event in `of`. The last
event counts. A withdrawal that deletes lists the deleted events in `erases`. If it deletes everything, it also deletes
every other event of its `annotator` that does not know all marks in its `after`. `annotator` is a pseudonym made with a
key that is not published. `checks` of a real pair holds measurements of its photographs before the faces were painted
over; `joints_m` in it holds the joints in metres. `step_feedback` tells whether people found a step of a model's
correction right. Their photographs are never kept; `measured` holds the stick figures of both poses in `joints_m`, and
the clauses of the step. Answers that a person deleted are no longer in these files; the history of a repo may hold
older files until its owner squashes it.
"""


def card_of(kinds: Collection[str], name: str, old: str | None) -> str:
    """Return the card for these kinds; ``name`` is what people load the dataset by, ``old`` the existing card."""
    ordered = [kind for kind in RECORDS if kind in kinds]
    if old is None:
        body = _BODY.format(name=name, example=ordered[0] if ordered else next(iter(RECORDS)))
        card = DatasetCard(f"---\n{DatasetCardData(**_ABOUT).to_yaml()}\n---\n{body}")
    else:
        card = DatasetCard(old, ignore_metadata_errors=True)
    for part in ("configs", "dataset_info"):
        card.data.pop(part, None)
    if ordered:
        from datasets import DatasetInfo  # noqa: PLC0415  its import would slow every command
        from datasets.info import DatasetInfosDict  # noqa: PLC0415

        card.data["configs"] = [{"config_name": kind, "data_files": f"data/{kind}/*.parquet"} for kind in ordered]
        DatasetInfosDict({kind: DatasetInfo(features=features_of(kind)) for kind in ordered}).to_dataset_card_data(
            card.data
        )
    return str(card)

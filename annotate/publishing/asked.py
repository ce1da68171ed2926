"""What campaigns asked, as published rows: items whose texts have neutral ids, and models once they are revealed.

Whoever reads what is published may still answer. So until the owner reveals a campaign, nothing tells which model
wrote a text, and items with a right answer are left out. A file is never changed; its name lists what it holds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

from annotate.campaigns import REAL_SPLIT, Campaign, text_name
from annotate.publishing.tables import ITEMS, MODELS, write_rows

Row = dict[str, Any]

_ITEMS_OF_FILE = 10  # a file name has the names of all


def unpublished(campaign: Campaign, published: Iterable[str], *, revealed: bool) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the content of each file that is still to be published, given the paths of others."""
    known = {name for path in published for name in path.rpartition("/")[2].removesuffix(".parquet").split("-")}
    for kind, of_items in _asked(campaign, revealed=revealed).items():
        named = {hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:10]: rows for rows in of_items}
        waiting = [name for name in named if name not in known]
        for start in range(0, len(waiting), _ITEMS_OF_FILE):
            names = waiting[start : start + _ITEMS_OF_FILE]
            rows = [_with_pictures(campaign, row) for name in names for row in named[name]]
            yield f"data/{kind}/{'-'.join(names)}.parquet", write_rows(kind, rows)


def asked_tables(campaigns: Iterable[Campaign]) -> dict[str, list[Row]]:
    """Return everything that the campaigns asked, as rows by table."""
    tables: dict[str, list[Row]] = {}
    for campaign in campaigns:
        for kind, of_items in _asked(campaign, revealed=True).items():
            tables.setdefault(kind, []).extend(_with_pictures(campaign, row) for rows in of_items for row in rows)
    return tables


def _asked(campaign: Campaign, *, revealed: bool) -> dict[str, list[list[Row]]]:
    """Return the rows of each item by table, with the names of pictures."""
    models, tables = campaign.models_compared(), dict[str, list[list[Row]]]()
    for item in campaign.items:
        if not revealed and (item.gold or item.candidates):
            continue
        # In campaigns of earlier versions, the id of a text to vote on is its model's name.
        texts = [(text_name(text.text) if text.id in models else text.id, text) for text in item.texts]
        texts.sort(key=lambda entry: entry[0])  # a campaign's order is by model
        about = {"campaign": campaign.name, "item": item.uid}
        pictures = item.model_dump(include={"current", "target", "candidates", "further"})
        if item.split == REAL_SPLIT:  # no copies of photographs that people may delete
            pictures = {"current": None, "target": None, "candidates": (), "further": ()}
        shown = [{"id": id_, **text.model_dump(include={"language", "text", "kinds"})} for id_, text in texts]
        row = {**about, "split": item.split, "is_gold": item.gold is not None, **pictures, "texts": shown}
        tables.setdefault(ITEMS, []).append([row])
        compared = [(id_, text) for id_, text in texts if text.source in models and revealed]
        rows = [{**about, "language": text.language, "text": id_, "model": text.source} for id_, text in compared]
        if rows:
            tables.setdefault(MODELS, []).append(rows)
    return tables


def _with_pictures(campaign: Campaign, row: Row) -> Row:
    def picture(name: str | None) -> Row | None:
        return {"bytes": campaign.picture(name), "path": name} if name else None

    if "candidates" not in row:
        return row
    pair = {name: picture(row[name]) for name in ("current", "target")}
    return {**row, **pair, **{name: [picture(file) for file in row[name]] for name in ("candidates", "further")}}

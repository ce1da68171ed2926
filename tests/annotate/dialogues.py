"""A small dataset of dialogues about the pairs of the sample, in the columns of the configuration ``dialogue``."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

SAMPLE = Path(__file__).resolve().parents[2] / "fmp_models" / "data" / "sample"
CAPTIONS = {"en": "Two parts move.", "hi": "दो अंग हिलते हैं।"}
# question, answer, program, kind, dependence, distance
ROUNDS = {
    "en": (
        ("How many parts go up?", "2", "count(filter(direction, up, parts()))", "count_direction", "none", 0),
        ("Does the left knee bend?", "yes", "exist(filter(direction, bend, node(left knee)))", "exist", "none", 0),
        ("Which way does it go?", "up", "seek(direction, focus())", "seek", "coref", 1),
        ("How many other parts move?", "3", "count(except(parts(), mentioned()))", "count_direction", "all", 0),
        ("And the part that you named first?", "no", "exist(first(mentioned()))", "exist", "coref", 4),
    ),
    "hi": (
        ("कितने अंग ऊपर जाते हैं?", "2", "count(filter(direction, up, parts()))", "count_direction", "none", 0),
        ("क्या बायाँ घुटना मुड़ता है?", "हाँ", "exist(filter(direction, bend, node(left knee)))", "exist", "none", 0),
        ("वह किस ओर जाता है?", "ऊपर", "seek(direction, focus())", "seek", "coref", 1),
        ("और कितने अंग हिलते हैं?", "3", "count(except(parts(), mentioned()))", "count_direction", "all", 0),
        ("और जिसका नाम सबसे पहले आया?", "नहीं", "exist(first(mentioned()))", "exist", "coref", 4),
    ),
}
_NAMES = ("question", "answer", "program", "kind", "dependence", "distance")


def rounds(uid: str, language: str, dialogue: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the rounds of a dialogue as rows of the configuration."""
    for number, values in enumerate(ROUNDS[language], 1):
        about = dict(zip(_NAMES, values, strict=True))
        asked = {"uid": uid, "dialogue_id": f"{uid}/{language}/{dialogue}", "language": language, "round": number}
        yield {**asked, "caption": CAPTIONS[language], **about, "nodes": ["left knee"]}


def with_dialogues(folder: Path, languages: tuple[str, ...] = ("en", "hi"), **changes: object) -> Path:
    """Copy the sample with two dialogues in each language about each pair of a split; ``changes`` are of each row."""
    shutil.copytree(SAMPLE, folder)
    (folder / "dialogue").mkdir()
    for path in (folder / "captioning").glob("*.parquet"):
        uids = pq.read_table(path, columns=["uid"])["uid"].to_pylist()
        each = ((uid, language, number) for uid in uids for language in languages for number in range(2))
        rows = [{**row, **changes} for about in each for row in rounds(*about)]
        pq.write_table(pa.Table.from_pylist(rows[::-1]), folder / "dialogue" / path.name)
    return folder


def text_to_judge(uid: str, language: str, place: int, **changes: object) -> dict[str, Any]:
    """Give a round as a text of a campaign file."""
    rows = list(rounds(uid, language))
    row = {name: value for name, value in rows[place].items() if name not in {"uid", "language", "nodes", "kind"}}
    earlier = [[one["question"], one["answer"]] for one in rows[:place]]
    about = {**row, "question_kind": rows[place]["kind"], "earlier": earlier, **changes}
    words = f"{row['question']} {row['answer']}"
    text = {"id": f"round-{place + 1}", "language": language, "source": "dialogue", "text": words, "kinds": ["judge"]}
    return {**text, "dialogue": about}

"""Dataset folder FixMyPose-Dialog: five dialogues of ten questions a pair and language, configuration ``dialogue``.

Both languages put the same programs in words. Everything in a row can be derived again from the joints of its pair and
the programs; :func:`verify_dialogues` does so.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from random import Random
from shutil import rmtree
from typing import Any

import numpy as np
from tqdm import tqdm

from fmp_models.common import replace_file
from fmp_models.data import (
    CAPTIONING_FEATURES,
    DIALOGUE,
    DIALOGUE_FEATURES,
    ShardWriter,
    dataset_contents,
    demand_card,
    read_rows,
    write_dialogue_card,
)
from fmp_models.dialogue.generation import DIALOGUES, captions, generate, keeps_limits, kind_table, phrasings
from fmp_models.dialogue.history import Knowledge, dependence, round_of
from fmp_models.dialogue.programs import Program, Round, execute, parse_program
from fmp_models.dialogue.scene_graph import SceneGraph
from fmp_models.dialogue.wording import value_text
from fmp_models.errors import BadInputError
from fmp_models.languages import LANGUAGES
from fmp_models.pose import pose_pair
from fmp_models.workers import HERE, Workers

_PAIRS = "captioning"  # the configuration whose pairs are spoken about
_JOINTS = ("current_joints", "target_joints")
_DONE = ".dialogues"  # folder of finished pairs
_AFTER = 4  # rounds before the shares of the families are measured
# Published figures of CLEVR-Dialog.
PAPER: Mapping[str, object] = {
    "mean_coreference_distance": 3.2,
    "mean_question_length": 10.6,
    "after_round_3": {"count": "10 to 20 %", "exist": "10 to 20 %", "seek": "30 to 60 %", "independent": "under 10 %"},
}

Row = dict[str, Any]


def write_dialogues(
    dataset: Path, out: Path, pairs: int | None, seed: int = 0, workers: Workers = HERE
) -> tuple[int, int]:
    """Write a dataset folder with pairs of another one and dialogues about them; return the numbers of pairs and rows.

    A pair that has too little to talk about is left out. Finished pairs are kept, so that an unfinished folder can be
    continued; neither that nor the workers change a dialogue. Raise :class:`BadInputError`:
    ``dataset_missing``, ``dataset_without`` pairs, ``dataset_damaged``, ``folder_not_empty``, ``folder_unusable``.
    """
    about = demand_card(dataset).data.to_dict()  # type: ignore[no-untyped-call]
    begun = out.resolve() != dataset.resolve() and any((out / name).is_dir() for name in (_DONE, DIALOGUE))
    if out.exists() and (not out.is_dir() or any(out.iterdir())) and not begun:
        raise BadInputError("folder_not_empty", path=str(out))
    splits = [*dataset_contents(dataset).get(_PAIRS, ())]
    found = [
        row
        for split in splits
        for row in read_rows(dataset, _PAIRS, split, ["uid", *_JOINTS])
        if all(row[name] for name in _JOINTS)
    ]
    if not found:
        raise BadInputError("dataset_without", path=str(dataset), split=f"{_PAIRS}/train")
    Random(seed).shuffle(found)
    try:
        (out / _DONE).mkdir(parents=True, exist_ok=True)
    except OSError:
        raise BadInputError("folder_unusable", path=str(out)) from None
    spoken = _spoken(found, (out / _DONE).resolve(), pairs or len(found), seed, workers)
    for split in splits:
        with ShardWriter(out, _PAIRS, split) as pictures, ShardWriter(out, DIALOGUE, split) as writer:
            for row in read_rows(dataset, _PAIRS, split, [*CAPTIONING_FEATURES]):
                if row["uid"] in spoken:
                    pictures.add(row)
                for question in spoken.get(row["uid"], ()):
                    writer.add(question)
    write_dialogue_card(out, about, dialogue_statistics(out))
    rmtree(out / _DONE)
    return len(spoken), sum(map(len, spoken.values()))


def _spoken(found: Sequence[Row], done: Path, pairs: int, seed: int, workers: Workers) -> dict[str, list[Row]]:
    """Return the dialogues of the first pairs that have enough to talk about, by the names of the pairs."""
    spoken: dict[str, list[Row]] = {}
    progress = tqdm(total=pairs, desc="dialogues", unit=" pairs")
    with progress, closing(workers.map(partial(_kept_rows, done, seed), found)) as of_pairs:
        for row, rows in zip(found, of_pairs, strict=False):
            if rows:
                spoken[row["uid"]] = rows
                progress.update()
            if len(spoken) == pairs:
                break
    return spoken


def _kept_rows(folder: Path, seed: int, row: Row) -> list[Row]:
    """Return the rows about a pair from the file of the finished pair, which is written first if it is missing."""
    path = folder / f"{sha256(json.dumps([seed, row]).encode()).hexdigest()}.json"
    try:
        rows: list[Row] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        rows = dialogue_rows(row, seed)
        replace_file(path, lambda new: new.write_text(json.dumps(rows), encoding="utf-8"))
    return rows


def dialogue_rows(row: Mapping[str, Any], seed: int) -> list[Row]:
    """Return all dialogues about a pair; none if it has too little to talk about."""
    dialogues = generate(_graph(row), (seed, row["uid"]))
    if len(dialogues) < DIALOGUES:
        return []
    rows: list[Row] = []
    for language in LANGUAGES:
        for number, dialogue in enumerate(dialogues):
            about = {"uid": row["uid"], "dialogue_id": f"{row['uid']}-{language}-{number}", "language": language}
            lot = Random(f"{seed} {about}")
            first = dialogue.caption
            about["caption"] = lot.choice(captions(first.kind, first.program, first.answer, language))
            about["caption_program"] = str(first.program)
            rows += [
                {
                    **about,
                    "round": n,
                    "question": lot.choice(phrasings(turn.kind, str(turn.program), language)),
                    "answer": value_text(turn.answer, turn.program, language),
                    "program": str(turn.program),
                    "kind": turn.kind.name,
                    "dependence": turn.dependence,
                    "distance": turn.distance,
                    "nodes": [*turn.answer.nodes],
                }
                for n, turn in enumerate(dialogue.turns, 1)
            ]
    return rows


def _graph(row: Mapping[str, Any]) -> SceneGraph:
    return SceneGraph.of_pair(pose_pair(*(row[name] for name in _JOINTS)))


def read_dialogues(out: Path) -> Iterator[tuple[SceneGraph, list[Row]]]:
    """Yield all dialogues of a dataset with the scene graphs of their pairs, the rows in order.

    Raise :class:`BadInputError`: ``dialogue_missing``, ``dataset_damaged``.
    """
    splits = [path.name.rsplit("-", 3)[0] for path in sorted((out / DIALOGUE).glob("*-00000-of-*.parquet"))]
    if not splits:
        raise BadInputError("dialogue_missing", path=str(out))
    for split in splits:
        graphs: dict[str, SceneGraph] = {}
        pairs = {row["uid"]: row for row in read_rows(out, _PAIRS, split, ["uid", *_JOINTS])}
        rows = read_rows(out, DIALOGUE, split, [*DIALOGUE_FEATURES])
        for _, of_dialogue in groupby(rows, lambda row: (row["uid"], row["dialogue_id"])):
            asked = [*of_dialogue]
            uid = asked[0]["uid"]
            if uid not in pairs:
                raise BadInputError("dataset_damaged", path=str(out / DIALOGUE))
            graphs = graphs if uid in graphs else {uid: _graph(pairs[uid])}
            yield graphs[uid], asked


CHECKS = ("agreed", "revealed_only", "not_known_yet", "counts_kept", "labels_kept")


def verify_dialogues(out: Path) -> dict[str, int]:
    """Return the numbers of dialogues and questions, and how many questions pass each of the checks.

    Every program is executed again on the whole graph (``agreed``: answer and nodes) and on what was revealed before
    (``revealed_only``, ``not_known_yet``); the table of counts, and kind, wording, dependence and distance are derived
    again (``counts_kept``, ``labels_kept``).
    """
    found = Counter(dict.fromkeys(("dialogues", "questions", *CHECKS), 0))
    for graph, rows in tqdm(read_dialogues(out), desc="verifying", unit=" dialogues"):
        found.update(_verified(graph, rows))
    return dict(found)


def _verified(graph: SceneGraph, rows: Sequence[Row]) -> Counter[str]:
    """Return how many questions of a dialogue pass each check."""
    found = Counter(dialogues=1, questions=len(rows))
    known, history, asked = Knowledge(graph), list[Round](), list[tuple[str, str]]()
    caption = _parsed(rows[0]["caption_program"])
    if caption is None:
        return found
    answer = execute(caption, graph)
    said = {
        text
        for kind in kind_table().captions
        for text in captions(kind, caption, answer, rows[0]["language"])
        if answer.outcome == "answer"
    }
    known.learn(caption, answer)
    history.append(round_of(caption, answer, graph))
    for number, row in enumerate(rows, 1):
        program = _parsed(row["program"])
        if program is None:
            break
        answer, labels = execute(program, graph, history), dependence(program, graph, history)
        kinds = [kind for kind in kind_table().kinds if kind.name == row["kind"]]
        asked.append((kinds[0].family if kinds else "", labels[0]))
        found["agreed"] += (row["answer"], tuple(row["nodes"]), "answer") == (
            value_text(answer, program, row["language"]),
            answer.nodes,
            answer.outcome,
        )
        found["revealed_only"] += known.uses_only_revealed(program, history)
        found["not_known_yet"] += not known.knows(program, history)
        found["counts_kept"] += row["round"] == number == len(asked) and keeps_limits(asked)
        found["labels_kept"] += (
            (row["dependence"], row["distance"]) == labels
            and any(row["question"] in phrasings(kind, str(program), row["language"]) for kind in kinds)
            and row["caption"] in said
            and row["caption_program"] == rows[0]["caption_program"]
        )
        known.learn(program, answer, history)
        history.append(round_of(program, answer, graph, history))
    return found


def _parsed(text: str) -> Program | None:
    try:
        return parse_program(text)
    except BadInputError:
        return None


def dialogue_statistics(out: Path) -> Row:
    """Return the figures of a dataset's dialogues, and those of CLEVR-Dialog; shares are between 0 and 1."""
    families = {kind.name: kind.family for kind in kind_table().kinds}
    rows = [row for _, of_dialogue in read_dialogues(out) for row in of_dialogue]
    distances = Counter(row["distance"] for row in rows if row["dependence"] == "coref")
    by_round = [
        _shares(
            "independent" if row["dependence"] == "none" else families.get(row["kind"], "")
            for row in rows
            if row["round"] == n
        )
        for n in range(1, max(row["round"] for row in rows) + 1)
    ]
    answers: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        answers.setdefault((row["kind"], row["language"]), Counter())[row["answer"]] += 1
    commonest: dict[str, float] = {}
    for (kind, _), counted in sorted(answers.items()):
        commonest[kind] = max(commonest.get(kind, 0.0), max(counted.values()) / counted.total())
    return {
        "dialogues": len({row["dialogue_id"] for row in rows}),
        "questions": len(rows),
        "mean_coreference_distance": sum(n * count for n, count in distances.items()) / max(distances.total(), 1),
        **dict.fromkeys(("none", "all", "coref"), 0.0) | _shares(row["dependence"] for row in rows),
        **_lengths(rows),
        "languages": {code: _lengths([row for row in rows if row["language"] == code]) for code in LANGUAGES},
        "distances": dict(sorted(distances.items())),
        "kinds": dict(sorted(Counter(row["kind"] for row in rows).items())),
        "by_round": by_round,
        "after_round_3": {
            name: float(np.mean([shares.get(name, 0.0) for shares in by_round[_AFTER:]]))
            for name in (*dict.fromkeys(families.values()), "independent")
        },
        "commonest_answer": commonest,
        "paper": PAPER,
    }


def _shares(values: Iterable[str]) -> dict[str, float]:
    counted = Counter(values)
    return {value: count / counted.total() for value, count in sorted(counted.items())}


def _lengths(rows: Sequence[Row]) -> dict[str, float]:
    """Return the number of different questions and the mean number of words in a question."""
    questions = [row["question"] for row in rows]
    return {
        "unique_questions": len({*questions}),
        "mean_question_length": sum(len(question.split()) for question in questions) / max(len(questions), 1),
    }

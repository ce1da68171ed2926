from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotate.errors import RefusedError
from annotate.publishing.labelling import export_pairs
from fmp_models.evaluation.real.pairs import read_real_pairs
from tests.annotate.sample_events import HOSTILE_TEXTS, event, jpeg


def written(out: Path) -> list[dict[str, Any]]:
    pairs: list[dict[str, Any]] = json.loads((out / "truth.json").read_text(encoding="utf-8"))
    return pairs


def test_photographs_become_a_folder_that_can_be_judged_once_it_is_labelled(tmp_path: Path) -> None:
    given = [event("real_pair"), event("real_pair", item="i2", text=HOSTILE_TEXTS["hindi"], language="hi")]
    assert export_pairs([event("consent"), *given], tmp_path / "out") == 2
    pairs = read_real_pairs(tmp_path / "out").pairs
    assert [pair.id for pair in pairs] == [one.id for one in given]
    assert pairs[0].current.read_bytes() == jpeg(1)
    assert pairs[0].target.read_bytes() == jpeg(2)
    assert all(not pair.truth and not pair.must for pair in pairs)
    assert written(tmp_path / "out")[1]["texts"][0]["text"] == HOSTILE_TEXTS["hindi"]


def test_what_people_said_of_the_same_pair_stands_beside_it(tmp_path: Path) -> None:
    own, other = event("description", text="Lift it."), event("description", item="i2", text="Elsewhere.")
    ratings = [event(text=own.id, score=score) for score in (2, 4)] + [event(text=own.id, score=1, language="hi")]
    campaign = event("description", campaign="another", text="Another's.")
    export_pairs([event("real_pair"), own, other, campaign, *ratings, event("vote")], tmp_path)
    (pair,) = written(tmp_path)
    assert pair["texts"] == [
        {"language": "en", "text": "Raise it", "of": "photographs"},
        {"language": "en", "text": "Lift it.", "of": "re-enacted pair", "scores": [2, 4]},
    ]
    assert pair["votes"] == [{"language": "en", "relevant": ["b"], "fluent": ["a", "b"]}]


def test_nobody_is_named(tmp_path: Path) -> None:
    export_pairs([event("real_pair", annotator="pseudonym"), event("vote", annotator="pseudonym")], tmp_path)
    assert "pseudonym" not in (tmp_path / "truth.json").read_text(encoding="utf-8")


def test_without_photographs_the_folder_stays_empty(tmp_path: Path) -> None:
    assert export_pairs([event("description")], tmp_path / "out") == 0
    assert list((tmp_path / "out").iterdir()) == []


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    for out, code in ((tmp_path, "folder_not_empty"), (tmp_path / "mine.txt" / "out", "folder_unusable")):
        with pytest.raises(RefusedError) as refused:
            export_pairs([event("real_pair")], out)
        assert refused.value.code == code

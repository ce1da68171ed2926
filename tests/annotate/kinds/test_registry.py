from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import annotate.tabs
from annotate.campaigns.campaign import written_text
from annotate.kinds.questions import OwnQuestion
from annotate.kinds.registry import BY_RECORD, TASK_KINDS
from annotate.kinds.task_kind import Item, QuestionView
from annotate.ports import Ports
from annotate.records import Flag
from demo.i18n import interface_texts
from fmp_models.data.statistics import broken_rules
from tests.annotate.asking import KEY, item, item_to_find
from tests.annotate.dialogues import text_to_judge
from tests.annotate.sample_events import jpeg

TEMPLATES = Path(annotate.tabs.__file__).with_name("templates")
EDITS = (
    '[["KEEP","Raise"],["KEEP","your"],["DELETE","left"],["KEEP","arm"],["KEEP","1"],["ADD","or"],["KEEP","times."]]'
)
FOOLING = (
    "Hoist your left paw until it is level with your head, turn the palm outwards, and bend one knee a little, as if "
    "you were about to sit down on a low chair behind you."
)
FILLED: dict[str, dict[str, Any]] = {
    "vote": {"relevant": "1", "fluent": "tied"},
    "write": {"text": "Raise your left arm.", "flags": ["no_clear_difference"]},
    "verify": {"score": "3", "flags": ["through_object"], "comment": "the leg"},
    "translate": {"text": "अपना बायाँ हाथ उठाएँ"},
    "find": {"place": "2"},
    "real_pair": {"text": "Raise it."},
    "questions": {"answers.clear": "4", "answers.note": "the knee"},
    "repair": {"edits": EDITS},
    "compare": {"better": "1"},
    "judge": {"verdict": "cannot_tell", "comment": "the leg"},
    "fool": {"guide": "shared_detail", "text": FOOLING},
}
ASKED = (
    OwnQuestion(id="clear", kind="scale", text={"en": "How clear?"}),
    OwnQuestion(id="note", kind="text", text={"en": "Why?"}),
)
PHOTOGRAPHS = {"current": jpeg(1), "target": jpeg(2)}
PORTS = Ports(broken_rules)


@pytest.mark.parametrize("key", TASK_KINDS)
def test_a_stored_answer_fills_the_form_as_it_was_sent(key: str) -> None:
    kind, sent = TASK_KINDS[key], FILLED[key]
    plain = item(1, texts=[*item(1)["texts"], text_to_judge("1_0_0_0_0", "en", 2)])
    pair = Item.model_validate_json(
        json.dumps({**item_to_find(1), "to_fool": True} if kind.shows_candidates else plain)
    )
    pair._asked = ASKED
    question = next(kind.questions(pair, "hi" if kind.from_source else "en", 1), None)
    if question is None:
        mended = written_text("f" * 32, pair.uid, "en", {"text": "Raise it.", "of": "reference-1"}, "bob")
        question = kind.question(pair, "en", 1, mended.texts(pair), author=mended.author)
    view = QuestionView(question, "ann", KEY)
    answer = {name: value for name, value in kind.answer(sent).items() if name != "approved"}

    record, *others = kind.read_answer(answer | (PHOTOGRAPHS if kind.re_enacts else {}), view, PORTS, 1.0)
    shown = kind.show(record, view, [other.reason for other in others if isinstance(other, Flag)])

    assert (record.kind, record.aspect) == (question.record, question.aspect)
    assert shown is not None
    assert kind.shown_fields(shown) == sent


@pytest.mark.parametrize("language", sorted(interface_texts()))
@pytest.mark.parametrize("key", TASK_KINDS)
def test_a_kind_has_its_form_and_its_words_in_every_language(key: str, language: str) -> None:
    kind, words = TASK_KINDS[key], interface_texts()[language]

    assert (TEMPLATES / kind.template).is_file()
    assert {f"work.{key}", f"work.{key}_about", f"results.kind_{kind.record.kind}"} <= words.keys()
    assert any(name.startswith(f"{kind.name}.") for name in words)


def test_only_find_target_has_other_names_in_files_and_stores() -> None:
    assert {kind.name: kind.key for kind in TASK_KINDS.values() if kind.name != kind.key} == {"find_target": "find"}
    assert BY_RECORD["target_choice"] is TASK_KINDS["find"]

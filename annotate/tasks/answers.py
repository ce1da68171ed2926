"""Answers as the page sends them: strict conversion into records, and back again after an undo.

The page knows places in an order that the server made; records contain texts and candidates. Unknown
fields are rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from annotate.campaigns.questions import Question
from annotate.errors import RefusedError
from annotate.ports import Ports
from annotate.records.api import FLAGS
from annotate.records.events import Event, new_event
from annotate.records.kinds import Description, FindTarget, Flag, Payload, Rating, RealPair, Translation, Vote
from annotate.records.word_edits import word_edits
from annotate.storage.claims import Claim
from annotate.tasks.policy import QuestionView
from annotate.tasks.text_checks import demand, translation_checks, writing_checks

Answer = Mapping[str, Any]

_FIELDS: dict[str, frozenset[str]] = {
    "write": frozenset({"text", "flags"}),
    "verify": frozenset({"score", "flags", "comment"}),
    "translate": frozenset({"text"}),
    "vote": frozenset({"relevant", "fluent"}),
    "find": frozenset({"place"}),
    "real_pair": frozenset({"current", "target", "text", "checks"}),
}
_OPTIONAL = frozenset({"flags", "comment", "checks"})


def read_answer(answer: Answer, view: QuestionView, ports: Ports, seconds: float) -> list[Payload]:
    """Return the records of an answer that took ``seconds``; the first is the answer itself.

    Raise :class:`RefusedError`: ``answer_malformed``, ``text_missing``, ``text_too_long``, ``rules_broken``.
    """
    question = view.question
    fields = _FIELDS[question.kind]
    if not isinstance(answer, Mapping):
        raise RefusedError("answer_malformed", field="answer")
    if not fields - _OPTIONAL <= answer.keys() <= fields:
        wrong = sorted(map(str, answer.keys() ^ fields - _OPTIONAL))
        raise RefusedError("answer_malformed", field=wrong[0][:40])
    if question.kind == "vote":
        return [_vote(answer, view, seconds)]
    if question.kind == "find":
        return [_choice(answer, view, seconds)]
    return _READERS[question.kind](answer, question, ports, seconds)


def as_events(payloads: Sequence[Payload], claim: Claim, time: datetime, app_version: str) -> list[Event]:
    """Return the events to store for a claimed task; the first is the answer, under the claim's token."""
    return [
        new_event(
            replace(payload, of=claim.token) if isinstance(payload, Flag) else payload,
            annotator=claim.annotator,
            campaign=claim.campaign,
            item=claim.item,
            language=claim.language,
            app_version=app_version,
            id=None if number else claim.token,
            time=time,
        )
        for number, payload in enumerate(payloads)
    ]


def _write(answer: Answer, question: Question, ports: Ports, seconds: float) -> list[Payload]:
    flags = _flags(answer)
    words = len(answer["text"].split()) if isinstance(answer["text"], str) else 0
    description = Description(answer["text"], words=words, flags=flags, seconds=seconds)
    is_unchanged = "no_clear_difference" in flags
    demand(writing_checks(description.text, question.language, ports.broken_rules, no_clear_difference=is_unchanged))
    return [description]


def _verify(answer: Answer, question: Question, _: Ports, seconds: float) -> list[Payload]:
    comment = answer.get("comment", "")
    rating = Rating(question.texts[0].id, answer["score"], comment, seconds)
    return [rating, *(Flag(flag) for flag in _flags(answer))]


def _translate(answer: Answer, question: Question, _: Ports, seconds: float) -> list[Payload]:
    original = question.texts[0]
    translation = Translation(answer["text"], of=original.id, seconds=seconds)
    # If the original was deleted meanwhile, the length cannot be compared.
    demand(translation_checks(translation.text, original.text or translation.text, question.language))
    return [translation]


def _real_pair(answer: Answer, question: Question, _: Ports, seconds: float) -> list[Payload]:
    pair = RealPair(pair=question.item.uid, seconds=seconds, **answer)
    return [replace(pair, edits=word_edits(question.texts[0].text, pair.text))]


_READERS: dict[str, Callable[[Answer, Question, Ports, float], list[Payload]]] = {
    "write": _write,
    "verify": _verify,
    "translate": _translate,
    "real_pair": _real_pair,
}


def _vote(answer: Answer, view: QuestionView, seconds: float) -> Vote:
    groups = view.texts
    ids = tuple(text.id for group in groups for text in group)

    def chosen(field: str) -> tuple[str, ...]:
        if answer[field] is None:
            return ids
        return tuple(text.id for text in groups[_place(answer, field, groups)])

    return Vote(chosen("relevant"), chosen("fluent"), ids, seconds)


def _choice(answer: Answer, view: QuestionView, seconds: float) -> FindTarget:
    question, numbers = view.question, view.candidates
    chosen = numbers[_place(answer, "place", numbers)]
    right = question.item.answer
    if right is None or question.mode is None:
        raise RefusedError("task_unknown")
    return FindTarget(chosen, right, question.mode, correct=chosen == right, seconds=seconds)


def _place(answer: Answer, field: str, among: Sequence[object]) -> int:
    place = answer[field]
    if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < len(among):
        raise RefusedError("answer_malformed", field=field)
    return place


def _flags(answer: Answer) -> tuple[str, ...]:
    flags = answer.get("flags", ())
    if not isinstance(flags, list | tuple) or not all(isinstance(flag, str) and flag in FLAGS for flag in flags):
        raise RefusedError("answer_malformed", field="flags")
    return tuple(flag for flag in FLAGS if flag in flags)


def as_answer(payload: Payload, view: QuestionView, flags: Sequence[str] = ()) -> Answer | None:
    """Return an answer in the format of the page, to refill its form.

    Return None if the record is not an answer, or if the question now shows something else. ``flags`` are
    those of a rating, which are separate records.
    """
    if isinstance(payload, Vote):
        places = {text.id: place for place, group in enumerate(view.texts) for text in group}
        if places.keys() != set(payload.shown):
            return None
        return {
            field: None if len(chosen) == len(payload.shown) else places[chosen[0]]
            for field, chosen in (("relevant", payload.relevant), ("fluent", payload.fluent))
        }
    if isinstance(payload, FindTarget):
        return {"place": view.candidates.index(payload.chosen)} if payload.chosen in view.candidates else None
    if isinstance(payload, Rating):
        return {"score": payload.score, "comment": payload.comment, "flags": list(flags)}
    if isinstance(payload, Description):
        return {"text": payload.text, "flags": list(payload.flags)}
    return {"text": payload.text} if isinstance(payload, Translation | RealPair) else None

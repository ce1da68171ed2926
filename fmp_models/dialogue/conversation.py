"""Conversation about a pose pair: people's questions, answered by programs on its scene graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fmp_models.dialogue.generation import next_questions
from fmp_models.dialogue.history import Knowledge, described, round_of
from fmp_models.dialogue.programs import Program, Round, execute
from fmp_models.dialogue.question_reader import Guess, read_question
from fmp_models.dialogue.scene_graph import SceneGraph
from fmp_models.dialogue.wording import answer_text, explanation_text
from fmp_models.errors import BadInputError
from fmp_models.languages import LANGUAGES, canonical, dialogue_words

MAX_QUESTIONS, MAX_CHARS = 50, 500


@dataclass(frozen=True)
class Reply:
    """The answer to a question, the parts that it is about, and how it was found."""

    question: str
    answer: str
    outcome: Literal["answer", "none", "unseen", "unread"]
    program: str = ""
    kind: str = ""
    parts: tuple[str, ...] = ()
    joints: tuple[str, ...] = ()
    explanation: str = ""
    suggestions: tuple[str, ...] = ()


def ask_about(graph: SceneGraph, question: str, language: str, earlier: Sequence[str] = ()) -> Reply:
    """Return the reply to a question after ``earlier`` ones, oldest first.

    Raise :class:`BadInputError` as :func:`check_questions`.
    """
    return converse(graph, [*earlier, question], language, suggests_once=True)[-1]


def check_questions(questions: Sequence[str], language: str) -> None:
    """Raise :class:`BadInputError` (``unknown_language``, ``question_length``, ``too_many_questions``)."""
    if language not in LANGUAGES:
        raise BadInputError("unknown_language", known=", ".join(LANGUAGES))
    if len(questions) > MAX_QUESTIONS:
        raise BadInputError("too_many_questions", most=MAX_QUESTIONS)
    if not all(0 < len(canonical(question).strip()) <= MAX_CHARS for question in questions):
        raise BadInputError("question_length", most=MAX_CHARS)


def converse(graph: SceneGraph, questions: Sequence[str], language: str, *, suggests_once: bool = False) -> list[Reply]:
    """Return the replies to all questions of a conversation; raise as :func:`check_questions`.

    ``suggests_once`` leaves suggestions to the last reply; they take longer than answers.
    """
    check_questions(questions, language)
    history, known = list[Round](), Knowledge(graph)
    replies = []
    for number, question in enumerate(questions, 1):
        reply = _reply(graph, canonical(question).strip(), language, history, known)
        suggests = number == len(questions) or not suggests_once
        next_ones = next_questions(graph, language, history, known, reply.question) if suggests else ()
        replies.append(replace(reply, suggestions=next_ones))
    return replies


def _reply(graph: SceneGraph, asked: str, language: str, history: list[Round], known: Knowledge) -> Reply:
    """Return the reply to the next question, and add its round to the history and its answers to what is known."""
    programs = read_question(asked, language, graph, history)
    if not programs:
        said = dialogue_words(language)["answers"]["unread" if programs is None else "not_shown"]
        return Reply(asked, said, "unread")
    answers = [execute(program, graph, history) for program in programs]
    for program, answer in zip(programs, answers, strict=True):
        known.learn(program, answer, history)
    mentioned = joint_round(programs, graph, history)
    nodes = mentioned.nodes or mentioned.told
    plain = [described(program, graph, history) for program in programs]
    partly = [dialogue_words(language)["answers"]["partly"]] * isinstance(programs, Guess)
    texts = (answer_text(answer, p, graph, language) for p, answer in zip(plain, answers, strict=True))
    explained = (explanation_text(p, answer, graph, language) for p, answer in zip(plain, answers, strict=True))
    history.append(mentioned)
    outcome = next((answer.outcome for answer in answers if answer.outcome == "answer"), answers[0].outcome)
    return Reply(
        asked,
        " ".join(dict.fromkeys((*partly, *texts))),
        outcome if outcome != "unknown" else "unseen",
        "; ".join(map(str, programs)),
        f"seek {programs[0].args[0]}" if programs[0].op == "seek" else programs[0].op,
        nodes,
        tuple(dict.fromkeys(joint for name in nodes for joint in graph.by_name[name].joints)),
        " ".join(explained),
    )


def joint_round(programs: Sequence[Program], graph: SceneGraph, history: Sequence[Round]) -> Round:
    """Return what a round mentions: its questions are the same for several parts, and "is it" names its parts."""
    rounds = [round_of(program, execute(program, graph, history), graph, history) for program in programs]
    plain = rounds[0].program
    steps = [*plain.walk()] if plain and plain.op == "exist" else []
    sets = [step for step in steps if step.op in {"these", "each"}] if all(step.op != "parts" for step in steps) else []
    named = execute(Program("which", (sets[0],)), graph).nodes if sets else ()
    nodes = named or tuple(dict.fromkeys(name for each in rounds for name in each.nodes))
    only = nodes[0] if len(nodes) == 1 and plain and plain.op in {"which", "exist"} else rounds[0].focus
    focus = None if len(nodes) > 1 else only
    return Round(focus, nodes, bool(named) or rounds[0].revealed, plain)


def first_questions(graph: SceneGraph, language: str) -> tuple[str, ...]:
    """Return three questions to begin a conversation with."""
    return next_questions(graph, language, (), Knowledge(graph))

"""The qualification test, which annotators must pass before some kinds of task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from annotate.campaigns.campaign import Campaign, TestItem
from annotate.errors import RefusedError
from annotate.records.api import Kind, QualificationTest, TestQuestion, TestResult
from annotate.records.events import Event, new_event
from annotate.records.kinds import Qualification
from annotate.storage.store import Store


@dataclass(frozen=True)
class QualificationService:
    """The test of a campaign, taken and stored separately for each language."""

    campaign: Campaign
    store: Store
    app_version: str = ""

    def test(self, annotator: str, kind: Kind, language: str) -> QualificationTest | None:
        """Return the test that the annotator has yet to pass for a kind; None if there is none."""
        test = self.campaign.qualification
        if test is None or kind not in test.kinds:
            return None
        attempts = self._attempts(annotator, language)
        if _passed(attempts):
            return None
        questions = tuple(self._test_question(question) for question in self._questions(language))
        return QualificationTest(language, questions, test.pass_mark, max(0, test.tries - len(attempts)))

    def take(self, annotator: str, language: str, choices: Mapping[str, int], attempt: str | None = None) -> TestResult:
        """Mark the answers and store the attempt; an ``attempt`` id that is sent twice counts as one try.

        Raise :class:`RefusedError`: ``answer_malformed`` unless there is one choice for every question,
        ``no_tries_left``, ``task_unknown`` if there is no test or it was passed before.
        """
        test, questions, attempts = (
            self.campaign.qualification,
            self._questions(language),
            self._attempts(annotator, language),
        )
        known = self.result(annotator, language, attempt)
        if known is not None:
            return known
        if test is None or not questions or _passed(attempts):
            raise RefusedError("task_unknown")
        if len(attempts) >= test.tries:
            raise RefusedError("no_tries_left")
        chosen = [_choice(question, choices) for question in questions]
        if len(choices) != len(questions):
            raise RefusedError("answer_malformed", field="choices")
        right = sum(question.right == choice for question, choice in zip(questions, chosen, strict=True))
        answers = tuple(_answer(question, choice) for question, choice in zip(questions, chosen, strict=True))
        event = new_event(
            Qualification(answers, passed=right >= test.pass_mark),
            annotator=annotator,
            campaign=self.campaign.name,
            language=language,
            app_version=self.app_version,
            supersedes=attempts[-1].id if attempts else None,
            id=attempt,
        )
        return _result(self.store.add(event).event, questions, test.tries - len(attempts) - 1)

    def result(self, annotator: str, language: str, attempt: str | None) -> TestResult | None:
        """Return the result of an attempt stored before; None if there is none of that id."""
        test = self.campaign.qualification
        for number, event in enumerate(self._attempts(annotator, language)):
            if event.id == attempt and test is not None:
                return _result(event, self._questions(language), test.tries - number - 1)
        return None

    def _questions(self, language: str) -> list[TestItem]:
        test = self.campaign.qualification
        return [question for question in test.questions if question.language == language] if test else []

    def _test_question(self, question: TestItem) -> TestQuestion:
        pictures = (
            None if name is None else self.campaign.picture(name) for name in (question.current, question.target)
        )
        return TestQuestion(question.id, question.text, question.choices, *pictures)

    def _attempts(self, annotator: str, language: str) -> list[Event]:
        """Return every attempt, oldest first."""
        return self.store.events(
            campaign=self.campaign.name, kind="qualification", annotator=annotator, language=language
        )


def _passed(attempts: list[Event]) -> bool:
    return any(isinstance(event.payload, Qualification) and event.payload.passed for event in attempts)


def _result(event: Event, questions: list[TestItem], tries_left: int) -> TestResult:
    """Return the result of a stored attempt."""
    attempt = event.payload
    if not isinstance(attempt, Qualification):
        raise RefusedError("task_unknown")
    wrong = tuple(question.why for question in questions if _answer(question, question.right) not in attempt.answers)
    return TestResult(attempt.passed, len(questions) - len(wrong), len(questions), tries_left, wrong)


def _answer(question: TestItem, choice: int) -> str:
    """Return an answer in the format of its record."""
    return f"{question.id}={choice}"


def _choice(question: TestItem, choices: Mapping[str, int]) -> int:
    choice = choices.get(question.id) if isinstance(choices, Mapping) else None
    if isinstance(choice, bool) or not isinstance(choice, int) or not 0 <= choice < len(question.choices):
        raise RefusedError("answer_malformed", field=question.id)
    return choice

"""The rule-based editor: a text about two poses -> the smallest edit after which no clause contradicts the joints.

A false clause becomes true by its variant of fewest changed words, or its step is deleted. Left and right are
exchanged in a sentence or the whole text where this makes all clauses true. All else stays as it is.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator
from dataclasses import replace
from functools import partial

from fmp_models.describe import describe, describe_plan
from fmp_models.editing.edited import SURELY, EditedText, TextEditor, clause_verdict, edited_text, known_pair
from fmp_models.editing.variants import Variant, clause_variants, count_edits, sentence_spans, without_clause
from fmp_models.errors import BadInputError
from fmp_models.geometry import Clause, Direction, Findings, contradict, signed_axes
from fmp_models.inference import MeasuredPhotographs, ModelName, Stopwatch, check_description
from fmp_models.languages import (
    LANGUAGES,
    Grammar,
    ReadClause,
    grammar,
    mirrored_text,
    read_clauses,
    read_plan,
)
from fmp_models.pose import PosePair

RULES = ModelName("rules", "1")
# Changed words that a clause may cost more if its movement is a salient one that the text lacks, and if degree and end
# states are those of the geometry's plan, too. Fitted to the validation texts of a simulated dataset.
_WORTH = (4.0, 4.0)
# People who mix up left and right do so in a whole sentence: such an exchange may change so many times more words.
_EXCHANGED = 3
_OTHER_LIMB = 4.0  # changed words that a clause costs more if it is about another limb than before
_MAX_FALSE = 8  # false clauses that are made true one by one; a text with more becomes the geometry's own


def edit_text(text: str, language: str, pair: PosePair, *, complete: bool = False) -> EditedText:
    """Return a text with the smallest edit after which no clause contradicts the joints of a pair.

    A text that is right stays exactly as it is, whatever it says that joints cannot judge. If no clause is left, the
    text is the geometry's own. ``complete`` also adds the salient changes that the text lacks.
    Raise :class:`BadInputError` (``unknown_language``).
    """
    words, findings = grammar(language), Findings(pair)
    edited = text

    def is_false(clause: Clause) -> bool:
        return clause_verdict(clause, pair) is False

    false = [entry for entry in read_clauses(text, words) if is_false(entry.goal)]
    weak: list[Clause] = []  # too weakly contradicted to delete them
    for _ in false if len(false) <= _MAX_FALSE else ():
        if (place := _first_false(edited, words, pair, weak)) is not None:
            true = _made_true(edited, place, words, findings)
            if true is None and clause_verdict(place.goal, pair, SURELY) is None:
                weak.append(place.goal)
            else:
                edited = true or without_clause(edited, language, place, is_false)
    if false:
        righted = (one for one in _sides_exchanged(text, words) if _first_false(one, words, pair) is None)
        exchanged = min(righted, key=partial(count_edits, text), default=None)
        if exchanged is not None and count_edits(text, exchanged) <= _EXCHANGED * count_edits(text, edited):
            edited = exchanged
    if false and (not read_plan(edited, words) or _first_false(edited, words, pair, weak) is not None):
        edited = describe(pair, language).text
    elif complete and (lacking := _lacking(edited, words, findings)):
        edited = f"{edited.rstrip()} {describe_plan(lacking, pair, language).text}"
    return edited_text(text, edited, language, pair, RULES)


def _sides_exchanged(text: str, words: Grammar) -> Iterator[str]:
    """Yield the text with left and right exchanged in all of it or in one sentence."""
    for start, end in {(0, len(text)), *sentence_spans(text)}:
        mirrored = mirrored_text(text[start:end], words.code)
        if mirrored is not None:
            yield text[:start] + mirrored + text[end:]


def _first_false(text: str, words: Grammar, pair: PosePair, but: Container[Clause] = ()) -> ReadClause | None:
    clauses = (entry for entry in read_clauses(text, words) if entry.goal not in but)
    return next((entry for entry in clauses if clause_verdict(entry.goal, pair) is False), None)


def _lacking(text: str, words: Grammar, findings: Findings) -> tuple[Clause, ...]:
    plan = read_plan(text, words)
    return tuple(one for one in findings.unsaid(plan) if not any(contradict(one, said) for said in plan))


def _made_true(text: str, place: ReadClause, words: Grammar, findings: Findings) -> str | None:
    """Return the text with one clause made true in as few words as possible; ``None`` if it cannot be."""
    others = [entry.goal for entry in read_clauses(text, words) if entry != place]
    sure = [other for other in others if clause_verdict(other, findings.pair) is not False]
    unsaid = findings.unsaid(sure)
    planned = {replace(clause, side=side) for clause in unsaid for side in (clause.side, *clause.side.each)}
    lacking = {axis for clause in unsaid for axis in signed_axes(clause)}

    def wanted(goal: Clause) -> bool:
        return (
            clause_verdict(goal, findings.pair) is True
            and goal not in sure
            and not any(contradict(goal, other) for other in sure)
        )

    def salient(goal: Clause) -> bool:
        return bool(signed_axes(goal)) and signed_axes(goal) <= lacking

    def near(variant: Variant) -> bool:
        """Return whether the clause stays about the same movement, or becomes one that the text lacks."""
        goal, old = variant.goal, place.goal
        if Direction.KEEP in {goal.direction, old.direction}:
            return goal.direction is not old.direction and (salient(goal) or findings.bears_out(goal))
        reverse = variant.by == "direction" and goal.direction is old.direction.reverse
        own = variant.by not in {"part", "direction"} or reverse
        moves = goal.part.limb is old.part.limb or bool(signed_axes(goal))
        return own or salient(goal) or (variant.by == "part" and moves and findings.bears_out(goal))

    def cost(variant: Variant) -> float:
        fits = (salient(variant.goal), salient(variant.goal) and variant.goal in planned)
        other = variant.goal.part.limb is not place.goal.part.limb
        return count_edits(text, variant.text) - sum(itertools.compress(_WORTH, fits)) + _OTHER_LIMB * other

    best = min(filter(near, clause_variants(text, words.code, place, wanted)), key=cost, default=None)
    return None if best is None else best.text


class RuleEditor:
    """The editor :func:`edit_text`, for the page and the command."""

    name = RULES
    languages = LANGUAGES

    def __init__(self, *, complete: bool = False) -> None:
        """Create an editor; ``complete`` also adds the salient changes that a text lacks."""
        self._complete = complete

    def edit(self, text: str, language: str, measurements: MeasuredPhotographs) -> EditedText:
        """Return the text with the edits that make it right for measured photographs; see :class:`TextEditor`."""
        clock = Stopwatch()
        check_description(text, language)
        edited = edit_text(text, language, known_pair(measurements), complete=self._complete)
        clock.lap("editor")
        return replace(edited, milliseconds=clock.laps())


def open_editor(model: str = "", *, device: str | None = None) -> TextEditor:
    """Return the editor named ``model``: the rules (default), or a trained one as in ``hub.references.resolve_model``.

    Raise the errors of ``load_editor``.
    """
    if model in {"", RULES.id}:
        return RuleEditor()
    # Imported here because they load torch, which the rules do not need.
    from fmp_models.editing.neural_editor import NeuralEditor  # noqa: PLC0415
    from fmp_models.hub import bundled_names, load_editor  # noqa: PLC0415

    try:
        return NeuralEditor(load_editor(model), device)
    except BadInputError as error:
        if error.code != "model_name_unknown":
            raise
        known = [RULES.id, *(name for name in bundled_names() if name.startswith("editor"))]
        raise BadInputError(error.code, model=model, known=", ".join(known)) from None

"""An answer as the page shows it: steps, figures, who spoke; and the two other outcomes, nothing yet and a refusal."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass

from demo.figures import FAR_CM, RAMP, STILL_CM, Movement, difference, movements, skeletons
from demo.interface_texts import Text, error_text, interface_texts, joined, text
from demo.markup import render
from fmp_models.errors import BadInputError
from fmp_models.pipelines import CheckedClause, Correction, Seen

_SURE, _FAIRLY_SURE = 0.75, 0.5
_NAMED_MOVES = 3
_STRENGTH = 75  # percent of red at first


@dataclass(frozen=True)
class Step:
    """One clause with its marks: ``level`` is high, middle or low, ``verdict`` yes, no or unknown."""

    text: str
    level: str
    verdict: str


def empty_html() -> str:
    """What stands in the answer's place before there is one."""
    return _outcome("empty")


def refusal_html(error: BadInputError) -> str:
    """One sentence that says what to do and about which photograph, announced at once."""
    return _outcome("refusal", sentence=error_text(error))


def fault_html() -> str:
    """The words for a fault of ours; the log has the rest."""
    return _outcome("refusal", sentence=text("faults.ours"))


def correction_html(correction: Correction, seen: Seen, *, same_picture: bool) -> str:
    """The whole answer; ``same_picture`` when one file was given twice."""
    started = time.perf_counter()
    moved, drawn, red = movements(seen.pair), skeletons(seen), difference(seen)
    took = (time.perf_counter() - started) * 1000
    names = interface_texts()[correction.language]
    return _outcome(
        "correction",
        correction=correction,
        same_picture=same_picture,
        language_name=names["language.name"],
        speech=names["language.speech"],
        notices=_notices(correction, same_picture=same_picture),
        steps=[_step(clause) for clause in correction.clauses],
        movements=moved,
        moves=_moves(moved),
        longest=max(moved[0].centimetres, FAR_CM),
        skeletons=list(zip(("current", "target"), drawn, strict=True)),
        difference=red,
        strength=_STRENGTH,
        ramp=",".join(f"rgb{colour}" for colour in RAMP),
        far_cm=FAR_CM,
        sources=_sources(correction, took),
    )


def _outcome(outcome: str, **values: object) -> str:
    return render(f"answer_{outcome}.html", outcome=outcome, number=secrets.token_hex(4), **values)


def _notices(correction: Correction, *, same_picture: bool) -> list[Text]:
    said = [
        text(f"answer.people_{which}", count=count)
        for which, count in zip(("current", "target"), correction.people, strict=True)
        if count > 1
    ]
    if same_picture:
        said.append(text("answer.same_file"))
    elif not correction.clauses:
        said.append(text("answer.no_change"))
    return said


def _step(clause: CheckedClause) -> Step:
    level = "high" if clause.confidence >= _SURE else "middle" if clause.confidence >= _FAIRLY_SURE else "low"
    return Step(clause.text, level, {True: "yes", False: "no", None: "unknown"}[clause.agrees])


def _moves(moved: tuple[Movement, ...]) -> Text:
    """The parts that move furthest, for those who cannot see the figure."""
    far = [movement for movement in moved[:_NAMED_MOVES] if movement.centimetres > STILL_CM]
    if not far:
        return text("figures.no_moves", limit=STILL_CM)
    parts = [
        text("figures.part_distance", part=text(f"parts.{movement.part}"), distance=round(movement.centimetres))
        for movement in far
    ]
    return text("figures.moves", parts=joined(parts))


def _sources(correction: Correction, drawing: float) -> list[tuple[str, Text]]:
    """Who spoke, who looked, and the milliseconds of each step, those of ``drawing`` the figures among them."""
    model = correction.model
    steps = {step: took for step, took in correction.milliseconds.items() if step != "total"}
    steps |= {"figures": drawing, "total": correction.milliseconds["total"] + drawing}
    times = [
        text("source.step", name=_known(f"milliseconds.{step}", step), milliseconds=round(took))
        for step, took in steps.items()
    ]
    return [
        (
            "source.model",
            joined([_known(f"source.model_{model.id}", ""), _plain(f"({model.id} {model.revision})")], " "),
        ),
        ("source.estimator", _plain(correction.estimator)),
        ("source.time", joined(times, " · ")),
    ]


def _known(key: str, otherwise: str) -> Text:
    return text(key) if key in interface_texts()["en"] else _plain(otherwise)


def _plain(words: str) -> Text:
    return Text(dict.fromkeys(interface_texts(), words))

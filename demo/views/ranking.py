"""View of a ranking with its gallery, best first, and reasons, and the views without one: empty ranking and refusal."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from demo.i18n import Text, error_text, interface_texts, joined, render, text
from demo.views.correction import about, people_in, sources
from demo.views.figures import data_uri, stick_figure, view
from demo.views.steps import checked_steps
from fmp_models.data import stop_words
from fmp_models.errors import BadInputError
from fmp_models.geometry import SURELY_HELD
from fmp_models.inference import Ranking, SeenCandidates, SeenPhotograph, WeighedPart, WeighedWord
from fmp_models.languages import MARKS

if TYPE_CHECKING:
    from fmp_models.inference import FoundPoses

_SHOWN = (360, 480)  # pixels of a picture in the gallery
_FAR, _NEAR = 0.5, 0.15  # minimum margins of "far" and "ahead"
_LEVELS = (1.1, 1.5, 2.5)  # minimum weight of each mark level, in mean weights of a word
_HEAVIEST = 5  # words that are listed with their part
_REASON = 1.5  # times the uniform share: if no weight reaches it, the weights are flat and give no reason
_MIN_PERCENT = 1
_CHANCES = {  # minimum probability of each phrase
    0.5: "ranking.chance_likely",
    0.15: "ranking.chance_possible",
    0.03: "ranking.chance_unlikely",
    0.0: "ranking.chance_hardly",
}


@dataclass(frozen=True)
class Place:
    """One candidate in the gallery; ``number`` and ``rank`` count from 1, ``width`` of the bar is in percent.

    ``chance`` is its probability in words, ``verdict`` the agreement of its joints with the description.
    """

    number: int
    rank: int
    picture: str
    percent: Text
    width: float
    best: bool
    chance: str
    verdict: Text | None


@dataclass(frozen=True)
class MarkedWord:
    """A word of the description; ``level`` is its weight, from 0 to 3."""

    word: str
    level: int
    known: bool
    part: str | None


@dataclass(frozen=True)
class PartBar:
    """A bar with the weight of a body part; ``width`` is in percent of the longest bar."""

    part: str
    percent: Text
    width: float


def empty_ranking_html() -> str:
    """Return the HTML of the ranking area before there is a ranking."""
    return _outcome("ranking_empty.html", "empty")


def ranking_refusal_html(error: BadInputError) -> str:
    """Return the HTML of an error: one sentence, announced at once, that names the picture and what to do."""
    return _outcome("answer_refusal.html", "refusal", sentence=error_text(error), **about(error), view="ranking")


def ranking_fault_html() -> str:
    """Return the HTML of an internal error; the details are in the log."""
    return _outcome("answer_refusal.html", "refusal", sentence=text("faults.ours"), about="", view="ranking")


def ranking_html(ranking: Ranking, photographs: SeenCandidates) -> str:
    """Return the HTML of a ranking."""
    started = time.perf_counter()
    places = _places(ranking, photographs)
    took = (time.perf_counter() - started) * 1000
    words = _words(ranking.words)
    steps = checked_steps(ranking) if ranking.clauses or ranking.shapes else ()
    return _outcome(
        "ranking.html",
        "ranking",
        language=ranking.language,
        people=json.dumps(people_in(photographs.current.estimate, photographs.current.photograph.image.size)),
        margin=_margin(ranking),
        current=_picture(photographs.current),
        description=" ".join(word.word for word in ranking.words),
        notices=_notices(ranking),
        places=places,
        words=words,
        unlearned=not all(word.known for word in words),
        heaviest=_heaviest(ranking.words, ranking.language),
        parts=_parts(ranking.parts),
        any_parts=bool(ranking.parts),
        steps=steps,
        sure=SURELY_HELD,
        unread=not all(step.verdict or step.shapes for step in steps),
        sources=sources(
            ("source.ranking", text("source.model_retriever")),
            ranking.model,
            ranking.estimator,
            ranking.milliseconds,
            took,
        ),
    )


def collection_html(found: FoundPoses) -> str:
    """Return the HTML of the best poses of a collection, drawn as stick figures, ten at first."""
    current = found.current
    read_as = found.read.read_as
    return _outcome(
        "collection.html",
        "collection",
        language=found.read.language,
        people=json.dumps(people_in(current.estimate, current.photograph.image.size)),
        current=_picture(current),
        description=found.read.text,
        read_as=None if read_as is None else text("ranking.read_as", text=read_as),
        size=found.size,
        poses=[
            (name, stick_figure(joints), _percent(share))
            for name, joints, share in zip(found.names, found.joints, found.shares, strict=False)
        ],
    )


def _outcome(template: str, outcome: str, **values: object) -> str:
    return render(template, kind="fmp-ranking", outcome=outcome, number=secrets.token_hex(4), **values)


def _places(ranking: Ranking, photographs: SeenCandidates) -> list[Place]:
    scores = [entry.score for entry in ranking.ranking]
    return [
        Place(
            number=entry.candidate + 1,
            rank=scores.index(entry.score) + 1,
            picture=_picture(photographs.candidates[entry.candidate]),
            percent=_percent(entry.score),
            width=round(100 * entry.score, 1),
            best=entry.score == scores[0],
            chance=next(word for least, word in _CHANCES.items() if entry.score >= least),
            verdict=_verdict(agreed) if photographs.candidates[entry.candidate].people else text("ranking.nobody_here"),
        )
        for entry, agreed in zip(ranking.ranking, ranking.agreed or [()] * len(scores), strict=True)
    ]


def _verdict(agreed: Sequence[bool | None]) -> Text | None:
    """Return how far the joints agree with the description; None if nothing could be read in it."""
    if not agreed:
        return None
    yes, no = agreed.count(True), agreed.count(False)
    return text("ranking.agreed_denied" if no else "ranking.agreed", of=len(agreed), yes=yes, no=no)


def _picture(candidate: SeenPhotograph) -> str:
    """Return the person, or the whole picture without a person, in a frame of fixed aspect ratio, as a data URI."""
    image = candidate.photograph.image
    left, top, right, bottom = (0, 0, *image.size) if candidate.estimate is None else candidate.estimate.box
    width, height = _SHOWN
    tall = max(bottom - top, (right - left) * height / width) * (1.0 if candidate.estimate is None else 1.12)
    wide = tall * width / height
    x, y = (left + right) / 2, (top + bottom) / 2
    framed = view(image, (x - wide / 2, y - tall / 2), height / tall, _SHOWN)
    return data_uri(framed.convert("RGB"), "JPEG")


def _percent(share: float) -> Text:
    percent = round(100 * share)
    if percent < _MIN_PERCENT:
        return text("ranking.under", percent=_MIN_PERCENT)
    return text("ranking.percent", percent=percent)


def _margin(ranking: Ranking) -> Text:
    """Return the margin of the winner in words."""
    first, second = ranking.ranking[:2]
    ahead = (
        "tie"
        if ranking.margin <= 0
        else "far"
        if ranking.margin >= _FAR
        else "ahead"
        if ranking.margin >= _NEAR
        else "near"
    )
    return text(
        f"margin.{ahead}",
        first=first.candidate + 1,
        second=second.candidate + 1,
        points=max(round(100 * ranking.margin), _MIN_PERCENT),
    )


def _notices(ranking: Ranking) -> list[Text]:
    current, *candidates = ranking.people
    notices = [text("answer.people_current", count=current)] if current > 1 else []
    if ranking.read_as is not None:
        notices.insert(0, text("ranking.read_as", text=ranking.read_as))
    if ranking.gpu_refused:
        notices.append(text("answer.gpu_refused"))
    if not current:
        notices.append(text("ranking.nobody_now"))
    for key, picture_numbers in (
        ("ranking.nobody", [number for number, people in enumerate(candidates, 1) if people == 0]),
        ("ranking.several", [number for number, people in enumerate(candidates, 1) if people > 1]),
    ):
        if picture_numbers:
            numbers = joined([Text(dict.fromkeys(interface_texts(), str(number))) for number in picture_numbers])
            notices.append(text(key, numbers=numbers))
    return notices


def _words(words: tuple[WeighedWord, ...]) -> list[MarkedWord]:
    mean = 1 / len(words)
    flat = _are_flat([word.weight for word in words])
    return [
        MarkedWord(
            word.word,
            sum(word.weight >= level * mean for level in _LEVELS) if _is_word(word) and not flat else 0,
            word.known or not _is_word(word),
            word.part,
        )
        for word in words
    ]


def _heaviest(words: tuple[WeighedWord, ...], language: str) -> list[WeighedWord]:
    """Return the content words with the largest weights, each once and without punctuation."""
    heaviest: dict[str, WeighedWord] = {}
    if _are_flat([word.weight for word in words]):
        return []
    for word in sorted(words, key=lambda entry: -entry.weight):
        name = word.word.strip(f"{MARKS}()").lower()
        if word.known and _is_word(word) and name not in stop_words(language) and name not in heaviest:
            heaviest[name] = WeighedWord(name, word.weight, word.part, word.known)
    return list(heaviest.values())[:_HEAVIEST]


def _is_word(word: WeighedWord) -> bool:
    return any(letter.isalpha() for letter in word.word)


def _are_flat(weights: Sequence[float]) -> bool:
    """Return whether no weight stands out, as when each of ten parts has 8 to 12 percent."""
    return not weights or max(weights) < _REASON * sum(weights) / len(weights)


def _parts(parts: tuple[WeighedPart, ...]) -> list[PartBar]:
    if _are_flat([part.weight for part in parts]):
        return []
    return [PartBar(part.part, _percent(part.weight), round(100 * part.weight / parts[0].weight, 1)) for part in parts]

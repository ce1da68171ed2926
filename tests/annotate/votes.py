"""A small campaign and its answers, for tests of the analysis."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from annotate.campaigns.campaign import Campaign
from annotate.kinds.find_target import FindTarget
from annotate.kinds.verify import Rating
from annotate.kinds.vote import Vote
from annotate.kinds.write import Description
from annotate.records import Event, Payload, new_event

NAME = "example"
MODELS = ("V-only", "L-only", "V.L")
_IDS = dict(zip(MODELS, ("a", "b", "c"), strict=True))  # text ids need not be models' names
_PICTURE = "0.jpg"


def campaign(items: int = 2, *, voices: int = 3, alike: int = 0, gold: bool = False) -> Campaign:
    """Make one with ``items`` items for every kind; the texts of the last ``alike`` of them say the same."""
    asked = [_item(f"item{number}", alike=number >= items - alike) for number in range(items)]
    if gold:
        asked.append({**_item("gold", alike=False), "gold": {"kind": "vote", "relevant": ["c"]}})
    kinds = ["write", "verify", "vote", "find"]
    made = {
        "version": 1,
        "name": NAME,
        "title": {"en": "Example"},
        "kinds": kinds,
        "languages": ["en", "hi"],
        "voices": dict.fromkeys(kinds, voices),
        "items": asked,
    }
    return Campaign.model_validate(made, strict=False)


def _item(uid: str, *, alike: bool) -> dict[str, object]:
    texts = [
        {
            "id": text,
            "language": language,
            "source": model,
            "text": "Raise your arm." if alike else f"Raise your arm like {model} in {uid}.",
            "kinds": ["vote", "verify", "find"],
        }
        for model, text in _IDS.items()
        for language in ("en", "hi")
    ]
    candidates = [_PICTURE, *(f"{number}.jpg" for number in range(1, 10))]
    return {
        "uid": uid,
        "current": "1.jpg",
        "target": _PICTURE,
        "texts": texts,
        "candidates": candidates,
        "answer": 0,
    }


def vote(annotator: str, item: str, *, relevant: str, fluent: str = "", language: str = "en") -> Event:
    """Vote for models by their names; an empty one is a tie."""
    shown = tuple(_IDS.values())

    def chosen(model: str) -> tuple[str, ...]:
        return (_IDS[model],) if model else shown

    return _event(Vote(chosen(relevant), chosen(fluent), shown), annotator, item, language)


def cast(*votes: tuple[str, Sequence[str], Sequence[str]]) -> pd.DataFrame:
    """Give votes as the analysis has them: who voted, the models shown, and those that were best in both questions."""
    return pd.DataFrame(
        {
            "vote": number,
            "language": "en",
            "item": f"item{number}",
            "annotator": annotator,
            "model": model,
            **dict.fromkeys(("relevant", "fluent"), (model in best) / len(best)),
            **dict.fromkeys(("relevant_tied", "fluent_tied"), len(best) == len(shown)),
        }
        for number, (annotator, shown, best) in enumerate(votes)
        for model in shown
    )


def rating(annotator: str, item: str, text: str, score: int, language: str = "en") -> Event:
    """Rate a model's text, or an annotator's by its event's id."""
    return _event(Rating(_IDS.get(text, text), score), annotator, item, language)


def description(annotator: str, item: str, text: str = "Lower your arm.") -> Event:
    """Describe an item."""
    return _event(Description(text, words=len(text.split())), annotator, item, "en")


def choice(annotator: str, item: str, chosen: int, mode: str = "everything", language: str = "en") -> Event:
    """Take a candidate; the right one is 0."""
    return _event(FindTarget(chosen, 0, mode, correct=chosen == 0), annotator, item, language)


def _event(payload: Payload, annotator: str, item: str, language: str) -> Event:
    return new_event(payload, annotator=annotator, campaign=NAME, item=item, language=language)

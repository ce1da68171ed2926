"""A campaign of ``asking`` that people have answered already, for tests of what becomes of their answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotate.kinds.find_target import FindTarget
from annotate.kinds.verify import Rating
from annotate.kinds.vote import Vote
from annotate.kinds.write import Description
from annotate.records import Event, Payload, new_event
from tests.annotate.asking import LONG, MODELS, campaign_json, item, item_to_find

PEOPLE = tuple(f"{number:032x}" for number in range(0xABC0, 0xABC6))
ITEMS = range(1, 9)


def campaign() -> dict[str, Any]:
    """Give the campaign as its file has it."""
    return campaign_json(
        [*(item(number) for number in ITEMS), item_to_find(20)], voices={"vote": 6, "verify": 3, "write": 2}
    )


def answers() -> Iterator[Event]:
    """Six people vote, mostly for the last model; two write, three judge, four look for a target."""
    written = []
    for who, person in enumerate(PEOPLE):
        for number in ITEMS:
            best = () if (who + number) % 7 == 0 else (MODELS[2 if (who * number) % 4 else who % 2],)
            yield answer_event(Vote(best or MODELS, MODELS[number % 3 :][:1], MODELS, seconds=9.0), person, number)
    for who, person in enumerate(PEOPLE[:2]):
        for number in (1, 2, 3):
            text = LONG if (who, number) == (1, 3) else f"{LONG} Then wait {number + who} seconds."
            written.append(answer_event(Description(text, words=len(text.split()), seconds=40.0), person, number))
            yield written[-1]
    for person in PEOPLE[2:5]:
        for number, one in enumerate(written[:4]):
            yield answer_event(Rating(one.id, 4 if number else 1, seconds=8.0), person, int(one.item.split("_")[0]))
    for who, person in enumerate(PEOPLE[:4]):
        for mode in ("everything", "language", "picture"):
            chosen = 2 if mode == "everything" or who == 0 else who
            yield answer_event(FindTarget(chosen, 2, mode, correct=chosen == 2, seconds=6.0), person, 20)
    text = f"{LONG} Then wait 1 seconds."
    yield answer_event(Description(text, words=len(text.split()), seconds=0.5), PEOPLE[0], 4)


def answer_event(payload: Payload, annotator: str, number: int) -> Event:
    """Give one answer about an item."""
    return new_event(payload, annotator=annotator, campaign="small", item=f"{number}_0_0_0_0", language="en")

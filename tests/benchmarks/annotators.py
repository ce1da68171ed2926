"""How long people wait for the thanks and the next task when many of them answer at once, through the app itself.

People think between two answers. Fifty do so for six seconds, which is faster than anybody reads; five hundred take as
long as the page tells them that a task takes, each a half more or less. They come at the pace at which the app lets
newcomers in, and what is measured begins when all of them have their first task.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from annotate.campaigns.campaign import PICTURES, READY_CAMPAIGNS
from annotate.kinds.registry import TASK_KINDS
from tests.annotate.asking import campaign_json, item, write
from tests.browser.visits import STOP_SECONDS, App, running_app

KIND = "verify"
PATIENCE = 25  # seconds after which the page counts an answer as lost
MAX_VOICES = 100  # that a campaign may ask for
COMING = 600  # seconds within which everybody has to have come
AT_THE_DOOR = 20  # people who come at the same time


@dataclass(frozen=True)
class Crowd:
    """``people`` who answer for ``seconds``, with a ``pause`` of so many seconds on mean before each answer."""

    people: int
    seconds: float
    pause: float


CLASS = Crowd(people=50, seconds=60, pause=6)
MANY = Crowd(people=500, seconds=300, pause=TASK_KINDS[KIND].seconds)


@dataclass
class Waits:
    """Milliseconds until each answer was thanked for, and until each task ahead was there; ``faults`` in words.

    ``processor`` is what the app took meanwhile, ``ending`` what it took to end, in seconds.
    """

    answers: list[float] = field(default_factory=list)
    aheads: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    processor: float = 0.0
    ending: float = 0.0


@dataclass
class Person:
    """One browser: a guest with an id of their own."""

    client: httpx.AsyncClient
    endpoint: dict[str, Any]
    guest: dict[str, str]

    async def press(self, action: str, **more: object) -> dict[str, Any]:
        """Send one press as the page does and give what it is told; anything but an answer of the app is an error."""
        event_data = {"action": action, "kind": KIND, "language": "en", "number": 1, "guest": self.guest, **more}
        answer = await self.client.post("/gradio_api/run/predict", json={**self.endpoint, "event_data": event_data})
        shown: dict[str, Any] = answer.raise_for_status().json()["data"][0]
        self.guest.update({"id": shown["guest"]} if "guest" in shown else {})
        if shown["outcome"] not in {"shown", "ahead", "fetched", "told"}:
            raise NotAnsweredError(action, shown)
        return shown


class NotAnsweredError(Exception):
    """The app did not do what was pressed; ``shown`` is what it said instead."""

    def __init__(self, action: str, shown: dict[str, Any]) -> None:
        super().__init__(f"{action}: {shown.get('code', shown['outcome'])}")
        self.shown = shown


async def come(person: Person, deadline: float) -> dict[str, Any]:
    """Begin, and begin again where the app asks newcomers to wait; give the first task."""
    while True:
        try:
            await person.press("start")
            return await person.press("agree", page_language="en")
        except NotAnsweredError as error:
            if error.shown.get("code") != "too_fast" or time.perf_counter() > deadline:
                raise
        await asyncio.sleep(1)


async def work(person: Person, shown: dict[str, Any], crowd: Crowd, chance: random.Random, waits: Waits) -> None:
    """Think, answer, think again, until the time is over."""
    end = time.perf_counter() + crowd.seconds
    await asyncio.sleep(chance.uniform(0, crowd.pause))  # they do not begin together
    while time.perf_counter() < end and "token" in shown:
        begin = time.perf_counter()
        ahead = (await person.press("ahead", token=shown["token"])).get("token")
        waits.aheads.append((time.perf_counter() - begin) * 1000)
        await asyncio.sleep(chance.uniform(0.5, 1.5) * crowd.pause)
        begin = time.perf_counter()
        fields = {"score": str(chance.randint(1, 4)), "comment": "The left arm is not mentioned."}
        shown = await person.press("give", token=shown["token"], fields=fields, ahead=ahead)
        waits.answers.append((time.perf_counter() - begin) * 1000)
        if not shown.get("kept"):
            raise NotAnsweredError("give", shown)


async def answer_at(app: App, crowd: Crowd) -> Waits:
    """Let everybody come and then work; whoever meets a fault tells it and works no more."""
    async with httpx.AsyncClient() as asking:
        config = (await asking.get(f"{app.url}/config", timeout=PATIENCE)).json()
    act = next(one for one in config["dependencies"] if one["targets"] and one["targets"][0][1] == "act")
    endpoint = {"data": [], "fn_index": act["id"], "trigger_id": act["targets"][0][0]}
    waits, door = Waits(), asyncio.Semaphore(AT_THE_DOOR)
    there = asyncio.Barrier(crowd.people + 1)
    deadline = time.perf_counter() + COMING

    # One connection for each of them, as browsers have. The server ends one that was idle for five seconds.
    limits = httpx.Limits(max_connections=crowd.people, max_keepalive_connections=crowd.people, keepalive_expiry=2)
    async with httpx.AsyncClient(base_url=app.url, timeout=PATIENCE, limits=limits) as client:
        await client.get(app.owner_url)  # so that nobody is asked for a proof, as very many new guests would be

        async def live(number: int) -> None:
            person = Person(client, {**endpoint, "session_hash": f"person{number}"}, {"name": ""})
            try:
                async with door:
                    shown = await come(person, deadline)
            except (httpx.HTTPError, NotAnsweredError) as error:
                waits.faults.append(f"coming, {error!r}")
                shown = {}
            await there.wait()
            try:
                await work(person, shown, crowd, random.Random(number), waits)
            except (httpx.HTTPError, NotAnsweredError) as error:
                waits.faults.append(repr(error))

        everybody = [asyncio.create_task(live(number)) for number in range(crowd.people)]
        await there.wait()
        before = processor_seconds(app)
        await asyncio.gather(*everybody)
        with suppress(FileNotFoundError):  # the app was ended meanwhile
            waits.processor = processor_seconds(app) - before
    return waits


def processor_seconds(app: App) -> float:
    """Return the processor time that the process has used so far."""
    told_of = Path(f"/proc/{app.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(told_of[11]) + int(told_of[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def app_with_a_campaign(pose_model: Path, crowd: Crowd, **settings: str) -> Iterator[App]:
    """Yield the app with a campaign that has enough tasks for all of them, with pictures as large as the sample's."""
    with tempfile.TemporaryDirectory(prefix="fixmypose-bench-") as folder:
        places = {name: Path(folder) / name for name in ("campaign", "data", "uploads")}
        for place in places.values():
            place.mkdir()
        files = sorted((READY_CAMPAIGNS / "sample" / PICTURES).glob("*.jpg"))
        answers = crowd.people * (2 + 2 * crowd.seconds / crowd.pause)
        voices = min(crowd.people, MAX_VOICES)
        pairs = [
            item(number, current=files[number % len(files)].name, target=files[(number + 1) % len(files)].name)
            for number in range(max(40, int(answers / voices)))
        ]
        write(places["campaign"], campaign_json(pairs, kinds=[KIND], voices={KIND: voices}))
        for file in files:
            shutil.copy(file, places["campaign"] / PICTURES)
        settings |= {"FMP_CAMPAIGN": str(places["campaign"])}
        with running_app(pose_model, places["data"], places["uploads"], **settings) as app:
            yield app


def answered(pose_model: Path, crowd: Crowd = CLASS, database: str = "") -> Waits:
    """Start the app with a campaign, let everybody work and end it."""
    with app_with_a_campaign(pose_model, crowd, FMP_DATABASE_URL=database) as app:
        waits = asyncio.run(answer_at(app, crowd))
        begin = time.perf_counter()
        app.process.send_signal(signal.SIGTERM)
        app.process.wait(STOP_SECONDS)
        waits.ending = time.perf_counter() - begin
    return waits

"""How long people wait for the thanks and the next task when fifty of them answer at once, through the app itself."""

from __future__ import annotations

import random
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.annotate.asking import item, told, write
from tests.browser.visits import running_app

PEOPLE = 50
SECONDS = 60
PAUSE = 6.0  # seconds between two answers of one person, on mean: faster than anybody reads
ITEMS = 40


@dataclass
class Person:
    """One browser: a guest with an id of their own."""

    client: httpx.Client
    endpoint: dict[str, Any]
    guest: dict[str, str]

    def press(self, action: str, **more: object) -> dict[str, Any]:
        """Send one press as the page does and give what it is told; anything but an answer of the app is an error."""
        said = {"action": action, "kind": "verify", "language": "en", "number": 1, "guest": self.guest, **more}
        answer = self.client.post("/gradio_api/run/predict", json={**self.endpoint, "event_data": said})
        shown: dict[str, Any] = answer.raise_for_status().json()["data"][0]
        if shown["outcome"] not in {"shown", "ahead", "fetched", "told"}:
            message = f"{action}: {shown}"
            raise RuntimeError(message)
        self.guest.update({"id": shown["guest"]} if "guest" in shown else {})
        return shown


def waits_at(url: str) -> list[float]:
    """Give the milliseconds that each answer took until it was thanked and the next task was there."""
    config = httpx.get(f"{url}/config").json()
    act = next(one for one in config["dependencies"] if one["targets"] and one["targets"][0][1] == "act")
    endpoint = {"data": [], "fn_index": act["id"], "trigger_id": act["targets"][0][0]}

    def work(number: int) -> list[float]:
        chance = random.Random(number)
        # The server ends a connection that was idle for five seconds; a browser then opens another by itself.
        with httpx.Client(base_url=url, timeout=60, limits=httpx.Limits(keepalive_expiry=2)) as client:
            person = Person(client, {**endpoint, "session_hash": f"person{number}"}, {"name": ""})
            time.sleep(chance.uniform(0, PAUSE))
            person.press("start")
            shown = person.press("agree", page_language="en")
            waits = []
            end = time.perf_counter() + SECONDS
            while time.perf_counter() < end and "token" in shown:
                ahead = person.press("ahead", token=shown["token"]).get("token")
                time.sleep(chance.uniform(0.5, 1.5) * PAUSE)
                begin = time.perf_counter()
                fields = {"score": str(chance.randint(1, 4)), "comment": "The left arm is not mentioned."}
                shown = person.press("give", token=shown["token"], fields=fields, ahead=ahead)
                waits.append((time.perf_counter() - begin) * 1000)
                if not shown.get("kept"):
                    message = f"no thanks: {shown['outcome']}"
                    raise RuntimeError(message)
            return waits

    with ThreadPoolExecutor(PEOPLE) as pool:
        return [wait for waits in pool.map(work, range(PEOPLE)) for wait in waits]


def answered(pose_model: Path) -> list[float]:
    """Start the app with a campaign and let everybody work; raises where one answer failed."""
    with tempfile.TemporaryDirectory(prefix="fixmypose-bench-") as folder:
        places = {name: Path(folder) / name for name in ("campaign", "data", "uploads")}
        for place in places.values():
            place.mkdir()
        campaign = told([item(number) for number in range(ITEMS)], kinds=["verify"], voices={"verify": PEOPLE})
        write(places["campaign"], campaign)
        settings = {"FMP_CAMPAIGN": str(places["campaign"])}
        with running_app(pose_model, places["data"], places["uploads"], **settings) as app:
            return waits_at(app.url)

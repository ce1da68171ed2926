"""A press of the annotation tab without a browser, with any headers."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

import httpx

from tests.browser.visits import App


@dataclass
class Presser:
    """A guest who sends presses by hand."""

    app: App
    headers: Mapping[str, str] = field(default_factory=dict)
    guest: dict[str, str] = field(default_factory=dict)

    @cached_property
    def client(self) -> httpx.Client:
        """Return a client whose connection closes before the server would close it."""
        return httpx.Client(base_url=self.app.url, timeout=60, limits=httpx.Limits(keepalive_expiry=2))

    @cached_property
    def act(self) -> dict[str, Any]:
        """Return the endpoint of the tab, as the page finds it."""
        config = httpx.get(f"{self.app.url}/config").json()
        every: list[dict[str, Any]] = config["dependencies"]
        return next(one for one in every if one["targets"] and one["targets"][0][1] == "act")

    def open_as_owner(self) -> Presser:
        """Open the printed address, and return the same presser."""
        self.client.get(self.app.owner_url, headers=self.headers)
        return self

    def send(self, action: str, **more: object) -> httpx.Response:
        """Send the request of one press."""
        act = self.act
        event_data = {"action": action, "language": "en", "number": 1, "guest": self.guest, **more}
        body = {"data": [], "fn_index": act["id"], "trigger_id": act["targets"][0][0], "session_hash": "by-hand"}
        return self.client.post(
            "/gradio_api/run/predict", json={**body, "event_data": event_data}, headers=self.headers
        )

    def press(self, action: str, **more: object) -> dict[str, Any]:
        """Press a button, and return the server's message to the page."""
        reply: dict[str, Any] = self.send(action, **more).raise_for_status().json()["data"][0]
        self.guest |= {"id": reply["guest"]} if "guest" in reply else {}
        return reply

    def press_with_proof(self, action: str, **more: object) -> dict[str, Any]:
        """Press a button with the proof of work that the page sends when very many guests arrive."""
        reply = self.press(action, **more)
        if reply.get("code") != "proof_needed":
            return reply
        puzzle: str = reply["puzzle"]
        return self.press(action, **more, proof={"puzzle": puzzle, "answer": _solved(puzzle)})


def _solved(puzzle: str) -> str:
    """Return the number whose hash starts with as many zero bits as the first two digits of the puzzle say."""
    spare = 256 - int(puzzle[:2])
    tried = map(str, itertools.count())
    return next(one for one in tried if not int.from_bytes(sha256(f"{puzzle}:{one}".encode()).digest()) >> spare)

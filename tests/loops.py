"""Event loops of tests: in a thread of their own, since the browser of other tests has one in the main thread."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Result = TypeVar("Result")


def run_aside(call: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end and return its result."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(asyncio.run, call).result()

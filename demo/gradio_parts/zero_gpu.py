"""GPU of a Space.

ZeroGPU is the GPU that a Space lends for the duration of a call; elsewhere functions are unchanged. A GPU call runs in
a forked process: arguments and results must be picklable, anything loaded there is lost, and an exception loses its
type. Therefore models are loaded, and invalid input is rejected, before the call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import spaces

Given = ParamSpec("Given")
Result = TypeVar("Result")

LENT: bool = spaces.config.Config.zero_gpu  # whether this is a ZeroGPU Space
_SECONDS = 20  # duration of a call; a shorter one waits less in the queue of the Hub


def on_gpu(work: Callable[Given, Result]) -> Callable[Given, Result]:
    """Return ``work`` wrapped to run on a lent GPU; ``work`` itself on any other machine."""
    return cast("Callable[Given, Result]", spaces.GPU(work, duration=_SECONDS))

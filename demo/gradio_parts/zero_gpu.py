"""GPU of a Space.

ZeroGPU is the GPU that a Space lends for the duration of a call; elsewhere functions are unchanged. A GPU call runs in
a forked process: arguments and results must be picklable, anything loaded there is lost, and an exception loses its
type. Therefore models are loaded, and invalid input is rejected, before the call. A refused call runs on the processor.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

import spaces

Result = TypeVar("Result")

LENT: bool = spaces.config.Config.zero_gpu  # whether this is a ZeroGPU Space
_SECONDS = 20  # duration of a call; a shorter one waits less in the queue of the Hub
# ``spaces`` refuses a GPU with a ``gr.Error`` of one of these titles, before the function runs.
_REFUSALS = frozenset(
    f"ZeroGPU {what}"
    for what in ("quota exceeded", "pending credits exceeded", "illegal duration", "queue timeout", "client error")
)
_log = logging.getLogger(__name__)


def on_gpu(work: Callable[..., Result]) -> Callable[..., Result]:
    """Return ``work`` wrapped to run on a lent GPU, or with ``device="cpu"`` if the Hub refuses one.

    On any other machine return ``work`` itself.
    """
    if not LENT:
        return work
    import gradio as gr  # noqa: PLC0415  a wrong setting is told before Gradio is imported

    lent: Callable[..., Result] = spaces.GPU(work, duration=_SECONDS)

    @wraps(lent)
    def lent_or_here(*given: object) -> Result:
        try:
            return lent(*given)
        except gr.Error as error:
            if error.title not in _REFUSALS:
                raise
            _log.info("No GPU was lent, so the processor is used: %s", error.message)
        return work(*given, device="cpu")

    return lent_or_here

"""ZeroGPU: the GPU that a Space lends for the time of a call; anywhere else a function stays what it is.

A lent GPU is used in a process that is forked for it: arguments and results must be picklable, what is read there is
lost, and an exception arrives without its type. So a model is read before, and bad input refused before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar, cast

import spaces

from fmp_models.inference.backends import GEOMETRY
from fmp_models.inference.corrector import MeasuredPhotographs, Speaker, Spoken

Given = ParamSpec("Given")
Result = TypeVar("Result")

LENT: bool = spaces.config.Config.zero_gpu  # whether this is a ZeroGPU Space
_SECONDS = 20  # a call may take; who asks for less waits less in the queue of the Hub


def on_gpu(work: Callable[Given, Result]) -> Callable[Given, Result]:
    """``work`` with a GPU where one is lent, else ``work`` itself."""
    return cast("Callable[Given, Result]", spaces.GPU(work, duration=_SECONDS))


class SpeakerOnGpu:
    """A speaker who runs a network."""

    def __init__(self, speaker: Speaker) -> None:
        """Read the speaker now if it will speak in another process; raise what its ``load`` does."""
        self.name = speaker.name
        self._speaker = speaker
        self._say = on_gpu(speaker.say)
        if LENT:
            speaker.load()

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the speaker."""
        return self._speaker.languages

    @property
    def needs_joints(self) -> bool:
        """Whether the speaker needs joints."""
        return self._speaker.needs_joints

    def load(self) -> None:
        """Load the speaker; raise what its ``load`` does."""
        self._speaker.load()

    def say(self, measurements: MeasuredPhotographs, language: str, seed: int | None = None) -> Spoken:
        """The text of the speaker."""
        return self._say(measurements, language, seed)


def with_gpu(speakers: Iterable[Speaker]) -> list[Speaker]:
    """The same speakers, those that run a network with the GPU; the geometry runs none."""
    return [speaker if speaker.name == GEOMETRY else SpeakerOnGpu(speaker) for speaker in speakers]

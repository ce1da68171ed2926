"""GPU of a Space.

ZeroGPU is the GPU that a Space lends for the duration of a call; elsewhere functions are unchanged. A GPU call runs in
a forked process: arguments and results must be picklable, anything loaded there is lost, and an exception loses its
type. Therefore models are loaded, and invalid input is rejected, before the call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar, cast

import spaces

from fmp_models.inference import GEOMETRY, CorrectionModel, MeasuredPhotographs, ModelOutput

Given = ParamSpec("Given")
Result = TypeVar("Result")

LENT: bool = spaces.config.Config.zero_gpu  # whether this is a ZeroGPU Space
_SECONDS = 20  # duration of a call; a shorter one waits less in the queue of the Hub


def on_gpu(work: Callable[Given, Result]) -> Callable[Given, Result]:
    """Return ``work`` wrapped to run on a lent GPU; ``work`` itself on any other machine."""
    return cast("Callable[Given, Result]", spaces.GPU(work, duration=_SECONDS))


class CorrectionModelOnGpu:
    """A correction model whose network runs on the lent GPU."""

    def __init__(self, model: CorrectionModel) -> None:
        """Wrap the model; on a ZeroGPU Space load it before any process is forked, and raise what ``load`` raises."""
        self.name = model.name
        self._model = model
        self._generate = on_gpu(model.generate)
        if LENT:
            model.load()

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the model."""
        return self._model.languages

    @property
    def needs_joints(self) -> bool:
        """Whether the model needs joints."""
        return self._model.needs_joints

    def load(self) -> None:
        """Load the model; raise what its ``load`` raises."""
        self._model.load()

    def generate(self, measurements: MeasuredPhotographs, language: str, seed: int | None = None) -> ModelOutput:
        """Return the output of the model for two photographs."""
        return self._generate(measurements, language, seed)


def with_gpu(models: Iterable[CorrectionModel]) -> list[CorrectionModel]:
    """Return the models, each that runs a network wrapped for the GPU; the geometry runs none."""
    return [model if model.name == GEOMETRY else CorrectionModelOnGpu(model) for model in models]

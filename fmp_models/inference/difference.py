"""Two pictures of anything -> a text about their difference, by a captioner that needs no joints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from fmp_models.errors import BadInputError
from fmp_models.hub import resolve_model
from fmp_models.inference.correction import MeasuredPhotographs, ModelName
from fmp_models.inference.corrector import Orientations, read_pair
from fmp_models.languages import grammar
from fmp_models.preprocessing import AS_TAKEN, upright

if TYPE_CHECKING:
    from fmp_models.inference.neural_captioner import CaptionGenerator

Writing = Callable[..., str]  # given measurements and a language, and a device if no GPU is lent


@dataclass(frozen=True)
class DescribedDifference:
    """The ``text`` about the difference of two pictures; it may be empty."""

    text: str
    language: str
    model: ModelName

    def as_json(self) -> dict[str, Any]:
        """Return plain dictionaries for ``json.dumps``."""
        return asdict(self)


class DifferenceCaptioner:
    """A captioner of whole pictures; one instance serves concurrent requests."""

    def __init__(self, model: str, on_gpu: Callable[[Writing], Writing] = lambda work: work) -> None:
        """Load a captioner by bundled name, folder or Hub id; ``on_gpu`` as in :class:`Corrector`.

        Raise the errors of ``load_captioner``, and ``captioner_needs_joints``.
        """
        self._folder = resolve_model(model)
        self._generator = self._on(None)
        if self._generator.needs_joints:
            raise BadInputError("captioner_needs_joints", model=self._folder.id)
        self.languages = self._generator.languages
        self._written = on_gpu(self._write)

    def describe(
        self, current: bytes, target: bytes, language: str, orientations: Orientations = (AS_TAKEN, AS_TAKEN)
    ) -> DescribedDifference:
        """Return the likeliest text about two picture files, in another language if the captioner lacks this one.

        Raise BadInputError for an unknown language and an unusable file.
        """
        grammar(language)
        first, second = read_pair(current, target)
        seen = MeasuredPhotographs((upright(first, orientations[0]), upright(second, orientations[1])), (None, None))
        written_in = language if language in self.languages else self.languages[0]
        return DescribedDifference(self._written(seen, written_in), written_in, ModelName.of(self._folder))

    def _write(self, seen: MeasuredPhotographs, language: str, device: str | None = None) -> str:
        generator = self._generator if device is None else self._on(device)
        return generator.generate(seen, language).text

    def _on(self, device: str | None) -> CaptionGenerator:
        # Imported here because they load torch, for which an unknown name need not wait.
        from fmp_models.hub import load_captioner  # noqa: PLC0415
        from fmp_models.inference.neural_captioner import CaptionGenerator, Decoding  # noqa: PLC0415

        return CaptionGenerator(load_captioner(self._folder), Decoding(), repairs=False, device=device)

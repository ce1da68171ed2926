"""Retrievers by language, and the measured photographs of a request, in memory for some minutes.

A retriever is the named one, or else a bundled one, and loaded at first use. If several are bundled, the most
accurate on questions about real photographs comes first: the joint space of texts and pose changes, for all
languages. It needs joints. The paper's retrievers, one for each language, also use pictures.

A further request about the same files need not decode and measure them again. Entries are kept in memory only,
until ten minutes after their last use. Only identical bytes find an entry, so one visitor's photograph is never
shown to another.
"""

from __future__ import annotations

import copy
import hashlib
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from fmp_models.errors import BadInputError
from fmp_models.estimators import PersonPoint, PoseEstimate
from fmp_models.geometry import Candidate
from fmp_models.hub import CHECKPOINTS, ModelFolder, bundled_names, resolve_model
from fmp_models.inference.recent_cache import SECONDS, RecentCache
from fmp_models.languages import LANGUAGES
from fmp_models.pose import PosePair
from fmp_models.preprocessing import Photograph

if TYPE_CHECKING:
    from fmp_models.hub import LoadedModel
    from fmp_models.networks import AnyRetriever, VisionModel


@dataclass(frozen=True)
class SeenPhotograph:
    """A photograph and the person measured in it.

    ``estimate`` is ``None`` if no person could be measured; ``refusal`` is then the error code of the reason.
    """

    photograph: Photograph
    estimate: PoseEstimate | None
    refusal: str = ""

    @property
    def key(self) -> str:
        """A hash of the pixels, equal for the same picture in different files."""
        return self.photograph.key

    @property
    def people(self) -> int:
        """The number of people, 0 if no person could be measured."""
        return 0 if self.estimate is None else self.estimate.people


@dataclass(frozen=True)
class SeenCandidates:
    """Intermediate measurements for the page, with the candidates in the given order."""

    current: SeenPhotograph
    candidates: tuple[SeenPhotograph, ...]

    def candidate(self, target: SeenPhotograph) -> Candidate | None:
        """Return the current pose with the target's pose; None if either photograph has no measured person."""
        if self.current.estimate is None or target.estimate is None:
            return None
        return Candidate(PosePair(self.current.estimate.pose, target.estimate.pose), target.estimate.pose)


MAX_PHOTOGRAPHS = 64
MAX_PIXELS = 40_000_000  # in total, three bytes each: three requests of ten pictures as the page sends them

Key = tuple[bytes, PersonPoint | None]


def file_key(data: bytes, person_point: PersonPoint | None = None) -> Key:
    """Return the key of a file's measurement: the hash of its bytes, and the place of the measured person."""
    return hashlib.sha256(data).digest(), person_point


class PhotographCache(RecentCache[Key, SeenPhotograph]):
    """A cache of measured photographs, limited by their number and their pixels."""

    def __init__(
        self, max_photographs: int = MAX_PHOTOGRAPHS, max_pixels: int = MAX_PIXELS, seconds: float = SECONDS
    ) -> None:
        super().__init__(max_photographs, seconds, max_pixels, _pixels)


def _pixels(measured: SeenPhotograph) -> int:
    width, height = measured.photograph.image.size
    return width * height


PAPERS, SPACE = "retriever-", "retriever-space"  # bundled names; the paper's end with the language


def needs_joints(loaded: LoadedModel[VisionModel[AnyRetriever]]) -> bool:
    """Return whether the retriever has no replacement for unknown joints, or uses no other input."""
    config = loaded.network.network.config
    return config.joints and not (config.missing and config.images)


def present(loaded: LoadedModel[VisionModel[AnyRetriever]], poses: Sequence[SeenPhotograph]) -> NDArray[np.bool_]:
    """Return which of the pictures after the first the retriever can rank."""
    return np.array([picture.estimate is not None or not needs_joints(loaded) for picture in poses[1:]])


class Retrievers:
    """Retrievers by language; one instance serves concurrent requests."""

    def __init__(
        self,
        model: str = "",
        *,
        bundled: Path = CHECKPOINTS,
        revision: str | None = None,
        device: str | None = None,
        cache: Path | None = None,
    ) -> None:
        """Find ``model``: a bundled name, folder or Hub id; if empty, each language uses its bundled retriever.

        ``revision`` and ``cache`` are those of ``hub.references.resolve_model``. ``device`` is by default the GPU if
        there is one. Raise the errors of ``resolve_model``. Nothing is loaded yet.
        """
        self._device = device
        self._named = resolve_model(model, revision, bundled=bundled, cache=cache) if model else None
        names = set(bundled_names(bundled))
        paper_names = {language: f"{PAPERS}{language}" for language in LANGUAGES}
        self._papers = {
            code: resolve_model(name, bundled=bundled) for code, name in paper_names.items() if name in names
        }
        self._space = resolve_model(SPACE, bundled=bundled) if SPACE in names else None
        self._loaded: dict[ModelFolder, LoadedModel[VisionModel[AnyRetriever]]] = {}
        self._copies: dict[str, Self] = {}
        self._lock = threading.Lock()

    def on_device(self, device: str) -> Self:
        """Return these retrievers on another device, where they are loaded at first use."""
        other = copy.copy(self)
        vars(other).update(_device=device, _loaded={}, _lock=threading.Lock())
        return self._copies.setdefault(device, other)

    @property
    def installed(self) -> bool:
        """Whether there is any retriever."""
        return self._named is not None or self._space is not None or bool(self._papers)

    def load(self, *, every: bool = False) -> None:
        """Load now instead of at the first request; raise the errors of ``load_retriever``.

        Only the models that are asked first are loaded, unless ``every``.
        """
        first = [folder for folder in (self._named or self._space,) if folder]
        papers = self._papers.values() if not first or (every and not self._named) else ()
        for folder in (*first, *papers):
            self._read(folder)

    def load_ahead(self) -> None:
        """Load the models in a thread before the first request; an error in their files is raised at that request."""

        def load() -> None:
            with suppress(BadInputError):
                self.load()

        threading.Thread(target=load, name="retriever", daemon=True).start()

    def reading(self, language: str) -> LoadedModel[VisionModel[AnyRetriever]]:
        """Return the retriever for descriptions in a language.

        Raise :class:`BadInputError`: ``retriever_missing``, ``retriever_other_language``. Raise RuntimeError if its
        files are unusable, which is not the caller's fault.
        """
        if not self.installed:
            raise BadInputError("retriever_missing")
        folder = self._named or self._space or self._papers.get(language)
        if folder is None:
            raise BadInputError("retriever_other_language")
        return self._reading(folder, language)

    def seeing(self, language: str) -> LoadedModel[VisionModel[AnyRetriever]] | None:
        """Return the bundled retriever of a language that uses pictures; None without one or if a model is named."""
        folder = None if self._named else self._papers.get(language)
        return None if folder is None else self._reading(folder, language)

    def _reading(self, folder: ModelFolder, language: str) -> LoadedModel[VisionModel[AnyRetriever]]:
        try:
            loaded = self._read(folder)
        except BadInputError as error:
            raise RuntimeError(error.sentence) from error
        if not loaded.network.network.config.text or language not in loaded.vocabularies:
            raise BadInputError("retriever_other_language")
        return loaded

    def _read(self, folder: ModelFolder) -> LoadedModel[VisionModel[AnyRetriever]]:
        """Load a retriever once, to the GPU if there is one."""
        if folder not in self._loaded:
            with self._lock:
                if folder not in self._loaded:
                    import torch  # noqa: PLC0415  slow to import, and needed only for retrieval

                    from fmp_models.hub import load_retriever  # noqa: PLC0415  loads torch

                    loaded = load_retriever(folder)
                    loaded.network.to(self._device or ("cuda" if torch.cuda.is_available() else "cpu"))
                    self._loaded[folder] = loaded
        return self._loaded[folder]

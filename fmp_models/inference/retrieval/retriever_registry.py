"""Registry of retrievers by language: the named one, or else a bundled one; loaded at first use.

If several are bundled, the most accurate on questions about real photographs comes first: the joint space of
texts and pose changes, for all languages. It needs joints. The paper's retrievers, one for each language, also
use pictures.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fmp_models.errors import BadInputError
from fmp_models.hub.references import CHECKPOINTS, ModelFolder, bundled_names, resolve_model
from fmp_models.inference.retrieval.seen_photographs import SeenPhotograph
from fmp_models.languages.language_data import LANGUAGES

if TYPE_CHECKING:
    from fmp_models.hub.models import LoadedModel
    from fmp_models.networks.backbone import VisionModel
    from fmp_models.networks.retriever import AnyRetriever

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

    def __init__(  # noqa: PLR0913  source of a retriever and runtime options
        self,
        model: str = "",
        *,
        bundled: Path = CHECKPOINTS,
        say: Callable[[str], object] = lambda _: None,
        revision: str | None = None,
        device: str | None = None,
        cache: Path | None = None,
    ) -> None:
        """Find ``model``: a bundled name, folder or Hub id; if empty, each language uses its bundled retriever.

        ``say`` reports the commit of a Hub model if none was given; ``revision`` and ``cache`` are those of
        ``hub.references.resolve_model``. ``device`` is by default the GPU if there is one. Raise the errors of
        ``resolve_model``. Nothing is loaded yet.
        """
        self._device = device
        self._named = resolve_model(model, revision, bundled=bundled, say=say, cache=cache) if model else None
        names = set(bundled_names(bundled))
        paper_names = {language: f"{PAPERS}{language}" for language in LANGUAGES}
        self._papers = {
            code: resolve_model(name, bundled=bundled) for code, name in paper_names.items() if name in names
        }
        self._space = resolve_model(SPACE, bundled=bundled) if SPACE in names else None
        self._loaded: dict[ModelFolder, LoadedModel[VisionModel[AnyRetriever]]] = {}
        self._lock = threading.Lock()

    @property
    def installed(self) -> bool:
        """Whether there is any retriever."""
        return self._named is not None or self._space is not None or bool(self._papers)

    def load(self) -> None:
        """Load now instead of at the first request; raise the errors of ``load_retriever``."""
        for folder in [self._named] if self._named else [self._space] if self._space else self._papers.values():
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

                    from fmp_models.hub.models import load_retriever  # noqa: PLC0415  loads torch

                    loaded = load_retriever(folder)
                    loaded.network.to(self._device or ("cuda" if torch.cuda.is_available() else "cpu"))
                    self._loaded[folder] = loaded
        return self._loaded[folder]

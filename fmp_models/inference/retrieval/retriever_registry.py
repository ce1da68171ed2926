"""The registry of retrievers by language: the one that was named, else a bundled one; loaded when first asked for.

Where several are bundled, the one whose questions of real photographs are answered best comes first: the space of texts
and changes of pose, of all languages. It needs joints; the paper's, one for each language, sees pictures too.
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
from fmp_models.hub.references import CHECKPOINTS, ModelFolder, bundled_names, resolve
from fmp_models.inference.retrieval.seen_photographs import SeenPhotograph
from fmp_models.languages.grammar import LANGUAGES

if TYPE_CHECKING:
    from fmp_models.hub.models import LoadedModel
    from fmp_models.networks.backbones.vision_model import VisionModel
    from fmp_models.networks.retrieving.pose_space import AnyRetriever

PAPERS, SPACE = "retriever-", "retriever-space"  # the bundled names: the paper's end in their language


def needs_joints(loaded: LoadedModel[VisionModel[AnyRetriever]]) -> bool:
    """Whether the retriever has nothing in the place of unknown joints, or looks at nothing else."""
    config = loaded.network.network.config
    return config.joints and not (config.missing and config.images)


def present(loaded: LoadedModel[VisionModel[AnyRetriever]], poses: Sequence[SeenPhotograph]) -> NDArray[np.bool_]:
    """Which of the pictures after the first the retriever can rank."""
    return np.array([picture.estimate is not None or not needs_joints(loaded) for picture in poses[1:]])


class Retrievers:
    """Retrievers by language; one instance serves any number of visitors at once."""

    def __init__(  # noqa: PLR0913  where a retriever is, and how it runs
        self,
        model: str = "",
        *,
        bundled: Path = CHECKPOINTS,
        say: Callable[[str], object] = lambda _: None,
        revision: str | None = None,
        device: str | None = None,
        cache: Path | None = None,
    ) -> None:
        """``model`` is a bundled name, a folder or a Hub id; where it is empty each language has its bundled one.

        ``say`` hears which commit of a Hub model is taken where none was named; ``revision`` and ``cache`` as of
        ``hub.references.resolve``. ``device`` is by default the GPU if there is one. Raises what ``resolve`` does;
        nothing is loaded yet.
        """
        self._device = device
        self._named = resolve(model, revision, bundled=bundled, say=say, cache=cache) if model else None
        names = set(bundled_names(bundled))
        paper_names = {language: f"{PAPERS}{language}" for language in LANGUAGES}
        self._papers = {code: resolve(name, bundled=bundled) for code, name in paper_names.items() if name in names}
        self._space = resolve(SPACE, bundled=bundled) if SPACE in names else None
        self._loaded: dict[ModelFolder, LoadedModel[VisionModel[AnyRetriever]]] = {}
        self._lock = threading.Lock()

    @property
    def installed(self) -> bool:
        """Whether there is any retriever."""
        return self._named is not None or self._space is not None or bool(self._papers)

    def load(self) -> None:
        """Read now what is else read at the first question; raise what ``load_retriever`` does."""
        for folder in [self._named] if self._named else [self._space] if self._space else self._papers.values():
            self._read(folder)

    def load_ahead(self) -> None:
        """Load in a thread what the first question would wait for; files that cannot be used fail at that question."""

        def load() -> None:
            with suppress(BadInputError):
                self.load()

        threading.Thread(target=load, name="retriever", daemon=True).start()

    def reading(self, language: str) -> LoadedModel[VisionModel[AnyRetriever]]:
        """The retriever of descriptions in a language.

        Raises :class:`BadInputError`: ``retriever_missing``, ``retriever_other_language``; RuntimeError where its files
        cannot be used: who asks has not named it and cannot mend it.
        """
        if not self.installed:
            raise BadInputError("retriever_missing")
        folder = self._named or self._space or self._papers.get(language)
        if folder is None:
            raise BadInputError("retriever_other_language")
        return self._reading(folder, language)

    def seeing(self, language: str) -> LoadedModel[VisionModel[AnyRetriever]] | None:
        """The bundled retriever of a language that sees pictures, where nobody named another; None without one."""
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
        """Load a retriever once, onto the GPU where there is one."""
        if folder not in self._loaded:
            with self._lock:
                if folder not in self._loaded:
                    import torch  # noqa: PLC0415  slow to import, and needed by no page that finds no photographs

                    from fmp_models.hub.models import load_retriever  # noqa: PLC0415  loads torch

                    loaded = load_retriever(folder)
                    loaded.network.to(self._device or ("cuda" if torch.cuda.is_available() else "cpu"))
                    self._loaded[folder] = loaded
        return self._loaded[folder]

"""Which retriever reads a language: the one that was named, else the bundled one; loaded when first asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import torch

from fmp_models.errors import BadInputError
from fmp_models.hub.models import Loaded, load_retriever
from fmp_models.hub.references import CHECKPOINTS, ModelFolder, bundled_names, resolve
from fmp_models.languages.grammar import LANGUAGES
from fmp_models.networks.pose_space import AnyRetriever
from fmp_models.networks.seeing import Seeing


class Retrievers:
    """Retrievers by language; one instance serves any number of visitors at once."""

    def __init__(
        self, model: str = "", *, bundled: Path = CHECKPOINTS, say: Callable[[str], object] = lambda _: None
    ) -> None:
        """``model`` is a bundled name, a folder or a Hub id; where it is empty each language has its bundled one.

        ``say`` hears which commit of a Hub model is taken where none was named. Raises what ``hub.references.resolve``
        does; nothing is loaded yet.
        """
        self._named = resolve(model, bundled=bundled, say=say) if model else None
        names = {f"retriever-{language}": language for language in LANGUAGES}
        self._bundled = {
            names[name]: resolve(name, bundled=bundled) for name in bundled_names(bundled) if name in names
        }
        self._loaded: dict[ModelFolder, Loaded[Seeing[AnyRetriever]]] = {}
        self._lock = threading.Lock()

    @property
    def installed(self) -> bool:
        """Whether there is any retriever."""
        return self._named is not None or bool(self._bundled)

    def load(self) -> None:
        """Read now what is else read at the first question; raise what ``load_retriever`` does."""
        for folder in [self._named] if self._named else self._bundled.values():
            self._read(folder)

    def reading(self, language: str) -> Loaded[Seeing[AnyRetriever]]:
        """The retriever of descriptions in a language.

        Raises :class:`BadInputError`: ``retriever_missing``, ``retriever_other_language``; RuntimeError where its files
        cannot be used: who asks has not named it and cannot mend it.
        """
        if not self.installed:
            raise BadInputError("retriever_missing")
        folder = self._named or self._bundled.get(language)
        if folder is None:
            raise BadInputError("retriever_other_language")
        try:
            loaded = self._read(folder)
        except BadInputError as error:
            raise RuntimeError(error.sentence) from error
        if not loaded.network.network.config.text or language not in loaded.vocabularies:
            raise BadInputError("retriever_other_language")
        return loaded

    def _read(self, folder: ModelFolder) -> Loaded[Seeing[AnyRetriever]]:
        """Load a retriever once, onto the GPU where there is one."""
        if folder not in self._loaded:
            with self._lock:
                if folder not in self._loaded:
                    loaded = load_retriever(folder)
                    loaded.network.to("cuda" if torch.cuda.is_available() else "cpu")
                    self._loaded[folder] = loaded
        return self._loaded[folder]

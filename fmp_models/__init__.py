"""Pose correction and retrieval: the trained models and the geometry they build on.

The package knows neither the web page nor the annotation store. Its public names are imported when they
are first used, so ``import fmp_models`` alone does not load torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fmp_models.errors import BadInputError
    from fmp_models.estimators.select import choose_estimator
    from fmp_models.hub.models import load_captioner, load_retriever
    from fmp_models.inference.backends import find_speaker
    from fmp_models.inference.corrector import Corrector
    from fmp_models.inference.retrieval.retriever_registry import Retrievers
    from fmp_models.inference.retrieval.target_finder import TargetFinder

_MODULES = {
    "BadInputError": "fmp_models.errors",
    "Corrector": "fmp_models.inference.corrector",
    "Retrievers": "fmp_models.inference.retrieval.retriever_registry",
    "TargetFinder": "fmp_models.inference.retrieval.target_finder",
    "choose_estimator": "fmp_models.estimators.select",
    "find_speaker": "fmp_models.inference.backends",
    "load_captioner": "fmp_models.hub.models",
    "load_retriever": "fmp_models.hub.models",
}
__all__ = [
    "BadInputError",
    "Corrector",
    "Retrievers",
    "TargetFinder",
    "choose_estimator",
    "find_speaker",
    "load_captioner",
    "load_retriever",
]


def __getattr__(name: str) -> object:
    """Import a public name from its module; raise AttributeError for an unknown name."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")  # noqa: EM102, TRY003  as Python says it
    return getattr(import_module(_MODULES[name]), name)

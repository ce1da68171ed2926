"""Pose correction and retrieval: the trained models and the geometry they build on.

The package knows neither the web page nor the annotation store. Its public names are imported when they
are first used, so ``import fmp_models`` alone does not load torch.
"""

import warnings
from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "1.1.0"

if TYPE_CHECKING:
    from fmp_models.errors import BadInputError as BadInputError
    from fmp_models.errors import ModelUnavailableError as ModelUnavailableError
    from fmp_models.errors import NoPersonError as NoPersonError
    from fmp_models.errors import UnreadableImageError as UnreadableImageError
    from fmp_models.estimators.base import PoseEstimate as PoseEstimate
    from fmp_models.estimators.pose_models import choose_estimator as choose_estimator
    from fmp_models.geometry.lexicon import Clause as Clause
    from fmp_models.hub.models import load_captioner as load_captioner
    from fmp_models.hub.models import load_retriever as load_retriever
    from fmp_models.inference.correction import Correction as Correction
    from fmp_models.inference.corrector import Corrector as Corrector
    from fmp_models.inference.corrector import load_correction_model as load_correction_model
    from fmp_models.inference.retrievers import Retrievers as Retrievers
    from fmp_models.inference.target_finder import Ranking as Ranking
    from fmp_models.inference.target_finder import TargetFinder as TargetFinder
    from fmp_models.pose import Pose as Pose

_MODULES = {  # by public name
    "BadInputError": "errors",
    "Clause": "geometry.clauses",
    "Correction": "inference.correction",
    "Corrector": "inference.corrector",
    "ModelUnavailableError": "errors",
    "NoPersonError": "errors",
    "Pose": "pose",
    "PoseEstimate": "estimators.base",
    "Ranking": "inference.target_finder",
    "Retrievers": "inference.retrievers",
    "TargetFinder": "inference.target_finder",
    "UnreadableImageError": "errors",
    "choose_estimator": "estimators.pose_models",
    "load_correction_model": "inference.corrector",
    "load_captioner": "hub.models",
    "load_retriever": "hub.models",
}
_RENAMED = {"find_speaker": "load_correction_model"}  # old public names, for one version
__all__ = [*_MODULES]  # noqa: PLE0604  all are strings


def __getattr__(name: str) -> object:
    """Import a public name from its module; raise AttributeError for an unknown name."""
    if name in _RENAMED:
        warnings.warn(f"fmp_models.{name} is now {_RENAMED[name]}", DeprecationWarning, stacklevel=2)
        name = _RENAMED[name]
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})

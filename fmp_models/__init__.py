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
    from fmp_models.estimators import PoseEstimate as PoseEstimate
    from fmp_models.estimators import choose_estimator as choose_estimator
    from fmp_models.geometry import Clause as Clause
    from fmp_models.hub import load_captioner as load_captioner
    from fmp_models.hub import load_retriever as load_retriever
    from fmp_models.inference import Correction as Correction
    from fmp_models.inference import Corrector as Corrector
    from fmp_models.inference import Ranking as Ranking
    from fmp_models.inference import Retrievers as Retrievers
    from fmp_models.inference import TargetFinder as TargetFinder
    from fmp_models.inference import correct_joints as correct_joints
    from fmp_models.inference import load_correction_model as load_correction_model
    from fmp_models.inference import read_joints as read_joints
    from fmp_models.pose import Pose as Pose

_ROOMS = {  # and modules, by public name
    "BadInputError": "errors",
    "Clause": "geometry",
    "Correction": "inference",
    "Corrector": "inference",
    "ModelUnavailableError": "errors",
    "NoPersonError": "errors",
    "Pose": "pose",
    "PoseEstimate": "estimators",
    "Ranking": "inference",
    "Retrievers": "inference",
    "TargetFinder": "inference",
    "UnreadableImageError": "errors",
    "choose_estimator": "estimators",
    "correct_joints": "inference",
    "load_correction_model": "inference",
    "load_captioner": "hub",
    "load_retriever": "hub",
    "read_joints": "inference",
}
_RENAMED = {"find_speaker": "load_correction_model"}  # old public names, for one version
__all__ = [*_ROOMS]  # noqa: PLE0604  all are strings


def __getattr__(name: str) -> object:
    """Import a public name from its room; raise AttributeError for an unknown name."""
    if name in _RENAMED:
        warnings.warn(f"fmp_models.{name} is now {_RENAMED[name]}", DeprecationWarning, stacklevel=2)
        name = _RENAMED[name]
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_ROOMS[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_ROOMS})

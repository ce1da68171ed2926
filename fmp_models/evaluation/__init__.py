"""Evaluation of models on held-out splits: the paper's scores and the paper's tables."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

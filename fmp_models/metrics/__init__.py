"""Metrics of corrections and of retrieval, computed as in the released evaluation."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

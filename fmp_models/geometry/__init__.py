"""Geometry without words: measured changes, plans of corrections, and verdicts on clauses."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

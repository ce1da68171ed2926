"""Campaigns: their files, datasets to build them from, questions, and the status of texts."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""Inference: from photographs to a correction or a ranking, for the page, the command line and the API."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""Languages: one data folder per language, and a reader and a realiser that serve all of them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

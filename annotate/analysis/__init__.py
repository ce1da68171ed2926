"""Statistics of the answers: votes, model strengths, agreement and annotator quality, as numbers, tables and plots."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

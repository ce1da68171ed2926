"""Server side of the live coach: sessions for a limited number of visitors, their frames, and the advice on each."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

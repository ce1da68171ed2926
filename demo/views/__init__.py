"""Views: HTML and figures of corrections and rankings, with their steps, sources and attention maps."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

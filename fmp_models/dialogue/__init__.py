"""Dialogue about a pose pair: questions whose answers are programs on a scene graph (Kottur et al., NAACL 2019)."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

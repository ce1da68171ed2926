"""Geometry model: joints of two poses -> plan -> text, and text -> plan -> verdict on the text of any model."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""Kinds of task, one module each: the record, the questions, the answer and its reading, the form, and the quality."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

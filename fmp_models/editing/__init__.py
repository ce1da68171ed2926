"""Caption editing for poses: a given text is mended word by word with KEEP, DELETE and ADD (Wang et al., ECCV 2022)."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""Live coach: takes frames of a person and gives one instruction at a time until they hold the target pose."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""The annotation tab: a start page, and a task form for each kind of task; the page provides its services."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

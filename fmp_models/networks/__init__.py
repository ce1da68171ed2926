"""The paper's networks, captioner and retriever, and those of our pose estimators; each with its configuration."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

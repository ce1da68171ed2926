"""What if: one thing in the target pose is changed, and texts and rankings are asked to follow it and nothing else."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""Code shared by ``fmp_models`` and ``annotate``: errors, photograph reading, plain files, command lines.

It imports no other package of the project. ``fmp_models`` and ``annotate`` share nothing else.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""Serving: the layer between the network and the page, with host names, visitors, the queue, uploads and limits."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

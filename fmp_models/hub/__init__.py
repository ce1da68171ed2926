"""Models, datasets and Spaces on the Hub: load a model by name, folder or id, save a model, push a folder."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""Training of the paper's models and our estimators on a dataset folder: samples, objectives, recipes and the loop."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""Publishing: events as Parquet files in a folder or on the Hub, their import back, and exports as tables."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

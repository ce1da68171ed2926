"""Storage: events in SQLite or PostgreSQL, committed before an answer is confirmed, and queries on them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

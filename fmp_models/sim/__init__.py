"""A simulator of people who move in furnished rooms: bodies, motions, rooms, pictures. Needs anny and pyvista."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

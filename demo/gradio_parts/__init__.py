"""Adaptations of Gradio: own components and their wiring, its blocks and routes, and the GPU of a Space."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

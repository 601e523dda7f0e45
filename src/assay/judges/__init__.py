"""Judges of relevance: agreement, effect on conclusions, and estimates from few human and many machine judgments."""

import lazy_loader

# The stub __init__.pyi lists the public names; a module is loaded when its first name is used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

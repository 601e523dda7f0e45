"""Evaluate ranked retrieval: from run files and relevance judgments to values per topic, strict and fast.

>>> import assay
>>> results = assay.evaluate({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0.2, "d2": 0.8}}, ["AP", "nDCG@10"])
>>> results
Results(1 run x 1 topic: AP, nDCG@10)
"""

import lazy_loader

from assay._version import VERSION

__version__ = VERSION

# The stub __init__.pyi lists the public names; a module is loaded when its first name is used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

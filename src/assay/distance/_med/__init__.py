"""Maximized effectiveness distance (MED): one module for each family of measures.

``interface`` defines what an algorithm provides, ``dispatch`` chooses the algorithm for a measure, and ``report`` holds
the result. ``average_precision``, ``cascade`` and ``q_measure`` share the dynamic program of ``lattice``.
"""

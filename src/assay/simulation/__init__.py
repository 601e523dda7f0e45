"""Test collections with known properties: what a campaign such as TREC leaves behind, drawn from a seed.

Systems of graded quality, some of them related, rank the documents of each topic; the best of most runs are pooled and
judged; the rest stays unjudged. Unlike in a real campaign the truth is known.
"""

from __future__ import annotations

from assay.simulation.collection import Collection, simulate
from assay.simulation.parameters import Parameters
from assay.simulation.systems import System

__all__ = ["Collection", "Parameters", "System", "simulate"]

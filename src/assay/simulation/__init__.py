"""Simulated test collections: runs and qrels like those of a TREC campaign, drawn from a seed.

Systems of different quality, some of them related, rank the documents of each topic. The top documents of most runs
are pooled and judged; all other documents are unjudged. Unlike in a real campaign, the true grades are known.
"""

from __future__ import annotations

from assay.simulation.collection import Collection, simulate
from assay.simulation.parameters import Parameters
from assay.simulation.systems import System

__all__ = ["Collection", "Parameters", "System", "simulate"]

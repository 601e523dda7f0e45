from ._rbo import OverlapReport as OverlapReport
from ._rbo import rbo as rbo
from .maximized_effectiveness import MedReport as MedReport
from .maximized_effectiveness import med as med
from .rank_biased_overlap import rank_biased_overlap as rank_biased_overlap
from .rank_correlation import rank_correlation as rank_correlation

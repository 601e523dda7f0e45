from ._compare import compare as compare
from .base import PairOutcomes as PairOutcomes
from .base import SignificanceTest as SignificanceTest
from .base import significance_tests as significance_tests
from .comparison import Comparison as Comparison
from .slice_comparison import SliceComparison as SliceComparison

"""Public names and the modules that define them, for type checkers and for lazy loading at run time."""

from . import distance as distance
from . import effort as effort
from . import judges as judges
from . import measures as measures
from . import meta as meta
from . import model as model
from . import significance as significance
from . import spark as spark
from . import theory as theory
from . import uncertainty as uncertainty
from .engine.campaign import Campaign as Campaign
from .engine.campaign import read as read
from .errors import AssayError as AssayError
from .input_check._check import check as check
from .measures import catalogue as catalogue
from .measures import measure as measure
from .results._evaluate import evaluate as evaluate
from .results.collections import read_collections as read_collections
from .results.results import Results as Results
from .significance._collections import collections as collections
from .significance._compare import compare as compare
from .significance._gate.gate import gate as gate
from .significance._leaderboard import leaderboard as leaderboard
from .significance._topics import topics as topics
from .simulation import simulate as simulate
from .views.explorer import explore as explore
from .views.plots._figures import plot as plot
from .views.report.build import report as report

__version__: str

"""Public names and the modules that define them, for type checkers and for lazy loading at run time."""

from .distance.maximized import med as med
from .distance.overlap import overlap as overlap
from .effort.against_gain import effort_gain as effort_gain
from .effort.curve import curve as curve
from .effort.indicators import effort_report as effort_report
from .engine.campaign import Campaign as Campaign
from .engine.campaign import read as read
from .errors import AssayError as AssayError
from .measures import catalogue as catalogue
from .measures import measure as measure
from .meta.correlation import correlate as correlate
from .meta.judgments import judgment_report as judgment_report
from .meta.pool_depth import pool_depth as pool_depth
from .meta.power import discriminative_power as discriminative_power
from .meta.robustness import robustness as robustness
from .meta.significance_counts import significance_counts as significance_counts
from .meta.study import study as study
from .model.judged import Judged as Judged
from .model.qrels import Qrels as Qrels
from .model.qrels import read_qrels as read_qrels
from .model.run import Run as Run
from .model.run import read_run as read_run
from .model.run import read_runs as read_runs
from .results._evaluate import evaluate as evaluate
from .results.table import Results as Results
from .significance._compare import compare as compare
from .simulation import simulate as simulate
from .theory.axioms import check_axioms as check_axioms
from .theory.balancing import balance_report as balance_report
from .theory.order import order_report as order_report
from .uncertainty.bounding import bounds as bounds
from .uncertainty.depth import depth_plans as depth_plans
from .uncertainty.judge_next import judge_next as judge_next
from .uncertainty.residuals import residual_curves as residual_curves
from .uncertainty.ties import tie_report as tie_report
from .views.plots._figures import plot as plot

__version__: str

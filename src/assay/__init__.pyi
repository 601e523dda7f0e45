"""Public names and the modules that define them, for type checkers and for lazy loading at run time."""

from .analyses.compare.comparing import compare as compare
from .analyses.distance.maximized import med as med
from .analyses.distance.overlap import overlap as overlap
from .analyses.effort.against_gain import effort_gain as effort_gain
from .analyses.effort.curve import curve as curve
from .analyses.effort.indicators import effort_report as effort_report
from .analyses.meta.correlation import correlate as correlate
from .analyses.meta.judgments import judgment_report as judgment_report
from .analyses.meta.pool_depth import pool_depth as pool_depth
from .analyses.meta.power import discriminative_power as discriminative_power
from .analyses.meta.robustness import robustness as robustness
from .analyses.meta.significance_counts import significance_counts as significance_counts
from .analyses.meta.study import study as study
from .analyses.theory.axioms import check_axioms as check_axioms
from .analyses.theory.balancing import balance_report as balance_report
from .analyses.theory.order import order_report as order_report
from .analyses.ties import tie_report as tie_report
from .analyses.uncertainty.bounding import bounds as bounds
from .analyses.uncertainty.depth import depth_plans as depth_plans
from .analyses.uncertainty.judge_next import judge_next as judge_next
from .analyses.uncertainty.residuals import residual_curves as residual_curves
from .errors import AssayError as AssayError
from .evaluation import evaluate as evaluate
from .measures import catalogue as catalogue
from .measures import measure as measure
from .model.judged import Judged as Judged
from .model.qrels import Qrels as Qrels
from .model.qrels import read_qrels as read_qrels
from .model.run import Run as Run
from .model.run import read_run as read_run
from .model.run import read_runs as read_runs
from .results.table import Results as Results
from .simulation import simulate as simulate
from .views.plots._figures import plot as plot

__version__: str

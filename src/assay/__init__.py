"""Evaluate ranked retrieval: the quality of runs, its uncertainty, user effort, and the reliability of measures.

>>> import assay
>>> results = assay.evaluate({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0.2, "d2": 0.8}}, ["AP", "nDCG@10"])
>>> results
Results(1 run x 1 topic: AP, nDCG@10)

read, Campaign       judgments and runs, read once
check                problems of input files
evaluate, Results    values of measures for each run and topic
compare              differences, intervals, significance
gate                 verdict on a new run: no worse than a baseline, worse, or undecided
leaderboard          runs ranked by their means, with ties
topics               topics on which a run wins and loses, and why
collections          runs compared over several collections, read by read_collections
plot, report         figures; an HTML report
explore              the campaign in the browser
simulate             a test collection with known properties
measure, catalogue   measures by name
AssayError           base class of all errors that users can cause

effort         indicators, curve, against_gain
uncertainty    bounds, residual, depth, judge_next, judging_curve, ties
distance       med, rbo
theory         order, axioms, balance, trials, chain
significance   tests, comparisons, baselines of gates
judges         agree, effect, combine, read_judges
meta           correlate, robustness, power, pool_depth, judgments, study, significance_counts
measures       classes of measures, and base classes for new ones
model          Qrels, Run, Judged, read_qrels, read_run, read_runs
spark          evaluation and analyses on a cluster

Every analysis returns a report: frame(), summary(), notes, provenance, to_pandas(), to_latex(), write().
"""

import lazy_loader

from assay._version import VERSION

__version__ = VERSION

# The stub __init__.pyi lists the public names; a module is loaded when its first name is used. Without __all__,
# help(assay) is this docstring instead of the documentation of everything.
__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)

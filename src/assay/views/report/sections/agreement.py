"""Agreement of measures: whether they put the runs into the same order."""

from __future__ import annotations

import numpy as np

from assay.analyses.meta.correlation import DIFFERENT, EQUIVALENT, Correlation
from assay.views.plots.correlation import shaped
from assay.views.report.display_table import display
from assay.views.report.figures import Figures
from assay.views.report.material import Material
from assay.views.report.phrasing import FEW_RUNS, count, count_those
from assay.views.report.prose import Sentence, sentence
from assay.views.report.section import Section

TITLE = "Agreement of measures"
_SAME = 1e-9  # taus that differ by less are equal up to rounding


def compute(material: Material, figures: Figures) -> Section:
    """Compare the orders of the runs by each measure with Kendall's tau."""
    correlation = material.correlation
    if correlation is None:
        return Section("agreement", TITLE, (explain_absence(material),))
    content = {
        "runs": count(len(correlation.runs), "run"),
        "chart": figures.add("correlation", shaped(correlation)),
        "matrix": display(correlation.matrix().drop("pool")),
        "equivalent": EQUIVALENT,
        "different": DIFFERENT,
    }
    headline = (describe_agreement(correlation), warn_of_few(correlation) or count_equivalent(correlation))
    return Section("agreement", TITLE, headline, content)


def explain_absence(material: Material) -> str:
    """Say what is missing for a comparison of measures."""
    if len(material.runs) < 2:
        return "Measures can only agree on an order of several runs; here is one."
    return "There is only one measure here; name several with -m to see whether they agree."


def _pairs(correlation: Correlation) -> list[tuple[float, int, int]]:
    """Return tau and the two measures of every pair that has a tau."""
    row, column = np.triu_indices(len(correlation.rows), 1)
    taus = correlation.taus.tau[row, column]
    return [(float(t), int(i), int(j)) for t, i, j in zip(taus, row, column, strict=True) if np.isfinite(t)]


def describe_agreement(correlation: Correlation) -> str | Sentence:
    """Name the two measures that agree most, and the two that agree least."""
    pairs = _pairs(correlation)
    if not pairs:
        return "No two measures can be compared: some of them tell no runs apart."
    high, low = max(pairs)[0], min(pairs)[0]
    most, least = ([pair for pair in pairs if abs(pair[0] - tau) < _SAME] for tau in (high, low))
    runs = count(len(correlation.runs), "run")
    if len(pairs) == 1:
        both = _name_pairs(correlation, most)
        return sentence("{both} agree on the order of {runs} with tau {tau}.", both=both, runs=runs, tau=high)
    if len(most) == len(pairs):
        return sentence("Every two of the measures agree with tau {tau}.", tau=high)
    return sentence(
        "{most} agree most on the order of {runs} (tau {high}), {least} least (tau {low}).",
        most=_name_pairs(correlation, most),
        runs=runs,
        high=high,
        least=_name_pairs(correlation, least),
        low=low,
    )


def _name_pairs(correlation: Correlation, pairs: list[tuple[float, int, int]]) -> str | Sentence:
    """Name the two measures of a single pair; count several pairs."""
    if len(pairs) > 1:
        return f"{count(len(pairs), 'pair')} of measures"
    first, second = (correlation.rows[i].measure for i in pairs[0][1:])
    return sentence("{first} and {second}", first=first, second=second)


def count_equivalent(correlation: Correlation) -> str | None:
    """Count the pairs of measures that are called equivalent, and those that differ noticeably."""
    taus = [tau for tau, *_ in _pairs(correlation)]
    if len(taus) < 2:
        return None
    equivalent = count_those(sum(tau > EQUIVALENT for tau in taus), "has", "have")
    different = count_those(sum(tau < DIFFERENT for tau in taus), "has", "have")
    return (
        f"Of {count(len(taus), 'pair')} of measures, {equivalent} a tau above {EQUIVALENT:g}, "
        f"and {different} one below {DIFFERENT:g}."
    )


def warn_of_few(correlation: Correlation) -> str | None:
    """Warn that few runs have few orders."""
    if len(correlation.runs) >= FEW_RUNS:
        return None
    return f"With only {count(len(correlation.runs), 'run')} there are few orders, and tau says little."

"""Agreement of measures: whether they put the runs into the same order."""

from __future__ import annotations

import numpy as np

from assay.meta.correlation import DIFFERENT, EQUIVALENT, Correlation
from assay.views.plots.correlation import shaped
from assay.views.report.figures import Figures
from assay.views.report.markup import Html, said, table
from assay.views.report.material import Material
from assay.views.report.section import Section
from assay.views.report.words import FEW_RUNS, many, name, number, those

NAME, TITLE = "agreement", "Agreement of measures"
_SAME = 1e-9  # what taus may differ by through rounding


def section(material: Material, figures: Figures) -> Section:
    """Kendall's tau between the orders that measures give."""
    found = material.correlation
    if found is None:
        return Section(NAME, TITLE, (needs(material),))
    return Section(
        NAME,
        TITLE,
        tuple(filter(None, (closest(found), caution(found) or equivalent(found)))),
        (*_figure(found, figures), _matrix(found)),
        "Runs are ordered by their means over topics. Kendall's tau-b is 1 if two measures give the same order, 0 if "
        "the orders have nothing to do with each other, -1 if one is the other reversed. Measures with a tau above "
        f"{EQUIVALENT:g} are commonly called equivalent, and a tau below {DIFFERENT:g} a noticeable difference.",
    )


def needs(material: Material) -> Html:
    """What is missing for a comparison of measures."""
    if len(material.runs) < 2:
        return said("Measures can only agree on an order of several runs; here is one.")
    return said("There is only one measure here; name several with -m to see whether they agree.")


def _pairs(found: Correlation) -> list[tuple[float, int, int]]:
    row, column = np.triu_indices(len(found.rows), 1)
    taus = found.taus.tau[row, column]
    return [(float(t), int(i), int(j)) for t, i, j in zip(taus, row, column, strict=True) if np.isfinite(t)]


def closest(found: Correlation) -> Html:
    """Which two measures agree most, and which least."""
    pairs = _pairs(found)
    if not pairs:
        return said("No two measures can be compared: some of them tell no runs apart.")
    high, low = max(pairs)[0], min(pairs)[0]
    most, least = ([pair for pair in pairs if abs(pair[0] - tau) < _SAME] for tau in (high, low))
    runs = many(len(found.runs), "run")
    if len(pairs) == 1:
        return said(
            "{both} agree on the order of {runs} with tau {tau}.", both=_two(found, most), runs=runs, tau=number(high)
        )
    if len(most) == len(pairs):
        return said("Every two of the measures agree with tau {tau}.", tau=number(high))
    return said(
        "{most} agree most on the order of {runs} (tau {high}), {least} least (tau {low}).",
        most=_two(found, most),
        runs=runs,
        high=number(high),
        least=_two(found, least),
        low=number(low),
    )


def _two(found: Correlation, pairs: list[tuple[float, int, int]]) -> Html:
    """The two measures of a pair, or how many pairs there are."""
    if len(pairs) > 1:
        return said("{pairs} of measures", pairs=many(len(pairs), "pair"))
    first, second = (name(str(found.rows[i].measure)) for i in pairs[0][1:])
    return said("{first} and {second}", first=first, second=second)


def equivalent(found: Correlation) -> Html | None:
    """How many pairs of measures are so near that they are called equivalent, and how many differ noticeably."""
    pairs = _pairs(found)
    if len(pairs) < 2:
        return None
    same = sum(tau > EQUIVALENT for tau, *_ in pairs)
    other = sum(tau < DIFFERENT for tau, *_ in pairs)
    return said(
        "Of {pairs} of measures, {same} a tau above {high}, and {other} one below {low}.",
        pairs=many(len(pairs), "pair"),
        same=those(same, "has", "have"),
        other=those(other, "has", "have"),
        high=f"{EQUIVALENT:g}",
        low=f"{DIFFERENT:g}",
    )


def caution(found: Correlation) -> Html | None:
    """That few runs have few orders."""
    if len(found.runs) >= FEW_RUNS:
        return None
    return said("With only {runs} there are few orders, and tau says little.", runs=many(len(found.runs), "run"))


def _figure(found: Correlation, figures: Figures) -> list[Html]:
    caption = f"Kendall's tau between the orders of {many(len(found.runs), 'run')} by each two measures."
    return [figures.add("correlation", shaped(found), caption, description=f"{caption} The table has the numbers.")]


def _matrix(found: Correlation) -> Html:
    frame = found.matrix().drop("pool")
    return table(frame, "Kendall's tau-b between measures.")

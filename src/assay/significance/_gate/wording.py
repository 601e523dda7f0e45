"""Sentences about the rows of a gate."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.model.notes import pluralize
from assay.results.tables import DIGITS, format_cell
from assay.significance._gate.statistics import GateSettings, share_unseen
from assay.significance._gate.verdicts import FAIL, PASS

if TYPE_CHECKING:
    from assay.significance._gate.rows import GateRow


def format_number(value: float) -> str:
    """Return a number with four decimals."""
    return format_cell(value, DIGITS)


def format_probability(p: float) -> str:
    """Return ``p = 0.0031`` or ``p < 0.0001``."""
    return f"p = {p:.{DIGITS}f}" if p >= 0.5 * 10.0**-DIGITS else f"p < {10.0**-DIGITS:.{DIGITS}f}"


def round_topics(topics: float) -> str:
    """Round a number of topics up to two digits.

    >>> round_topics(1917), round_topics(38)
    ('2,000', '38')
    """
    step = 10 ** max(math.floor(math.log10(topics)) - 1, 0)
    return f"{math.ceil(topics / step) * step:,}"


def describe_row(row: GateRow, settings: GateSettings) -> str:
    """State the result of a row and what it rests on, in one sentence without the full stop."""
    margin = name_margin(row)
    if row.verdict == FAIL:
        p = format_probability(row.numbers["p_fail_adjusted"])
        return f"{row.title} {_describe_change(row)}, more than the {margin} tolerated ({p})"
    if row.verdict == PASS:
        return f"{row.title}: {_describe_pass(row, settings, margin)}"
    return f"{row.title}: {_describe_undecided_row(row, settings, margin)}"


def name_margin(row: GateRow) -> str:
    """Return the tolerated loss, such as ``0.0100``, ``0.0215 (5%)``, or ``5%`` for a geometric mean."""
    margin = row.requirement.margin
    if row.measure.aggregate == "geometric":
        return str(margin)
    return format_number(row.numbers["margin"]) + f" ({margin})" * margin.relative


def _describe_change(row: GateRow) -> str:
    """Return the change of the mean, such as ``fell by 0.0512 (0.3009 to 0.2497)``."""
    difference = row.numbers["difference"]
    means = " to ".join(format_number(row.numbers[name]) for name in ("baseline", "candidate_value"))
    if row.measure.aggregate == "geometric":  # Its difference is a difference of logarithms.
        return f"{'rose' if difference > 0 else 'fell'} from {means}"
    return f"{'rose' if difference > 0 else 'fell'} by {format_number(abs(difference))} ({means})"


def _describe_pass(row: GateRow, settings: GateSettings, margin: str) -> str:
    if row.finding == "identical":
        share = share_unseen(int(row.numbers["topics"]), settings.alpha)
        return f"no topic changed; up to {100 * share:.2g} % of all topics like these may still change"
    if row.direction == "worse":
        return f"significantly worse, but by less than the {margin} tolerated ({_describe_bounds(row, settings)})"
    if row.finding == "superior":
        return f"significantly better ({_describe_bounds(row, settings)})"
    return f"any loss is below the {margin} tolerated ({_describe_bounds(row, settings)})"


def _describe_bounds(row: GateRow, settings: GateSettings) -> str:
    low, high = (format_number(row.numbers[name]) for name in ("low", "high"))
    return f"difference {low} to {high} with {name_level(settings)} confidence"


def name_level(settings: GateSettings) -> str:
    """Return the confidence level of the interval between both one-sided bounds, such as ``90 %``."""
    return f"{100 * (1 - 2 * settings.alpha):.6g} %"


def _describe_undecided_row(row: GateRow, settings: GateSettings, margin: str) -> str:
    topics, changed = pluralize(int(row.numbers["topics"]), "topic"), int(row.numbers["changed"])
    if row.finding == "too few topics":
        return f"undecided with {topics}; at least {settings.min_topics} are needed"
    if row.finding == "stale baseline":
        return "undecided, because too many topics or judgments changed; write a new baseline with --save"
    if row.finding == "sparse":
        limit = format_number(row.numbers["limit"])
        return (
            f"only {changed} of {topics} changed; more frequent losses of this size could lower the mean by {limit}, "
            f"{margin} is tolerated"
        )
    problem = f"a loss above the {margin} tolerated is neither shown nor ruled out"
    if row.finding == "worse":
        problem = f"a loss is shown, but not whether it exceeds the {margin} tolerated"
    return f"{problem}; {_describe_needed_topics(row, settings.power)}"


def _describe_needed_topics(row: GateRow, power: float) -> str:
    """State the number of topics, or the margin, with which an equally good candidate would pass."""
    needed, topics, detectable = row.numbers["topics_needed"], int(row.numbers["topics"]), row.numbers["mdd"]
    if needed <= topics:
        return f"an equally good candidate would pass on these {topics:,} topics with probability {power:g} or more"
    is_geometric = row.measure.aggregate == "geometric"
    margin = f"{-100 * math.expm1(-detectable):.2g}%" if is_geometric else format_number(detectable)
    number = "" if math.isnan(needed) else f"about {round_topics(needed)} topics (here: {topics:,}) or "
    return f"to pass with probability {power:g}, an equally good candidate needs {number}a margin of {margin}"

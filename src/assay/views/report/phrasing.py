"""Formatting of names and numbers in tables and sentences: rounding, missing values, singular and plural nouns."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.results.names import shorten

NO_VALUE = "–"
"""Text of a table cell without a value."""
FEW_TOPICS = 10
FEW_RUNS = 5
MAX_LENGTH = 40  # Characters of a name in a sentence.


@dataclass(frozen=True)
class Name:
    """A name: the text *shown*, an optional *link*, and the *full* name for a tooltip if the text is shortened."""

    shown: str
    full: str | None = None
    link: str | None = None

    def __str__(self) -> str:
        return self.shown


def to_name(value: object) -> Name:
    """Return the name of a topic or a measure, shortened if it is long; a ``Name`` is returned unchanged."""
    if isinstance(value, Name):
        return value
    full = str(value)
    shown = shorten(full, MAX_LENGTH)
    return Name(shown, full if shown != full else None)


def topic_cell(topic: str) -> Name:
    """Return the name of a topic for a table cell; its tooltip shows the full name if the cell cuts it off."""
    return Name(topic, topic)


def is_finite(value: float | None) -> bool:
    """Return True for a number that is neither infinite nor NaN."""
    return value is not None and math.isfinite(value)


def format_cell(value: object, digits: int = 3) -> str:
    """Format a value in a cell of a table.

    >>> format_cell(0.25), format_cell(None), format_cell(12345), format_cell(True), format_cell(-0.0001)
    ('0.250', '–', '12,345', 'yes', '0.000')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return NO_VALUE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if not isinstance(value, float):
        return str(value)
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:z,.{digits}f}"


def format_number(value: float | None) -> str:
    """Format a number in a sentence.

    >>> [format_number(value) for value in (0.35714, 0.0, 1.0, 0.00021, float("nan"), 4728.0)]
    ['0.357', '0', '1', '0.0002', 'no value', '4,728']
    """
    if value is None or math.isnan(value):
        return "no value"
    if math.isinf(value):
        return "infinite"
    if value == round(value):
        return f"{value:z,.0f}"
    if abs(value) >= 0.0005:
        return f"{value:,.3f}"
    return f"{value:.1g}" if abs(value) > 1e-4 else "nearly 0"


def format_interval(low: float, high: float, digits: int = 2) -> str:
    """Format the ends of an interval.

    >>> format_interval(0.2812, 0.4339)
    '0.28 to 0.43'
    """
    return f"{format_cell(float(low), digits)} to {format_cell(float(high), digits)}"


def format_difference(value: float) -> str:
    """Return a difference with its sign; 0 has none.

    >>> format_difference(0.0312), format_difference(-0.0312), format_difference(0.00001)
    ('+0.031', '-0.031', '0.000')
    """
    if not math.isfinite(value):
        return format_cell(float(value))
    return "0.000" if abs(value) < 0.0005 else f"{value:+,.3f}"


def format_percent(fraction: float) -> str:
    """Format a fraction as a percentage without decimals; only the fractions 0 and 1 become 0 % and 100 %.

    >>> [format_percent(fraction) for fraction in (0.4567, 0.001, 0.999, 0, 1)]
    ['46 %', 'under 1 %', 'over 99 %', '0 %', '100 %']
    """
    if 0 < fraction < 0.005:
        return "under 1 %"
    return "over 99 %" if 0.995 <= fraction < 1 else f"{100 * fraction:.0f} %"


def format_percent_cell(value: float | None) -> str:
    """Format a fraction in a cell of a table as a percentage.

    >>> format_percent_cell(0.25), format_percent_cell(None)
    ('25 %', '–')
    """
    return NO_VALUE if value is None or math.isnan(value) else format_percent(value)


def format_level(level: float) -> str:
    """Format a confidence level as an exact percentage.

    >>> format_level(0.95), format_level(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * level:.6g} %"


def format_p(p: float, least: float = 0.0) -> str:
    """Format the p-value of a test; *least* is the smallest p-value above 0 that the test can give.

    >>> format_p(0.0412), format_p(1e-9), format_p(0.0, 0.01)
    ('p = 0.041', 'p < 0.001', 'p < 0.01')
    """
    bound = max(0.001, least)
    return f"p < {bound:g}" if p < bound else f"p = {p:.3f}"


def format_p_cell(p: float | None) -> str:
    """Format a p-value in a cell of a table.

    >>> format_p_cell(0.0412), format_p_cell(1e-9), format_p_cell(None)
    ('0.041', '<0.001', '–')
    """
    return "<0.001" if p is not None and p < 0.001 else format_cell(p)


def count(amount: int, noun: str, plural: str | None = None) -> str:
    """Return a number and its noun, in the singular or the plural.

    >>> count(1, "run"), count(83123, "judgment"), count(0, "run"), count(2, "ranking is", "rankings are")
    ('1 run', '83,123 judgments', 'no run', '2 rankings are')
    """
    if amount == 0:
        return f"no {noun}"
    return f"1 {noun}" if amount == 1 else f"{amount:,} {plural or noun + 's'}"


def count_all(amount: int, noun: str) -> str:
    """Return a phrase for all members of a group.

    >>> count_all(1, "run"), count_all(2, "run"), count_all(1500, "run")
    ('the only run', 'both runs', 'all 1,500 runs')
    """
    if amount == 1:
        return f"the only {noun}"
    return f"both {noun}s" if amount == 2 else f"all {amount:,} {noun}s"


def count_those(amount: int, verb: str, plural: str) -> str:
    """Return a number and the verb that agrees with it, for a noun that the sentence has already named.

    >>> count_those(0, "has", "have"), count_those(1, "has", "have"), count_those(2, "has", "have")
    ('none has', '1 has', '2 have')
    """
    return f"none {verb}" if amount == 0 else f"{amount:,} {verb if amount == 1 else plural}"


def capitalize(text: str) -> str:
    """Return a text with a capital first letter and the rest unchanged.

    >>> capitalize("all runs")
    'All runs'
    """
    return text[:1].upper() + text[1:]


def ordinal(place: int) -> str:
    """Return an ordinal number: ``1st``, ``2nd``, ``3rd`` and so on.

    >>> [ordinal(place) for place in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '102nd', '111th']
    """
    teens = 10 <= place % 100 <= 20
    return f"{place}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(place % 10, 'th')}"

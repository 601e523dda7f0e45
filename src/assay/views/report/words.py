"""Numbers and names in sentences: singular and plural, never more digits than a reader wants, never NaN."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from assay.views.names import shorten
from assay.views.report.markup import NOTHING, Html, escaped, joined, tag, written

LONGEST = 40  # of a name in a sentence
FEW_TOPICS = 10
FEW_RUNS = 5


def known(value: float | None) -> bool:
    """Whether there is a number."""
    return value is not None and math.isfinite(value)


def number(value: float | None, digits: int = 3) -> str:
    """A number in a sentence.

    >>> number(0.35714), number(0.0), number(1.0), number(0.00021), number(float("nan")), number(4728.0)
    ('0.357', '0', '1', '0.0002', 'no value', '4,728')
    """
    if value is None or math.isnan(value):
        return "no value"
    if math.isinf(value):
        return "infinite"
    if value == round(value):
        return f"{value + 0.0:,.0f}"  # and never -0
    small = abs(value) < 0.5 * 10**-digits
    return f"{value:.1g}" if small and abs(value) > 1e-4 else "nearly 0" if small else f"{value:,.{digits}f}"


def between(low: float, high: float, digits: int = 2) -> str:
    """The ends of an interval.

    >>> between(0.2812, 0.4339)
    '0.28 to 0.43'
    """
    return f"{written(float(low), digits)} to {written(float(high), digits)}"


def percent(share: float) -> str:
    """A share; what is not nothing is never 0 %, and what is not all never 100 %.

    >>> percent(0.4567), percent(0.001), percent(0.999), percent(0), percent(1)
    ('46 %', 'under 1 %', 'over 99 %', '0 %', '100 %')
    """
    if 0 < share < 0.005:
        return "under 1 %"
    return "over 99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"


def share(value: float | None) -> str:
    """A share in the cell of a table.

    >>> share(0.25), share(None)
    ('25 %', '–')
    """
    return NOTHING if value is None or math.isnan(value) else percent(value)


def level(share: float) -> str:
    """A level or a confidence as it was given.

    >>> level(0.95), level(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * share:.6g} %"


def many(amount: int, thing: str, things: str | None = None) -> str:
    """So many of a thing.

    >>> many(1, "run"), many(83123, "judgment"), many(0, "run"), many(2, "ranking is", "rankings are")
    ('1 run', '83,123 judgments', 'no run', '2 rankings are')
    """
    if amount == 0:
        return f"no {thing}"
    return f"1 {thing}" if amount == 1 else f"{amount:,} {things or thing + 's'}"


def every(amount: int, thing: str) -> str:
    """All of so many things.

    >>> every(1, "run"), every(2, "run"), every(1500, "run")
    ('the only run', 'both runs', 'all 1,500 runs')
    """
    if amount == 1:
        return f"the only {thing}"
    return f"both {thing}s" if amount == 2 else f"all {amount:,} {thing}s"


def sentence(text: str) -> str:
    """The same with a capital at the beginning; names must not stand there.

    >>> sentence("all runs")
    'All runs'
    """
    return text[:1].upper() + text[1:]


def those(amount: int, verb: str, verbs: str) -> str:
    """So many of what was named before, and what they do.

    >>> those(0, "has", "have"), those(1, "has", "have"), those(2, "has", "have")
    ('none has', '1 has', '2 have')
    """
    return f"none {verb}" if amount == 0 else f"{amount:,} {verb if amount == 1 else verbs}"


def chance(p: float, least: float = 0.0) -> str:
    """The p of a test; *least* is the smallest that it can tell from 0.

    >>> chance(0.0412), chance(1e-9), chance(0.0, 0.01)
    ('p = 0.041', 'p < 0.001', 'p < 0.01')
    """
    bound = max(0.001, least)
    return f"p < {bound:g}" if p < bound else f"p = {p:.3f}"


def name(of: str, link: str | None = None, short: str | None = None) -> Html:
    """The name of a run, a topic or a measure, set apart from the words around it."""
    shown = short or shorten(of, LONGEST)
    full = of if shown != of else None
    return tag("b", tag("a", shown, href=link, title=full) if link else shown, class_="name", title=full)


def listed(names: Iterable[object], most: int = 5) -> Html:
    """Names one after the other; of many the first, and how many others there are.

    >>> listed("ab"), listed("abcdef", 3), listed("abcd", 3)
    ('a and b', 'a, b and 4 others', 'a, b and 2 others')
    """
    every: Sequence[Html] = [escaped(one) for one in names]
    if len(every) > most:
        rest = len(every) - most + 1
        every = [*every[: most - 1], Html(f"{rest} others")]
    if len(every) < 2:
        return joined(every)
    return Html(f"{joined(every[:-1], ', ')} and {every[-1]}")


def ordinal(place: int) -> str:
    """``1st``, ``2nd``, ``3rd`` and so on.

    >>> [ordinal(place) for place in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '102nd', '111th']
    """
    teens = 10 <= place % 100 <= 20
    return f"{place}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(place % 10, 'th')}"

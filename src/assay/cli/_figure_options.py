"""What the parameters of figures are called on the command line: one word means the same in every figure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from assay.cli import _numbers
from assay.errors import InputError


class Option(NamedTuple):
    """An option: its metavar, what it means, how its texts are read, another name.

    *words* follow it each time that it is given; if these are several, each text is a list of them. *unless* tells
    what goes for figures that have no default of their own.
    """

    metavar: str
    help: str
    read: Callable[[str, list[str]], Any] = lambda option, texts: texts[-1]
    short: str | None = None
    words: int = 1
    unless: str = ""


def _only(option: str, texts: list[str]) -> str:
    if texts[1:]:
        raise InputError(f"{option}: this figure is of one measure, got {', '.join(texts)}")
    return texts[0]


def _share(_option: str, texts: list[str]) -> float:
    from assay.meta.selection import parse_share

    return parse_share(texts[-1])


def _whole(option: str, texts: list[str]) -> int:
    return _numbers.whole(option, texts[-1:])[0]


def _from_zero(option: str, texts: list[str]) -> int:
    return 0 if texts[-1] == "0" else _whole(option, texts)


def _decimal(option: str, texts: list[str]) -> float:
    return _numbers.decimals(option, texts[-1:])[0]


def _words(_option: str, texts: list[str]) -> list[str]:
    return [word.strip() for text in texts for word in text.split(",")]


OPTIONS = {
    "alpha": Option("A", "level of significance", _decimal),
    "bar": Option("HOW", "how strong the colours of misplaced documents are"),
    "collection": Option("NAME", "the name of the collection, for panels"),
    "confidence": Option("SHARE", "confidence of intervals", _decimal),
    "correction": Option("HOW", "correction for many tests"),
    "curves": Option("WHICH", "curves for comparison, separated by commas", unless="none"),
    "cutoff": Option("K", "how many ranks count", _whole),
    "depth": Option("N", "ranks that are looked at", _whole, unless="all"),
    "drawing": Option(
        "HOW",
        "how simulated runs are drawn: shares of relevant documents rounded at random or half up, or each by chance",
    ),
    "example": Option("NAME", "which of the examples is drawn"),
    "first": Option(
        "PERCENT,PERCENT", "relevant documents of the first simulated run, to --top and below", _numbers.shares
    ),
    "gain": Option("MEASURE", "the form of DCG, such as DCG(base=2, gains=exp)"),
    "gains": Option("NAME", "what grades are worth, such as exp12"),
    "length": Option("HOW", "a topic with more than N/2 relevant documents: extend its rankings, error, asis"),
    "mark": Option("RUN", "a run that is marked; may be repeated", lambda option, texts: texts),
    "max_rel": Option("GRADE", "top grade of the scale, if not the largest in the judgments", _decimal),
    "measure": Option("MEASURE", "the measure", _only, "-m"),
    "measures": Option("MEASURE", "measures, one or several", lambda option, texts: texts, "-m"),
    "most": Option("N", "how many are shown at most", _whole, unless="all"),
    "only": Option("RUN", "show this run only, by its name; repeat it for more", lambda option, texts: texts),
    "order": Option("HOW", "the order in which they stand"),
    "orders": Option("HOW,...", "orders, separated by commas", _words),
    "pair": Option("RUN", "the two runs, by their names", words=2, unless="the best two"),
    "persistences": Option("P,...", "persistences of RBP, separated by commas", _numbers.decimals, unless="0 to 0.99"),
    "points": Option(
        "RUN:TOPIC", "points to look at; may be repeated", lambda option, texts: texts, unless="chosen by the figure"
    ),
    "pool": Option("N", "depth of the pool", _whole),
    "pools": Option("N,...", "depths of pools, separated by commas; all judgments come beside them", _numbers.whole),
    "qmax": Option("GRADE", "the largest relevant grade (if not given, relevance is binary)", _decimal),
    "qmin": Option("GRADE", "the smallest relevant grade", _decimal),
    "ratios": Option("PERCENT,...", "shares of the judgments that are kept, separated by commas", _numbers.percents),
    "resamples": Option("N", "resamples of a randomised test", _whole, unless="that of the test"),
    "run": Option(
        "RUN",
        "the run, by its name; where several can be shown, repeat it",
        lambda option, texts: texts if texts[1:] else texts[0],
        unless="chosen by the figure, which names it",
    ),
    "seed": Option("N", "seed of everything random", _from_zero),
    "seeds": Option("N", "how many times something random is repeated", _whole),
    "share": Option("SHARE", "only the best runs by MAP, such as 75%", _share, unless="all"),
    "sizes": Option("N,...", "lengths of rankings, separated by commas", _numbers.whole, unless="1..200"),
    "same": Option("PERCENT", "relevant documents of both simulated runs where they agree", _decimal),
    "second": Option(
        "PERCENT,PERCENT", "relevant documents of the second simulated run, to --top and below", _numbers.shares
    ),
    "test": Option("TEST", "the significance test"),
    "thresholds": Option(
        "G,...",
        "grades from which on documents count, separated by commas",
        lambda option, texts: _numbers.decimals(option, texts, "1 or 1,2,3"),
        unless="those of the judgments that are above 0",
    ),
    "top": Option("RANK", "the last rank at which simulated runs may begin to differ", _whole),
    "topic": Option("TOPIC", "the topic", unless="chosen by the figure, which names it"),
    "trials": Option("N", "how many trials are simulated", _whole),
    "twist": Option("MEASURE", "the form of Twist"),
    "unequal": Option("HOW", "how rankings of unequal length compare"),
    "unit": Option("WHAT", "what a point stands for"),
}

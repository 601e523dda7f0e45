"""The options of commands and figures: each word means the same wherever it occurs.

An option is named after the parameter of the Python function, and its default is the default of that parameter. This
module adds what a signature does not say: how texts are read, and one line of help.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from assay.cli import _numbers
from assay.errors import InputError
from assay.significance import tests


class Option(NamedTuple):
    """An option of the command line.

    Attributes
    ----------
    metavar, help
        What help shows.
    read
        Turns the texts that were given, with the name of the option, into a value.
    flags
        Other names, such as ``-m``.
    words
        How many words follow the option each time.
    default
        What help says about the default, where the parameter has none.
    """

    metavar: str
    help: str
    read: Callable[[str, list[Any]], Any] = lambda option, texts: texts[-1]
    flags: tuple[str, ...] = ()
    words: int = 1
    default: str = ""


def flag_of(name: str) -> str:
    """Return the option of a parameter.

    >>> flag_of("max_rel")
    '--max-rel'
    """
    return f"--{name.replace('_', '-')}"


def read_list(_option: str, texts: list[str]) -> list[str]:
    """Return texts that were repeated."""
    return texts


def read_words(_option: str, texts: list[str]) -> list[str]:
    """Return texts separated by commas, or repeated."""
    return [word.strip() for text in texts for word in text.split(",")]


def read_one(option: str, texts: list[str]) -> str:
    """Return a text that may be given once."""
    if texts[1:]:
        raise InputError(f"{option}: name one, not {len(texts)}: {', '.join(texts)}")
    return texts[0]


def read_share(_option: str, texts: list[str]) -> float:
    """Return a share such as ``75%``."""
    from assay.meta.selection import parse_share

    return parse_share(texts[-1])


def read_whole(option: str, texts: list[str]) -> int:
    """Return a whole number."""
    from assay.io.numbers import MOST_DIGITS, whole_number
    from assay.io.problems import shown

    value = whole_number(texts[-1])
    if value is None:
        digits = f" of at most {MOST_DIGITS} digits" if len(texts[-1]) > MOST_DIGITS else ""
        raise InputError(f"{option}: write a whole number{digits}, not {shown(texts[-1])}")
    return value


def read_number(option: str, texts: list[str]) -> float:
    """Return a number."""
    from assay.io.numbers import number
    from assay.io.problems import shown

    value = number(texts[-1])
    if value is None:
        raise InputError(f"{option}: write a number, not {shown(texts[-1])}")
    return value


def read_grade_map(option: str, texts: list[str]) -> dict[float, float]:
    """Return grades and what replaces them."""
    from assay.io.numbers import number

    return _numbers.pairs(option, texts[-1], "grade=grade", "4=3,-2=0", number)


def read_counts(option: str, texts: list[str]) -> dict[float, int]:
    """Return a number of documents for each grade."""
    from assay.io.numbers import whole_number

    return _numbers.pairs(option, texts[-1], "grade:documents", "1:2,2:1", whole_number)


def read_systems(_option: str, texts: list[str]) -> dict[str, str]:
    """Return the system of each run from a file."""
    from assay.io import labels

    return labels.read(texts[-1], "system")


def check_comparison(given: dict[str, Any]) -> None:
    """Refuse wrong options of a comparison before runs are read."""
    from assay.significance.validation import checked

    names = ("test", "correction", "family", "alpha", "power", "detect", "resamples", "seed")
    chosen = {name: given[name] for name in names if name in given}
    checked(**{"test": "t", "correction": "holm", "alpha": 0.05, **chosen})


OPTIONS = {
    "accuracy": Option(
        "X,...", "remaining uncertainty, such as 0.01,1e-4", lambda o, t: _numbers.decimals(o, t, "0.01 or 0.01,1e-4")
    ),
    "against": Option("WHAT", "depth: bounds by depth of evaluation; p: by persistence, of whole rankings"),
    "all_topics": Option("", "include topics without judgments"),
    "alpha": Option("P", "significance level", read_number),
    "bar": Option("HOW", "how strong the colours of misplaced documents are"),
    "baseline": Option("RUN", "compare every run with this one; may be repeated", read_list, default="all pairs"),
    "best": Option("SHARE", "only the best runs by MAP, such as 75%", read_share, ("--share",), default="all"),
    "collection": Option("NAME", "the name of the collection, for panels"),
    "confidence": Option("SHARE", "confidence of intervals", read_number),
    "contributors": Option("RUN", "a run that contributes to the pools; may be repeated", read_list, default="all"),
    "correction": Option("HOW", "correction of p for several comparisons: holm, bonferroni, bh or none"),
    "counts": Option("LIST", "a topic with so many documents of each grade only, such as 1:2,2:1", read_counts),
    "crossing": Option("HOW", "when a curve crosses the axis: strict, literal or matters"),
    "curves": Option("WHICH", "curves for comparison, separated by commas", default="none"),
    "cutoff": Option("K", "ranks that count", read_whole),
    "decimals": Option("N", "round values to N digits first, so that close runs are tied", read_whole, ("--round",)),
    "depth": Option("N", "use the first N documents of each ranking", read_whole, ("-k",), default="all"),
    "depths": Option("N,...", "depths of pools: 10, 1..20 or 10,20,50", _numbers.whole, ("--depth", "-k")),
    "detect": Option("SIZE", "with --power: the difference to detect, such as 0.02", read_number, default="observed"),
    "drawing": Option(
        "HOW",
        "how simulated runs are drawn: random-rounding or half-up of shares of relevant documents, or bernoulli",
    ),
    "endpoint": Option("END", "which rank counts at a crossing: left or right of it"),
    "example": Option("NAME", "which of the examples is drawn"),
    "family": Option("WHICH", "comparisons that are corrected together: those of one measure, or all"),
    "first": Option("", "compare the first run with each of the others only"),
    "fresh": Option("", "begin anew in a folder that holds a study"),
    "gain": Option("MEASURE", "a form of DCG, such as 'DCG(base=2, gains=exp)'"),
    "gains": Option("NAME", "gain of each grade: binary, identity, exp, exp12, …"),
    "grades": Option("MAP", "replace grades by others first, such as 4=3,-2=0", read_grade_map, default="keep them"),
    "groups": Option("FILE", "leave out the judgments of one group after the other; lines: run group"),
    "known": Option("N", "depth of the pool whose judgments are known at the start", read_whole),
    "lenient": Option("", "skip bad lines, keep the first of duplicates, and report how many"),
    "length": Option("HOW", "topics with more than N/2 relevant documents: extend their rankings, error or asis"),
    "levels": Option(
        "P,...", "significance levels", lambda o, t: _numbers.decimals(o, t, "0.05 or 0.05,0.01"), ("--alpha",)
    ),
    "limit": Option("N", "check all rankings of a topic if there are at most N", read_whole),
    "margin": Option("SIZE", "test equivalence within a difference such as 0.02, or 5% of the baseline's mean"),
    "mark": Option("RUN", "mark a run; may be repeated", read_list),
    "max_rel": Option("GRADE", "top grade of the scale", read_number, default="largest judged"),
    "measure": Option("MEASURE", "the measure", read_one, ("-m", "--measures")),
    "measures": Option(
        "MEASURE",
        "one or several measures (assay measures lists them)",
        read_list,
        ("-m", "--measure", "--metric", "--metrics"),
    ),
    "memory": Option("SIZE", "use about this much memory, such as 1G; runs may be larger", default="half of all"),
    "merge": Option("", "count similar archetypes as one, as the Twist paper does"),
    "method": Option("HOW", "exact, max-grade or exhaustive; AP, SSP, SP: also greedy, greedy-on, tabu (lower bounds)"),
    "missing": Option("HOW", "a topic that a run lacks: empty (an empty ranking) or exclude"),
    "most": Option("N", "show at most N", read_whole, ("--top",), default="all"),
    "only": Option("RUN", "show this run only; may be repeated", read_list),
    "order": Option("HOW", "the order of rows or bars"),
    "orders": Option("HOW,...", "orders, separated by commas", read_words),
    "outside": Option("MANY", "relevant documents that a ranking may lack: none, a number, or any"),
    "p": Option("P,...", "persistence, such as 0.8 or 0.5,0.8,0.95", _numbers.decimals, ("-p", "--persistence")),
    "pair": Option("RUN", "the two runs, by name", words=2, flags=("--compare",)),
    "per_topic": Option("N", "documents per topic", read_whole),
    "persistence": Option("P", "weight P^(i-1) of misplacements that begin at rank i", read_number, ("-p",)),
    "persistences": Option("P,...", "persistences of RBP", _numbers.decimals, ("-p",), default="0 to 0.99"),
    "points": Option("RUN:TOPIC", "points to look at; may be repeated", read_list, default="chosen by the figure"),
    "pool": Option("N", "depth of the pool", read_whole),
    "pools": Option("N,...", "also with the judgments of pools of these depths", _numbers.whole, ("--pool-depth",)),
    "power": Option(
        "P", "report the topics needed to detect a difference with this probability, such as 0.8", read_number
    ),
    "qmax": Option("GRADE", "largest relevant grade", read_number, default="binary relevance"),
    "qmin": Option("GRADE", "smallest relevant grade", read_number),
    "ratios": Option("PERCENT,...", "shares of the judgments that are kept", _numbers.percents),
    "recall_base": Option("R", "number of relevant documents of a topic", read_whole),
    "rel": Option("GRADE", "lowest grade that counts as relevant", read_number),
    "relevant": Option("N", "topics of 1 to N relevant documents", read_whole),
    "resamples": Option("N", "resamples of randomization and bootstrap tests", read_whole, default="that of the test"),
    "residual": Option("", "include documents beyond the end of the rankings"),
    "row_qrels": Option("QRELS", "other judgments for the rows", flags=("--rows-qrels",)),
    "row_unjudged": Option("HOW", "treatment of unjudged documents in the rows", flags=("--rows-unjudged",)),
    "rows": Option("MEASURE", "measures of the rows; may be repeated", read_list, default="those of the columns"),
    "run": Option(
        "RUN", "the run, by name", lambda o, t: t if t[1:] else t[0], default="the only one, or the figure's choice"
    ),
    "runs": Option("RUN,...", "show these runs only; all contribute to pools", read_words, ("--only", "--run")),
    "same": Option("PERCENT", "relevant documents of both simulated runs where they agree", read_number),
    "samples": Option("N", "sampled orders, or rankings, where there are too many to enumerate", read_whole),
    "second": Option("PERCENT,PERCENT", "relevant documents of the second run, to --top and below", _numbers.shares),
    "seed": Option("N", "seed of everything random", read_whole),
    "seeds": Option("N", "number of random samples", read_whole),
    "sets": Option("", "compare sets of documents: ranks do not matter"),
    "share": Option("SHARE", "only the best runs by MAP, such as 75%", read_share, ("--best",), default="all"),
    "sizes": Option("N,...", "lengths of rankings", _numbers.whole, ("-n",), default="1..200"),
    "steps": Option("N,...", "numbers of judgments to report", _numbers.whole, default="sizes of pools"),
    "symbols": Option("SIGNS", "a sign for each --baseline, such as '*+'", default="†‡§¶"),
    "systems": Option("FILE", "several runs per system, such as seeds: lines of run and system", read_systems),
    "tail": Option("", "assume nothing relevant beyond the end of a ranking (affects RBP, INSQ, INST)"),
    "temporary": Option("DIR", "directory for temporary files", default="that of the system"),
    "test": Option("TEST", f"significance test: {', '.join(tests.names())}"),
    "tests": Option("TEST,...", "significance tests", read_words, ("--test",)),
    "thresholds": Option(
        "G,...",
        "grades from which on documents count",
        lambda o, t: _numbers.decimals(o, t, "1 or 1,2,3"),
        default="all above 0",
    ),
    "tied": Option("HOW", "treatment of ties: order (as --ties says), w (share a rank), a or b (mean over orders)"),
    "ties": Option(
        "HOW",
        "order of tied documents: trec_eval-10 (descending id), trec_eval-9 (32-bit scores), score-id, score-file, "
        "expected (mean over all orders); rank and file ignore the scores",
    ),
    "title": Option("TEXT", "the heading", default="how many runs and topics"),
    "top": Option("N", "show the best N runs; all are compared", read_whole, ("--most",), default="all"),
    "topic": Option("TOPIC", "the topic", default="chosen by the figure, which names it"),
    "topics": Option("TOPIC,...", "only these topics", read_words, ("--topic",), default="all"),
    "trials": Option("N", "how many trials are simulated", read_whole),
    "twist": Option("MEASURE", "the form of Twist"),
    "undefined": Option("HOW", "a topic without relevant documents: zero or exclude"),
    "unequal": Option("HOW", "rankings of unequal length: incomparable, or pad the shorter ones"),
    "unit": Option("WHAT", "what a point stands for"),
    "unjudged": Option("HOW", "unjudged documents: nonrelevant, or condensed (removed from the ranking)"),
    "weights": Option("GAINS", "weigh misplacements by gains, such as exp; recovery is discontinuous then"),
    "without": Option("SECTION", "leave out a section; may be repeated", read_list),
}


def describe_default(option: Option, default: Any) -> str:
    """Return what help says about a default: the value of the parameter, or what its absence means."""
    if default is None or default == () or default is False or default is True:
        return option.default
    if option.read is read_share:
        return f"{100 * default:g}%"
    if isinstance(default, str | int | float):
        return f"{default}"
    return ", ".join(map(str, default)) if isinstance(default, Sequence) else option.default

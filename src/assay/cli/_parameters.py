"""Options of commands and figures. An option has the same meaning in every command.

The name and the default of an option are those of a parameter of the Python function. This module adds information that
the signature does not contain: how the text of the option is converted, and one line of help.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from assay.cli import _numbers
from assay.errors import InputError
from assay.io.numbers import MAX_DIGITS, parse_integer, parse_number
from assay.io.problems import format_value
from assay.significance import tests


class Option(NamedTuple):
    """An option of the command line.

    Attributes
    ----------
    metavar, help
        Placeholder and description in the help.
    read
        Function that converts the texts of the option to a value; its first argument is the name of the option.
    flags
        Other names, such as ``-m``.
    words
        Number of values after the option; 0 for one or more.
    default
        Description of the default in the help, if the default value of the parameter does not explain itself.
    """

    metavar: str
    help: str
    read: Callable[[str, list[Any]], Any] = lambda option, texts: texts[-1]
    flags: tuple[str, ...] = ()
    words: int = 1
    default: str = ""


def read_list(_option: str, texts: list[str]) -> list[str]:
    """Return the texts of a repeated option."""
    return texts


def read_words(_option: str, texts: list[str]) -> list[str]:
    """Return the values of an option; they are separated by commas, or the option is repeated."""
    return [word.strip() for text in texts for word in text.split(",")]


def read_one(option: str, texts: list[str]) -> str:
    """Return the text of an option that may be given only once."""
    if texts[1:]:
        raise InputError(f"{option}: expected one value, got {len(texts)}: {', '.join(texts)}")
    return texts[0]


def read_fraction(_option: str, texts: list[str]) -> float:
    """Return a fraction, written as ``75%`` or ``0.75``."""
    from assay.meta.selection import parse_share

    return parse_share(texts[-1])


def read_integer(option: str, texts: list[str]) -> int:
    """Return a whole number."""
    value = parse_integer(texts[-1])
    if value is None:
        digits = f" of at most {MAX_DIGITS} digits" if len(texts[-1]) > MAX_DIGITS else ""
        raise InputError(f"{option}: write a whole number{digits}, not {format_value(texts[-1])}")
    return value


def read_number(option: str, texts: list[str]) -> float:
    """Return a number."""
    value = parse_number(texts[-1])
    if value is None:
        raise InputError(f"{option}: write a number, not {format_value(texts[-1])}")
    return value


def read_columns(option: str, texts: list[str]) -> dict[str, list[str]]:
    """Return the names of columns by role; a role may have several names."""
    columns: dict[str, list[str]] = {}
    for pair in read_words(option, texts):
        role, _, name = (part.strip() for part in pair.partition("="))
        if not role or not name:
            raise InputError(f"{option} {format_value(pair)}: write ROLE=NAME, such as doc=product_id")
        columns.setdefault(role, []).append(name)
    return columns


def read_grade_map(option: str, texts: list[str]) -> dict[float, float]:
    """Return a map from grades to their replacements."""
    return _numbers.parse_pairs(option, texts[-1], "grade=grade", "4=3,-2=0", parse_number)


def read_counts(option: str, texts: list[str]) -> dict[float, int]:
    """Return a number of documents for each grade."""
    return _numbers.parse_pairs(option, texts[-1], "grade:documents", "1:2,2:1", parse_integer)


def read_systems(_option: str, texts: list[str]) -> dict[str, str]:
    """Return the system of each run from a file."""
    from assay.io import run_labels

    return run_labels.read(texts[-1], "system")


def check_comparison(arguments: dict[str, Any]) -> None:
    """Raise an error for invalid options of a comparison before runs are read."""
    from assay.significance.validation import resolve_test

    names = ("test", "correction", "family", "alpha", "power", "detect", "resamples", "seed")
    chosen = {name: arguments[name] for name in names if name in arguments}
    resolve_test(**{"test": "t", "correction": "holm", "alpha": 0.05, **chosen})


OPTIONS = {
    "accuracy": Option(
        "X,...",
        "required accuracy: the largest remaining residual, such as 0.01,1e-4",
        lambda o, t: _numbers.parse_numbers(o, t, "0.01 or 0.01,1e-4"),
    ),
    "against": Option("WHAT", "depth (bounds by evaluation depth) or p (bounds by persistence, for entire rankings)"),
    "all_topics": Option("", "include topics without judgments"),
    "alpha": Option("P", "significance level", read_number),
    "bar": Option("HOW", "colour scale of misplaced documents"),
    "baseline": Option(
        "RUN", "compare every run with this run, by name or file; may be repeated", read_list, default="all pairs"
    ),
    "best": Option(
        "SHARE",
        "use only this fraction of the runs, the best by MAP, such as 75%",
        read_fraction,
        ("--share",),
        default="all",
    ),
    "collapse": Option(
        "HOW",
        "grade of a document for measures without subtopics: max over its subtopics, first (that of the first subtopic "
        "of the topic) or mean",
    ),
    "collection": Option("NAME", "name of the collection, shown in the title of the panel"),
    "columns": Option(
        "ROLE=NAME,...",
        "names of columns in CSV, JSON or Parquet, such as doc=product_id,topic=query_id; roles: topic, doc, score, "
        "grade, rank, run, subtopic, judge, stratum, probability, groups",
        read_columns,
    ),
    "confidence": Option("LEVEL", "confidence level of the intervals", read_number),
    "contributors": Option("RUN", "run that contributes to the pools; may be repeated", read_list, default="all"),
    "correction": Option("HOW", "correction of p-values for multiple comparisons: holm, bonferroni, bh or none"),
    "costs": Option(
        "FILE",
        "costs of documents, for measures of cost; each line has the form: document cost; or a table",
        default="none",
    ),
    "counts": Option(
        "LIST", "check only one topic; the number of documents of each grade, such as 1:2,2:1", read_counts
    ),
    "crossing": Option("HOW", "rule for a curve that crosses the axis: strict, literal or matters"),
    "curves": Option("WHICH", "reference curves, separated by commas", default="none"),
    "cutoff": Option("K", "evaluate the first K ranks", read_integer),
    "cutoffs": Option("N,...", "count unjudged documents in the first N ranks", _numbers.parse_integers, ("-k",)),
    "decimals": Option(
        "N", "round means to N decimal places; runs whose rounded means are equal are tied", read_integer, ("--round",)
    ),
    "default_cost": Option("COST", "cost of documents that --costs lacks", read_number, default="an error"),
    "depth": Option("N", "use the first N documents of each ranking", read_integer, ("-k",), default="all"),
    "depths": Option("N,...", "pool depths: 10, 1..20 or 10,20,50", _numbers.parse_integers, ("--depth", "-k")),
    "detect": Option("SIZE", "with --power: the difference to detect, such as 0.02", read_number, default="observed"),
    "docs": Option(
        "FILE",
        "show the texts of documents; files with id TAB text or id TAB title TAB text, JSON Lines, a table with a "
        "header, TREC documents, a BEIR directory, or irds:ID",
        read_list,
        words=0,
    ),
    "drawing": Option(
        "HOW",
        "how relevant documents are drawn: random-rounding or half-up (a rounded number of them), or bernoulli",
    ),
    "endpoint": Option(
        "END", "balance point: the last rank before the crossing (left) or the first rank after it (right)"
    ),
    "example": Option("NAME", "the example to draw"),
    "family": Option(
        "WHICH", "p-values are corrected over the comparisons of one measure (measure) or of all measures (all)"
    ),
    "first": Option("", "compare only the first run with each other run"),
    "fresh": Option("", "start again in a directory that already contains a study"),
    "gain": Option("MEASURE", "a form of DCG, such as 'DCG(base=2, gains=exp)'"),
    "gains": Option("NAME", "gain of each grade: binary, identity, exp, exp12, …"),
    "grades": Option("MAP", "replace grades while reading, such as 4=3,-2=0", read_grade_map, default="unchanged"),
    "groups": Option("FILE", "also leave out the judgments of one group at a time; each line has the form: run group"),
    "ideal": Option(
        "HOW",
        "recall base and ideal ranking: completed (include documents with random grades) or judged (judged documents)",
    ),
    "interpolation": Option("HOW", "interpolation of precision"),
    "known": Option("N", "depth of the pool that is judged at the start", read_integer),
    "landmarks": Option("WHICH", "landmarks to show"),
    "lenient": Option("", "skip invalid lines, keep only the first of duplicate entries, and report their number"),
    "leave_out": Option("", "measure the accuracy by hiding the judgments of one group at a time"),
    "length": Option("HOW", "topics with more than N/2 relevant documents: extend (pad their rankings), error or asis"),
    "levels": Option(
        "P,...", "significance levels", lambda o, t: _numbers.parse_numbers(o, t, "0.05 or 0.05,0.01"), ("--alpha",)
    ),
    "limit": Option(
        "N", "check all rankings of a length if there are at most N; otherwise, check a sample", read_integer
    ),
    "margin": Option(
        "SIZE", "test equivalence within this margin: a difference such as 0.02, or 5% of the baseline's mean"
    ),
    "mark": Option("NAME", "highlight a run (crp-aggregate: a topic); may be repeated", read_list),
    "max_rel": Option("GRADE", "highest grade of the scale", read_number, default="highest judged grade"),
    "measure": Option("MEASURE", "the measure", read_one, ("-m", "--measures")),
    "measures": Option(
        "MEASURE",
        "one or more measures; assay measures lists all measures",
        read_list,
        ("-m", "--measure", "--metric", "--metrics"),
    ),
    "memory": Option("SIZE", "approximate memory limit, such as 1G; runs may be larger", default="half of the memory"),
    "merge": Option(
        "HOW",
        "merge the grades of several judges: mean, median, majority, or judges in the order of preference, such as "
        "human,llm",
        read_words,
        default="an error",
    ),
    "method": Option(
        "HOW", "exact, max-grade or exhaustive; for AP, SSP and SP also greedy, greedy-on or tabu (lower bounds)"
    ),
    "min_topics": Option("N", "with --by: smallest number of topics of a slice that is tested", read_integer),
    "missing": Option(
        "HOW",
        "topics that a run lacks: empty (count as an empty ranking) or exclude; with --values: error, zero, common "
        "(topics of all runs) or pairwise",
    ),
    "most": Option("N", "show at most N items", read_integer, ("--top",), default="all"),
    "n": Option("N", "length of rankings", read_integer, ("-n",)),
    "name_by": Option("HOW", "name runs after their tag, or after their file"),
    "norm": Option("HOW", "divisor of curves: R (the number of relevant documents) or none"),
    "only": Option("RUN", "show only this run; may be repeated", read_list),
    "order": Option("HOW", "the order of rows or bars"),
    "orders": Option("HOW,...", "orders, separated by commas", read_words),
    "outside": Option("N", "assumed number of relevant documents outside the rankings: none, a number, or any"),
    "p": Option("P,...", "persistence, such as 0.8 or 0.5,0.8,0.95", _numbers.parse_numbers, ("-p", "--persistence")),
    "pair": Option("RUN", "the two runs, by name", words=2, flags=("--compare",)),
    "per_topic": Option("N", "number of documents per topic", read_integer),
    "persistence": Option("P", "misplacements that begin at rank i have the weight P^(i-1)", read_number, ("-p",)),
    "persistences": Option("P,...", "persistences of users", _numbers.parse_numbers, ("-p",), default="0 to 0.99"),
    "points": Option(
        "RUN:TOPIC",
        "point to show in detail; may be repeated. columns: a point of each effort column with about the same gain",
        read_list,
        default="chosen by the figure",
    ),
    "pool": Option("N", "pool depth", read_integer),
    "pools": Option(
        "N,...",
        "also show bounds that use only the judgments of pools of these depths",
        _numbers.parse_integers,
        ("--pool-depth",),
    ),
    "power": Option(
        "P",
        "report the number of topics that are needed to detect a difference with this power, such as 0.8",
        read_number,
    ),
    "prior": Option(
        "HOW",
        "judged documents whose grades unjudged documents are assumed to have: unique (to another group), pool, run or "
        "rank",
        default="unique with --groups, else pool",
    ),
    "qmax": Option("GRADE", "highest relevant grade", read_number, default="binary relevance"),
    "qmin": Option("GRADE", "lowest relevant grade", read_number),
    "qrels_format": Option(
        "NAME",
        "format of the judgments: qrels; or with facets: subtopics (topic subtopic doc grade), judges (topic judge doc "
        "grade), groups, prels (topic doc grade method probability) or strata; tables need a column for the facet",
    ),
    "queries": Option(
        "FILE",
        "show the texts of topics; a file with topic TAB text, JSON Lines, a table with a header, TREC topics, a BEIR "
        "directory, or irds:ID; may be repeated",
        read_list,
    ),
    "rank": Option("RANK", "the last rank down to which the simulated runs agree", read_integer),
    "ratios": Option("PERCENT,...", "percentages of the judgments to keep", _numbers.parse_percentages),
    "recall_base": Option("R", "number of relevant documents of a topic", read_integer),
    "rel": Option("GRADE", "lowest grade that counts as relevant", read_number),
    "relevant": Option("N", "check topics with 1 to N relevant documents", read_integer),
    "resamples": Option(
        "N", "number of resamples for randomization and bootstrap tests", read_integer, default="depends on the test"
    ),
    "residual": Option("", "include documents after the end of the rankings"),
    "row_qrels": Option("QRELS", "use other judgments for the rows", flags=("--rows-qrels",)),
    "row_unjudged": Option("HOW", "treatment of unjudged documents in the rows", flags=("--rows-unjudged",)),
    "rows": Option(
        "MEASURE", "measures of the rows; may be repeated", read_list, default="the measures of the columns"
    ),
    "run": Option(
        "RUN", "the run, by name", lambda o, t: t if t[1:] else t[0], default="the only run, or chosen by the figure"
    ),
    "runs": Option(
        "RUN,...", "show only these runs; all runs contribute to the pools", read_words, ("--only", "--run")
    ),
    "same": Option(
        "PERCENT", "percentage of relevant documents at the ranks where both simulated runs agree", read_number
    ),
    "samples": Option(
        "N", "number of random orders or rankings to sample if there are too many to enumerate", read_integer
    ),
    "second": Option(
        "PERCENT,PERCENT",
        "percentages of relevant documents of the second run: down to rank --top, and below",
        _numbers.parse_percentage_pair,
    ),
    "seed": Option("N", "seed of the random number generator", read_integer),
    "seeds": Option("N", "number of random samples", read_integer),
    "sets": Option("", "compare rankings as sets of documents, ignoring ranks"),
    "share": Option(
        "SHARE",
        "use only this fraction of the runs, the best by MAP, such as 75%",
        read_fraction,
        ("--best",),
        default="all",
    ),
    "sizes": Option("N,...", "lengths of rankings", _numbers.parse_integers, ("-n",), default="1..200"),
    "steps": Option(
        "N,...",
        "report the uncertainty after these numbers of judgments",
        _numbers.parse_integers,
        default="sizes of pools",
    ),
    "subtopic_weights": Option(
        "FILE", "weights of subtopics; each line has the form: topic subtopic weight; or a table", default="equal"
    ),
    "symbols": Option("SIGNS", "one sign for each --baseline, such as '*+'", default="†‡§¶"),
    "systems": Option(
        "FILE",
        "average the runs of each system, such as runs with different seeds; each line has the form: run system",
        read_systems,
    ),
    "tail": Option("", "assume no relevant documents after the end of a ranking (affects RBP, INSQ, INST)"),
    "temporary": Option("DIR", "directory for temporary files", default="the system's temporary directory"),
    "test": Option("TEST", f"significance test: {', '.join(tests.names())}"),
    "tests": Option("TEST,...", "significance tests", read_words, ("--test",)),
    "thresholds": Option(
        "G,...",
        "lowest grades that count as relevant; each is reported separately",
        lambda o, t: _numbers.parse_numbers(o, t, "1 or 1,2,3"),
        default="all grades above 0",
    ),
    "tied": Option(
        "HOW",
        "treatment of ties: order (break ties by --ties), w (shared ranks), a or b (mean over all orders)",
    ),
    "ties": Option(
        "HOW",
        "order of tied documents: trec_eval-10 (descending id), trec_eval-9 (32-bit scores), score-id, score-file or "
        "expected (mean over all orders). rank and file ignore the scores",
    ),
    "title": Option("TEXT", "the title of the report", default="number of runs and topics"),
    "top": Option("N", "show only the best N runs; all runs are compared", read_integer, ("--most",), default="all"),
    "topic": Option("TOPIC", "the topic", default="chosen by the figure"),
    "topics": Option("TOPIC,...", "use only these topics", read_words, ("--topic",), default="all"),
    "trials": Option("N", "number of simulated trials", read_integer),
    "twist": Option("MEASURE", "the form of Twist"),
    "undefined": Option("HOW", "topics without relevant documents: zero (count as value 0) or exclude"),
    "unequal": Option(
        "HOW", "rankings of unequal length: incomparable, or pad (pad the shorter ranking with non-relevant documents)"
    ),
    "unit": Option("WHAT", "unit of observation"),
    "unjudged": Option("HOW", "unjudged documents: nonrelevant, or condensed (removed from the ranking)"),
    "weights": Option("GAINS", "weight misplacements by gains, such as exp"),
    "without": Option("SECTION", "omit a section; may be repeated", read_list),
}


def describe_default(option: Option, default: Any) -> str:
    """Return the description of a default: its value, or *option.default* if the value does not explain itself."""
    if default is None or default == () or default is False or default is True:
        return option.default
    if option.read is read_fraction:
        return f"{100 * default:g}%"
    if isinstance(default, str | int | float):
        return f"{default}"
    return ", ".join(map(str, default)) if isinstance(default, Sequence) else option.default

"""The axioms of measurement: whether a measure falls when a ranking gets better by a single step.

*Swap*: exchanging two documents so that the better one stands first never lowers the value. *Replacement*: a better
document in place of another never lowers it. A measure never contradicts the order on runs if and only if both hold.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.errors import AssayError, InputError, MeasureError
from assay.measures import Measure, catalogue
from assay.measures import measures as parse_measures
from assay.measures._effort import Effort
from assay.measures._parameters import parameters_of
from assay.model.arguments import check_arguments
from assay.model.arrays import ROUNDING, Bools, Floats, Ints
from assay.model.judged import Judged
from assay.theory import _steps
from assay.theory._steps import AXIOMS, Moves, Steps

HOLDS, FAILS, NOT_FOUND = "holds", "fails", "no violation found"
GRADES = (0, 1, 2)
LENGTH = 8
RELEVANT = 4
SAMPLES = 20_000
LIMIT = 100_000
CUTOFF = 5
"""Of measures that need one, where the whole catalogue is checked."""


@dataclass(frozen=True)
class Counterexample:
    """A step up that lowers the value: the rankings as grades, the ranks that change, the topic, both values.

    *counts* says how many documents of the topic have each grade above 0.
    """

    counts: dict[float, int]
    before: tuple[float, ...]
    after: tuple[float, ...]
    ranks: tuple[int, ...]
    values: tuple[float, float]


@dataclass(frozen=True)
class Finding:
    """What was found about one axiom.

    *verdict* is ``holds`` if all steps of the stated sizes were gone through, ``no violation found`` if some were drawn
    at random, ``fails`` if one lowers the value; *steps* is how many were looked at.
    """

    axiom: str
    verdict: str
    steps: int
    counterexample: Counterexample | None = None


@dataclass(frozen=True)
class Range:
    """What is gone through: lengths, grades, topics; beyond *exhaustive* documents, random steps."""

    grades: tuple[float, ...]
    length: int
    relevant: int
    counts: dict[float, int] | None
    exhaustive: int
    samples: int
    seed: int

    def __str__(self) -> str:
        scale = ", ".join(f"{grade:g}" for grade in self.grades)
        topics = f"topics with at most {self.relevant} relevant documents" if self.counts is None else "the topic given"
        parts = []
        if self.exhaustive:
            lengths = f"1 to {self.exhaustive}" if self.exhaustive > 1 else "1"
            parts.append(f"all rankings of {lengths} documents with the grades {scale}, {topics}")
        if self.exhaustive < self.length:
            parts.append(f"{self.samples} random rankings of {self.length} documents (seed {self.seed})")
        return "; ".join(parts)


@dataclass(frozen=True)
class AxiomReport:
    """What :func:`check_axioms` returns: a finding for each axiom, and the range that it is about."""

    measure: Measure
    swap: Finding
    replacement: Finding
    range: Range

    def __repr__(self) -> str:
        return f"AxiomReport({self.measure}: swap {self.swap.verdict}, replacement {self.replacement.verdict})"


@check_arguments
def check_axioms(
    measure: str | Measure,
    *,
    grades: Sequence[float] = GRADES,
    length: int = LENGTH,
    relevant: int = RELEVANT,
    counts: Mapping[float, int] | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    limit: int = LIMIT,
) -> AxiomReport:
    """Look for a swap and for a replacement that lower a measure, among all rankings of small topics.

    *Swap*: exchanging two documents so that the better one stands first never lowers the value. *Replacement*: a better
    document in place of another never lowers it. A measure never contradicts the order on runs (see
    :func:`assay.order_report`) if and only if both hold.

    Parameters
    ----------
    measure
        The measure, which reads rankings in which every document is judged.
    grades
        The scale, from 0 up. Topics with fewer grades are among those that are gone through.
    length
        Rankings of 1 to this many documents are gone through.
    relevant
        Topics with 1 to this many relevant documents are gone through; the topic stays the same during a step.
    counts
        How many documents of each grade the only topic has. Documents of grade 0 are as many as a ranking takes.
    samples, seed
        At lengths with more than *limit* rankings, this many random steps of rankings of *length* documents instead.
        Their topics have up to half as many relevant documents.
    limit
        How many rankings of one length are gone through at most.

    Returns
    -------
    AxiomReport
        The counterexample of an axiom that fails is the smallest: shortest, then fewest relevant documents, then the
        fewest of the highest grades, then the smallest grades from the first rank on, then the first ranks.

    References
    ----------
    Ferrante, Ferro & Maistro, *Towards a formal framework for utility-oriented measurements of retrieval
    effectiveness*, ICTIR 2015.

    Examples
    --------
    >>> check_axioms("AP*")
    AxiomReport(AP*: swap holds, replacement fails)
    >>> check_axioms("AP*").replacement.counterexample
    Counterexample(counts={1: 2}, before=(1, 0, 0), after=(1, 0, 1), ranks=(3,), values=(1.0, 0.8333333333333333))
    """
    given: dict[str, Any] = {"relevant": relevant, "counts": counts, "samples": samples, "seed": seed, "limit": limit}
    [report] = check_several([measure], grades=grades, length=length, **given)
    return report


def check_several(
    measures: str | Measure | Iterable[str | Measure],
    *,
    grades: Sequence[float] = GRADES,
    length: int = LENGTH,
    relevant: int = RELEVANT,
    counts: Mapping[float, int] | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    limit: int = LIMIT,
) -> tuple[AxiomReport, ...]:
    """:func:`check_axioms` of several measures, whose rankings are made once."""
    chosen = parse_measures(measures)
    scale = _scale(grades)
    for name, value, low in (("length", length, 1), ("relevant", relevant, 1), ("samples", samples, 1)):
        if value < low:
            raise InputError(f"{name} must be at least {low}, got {value}")
    only, others = _topic(counts, scale, length)
    small = _steps.topics(len(scale) - 1, relevant) if only is None else only
    exhaustive = 0
    while exhaustive < length and _steps.fits(small, exhaustive + 1, limit):
        exhaustive += 1
    about = Range(
        tuple(scale.tolist()), length, relevant, None if counts is None else dict(counts), exhaustive, samples, seed
    )
    searches = [_Search(measure, about) for measure in chosen]
    for steps in _spaces(about, scale, small, only, others):
        unsettled = [search for search in searches if not search.settled]
        if not unsettled:
            break
        for search in unsettled:
            search.look(steps)
    return tuple(search.report() for search in searches)


def _scale(grades: Sequence[float]) -> Floats:
    scale = np.asarray(grades, dtype=np.float64)
    if len(scale) < 2 or scale[0] != 0 or not np.isfinite(scale).all() or (np.diff(scale) <= 0).any():
        shown = ", ".join(f"{grade:g}" for grade in scale.tolist())
        raise InputError(f"grades must be 0 and larger ones, ascending, such as 0, 1, 2; got {shown}")
    return scale


def _topic(counts: Mapping[float, int] | None, scale: Floats, length: int) -> tuple[Ints | None, int | None]:
    """The only topic there is, if it is given, and how many documents of grade 0 it has, if that is."""
    if counts is None:
        return None, None
    for grade, count in counts.items():
        if grade not in scale.tolist():
            raise InputError(f"counts: {grade:g} is not among the grades")
        if count < 0 or (grade == 0 and count < length):
            raise InputError(f"counts: there must be at least {length if grade == 0 else 0} documents of grade {grade}")
    relevant = np.array([[counts.get(grade, 0) for grade in scale[1:].tolist()]], dtype=np.int64)
    if not relevant.any():
        raise InputError("counts: a topic needs a relevant document")
    return relevant, counts.get(0)


def _spaces(about: Range, scale: Floats, small: Ints, only: Ints | None, others: int | None) -> Iterator[Steps]:
    for length in range(1, about.exhaustive + 1):
        yield _steps.every(scale, small, others, length)
    if about.exhaustive < about.length:
        rng = np.random.default_rng(about.seed)
        yield _steps.drawn(scale, only, others, about.length, samples=about.samples, rng=rng)


class _Search:
    """The search for counterexamples of one measure, from short rankings to long ones."""

    def __init__(self, measure: Measure, about: Range) -> None:
        self.measure = measure
        self.range = about
        verdict = HOLDS if about.exhaustive == about.length else NOT_FOUND
        self.findings = {axiom: Finding(axiom, verdict, 0) for axiom in AXIOMS}

    @property
    def settled(self) -> bool:
        return all(finding.verdict == FAILS for finding in self.findings.values())

    def look(self, steps: Steps) -> None:
        """Look at rankings of one length."""
        value = _valued(self.measure, steps.judged)
        suitable = _suitable(self.measure, steps.judged)
        for axiom, moves in steps.moves.items():
            finding = self.findings[axiom]
            if finding.verdict == FAILS:
                continue
            looked = suitable[steps.judged.topic[moves.before]]
            wrong = np.flatnonzero(looked & _lower(value[moves.after], value[moves.before]))
            finding = replace(finding, steps=finding.steps + int(looked.sum()))
            if len(wrong):
                example = _example(steps.judged, moves, int(wrong[0]), value)
                finding = replace(finding, verdict=FAILS, counterexample=example)
            self.findings[axiom] = finding

    def report(self) -> AxiomReport:
        return AxiomReport(self.measure, range=self.range, **self.findings)


def _lower(after: Floats, before: Floats) -> Bools:
    """Whether values fall by more than rounding; one that is not a number is not compared."""
    slack = np.where(np.isfinite(before), ROUNDING * np.maximum(1.0, np.abs(before)), 0.0)
    return np.asarray(after < before - slack)


def _valued(measure: Measure, judged: Judged) -> Floats:
    """The values; what goes wrong in a measure that is not our own is told in one line."""
    try:
        found = np.asarray(measure.score(judged), dtype=np.float64)
        defined = measure.defined(judged)
    except AssayError:
        raise
    except Exception as error:
        if type(measure).__module__.startswith("assay."):
            raise
        raise MeasureError(f"measure '{measure}': score fails: {type(error).__name__}: {error}") from error
    if found.shape != (len(judged),):
        raise MeasureError(f"measure '{measure}': score must return one number for each ranking")
    return np.where(defined, found, 0.0)


def _suitable(measure: Measure, judged: Judged) -> Bools:
    """The topics that a measure can be asked about: those of effort need rankings that could reverse the ideal one.

    Shorter rankings are filled up to twice the recall base by these measures, so that they are looked at where they
    have that length.
    """
    if not isinstance(measure, Effort) or measure.length == "asis":
        return np.ones(len(judged.counts), dtype=bool)
    length = judged.longest if measure.cutoff is None else measure.cutoff
    return np.asarray(2 * judged.counts[:, judged.levels >= measure.rel].sum(axis=1) <= length)


def _example(judged: Judged, moves: Moves, index: int, value: Floats) -> Counterexample:
    before, after = int(moves.before[index]), int(moves.after[index])
    grades = [_plain(grade) for grade in judged.levels.tolist()]

    def written(ranking: int) -> tuple[float, ...]:
        codes = judged.code[judged.start[ranking] : judged.start[ranking + 1]]
        return tuple(grades[code - 1] for code in codes.tolist())

    counts = judged.counts[judged.topic[before]].tolist()
    return Counterexample(
        counts={grade: count for grade, count in zip(grades[1:], counts[1:], strict=True) if count},
        before=written(before),
        after=written(after),
        ranks=tuple(rank for rank in (int(moves.first[index]), int(moves.second[index])) if rank),
        values=(float(value[before]) + 0.0, float(value[after]) + 0.0),  # no negative zero
    )


def _plain(grade: float) -> float:
    return int(grade) if grade.is_integer() else grade


# The whole catalogue ---------------------------------------------------------------------------------------------


def representatives() -> tuple[Measure, ...]:
    """One measure of each class of the catalogue: its first example, without a cutoff or with a small one."""
    return tuple(representative(cls) for cls in catalogue().values())


def representative(cls: type[Measure]) -> Measure:
    """The first example of a class, without a cutoff or with a small one."""
    if not cls.examples:
        return cls()
    [first] = parse_measures(cls.examples[0])
    for field in parameters_of(cls):
        if field.metadata["at"] and field.metadata["kind"] == "whole":
            given = {other.name: getattr(first, other.name) for other in parameters_of(cls)}
            return cls(**{**given, field.name: CUTOFF if field.default is dataclasses.MISSING else field.default})
    return first


class Row(NamedTuple):
    """One line of the table of reports."""

    measure: str
    axiom: str
    verdict: str
    topic: str | None
    length: int | None
    before: str | None
    after: str | None
    ranks: str | None
    value_before: float | None
    value_after: float | None


def frame(reports: Iterable[AxiomReport]) -> pl.DataFrame:
    """Reports as a polars frame: measure, axiom, verdict, and the counterexample of what fails.

    A topic is written as grade:documents, rankings as grades, with spaces between.
    """
    rows = [_row(report, finding) for report in reports for finding in (report.replacement, report.swap)]
    kinds = {"length": pl.Int64, "value_before": pl.Float64, "value_after": pl.Float64}
    return pl.DataFrame(rows, schema={name: kinds.get(name, pl.String) for name in Row._fields}, orient="row")


def _row(report: AxiomReport, finding: Finding) -> Row:
    example = finding.counterexample
    if example is None:
        return Row(str(report.measure), finding.axiom, finding.verdict, *[None] * 7)
    return Row(
        str(report.measure),
        finding.axiom,
        finding.verdict,
        " ".join(f"{grade:g}:{count}" for grade, count in example.counts.items()),
        len(example.before),
        " ".join(f"{grade:g}" for grade in example.before),
        " ".join(f"{grade:g}" for grade in example.after),
        " ".join(map(str, example.ranks)),
        *example.values,
    )


__all__ = [
    "AXIOMS",
    "AxiomReport",
    "Counterexample",
    "Finding",
    "Range",
    "check_axioms",
    "check_several",
    "frame",
    "representative",
    "representatives",
]

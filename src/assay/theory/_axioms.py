"""The axioms of measurement: a measure must not fall when a single step makes a ranking better.

*Swap*: exchanging two documents so that the better one stands first never lowers the value. *Replacement*: a better
document in place of another never lowers it. A measure never contradicts the order on runs if and only if both hold.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

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
from assay.model.notes import join_names, pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.tables import Table
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
    """The finding about one axiom of one measure.

    *verdict* is ``holds`` if all steps of the stated sizes were checked, ``no violation found`` if some were drawn at
    random, ``fails`` if one lowers the value; *steps* is the number of steps that were checked.
    """

    measure: Measure
    axiom: str
    verdict: str
    steps: int
    counterexample: Counterexample | None = None


@dataclass(frozen=True)
class Range:
    """The rankings that are checked: lengths, grades and topics; beyond *exhaustive* documents, random steps."""

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
            lengths = f"1 to {self.exhaustive} documents" if self.exhaustive > 1 else "1 document"
            parts.append(f"all rankings of {lengths} with the grades {scale}, {topics}")
        if self.exhaustive < self.length:
            parts.append(f"{self.samples} random rankings of {self.length} documents (seed {self.seed})")
        return "; ".join(parts)


@dataclass(frozen=True, eq=False)
class AxiomReport(Report):
    """Whether measures satisfy the axioms, with the smallest counterexamples; the report of :func:`axioms`.

    Attributes
    ----------
    measures
        The measures.
    findings
        For each measure one finding for each axiom.
    range
        The rankings that were checked.
    provenance
        The settings.
    notes
        What was checked.
    """

    measures: tuple[Measure, ...]
    findings: tuple[Finding, ...]
    range: Range
    provenance: Provenance
    notes: tuple[str, ...] = ()

    name = "axioms"
    tables: ClassVar[Mapping[str, str]] = {
        "measures": "each measure: whether swap and replacement hold, and the smallest counterexample",
        "findings": "each measure and axiom with its counterexample",
    }

    def __repr__(self) -> str:
        if len(self.measures) != 1:
            return f"AxiomReport({pluralize(len(self.measures), 'measure')})"
        each = ", ".join(f"{one.axiom} {one.verdict}" for one in sorted(self.findings, key=_place))
        return f"AxiomReport({self.measures[0]}: {each})"

    def finding(self, measure: str | Measure, axiom: str) -> Finding:
        """Return the finding about one axiom, ``swap`` or ``replacement``, of one of the measures."""
        [chosen] = parse_measures(measure)
        for one in self.findings:
            if one.measure == chosen and one.axiom == axiom:
                return one
        known = f"{', '.join(map(str, self.measures))} with {' and '.join(AXIOMS)}"
        raise InputError(f"there is no finding about {axiom} of {measure}; the report has {known}")

    def frame(self) -> pl.DataFrame:
        """Return a row for each measure and axiom, with the counterexample if the axiom fails.

        Columns measure, axiom, verdict, topic, length, before, after, ranks, value_before, value_after. A topic is
        written as grade:documents, rankings as grades, with spaces between.
        """
        rows = [_row(finding) for finding in self.findings]
        kinds = {"length": pl.Int64, "value_before": pl.Float64, "value_after": pl.Float64}
        return pl.DataFrame(rows, schema={name: kinds.get(name, pl.String) for name in Row._fields}, orient="row")

    def summary(self) -> str:
        """Return how many measures satisfy both axioms, and which fail which."""
        failing = {
            axiom: [str(one.measure) for one in self.findings if (one.axiom, one.verdict) == (axiom, FAILS)]
            for axiom in AXIOMS
        }
        if len(self.measures) == 1:
            return self._judge(*self.measures)
        wrong = set().union(*failing.values())
        each = [f"{axiom} fails for {len(names)} ({join_names(names, 8)})" for axiom, names in failing.items() if names]
        good = (
            f"{len(self.measures) - len(wrong)} of {len(self.measures)} measures satisfy both axioms as far as checked"
        )
        return f"{'; '.join([good, *each])}."

    def _judge(self, measure: Measure) -> str:
        wrong = [axiom for axiom in AXIOMS if self.finding(measure, axiom).verdict == FAILS]
        if not wrong:
            return f"{measure} satisfies both axioms as far as checked."
        rest = [axiom for axiom in AXIOMS if axiom not in wrong]
        holds = f", and satisfies {rest[0]} as far as checked" if rest else ""
        return f"{measure} fails {' and '.join(wrong)}{holds}."

    def _show_measures(self) -> Table:
        rows = []
        for measure in self.measures:
            pair = [self.finding(measure, axiom) for axiom in ("swap", "replacement")]
            examples = [one.counterexample for one in pair if one.counterexample is not None]
            smallest = min(examples, key=lambda example: len(example.before), default=None)
            verdicts = [_SHORT.get(one.verdict, one.verdict) for one in pair]
            shown = (None,) * 4 if smallest is None else (*_write_grades(smallest), *smallest.values)
            rows.append((str(measure), *verdicts, *shown))
        texts = dict.fromkeys(("measure", "swap", "replacement", "before", "after"), pl.String)
        schema = {**texts, "value": pl.Float64, "falls to": pl.Float64}
        compact = pl.DataFrame(rows, schema=schema, orient="row")
        if compact["before"].is_null().all():
            return Table(self.frame(), compact.select("measure", "swap", "replacement"), caption=self._caption(False))
        return Table(self.frame(), compact, caption=self._caption(True))

    def _caption(self, examples: bool) -> str:
        exhaustive = self.range.exhaustive == self.range.length
        drawn = "" if exhaustive else " none found: no violation among the rankings that were checked or drawn."
        rankings = "" if not examples else _EXAMPLE.format("the smallest" if exhaustive else "a")
        return _MEANING + drawn + rankings

    def _show_findings(self) -> Table:
        frame = self.frame()
        written = pl.col("before", "after")
        if all(len(f"{grade:g}") == 1 for grade in self.range.grades):
            written = written.str.replace_all(" ", "")
        compact = frame.with_columns(written).drop("length")
        return Table(
            frame, compact.rename({"value_before": "value", "value_after": "falls to"}), caption=self._caption(True)
        )


_MEANING = (
    "swap: moving the better of two documents up never lowers the value. replacement: putting a better document in the "
    "place of another never does."
)
_EXAMPLE = " before, after: {} counterexample, as grades from rank 1 on: the better ranking has the lower value."
_SHORT = {NOT_FOUND: "none found"}


def _place(finding: Finding) -> int:
    return AXIOMS.index(finding.axiom)


def _write_grades(example: Counterexample) -> tuple[str, str]:
    """Return both rankings; without spaces if every grade is one digit."""
    texts = [[f"{grade:g}" for grade in ranking] for ranking in (example.before, example.after)]
    gap = "" if all(len(text) == 1 for ranking in texts for text in ranking) else " "
    before, after = (gap.join(ranking) for ranking in texts)
    return before, after


@check_arguments
def axioms(
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    grades: Sequence[float] = GRADES,
    length: int = LENGTH,
    relevant: int = RELEVANT,
    counts: Mapping[float, int] | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    limit: int = LIMIT,
) -> AxiomReport:
    """Look for swaps and replacements that lower a measure, among all rankings of small topics.

    *Swap*: exchanging two documents so that the better one stands first never lowers the value. *Replacement*: a better
    document in place of another never lowers it. A measure never contradicts the order on runs (see
    :func:`assay.theory.order`) if and only if both hold.

    Parameters
    ----------
    measures
        Measures of rankings in which every document is judged; by default one of each class of the catalogue.
    grades
        The scale, from 0 up. Topics with fewer grades are checked, too.
    length
        Rankings of 1 to this many documents are checked.
    relevant
        Topics with 1 to this many relevant documents are checked; the topic stays the same during a step.
    counts
        Number of documents of each grade of the only topic. There are as many of grade 0 as a ranking takes.
    samples, seed
        At lengths with more than *limit* rankings, this many random steps of rankings of *length* documents instead.
        Their topics have up to half as many relevant documents.
    limit
        Largest number of rankings of one length that are all checked.

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
    >>> axioms("AP*")
    AxiomReport(AP*: swap holds, replacement fails)
    >>> axioms("AP*").finding("AP*", "replacement").counterexample
    Counterexample(counts={1: 2}, before=(1, 0, 0), after=(1, 0, 1), ranks=(3,), values=(1.0, 0.8333333333333333))
    """
    chosen = representatives() if measures is None else parse_measures(measures)
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
    settings = {**dataclasses.asdict(about), "grades": list(about.grades), "limit": limit}
    if about.counts is not None:
        settings["counts"] = {f"{grade:g}": number for grade, number in about.counts.items()}
    return AxiomReport(
        measures=chosen,
        findings=tuple(search.findings[axiom] for search in searches for axiom in ("replacement", "swap")),
        range=about,
        provenance=Provenance().with_settings(measures=[str(measure) for measure in chosen], **settings),
        notes=(f"checked: {about}",),
    )


def _scale(grades: Sequence[float]) -> Floats:
    scale = np.asarray(grades, dtype=np.float64)
    if len(scale) < 2 or scale[0] != 0 or not np.isfinite(scale).all() or (np.diff(scale) <= 0).any():
        shown = ", ".join(f"{grade:g}" for grade in scale.tolist())
        raise InputError(f"grades must be 0 and larger ones, ascending, such as 0, 1, 2; got {shown}")
    return scale


def _topic(counts: Mapping[float, int] | None, scale: Floats, length: int) -> tuple[Ints | None, int | None]:
    """Return the counts of the only topic, and how many documents of grade 0 it has; None where not given."""
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
    """Search for counterexamples of one measure, from short rankings to long ones."""

    def __init__(self, measure: Measure, about: Range) -> None:
        self.measure = measure
        self.range = about
        verdict = HOLDS if about.exhaustive == about.length else NOT_FOUND
        self.findings = {axiom: Finding(measure, axiom, verdict, 0) for axiom in AXIOMS}

    @property
    def settled(self) -> bool:
        return all(finding.verdict == FAILS for finding in self.findings.values())

    def look(self, steps: Steps) -> None:
        """Check the rankings of one length."""
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


def _lower(after: Floats, before: Floats) -> Bools:
    """Return where values fall by more than rounding; one that is not a number is not compared."""
    slack = np.where(np.isfinite(before), ROUNDING * np.maximum(1.0, np.abs(before)), 0.0)
    return np.asarray(after < before - slack)


def _valued(measure: Measure, judged: Judged) -> Floats:
    """Return the values; an error in a measure that is not ours becomes one line."""
    try:
        values = np.asarray(measure.score(judged), dtype=np.float64)
        defined = measure.defined(judged)
    except AssayError:
        raise
    except Exception as error:
        if type(measure).__module__.startswith("assay."):
            raise
        raise MeasureError(f"measure '{measure}': score fails: {type(error).__name__}: {error}") from error
    if values.shape != (len(judged),):
        raise MeasureError(f"measure '{measure}': score must return one number for each ranking")
    return np.where(defined, values, 0.0)


def _suitable(measure: Measure, judged: Judged) -> Bools:
    """Return which topics suit a measure: those of effort need rankings that could hold the ideal one reversed.

    These measures fill shorter rankings up to twice the recall base, so that only rankings of that length are checked.
    """
    if not isinstance(measure, Effort) or measure.length == "asis":
        return np.ones(len(judged.counts), dtype=bool)
    length = judged.max_depth if measure.cutoff is None else measure.cutoff
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
    """Return one measure of each class of the catalogue: its first example, without a cutoff or with a small one."""
    return tuple(representative(cls) for cls in catalogue().values())


def representative(cls: type[Measure]) -> Measure:
    """Return the first example of a class, without a cutoff or with a small one."""
    if not cls.examples:
        return cls()
    [first] = parse_measures(cls.examples[0])
    for field in parameters_of(cls):
        if field.metadata["at"] and field.metadata["kind"] == "whole":
            given = {other.name: getattr(first, other.name) for other in parameters_of(cls)}
            return cls(**{**given, field.name: CUTOFF if field.default is dataclasses.MISSING else field.default})
    return first


class Row(NamedTuple):
    """One row of the frame of a report."""

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


def _row(finding: Finding) -> Row:
    example = finding.counterexample
    if example is None:
        return Row(str(finding.measure), finding.axiom, finding.verdict, *[None] * 7)
    return Row(
        str(finding.measure),
        finding.axiom,
        finding.verdict,
        " ".join(f"{grade:g}:{count}" for grade, count in example.counts.items()),
        len(example.before),
        " ".join(f"{grade:g}" for grade in example.before),
        " ".join(f"{grade:g}" for grade in example.after),
        " ".join(map(str, example.ranks)),
        *example.values,
    )

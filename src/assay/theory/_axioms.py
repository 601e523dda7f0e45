"""The axioms of measurement: a measure must not fall when a single step improves a ranking.

*Swap*: if the better of two documents is at the lower rank, swapping the two documents never lowers the value.
*Replacement*: replacing a document by a better document never lowers the value. A measure never contradicts the partial
order on rankings if and only if both axioms hold.

Rankings of different length are incomparable in this order. Three more axioms describe what a measure does when a
document is appended. *Extension*: appending a relevant document never lowers the value. *Padding*: appending a
non-relevant document never lowers the value. *Truncation*: removing a non-relevant document from the end never lowers
the value. If padding and truncation hold, non-relevant documents at the end have no effect.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

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
from assay.results.sentences import list_names
from assay.results.tables import Table
from assay.theory import _steps
from assay.theory._steps import APPENDING, AXIOMS, Moves, Steps

HOLDS, FAILS, NOT_FOUND = "holds", "fails", "no violation found"
GRADES = (0, 1, 2)
LENGTH = 8
RELEVANT = 4
SAMPLES = 20_000
LIMIT = 100_000
CUTOFF = 5
"""Cutoff of measures that need a cutoff, if the entire catalogue is checked."""


@dataclass(frozen=True)
class Counterexample:
    """An improving step that lowers the value.

    *counts* gives the number of documents of the topic for each grade above 0. *before* and *after* are the rankings,
    as grades from rank 1 on. *ranks* are the ranks that change, and *values* are the values before and after the step.
    """

    counts: dict[float, int]
    before: tuple[float, ...]
    after: tuple[float, ...]
    ranks: tuple[int, ...]
    values: tuple[float, float]


@dataclass(frozen=True)
class Finding:
    """The result for one measure and one axiom.

    *verdict* is ``fails`` if some step lowers the value. Otherwise, it is ``holds`` if all steps up to the given length
    were checked, and ``no violation found`` if some lengths were only sampled. *steps* is the number of checked steps.
    """

    measure: Measure
    axiom: str
    verdict: str
    steps: int
    counterexample: Counterexample | None = None


@dataclass(frozen=True)
class Range:
    """The rankings that are checked: lengths, grades and topics.

    All rankings of up to *exhaustive* documents are checked. If *length* is larger, random rankings of *length*
    documents are also checked.
    """

    grades: tuple[float, ...]
    length: int
    relevant: int
    counts: dict[float, int] | None
    exhaustive: int
    samples: int
    seed: int

    def __str__(self) -> str:
        scale = ", ".join(f"{grade:g}" for grade in self.grades)
        topics = f"topics with at most {self.relevant} relevant documents" if self.counts is None else "the given topic"
        clauses = []
        if self.exhaustive:
            lengths = f"1 to {self.exhaustive} documents" if self.exhaustive > 1 else "1 document"
            clauses.append(f"all rankings of {lengths} with the grades {scale} for {topics}")
        if self.exhaustive < self.length:
            clauses.append(f"{self.samples} random rankings of {self.length} documents (seed {self.seed})")
        return "; ".join(clauses)


@dataclass(frozen=True, eq=False)
class AxiomReport(Report):
    """Findings on the axioms, with the smallest counterexamples; the report of :func:`axioms`.

    Attributes
    ----------
    measures
        The measures.
    findings
        One finding for each measure and axiom.
    range
        The rankings that were checked.
    provenance
        The settings of the analysis.
    notes
        A note on the rankings that were checked.
    """

    measures: tuple[Measure, ...]
    findings: tuple[Finding, ...]
    range: Range
    provenance: Provenance
    notes: tuple[str, ...] = ()

    name = "axioms"
    tables: ClassVar[Mapping[str, str]] = {
        "measures": "the verdicts on swap and replacement for each measure, and the smallest counterexample",
        "appending": "the effect of a document appended at the end on each measure, and the smallest example",
        "findings": "the verdict and the counterexample for each measure and axiom",
    }

    def __repr__(self) -> str:
        if len(self.measures) != 1:
            return f"AxiomReport({pluralize(len(self.measures), 'measure')})"
        verdicts = ", ".join(f"{axiom} {self.finding(self.measures[0], axiom).verdict}" for axiom in AXIOMS)
        return f"AxiomReport({self.measures[0]}: {verdicts})"

    def finding(self, measure: str | Measure, axiom: str) -> Finding:
        """Return the finding for a measure and an axiom: an element of ``AXIOMS`` or ``APPENDING``."""
        [parsed] = parse_measures(measure)
        for finding in self.findings:
            if finding.measure == parsed and finding.axiom == axiom:
                return finding
        measures = list_names([str(one) for one in self.measures], limit=None)
        raise InputError(
            f"the report has no finding for measure {measure} and axiom {axiom}; its measures are {measures}, and its "
            f"axioms are {list_names((*AXIOMS, *APPENDING), limit=None)}"
        )

    def frame(self) -> pl.DataFrame:
        """Return a row for each measure and axiom, with the counterexample if the axiom fails.

        The columns are measure, axiom, verdict, topic, length, before, after, ranks, value_before, value_after. A topic
        is written as pairs of grade and number of documents, such as ``1:2 2:1``. A ranking is written as grades
        separated by spaces.
        """
        return pl.DataFrame([_to_row(finding) for finding in self.findings], schema=_SCHEMA, orient="row")

    def summary(self) -> str:
        """Return the number of measures that satisfy swap and replacement, and the measures that fail each of them."""
        violators = {
            axiom: [str(one.measure) for one in self.findings if (one.axiom, one.verdict) == (axiom, FAILS)]
            for axiom in AXIOMS
        }
        if len(self.measures) == 1:
            failing = [axiom for axiom, names in violators.items() if names]
            return _describe_measure(self.measures[0], failing)
        good = len(self.measures) - len(set().union(*violators.values()))
        clauses = [f"{good} of {len(self.measures)} measures satisfy both axioms on all checked rankings"]
        clauses += [
            f"{axiom} fails for {pluralize(len(names), 'measure')} ({join_names(names, 8)})"
            for axiom, names in violators.items()
            if names
        ]
        return f"{'; '.join(clauses)}."

    def _show_measures(self) -> Table:
        rows = []
        for measure in self.measures:
            findings = [self.finding(measure, axiom) for axiom in AXIOMS]
            examples = [one.counterexample for one in findings if one.counterexample is not None]
            smallest = min(examples, key=lambda example: len(example.before), default=None)
            verdicts = [_SHORT.get(one.verdict, one.verdict) for one in findings]
            cells = (None,) * 4 if smallest is None else (*_format_rankings(smallest), *smallest.values)
            rows.append((str(measure), *verdicts, *cells))
        texts = dict.fromkeys(("measure", *AXIOMS, "before", "after"), pl.String)
        schema = {**texts, "value": pl.Float64, "falls to": pl.Float64}
        compact = pl.DataFrame(rows, schema=schema, orient="row")
        has_examples = not compact["before"].is_null().all()
        if not has_examples:
            compact = compact.select("measure", *AXIOMS)
        frame = self.frame().filter(pl.col("axiom").is_in(AXIOMS))
        return Table(frame, compact, caption=self._caption(has_examples))

    def appending(self) -> pl.DataFrame:
        """Return a row for each measure with the effect of a document that is appended at the end of a ranking.

        The columns are measure, relevant, nonrelevant, topic, before, after, value_before, value_after. *relevant* is
        the effect of a relevant document: ``never lowers`` or ``can lower`` the value. *nonrelevant* is the effect of a
        non-relevant document: ``no change``, ``can lower``, ``can raise`` or ``can do both``. The other columns are the
        smallest example: a relevant document that lowers the value if there is one, otherwise a non-relevant document
        that raises it, or that lowers it.
        """
        rows = []
        for measure in self.measures:
            extension, padding, truncation = (self.finding(measure, axiom) for axiom in APPENDING)
            effect = _EFFECTS[padding.verdict == FAILS, truncation.verdict == FAILS]
            relevant = "can lower" if extension.verdict == FAILS else "never lowers"
            examples = (extension.counterexample, _reverse(truncation.counterexample), padding.counterexample)
            example = next((one for one in examples if one is not None), None)
            cells = [None] * 5 if example is None else [_format_topic(example), *_join_grades(example), *example.values]
            rows.append((str(measure), relevant, effect, *cells))
        texts = dict.fromkeys(("measure", "relevant", "nonrelevant", "topic", "before", "after"), pl.String)
        schema = {**texts, "value_before": pl.Float64, "value_after": pl.Float64}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def _show_appending(self) -> Table:
        frame = self.appending()
        labels = {"nonrelevant": "non-relevant", "value_before": "value", "value_after": "becomes"}
        compact = self._shorten_rankings(frame).drop("topic").rename(labels)
        if frame["before"].is_null().all():
            compact = compact.select("measure", "relevant", "non-relevant")
        lowered = frame.filter(relevant="can lower")["measure"].to_list()
        conclusion = (
            f" Appending a relevant document can lower {pluralize(len(lowered), 'measure')} ({join_names(lowered, 8)})."
            if lowered
            else " No measure falls when a relevant document is appended to a checked ranking."
        )
        return Table(frame, compact, caption=_APPENDING + conclusion)

    def _shorten_rankings(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Remove the spaces between the grades of rankings if every grade is one character."""
        if any(len(f"{grade:g}") != 1 for grade in self.range.grades):
            return frame
        return frame.with_columns(pl.col("before", "after").str.replace_all(" ", ""))

    def _caption(self, examples: bool) -> str:
        exhaustive = self.range.exhaustive == self.range.length
        sampling = "" if exhaustive else _SAMPLING
        return _MEANING + sampling + (_EXAMPLE.format("the smallest" if exhaustive else "a") if examples else "")

    def _show_findings(self) -> Table:
        frame = self.frame()
        labels = {"value_before": "value", "value_after": "falls to"}
        compact = self._shorten_rankings(frame).drop("length").rename(labels)
        return Table(frame, compact, caption=f"{self._caption(True)} {_LENGTHS}")


_MEANING = (
    "swap: moving the better of two documents up never lowers the value. replacement: replacing a document by a better "
    "document never lowers the value."
)
_SAMPLING = " none found: no violation among the checked rankings, some of which were sampled."
_EXAMPLE = (
    " before, after: {} counterexample, as grades from rank 1 on. The second ranking is better but has the lower value."
)
_LENGTHS = (
    "extension: appending a relevant document never lowers the value. padding: appending a non-relevant document never "
    "lowers the value. truncation: removing a non-relevant document from the end never lowers the value."
)
_APPENDING = (
    "relevant, non-relevant: the effect of such a document on the value if it is appended at the end of a ranking. "
    "before, after: an example, as grades from rank 1 on."
)
_EFFECTS = {
    (False, False): "no change",
    (True, False): "can lower",
    (False, True): "can raise",
    (True, True): "can do both",
}
"""Effect of a non-relevant document, by whether padding fails and whether truncation fails."""
_SHORT = {NOT_FOUND: "none found"}
_SCHEMA = {
    **dict.fromkeys(("measure", "axiom", "verdict", "topic"), pl.String),
    "length": pl.Int64,
    **dict.fromkeys(("before", "after", "ranks"), pl.String),
    **dict.fromkeys(("value_before", "value_after"), pl.Float64),
}


def _describe_measure(measure: Measure, failing: list[str]) -> str:
    """Return a sentence on a single measure that violates the *failing* axioms."""
    if not failing:
        return f"{measure} satisfies both axioms on all checked rankings."
    holding = [axiom for axiom in AXIOMS if axiom not in failing]
    success = f"; it satisfies {holding[0]} on all checked rankings" if holding else ""
    return f"{measure} violates {list_names(failing)}{success}."


def _to_row(finding: Finding) -> tuple[object, ...]:
    """Return the row of a finding in the frame of the report."""
    key = (str(finding.measure), finding.axiom, finding.verdict)
    example = finding.counterexample
    if example is None:
        return (*key, *[None] * 7)
    ranks = " ".join(map(str, example.ranks))
    return (*key, _format_topic(example), len(example.before), *_join_grades(example), ranks, *example.values)


def _reverse(example: Counterexample | None) -> Counterexample | None:
    """Return the step in the other direction."""
    if example is None:
        return None
    return replace(example, before=example.after, after=example.before, values=(example.values[1], example.values[0]))


def _format_topic(example: Counterexample) -> str:
    return " ".join(f"{grade:g}:{count}" for grade, count in example.counts.items())


def _join_grades(example: Counterexample) -> tuple[str, str]:
    """Return both rankings as grades that are separated by spaces."""
    before, after = (" ".join(f"{grade:g}" for grade in ranking) for ranking in (example.before, example.after))
    return before, after


def _format_rankings(example: Counterexample) -> tuple[str, str]:
    """Return both rankings as texts; grades are separated by spaces unless every grade is one digit."""
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
    """Search for steps that improve a ranking but lower a measure, among all rankings of small topics.

    *Swap*: if the better of two documents is at the lower rank, swapping the two documents never lowers the value.
    *Replacement*: replacing a document by a better document never lowers the value. A measure never contradicts the
    partial order on rankings (see :func:`assay.theory.order`) if and only if both axioms hold.

    Rankings of different length are incomparable in this order. Three more axioms describe the effect of a document at
    the end. *Extension*: appending a relevant document never lowers the value. *Padding*: appending a non-relevant
    document never lowers the value. *Truncation*: removing a non-relevant document from the end never lowers the value.
    The paper leaves open whether padding or truncation should hold. If both hold, non-relevant documents at the end
    have no effect. A measure that depends on the length of the longest ranking is computed for the longer ranking.

    Parameters
    ----------
    measures
        The measures to check; by default one measure of each class in the catalogue. All documents of the rankings are
        judged.
    grades
        The grades of the scale, ascending from 0. Topics that have only some of the grades are also checked.
    length
        Maximum length of rankings.
    relevant
        Maximum number of relevant documents of a topic. A step does not change the topic.
    counts
        Number of documents of each grade, to check only a single topic. If grade 0 is missing, the topic has enough
        documents of grade 0 to fill a ranking.
    samples, seed
        If some length has more than *limit* rankings, *samples* random rankings of *length* documents are checked
        instead, each with a random step of each kind. Their topics have at most *length* / 2 relevant documents.
    limit
        Maximum number of rankings of one length that are checked exhaustively.

    Returns
    -------
    AxiomReport
        If an axiom fails, the report contains the smallest counterexample: the first in the order by length, then by
        the number of relevant documents, the number of documents of the highest grades, the grades from rank 1 on, and
        the ranks that change.

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
    parsed = list_representatives() if measures is None else parse_measures(measures)
    scale = _steps.check_grades(grades)
    for name, value in (("length", length), ("relevant", relevant), ("samples", samples)):
        if value < 1:
            raise InputError(f"{name} must be at least 1, got {value}")
    single_topic, nonrelevant = _parse_counts(counts, scale, length)
    topics = _steps.enumerate_topics(len(scale) - 1, relevant) if single_topic is None else single_topic
    exhaustive = 0
    while exhaustive < length and _steps.can_enumerate(topics, exhaustive + 1, limit):
        exhaustive += 1
    checked_range = Range(
        tuple(scale.tolist()), length, relevant, None if counts is None else dict(counts), exhaustive, samples, seed
    )
    searches = [_Search(measure, checked_range) for measure in parsed]
    for steps in _generate_steps(checked_range, scale, topics, single_topic, nonrelevant):
        unfinished = [search for search in searches if not search.is_finished]
        if not unfinished:
            break
        for search in unfinished:
            search.check(steps)
    settings = {**dataclasses.asdict(checked_range), "grades": list(checked_range.grades), "limit": limit}
    if checked_range.counts is not None:
        settings["counts"] = {f"{grade:g}": number for grade, number in checked_range.counts.items()}
    return AxiomReport(
        measures=parsed,
        findings=tuple(search.findings[axiom] for search in searches for axiom in (*AXIOMS[::-1], *APPENDING)),
        range=checked_range,
        provenance=Provenance().with_settings(measures=[str(measure) for measure in parsed], **settings),
        notes=(f"checked: {checked_range}",),
    )


def _parse_counts(counts: Mapping[float, int] | None, scale: Floats, length: int) -> tuple[Ints | None, int | None]:
    """Return the topic (1 x grades above 0) and the number of documents of grade 0; None for missing counts."""
    if counts is None:
        return None, None
    for grade, count in counts.items():
        if grade not in scale.tolist():
            raise InputError(f"counts: {grade:g} is not among the grades")
        if count < 0 or (grade == 0 and count < length):
            raise InputError(f"counts: there must be at least {length if grade == 0 else 0} documents of grade {grade}")
    relevant = np.array([[counts.get(grade, 0) for grade in scale[1:].tolist()]], dtype=np.int64)
    if not relevant.any():
        raise InputError("counts: need at least one relevant document")
    return relevant, counts.get(0)


def _generate_steps(
    checked_range: Range, scale: Floats, topics: Ints, single_topic: Ints | None, nonrelevant: int | None
) -> Iterator[Steps]:
    """Yield all steps of each exhaustively checked length, then random steps of the maximum length."""
    for length in range(1, checked_range.exhaustive + 1):
        yield _steps.enumerate_steps(scale, topics, nonrelevant, length)
    if checked_range.exhaustive < checked_range.length:
        rng, samples = np.random.default_rng(checked_range.seed), checked_range.samples
        yield _steps.sample_steps(scale, single_topic, nonrelevant, checked_range.length, samples=samples, rng=rng)


class _Search:
    """Search for counterexamples of one measure, from short rankings to long rankings."""

    def __init__(self, measure: Measure, checked_range: Range) -> None:
        self.measure = measure
        verdict = HOLDS if checked_range.exhaustive == checked_range.length else NOT_FOUND
        self.findings = {axiom: Finding(measure, axiom, verdict, 0) for axiom in (*AXIOMS, *APPENDING)}

    @property
    def is_finished(self) -> bool:
        return all(finding.verdict == FAILS for finding in self.findings.values())

    def check(self, steps: Steps) -> None:
        """Check all steps between rankings of one length; the first step that lowers the value is the smallest."""
        value = _score(self.measure, steps.judged)
        is_suitable = _find_suitable_topics(self.measure, steps.judged)
        for axiom, moves in steps.moves.items():
            finding = self.findings[axiom]
            if finding.verdict == FAILS:
                continue
            is_checked = is_suitable[steps.judged.topic[moves.before]]
            violations = np.flatnonzero(is_checked & _has_fallen(value[moves.after], value[moves.before]))
            finding = replace(finding, steps=finding.steps + int(is_checked.sum()))
            if len(violations):
                example = _build_counterexample(steps.judged, moves, int(violations[0]), value)
                finding = replace(finding, verdict=FAILS, counterexample=example)
            self.findings[axiom] = finding


def _has_fallen(after: Floats, before: Floats) -> Bools:
    """Return True where a value falls by more than rounding errors; False where one of the values is NaN."""
    tolerance = np.where(np.isfinite(before), ROUNDING * np.maximum(1.0, np.abs(before)), 0.0)
    return np.asarray(after < before - tolerance)


def _score(measure: Measure, judged: Judged) -> Floats:
    """Return the values of a measure; convert an exception in a user-defined measure to a MeasureError."""
    try:
        values = np.asarray(measure.score(judged), dtype=np.float64)
        defined = measure.is_defined(judged)
    except AssayError:
        raise
    except Exception as error:
        if type(measure).__module__.startswith("assay."):
            raise
        raise MeasureError(f"measure '{measure}': score fails: {type(error).__name__}: {error}") from error
    if values.shape != (len(judged),):
        raise MeasureError(f"measure '{measure}': score must return one number for each ranking")
    return np.where(defined, values, 0.0)


def _find_suitable_topics(measure: Measure, judged: Judged) -> Bools:
    """Return True for each topic on which the measure can be checked with rankings of this length.

    Measures of effort pad rankings to at least 2 R documents, the length of the reversed ideal ranking. Only topics
    whose rankings need no padding are suitable.
    """
    if not isinstance(measure, Effort) or measure.length == "asis":
        return np.ones(len(judged.counts), dtype=bool)
    length = judged.max_depth if measure.cutoff is None else measure.cutoff
    return np.asarray(2 * judged.counts[:, judged.levels >= measure.rel].sum(axis=1) <= length)


def _build_counterexample(judged: Judged, moves: Moves, index: int, value: Floats) -> Counterexample:
    before, after = int(moves.before[index]), int(moves.after[index])
    grades = [int(grade) if grade.is_integer() else grade for grade in judged.levels.tolist()]

    def list_grades(ranking: int) -> tuple[float, ...]:
        codes = judged.code[judged.start[ranking] : judged.start[ranking + 1]]
        return tuple(grades[code - 1] for code in codes.tolist())

    counts = judged.counts[judged.topic[before]].tolist()
    return Counterexample(
        counts={grade: count for grade, count in zip(grades[1:], counts[1:], strict=True) if count},
        before=list_grades(before),
        after=list_grades(after),
        ranks=tuple(rank for rank in (int(moves.first[index]), int(moves.second[index])) if rank),
        values=(float(value[before]) + 0.0, float(value[after]) + 0.0),  # Adding 0 turns a negative zero into 0.
    )


# The entire catalogue --------------------------------------------------------------------------------------------


def list_representatives() -> tuple[Measure, ...]:
    """Return one measure of each class in the catalogue."""
    return tuple(choose_representative(cls) for cls in catalogue().values())


def choose_representative(cls: type[Measure]) -> Measure:
    """Return the first example of a class of measures, without a cutoff, or with a small cutoff if it needs one."""
    if not cls.examples:
        return cls()
    [first] = parse_measures(cls.examples[0])
    for field in parameters_of(cls):
        if field.metadata["at"] and field.metadata["kind"] == "whole":
            values = {other.name: getattr(first, other.name) for other in parameters_of(cls)}
            return cls(**{**values, field.name: CUTOFF if field.default is dataclasses.MISSING else field.default})
    return first

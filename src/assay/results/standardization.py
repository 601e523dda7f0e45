"""Standardised values: each value relative to the values of reference runs on the same topic."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np

from assay.errors import InputError, MeasureError, suggestion
from assay.measures import Measure, param
from assay.model.arrays import ROUNDING, Floats, Ints, subtract
from assay.model.judged import Judged
from assay.model.notes import join_names, pluralize
from assay.model.provenance import RUN_ROLES, Provenance
from assay.results.aggregation import GEOMETRIC_FLOOR

if TYPE_CHECKING:
    from assay.results.results import Results

METHODS = {
    "z": "z-score: (value - mean) / standard deviation",
    "Phi": "the normal distribution function of z",
    "AB": "0.15 z + 0.5, clipped to the range from 0 to 1",
    "U": "the share of the reference runs whose value is not higher",
}
"""Methods of standardisation."""
_A, _B = 0.15, 0.5
"""Constants of AB (Sakai 2016). Values within 3.3 standard deviations of the mean are not clipped."""


class Standardized(Measure):
    """The standardised values of a measure, such as ``z(AP)``.

    They depend on other runs, so they exist only in results, not in the catalogue of measures. Lower values are better
    if this is true of the measure. The value over topics is the mean, even if the measure is a count or a geometric
    mean.
    """

    of_measure: Measure = param("measure that is standardised", kind="measure")
    how: str = param("method", "z", kind="text", choices=tuple(METHODS))

    def __init__(self, *, of_measure: Measure, how: str = "z") -> None:
        # Measures are immutable, so attributes that depend on the parameters are set with object.__setattr__.
        object.__setattr__(self, "name", how)
        super().__init__(of_measure=of_measure, how=how)
        object.__setattr__(self, "bounds", (-math.inf, math.inf) if how == "z" else (0.0, 1.0))
        object.__setattr__(self, "lower_is_better", of_measure.lower_is_better)

    def __str__(self) -> str:
        return f"{self.how}({self.of_measure})"

    def score(self, judged: Judged) -> NoReturn:
        """Raise an error: a ranking has no standardised value without the values of other runs."""
        raise MeasureError(
            f"measure '{self}': depends on other runs; evaluate {self.of_measure} and standardize the results"
        )


class StandardValues(NamedTuple):
    """Standardised values, and their derivative with respect to the original values (NaN if it is not known)."""

    value: Floats
    slope: Floats


def parse_method(how: str) -> str:
    """Return the name of a method; case is ignored.

    >>> parse_method("phi")
    'Phi'
    """
    for name in METHODS:
        if str(how).lower() == name.lower():
            return name
    raise InputError(f"standardize {how!r}: choose one of {', '.join(METHODS)}{suggestion(str(how), METHODS)}")


def standardize_values(values: Floats, reference: Floats, how: str) -> StandardValues:
    """Standardise values, runs x topics, by the values of the reference runs on the same topics.

    A reference run without a value (NaN) is ignored. The result is NaN for topics with fewer than two reference values.
    """
    if how == "U":
        share = np.where(_count_values(reference) < 2, math.nan, _compute_shares(values, reference))
        return StandardValues(share, np.full_like(share, math.nan))
    mean, deviation = _compute_moments(reference)
    is_constant = np.broadcast_to(deviation == 0, values.shape)
    per_unit = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=deviation != 0)
    # Where the deviation is 0, z is 0 also for runs outside the reference with another value.
    z = np.where(is_constant & ~np.isnan(values), 0.0, subtract(values, mean) * per_unit)
    if how == "z":
        return StandardValues(z, np.broadcast_to(per_unit, z.shape))
    if how == "AB":
        linear = _A * z + _B
        return StandardValues(np.clip(linear, 0, 1), np.where((linear < 0) | (linear > 1), 0.0, _A * per_unit))
    from scipy.special import ndtr

    return StandardValues(ndtr(z), per_unit * np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi))


def _count_values(reference: Floats) -> Ints:
    """Return the number of reference runs with a value, by topic."""
    return np.asarray(np.count_nonzero(~np.isnan(reference), axis=0))


def _compute_moments(reference: Floats) -> tuple[Floats, Floats]:
    """Return the mean and the standard deviation (n - 1) of each topic; NaN for fewer than two values."""
    present, count = ~np.isnan(reference), _count_values(reference)
    enough = count > 1
    missing = np.full(reference.shape[1], math.nan)
    mean = np.divide(reference.sum(axis=0, where=present), count, out=missing.copy(), where=enough)
    squares = ((reference - mean) ** 2).sum(axis=0, where=present)
    variance = np.divide(squares, count - 1, out=missing.copy(), where=enough)
    # The mean of equal values may differ from them by rounding, and so would the deviation from 0.
    lowest = reference.min(axis=0, where=present, initial=math.inf)
    highest = reference.max(axis=0, where=present, initial=-math.inf)
    return mean, np.where(enough & (subtract(highest, lowest) == 0), 0.0, np.sqrt(variance))


def _compute_shares(values: Floats, reference: Floats) -> Floats:
    """Return the share of the reference values of each topic that are not higher; NaN remains NaN."""
    share = np.full(values.shape, math.nan)
    for topic, column in enumerate(reference.T):
        ascending = np.sort(column[~np.isnan(column)])
        value = values[:, topic]
        tolerance = np.where(np.isfinite(value), ROUNDING * np.maximum(1.0, np.abs(value)), 0.0)
        if len(ascending):
            not_higher = np.searchsorted(ascending, value + tolerance, side="right") / len(ascending)
            share[:, topic] = np.where(np.isnan(value), math.nan, not_higher)
    return share


def standardize_results(results: Results, how: str, reference: Results | str | Iterable[str] | None) -> Results:
    """Standardise results; see :meth:`.Results.standardize`."""
    method = parse_method(how)
    ref = _resolve_reference(results, reference)
    values, errors, notes = np.empty(results.values.shape), np.zeros(results.errors.shape), []
    measures = tuple(Standardized(of_measure=measure, how=method) for measure in results.measures)
    for index, measure in enumerate(measures):
        reference_values = _prepare(ref, measure)
        standard = standardize_values(_prepare(results, measure), reference_values, method)
        values[index] = standard.value
        is_estimate = results.errors[index] > 0
        errors[index] = np.where(is_estimate, np.abs(standard.slope) * results.errors[index], 0.0)
        notes += _note_topics(measure, reference_values, results.topics)
    own = ref is results
    described = f"{pluralize(len(ref.runs), 'run')}: {join_names(ref.runs)}"
    notes.append(f"standardized by {method} ({METHODS[method]}); reference: {described}")
    return replace(
        results,
        measures=measures,
        values=values,
        errors=errors,
        provenance=_derive(results, ref, method),
        notes=(*results.notes, *(() if own else (note for note in ref.notes if note not in results.notes)), *notes),
    )


def _resolve_reference(results: Results, reference: Results | str | Iterable[str] | None) -> Results:
    """Return the results of the reference runs, with the measures and topics of *results*."""
    if reference is None:
        ref = results
    elif isinstance(reference, type(results)):
        absent = [topic for topic in results.topics if topic not in set(reference.topics)]
        if absent:
            raise InputError(
                f"reference: has no values for {pluralize(len(absent), 'topic')} of these results: "
                f"{join_names(absent)}; evaluate the reference runs on the same topics"
            )
        ref = reference.select(topics=results.topics, measures=results.measures)
    elif isinstance(reference, Iterable):
        ref = results.select(runs=reference)
    else:
        raise InputError(f"reference: expected names of runs or results, got {type(reference).__name__}")
    if len(ref.runs) < 2:
        raise InputError(
            f"reference: standardized values need at least two reference runs, got {len(ref.runs)}; name more runs"
        )
    return ref


def _prepare(results: Results, measure: Standardized) -> Floats:
    """Return the values to standardise, runs x topics; logarithms if the mean of the measure is geometric."""
    values = results.matrix(measure.of_measure)
    if np.isinf(values).any() and measure.how != "U":
        run, topic = np.argwhere(np.isinf(values))[0]
        raise MeasureError(
            f"measure '{measure.of_measure}': is infinite for {results.runs[run]} on topic {results.topics[topic]}, "
            "so there is no mean; standardize by U"
        )
    if measure.of_measure.aggregate == "geometric":
        return np.asarray(np.log(np.maximum(values, GEOMETRIC_FLOOR)))
    return values


def _note_topics(measure: Standardized, reference: Floats, topics: tuple[str, ...]) -> list[str]:
    """Return notes on topics without enough reference values, and on topics that do not separate the reference runs."""
    cases = [("excluded, because fewer than two reference runs have a value", _count_values(reference) < 2)]
    if measure.how != "U":
        is_constant = _compute_moments(reference)[1] == 0
        cases.append(("z is 0, because all reference runs have the same value", is_constant))
    return [
        f"{measure}: {pluralize(int(mask.sum()), 'topic')}: {text}: {join_names(np.array(topics)[mask].tolist())}"
        for text, mask in cases
        if mask.any()
    ]


def _derive(results: Results, reference: Results, method: str) -> Provenance:
    """Return the provenance with the names of the reference runs, and their files if they were read separately."""
    runs = [run for run in reference.provenance.inputs if run.role in RUN_ROLES and run.name in reference.runs]
    known = set(results.provenance.inputs)
    added = tuple(replace(run, role="reference") for run in runs if run not in known)
    provenance = replace(results.provenance, inputs=(*results.provenance.inputs, *added))
    return provenance.derive(f"standardized by {method}; reference runs: {', '.join(reference.runs)}")

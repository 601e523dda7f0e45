"""Answers to questions that reviewers ask: unjudged documents, ties, number of comparisons, power."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.input_check.checked_values import VISIBLE, CheckedValues
from assay.measures import Measure
from assay.model.arrays import Floats
from assay.model.notes import pluralize
from assay.results.tables import format_percentage
from assay.significance.topic_set_size import compute_detectable_difference

ALPHA, POWER = 0.05, 0.8


class Quantity(NamedTuple):
    """One number of an answer, with the measure and the run that it belongs to (None: all)."""

    question: str
    quantity: str
    measure: str | None
    run: str | None
    value: float


class Answer(NamedTuple):
    """The answer to a question: sentences, and the numbers behind them."""

    question: str
    text: str
    quantities: tuple[Quantity, ...]


def answer_questions(numbers: CheckedValues, runs: tuple[str, ...]) -> list[Answer]:
    """Return the answers, in the order in which they are shown."""
    answers = [_describe_unjudged(numbers, runs), _describe_ties(numbers, runs)]
    if len(runs) > 1:
        answers += [_describe_comparisons(len(runs)), _describe_power(numbers, len(runs))]
    return answers


def _describe_unjudged(numbers: CheckedValues, runs: tuple[str, ...]) -> Answer:
    """State the share of unjudged documents at each cutoff, and whether they leave the order of runs open."""
    question, quantities, shares, overlaps = "unjudged documents", [], [], []
    pairs = len(runs) * (len(runs) - 1) // 2
    for index, cutoff in enumerate(numbers.cutoffs):
        share = numbers.unjudged_share[index]
        quantities += _list_runs(question, f"unjudged@{cutoff}", runs, share)
        shares.append(f"{_describe_range(share)} in the top {cutoff}")
        if numbers.precision is not None and pairs:
            count = numbers.count_open_pairs(index)
            quantities.append(Quantity(question, "pairs with overlapping bounds", f"P@{cutoff}", None, float(count)))
            overlaps.append(f"{count} by P@{cutoff}")
    if not numbers.unjudged.any():
        text = f"all documents in the top {max(numbers.cutoffs)} are judged."
        return Answer(question, text, tuple(quantities))
    worst = runs[int(numbers.unjudged_share[0].argmax())]
    text = f"{', '.join(shares)}{f' (most in the top {numbers.cutoffs[0]}: {worst})' if ' to ' in shares[0] else ''}."
    if overlaps:
        overlaps[0] = overlaps[0].replace(" by", f" of {pluralize(pairs, 'pair')} of runs by")
        text += f" Bounds over their grades leave the order open for {', '.join(overlaps)}."
    return Answer(question, text, tuple(quantities))


def _describe_range(shares: Floats) -> str:
    """Return the lowest and the highest share, or one if both print the same."""
    ends = dict.fromkeys(format_percentage(share) for share in (shares.min(), shares.max()))
    return " to ".join(ends)


def _list_runs(question: str, quantity: str, runs: tuple[str, ...], values: Floats) -> list[Quantity]:
    return [Quantity(question, quantity, None, run, value) for run, value in zip(runs, values.tolist(), strict=True)]


def _describe_ties(numbers: CheckedValues, runs: tuple[str, ...]) -> Answer:
    """State the share of tied documents, and how much their order can change means."""
    question = "ties"
    documents = np.maximum(numbers.length.sum(axis=1), 1)
    share, mixed = numbers.tied.sum(axis=1) / documents, numbers.mixed.sum(axis=1) / documents
    quantities = [
        *_list_runs(question, "tied documents", runs, share),
        *_list_runs(question, "tied documents with different grades", runs, mixed),
    ]
    if not numbers.tied.any():
        return Answer(question, "no two documents of a ranking have the same score.", tuple(quantities))
    shares = _describe_range(share)
    worst = f" (most: {runs[int(share.argmax())]})" if " to " in shares else ""
    text = f"{shares} of the documents of a run are tied{worst}."
    changes = []
    for index, measure in enumerate(numbers.measures):
        values = numbers.tie_range[index]
        if np.isnan(values).all():
            continue
        quantities += [
            row._replace(measure=str(measure)) for row in _list_runs(question, "range of the mean", runs, values)
        ]
        largest = int(np.nanargmax(values))
        bound = "up to" if numbers.tie_range_exact[index] else "at least"
        size = f"{bound} {values[largest]:.4f} ({runs[largest]})" if values[largest] >= VISIBLE else "less than 0.0001"
        changes.append(f"{measure} by {size}")
    if not mixed.any():
        text += " Their order cannot change values, because tied documents have the same grade."
    elif changes:
        text += f" Their order can change the mean {', the mean '.join(changes)}."
    return Answer(question, text, tuple(quantities))


def _describe_comparisons(runs: int) -> Answer:
    """State the number of comparisons and the effect of a correction."""
    question, pairs = "comparisons", runs * (runs - 1) // 2
    expected, level = ALPHA * pairs, ALPHA / pairs
    quantities = [
        Quantity(question, "pairs of runs", None, None, float(pairs)),
        Quantity(question, "expected false positives without correction", None, None, expected),
        Quantity(question, "level for the smallest p with Holm's correction", None, None, level),
    ]
    if pairs == 1:
        return Answer(question, "two runs are one pair; one measure needs no correction.", tuple(quantities))
    text = (
        f"{runs} runs have {pairs} pairs for each measure. If no run differed, {expected:.3g} of them would be "
        f"significant at {ALPHA} on average; with Holm's correction, the smallest p must be below {level:.2g}."
    )
    return Answer(question, text, tuple(quantities))


def _describe_power(numbers: CheckedValues, runs: int) -> Answer:
    """State the smallest difference that the paired t test detects, given the observed variance of differences."""
    question, level = "power", ALPHA / (runs * (runs - 1) // 2)
    quantities, texts, counts = [], [], []
    for index, measure in enumerate(numbers.measures):
        variances, topics = numbers.variances(index), numbers.count_topics(index)
        variances = variances[variances > 0]
        if measure.aggregate != "mean" or not len(variances) or topics < 2:
            continue
        difference = compute_detectable_difference(topics, variances, ALPHA, POWER)
        median, low, high = float(np.median(difference)), float(difference.min()), float(difference.max())
        corrected = compute_detectable_difference(topics, np.median(variances), level, POWER).item()
        values = {"median": median, "lowest": low, "highest": high, "median, Holm": corrected}
        quantities += [
            Quantity(question, f"detectable difference, {name}", str(measure), None, value)
            for name, value in values.items()
        ]
        texts.append(_describe_difference(measure, median, (low, high), corrected, level))
        counts.append(topics)
    if not texts:
        return Answer(question, "unknown, because there are no differences of runs with a variance over topics.", ())
    topics_text = f"{min(counts)} to {max(counts)}" if min(counts) < max(counts) else f"{counts[0]}"
    text = f"with {topics_text} topics, a paired t test at {ALPHA} has {100 * POWER:g} % power for these differences:"
    return Answer(question, f"{text} {'; '.join(texts)}.", tuple(quantities))


def _describe_difference(
    measure: Measure, median: float, ends: tuple[float, float], corrected: float, level: float
) -> str:
    """Describe the detectable difference of the median pair of runs, and the lowest and highest of all pairs."""
    largest = measure.bounds[1] - measure.bounds[0]
    if median > largest:
        return f"{measure} none (differences are at most {largest:g})"
    shown = [_round(end) for end in ends]
    spread = f" (median pair; all: {' to '.join(shown)})" if shown[0] != shown[1] else ""
    holm = f", {'none' if corrected > largest else _round(corrected)} at p < {level:.2g}" if level < ALPHA else ""
    return f"{measure} {_round(median)}{spread}{holm}"


def _round(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else f"{value:.2g}"

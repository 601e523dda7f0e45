"""``evaluate``: compute measures for the runs of a campaign."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.engine.budget import parse_memory
from assay.engine.campaign import Campaign, add_costs, read_campaign
from assay.engine.joining import Limits
from assay.engine.sources import source_options
from assay.engine.workers import Progress, map_in_threads, thread_pool
from assay.errors import InputError
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._facets import check_facets, needed_facets
from assay.measures._threshold import check_thresholds
from assay.measures._values import compute_values
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats
from assay.model.judged import Judged
from assay.model.notes import join_names, pluralize
from assay.model.policies import Policies
from assay.model.provenance import Provenance
from assay.results.results import Results

MEASURES = ("AP", "nDCG@10", "P@10", "RR")
"""The default measures."""
_MAX_THREADS = 4  # blocks scored at the same time


@check_arguments
def evaluate(
    qrels: Any,
    runs: Any = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    topics: str | Iterable[str] | None = None,
    grades: Mapping[float, float] | None = None,
    ties: str = "trec_eval-10",
    missing: str = "empty",
    undefined: str = "zero",
    unjudged: str = "nonrelevant",
    samples: int = 100,
    seed: int = 0,
    lenient: bool = False,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    qrels_format: str = "qrels",
    collapse: str = "max",
    merge: str | Sequence[str] | None = None,
    subtopic_weights: Any = None,
    costs: Any = None,
    default_cost: float | None = None,
    name_by: str = "tag",
    memory: str | int | None = None,
    temporary: str | Path | None = None,
    progress: Progress | None = None,
) -> Results:
    """Evaluate runs: compute one value for each run, topic and measure.

    ``evaluate(campaign, measures)`` evaluates a campaign that is already read. ``evaluate(qrels, runs, measures)``
    reads the judgments and runs first, with the options of :func:`assay.read`.

    Parameters
    ----------
    qrels, runs
        As in :func:`assay.read`. Alternatively, a campaign and its measures.
    measures
        Measures or their names, such as ``"AP"``, ``"nDCG@10"``, ``"RBP(p=0.8)"``; default: AP, nDCG@10, P@10, RR.
    topics, grades, ties, missing, undefined, unjudged, samples, seed, lenient, columns, name_by
        As in :func:`assay.read`.
    qrels_format, collapse, merge, subtopic_weights, costs, default_cost
        Facets of judgments and documents, as in :func:`assay.read`.
    memory, temporary
        As in :func:`assay.read`. They do not affect the values.
    progress
        Function that is called with the number of bytes read so far and the total number of bytes.

    Examples
    --------
    >>> qrels = {"q1": {"d1": 1, "d2": 0}}
    >>> evaluate(qrels, {"q1": {"d1": 0.2, "d2": 0.8}}, ["RR", "P@1"]).frame()["value"].to_list()
    [0.5, 0.0]
    """
    if isinstance(qrels, Campaign):
        named = runs if measures is None else measures
        return _evaluate_campaign(qrels, parse_measures(MEASURES if named is None else named))
    chosen = parse_measures(MEASURES if measures is None else measures)
    policies = Policies(ties, missing, undefined, unjudged, samples, seed)
    limits = Limits(parse_memory(memory), len(chosen), temporary)
    options = source_options(lenient, columns, name_by, qrels_format=qrels_format, collapse=collapse, merge=merge)
    campaign = read_campaign(
        qrels,
        runs,
        policies,
        grades=grades,
        options=options,
        limits=limits,
        progress=progress,
        subtopic_weights=subtopic_weights,
    )
    campaign = add_costs(campaign, costs, default_cost)
    return _evaluate_campaign(campaign if topics is None else campaign.select(topics=topics), chosen)


def _evaluate_campaign(campaign: Campaign, measures: tuple[Measure, ...]) -> Results:
    """Evaluate measures on a campaign.

    Raise an error for a measure whose relevance threshold is above every grade in the qrels.
    """
    if not campaign.runs:
        raise InputError("runs: name at least one run")
    check_thresholds(measures, campaign.judgments.levels)
    check_facets(measures, campaign.judgments, costs=campaign.costs is not None)
    if "cost" in needed_facets(measures):
        campaign = campaign.load_costs()
    table = ValueTable(measures, campaign.runs, campaign.topics, campaign.policies)
    table.answered[:] = campaign.whole.answered.reshape(campaign.shape)
    # A view, not a copy: assigning to its columns (one for each run and topic) fills the table.
    value, topics = table.value.reshape(len(measures), -1), campaign.whole.topic

    def score(numbered_block: tuple[slice, Judged]) -> list[tuple[int, Floats]]:
        """Fill the rankings of one block, and return the standard errors of sampled measures."""
        rows, block = numbered_block
        errors = []
        for i, measure in enumerate(measures):
            block_values = compute_values(measure, block)
            value[i, rows] = block_values.value
            table.undefined[i, topics[rows][block_values.undefined]] = True
            if block_values.error is not None:
                errors.append((i, block_values.error))
        return errors

    # Blocks are independent, and numpy releases the interpreter lock. Intermediate arrays take memory in each thread.
    threads = min(os.cpu_count() or 1, _MAX_THREADS)
    with thread_pool(threads) as executor:
        for (rows, _), errors in map_in_threads(executor, threads)(score, campaign.blocks()):
            for i, error in errors:
                table.standard_errors(i).reshape(-1)[rows] = error
    return table.to_results(campaign.provenance, campaign.notes)


class ValueTable:
    """Values of measures, filled block by block and then converted to results.

    Attributes
    ----------
    value
        Measures x runs x topics.
    answered
        Runs x topics: True if the run retrieved documents for the topic.
    undefined
        Measures x topics: True if the measure is undefined on the topic, for example because the topic has no relevant
        documents.
    """

    def __init__(
        self, measures: tuple[Measure, ...], runs: tuple[str, ...], topics: tuple[str, ...], policies: Policies
    ) -> None:
        self._measures, self._runs, self._topics, self._policies = measures, runs, topics, policies
        self.value = np.zeros((len(measures), len(runs), len(topics)))
        self.answered = np.zeros((len(runs), len(topics)), dtype=bool)
        self.undefined = np.zeros((len(measures), len(topics)), dtype=bool)
        self._errors: dict[int, Floats] = {}

    def standard_errors(self, measure: int) -> Floats:
        """Return the standard errors of a measure, runs x topics; the array is allocated on first use."""
        if measure not in self._errors:
            self._errors[measure] = np.zeros(self.answered.shape)
        return self._errors[measure]

    def to_results(self, provenance: Provenance, notes: Iterable[str]) -> Results:
        """Return the results, with notes on undefined, missing and sampled values added to *notes*."""
        errors = {number: error for number, error in self._errors.items() if error.any()}
        # If no value was sampled, a zero is broadcast to the shape of the values, which takes no memory.
        zeros = np.broadcast_to(0.0, self.value.shape)
        return Results(
            runs=self._runs,
            topics=self._topics,
            measures=self._measures,
            values=self.value,
            errors=np.stack([errors.get(i, zeros[i]) for i in range(len(zeros))]) if errors else zeros,
            provenance=provenance,
            notes=(*notes, *self._note_values(errors), *self._note_missing_values()),
        )

    def _note_values(self, errors: Mapping[int, Floats]) -> list[str]:
        """Return notes on undefined topics and on sampling error; *errors* has the standard errors that are not 0."""
        notes = []
        policies = self._policies
        for i, measure in enumerate(self._measures):
            notes += note_undefined(measure, [self._topics[j] for j in np.flatnonzero(self.undefined[i])], policies)
            if i in errors:
                sampling = f"{policies.samples} sampled orders (seed {policies.seed})"
                notes.append(
                    f"{measure}: expected values over ties were estimated from {sampling}; "
                    f"largest standard error {errors[i].max():.2g}"
                )
        return notes

    def _note_missing_values(self) -> list[str]:
        """Return notes on values that are NaN although the measure is defined on the topic (CRPN with N = 2 R)."""
        notes = []
        counted = self.answered | (self._policies.missing != "exclude")
        for i, measure in enumerate(self._measures):
            is_nan = np.isnan(self.value[i])
            missing = is_nan & counted & ~self.undefined[i]
            if is_nan.all() and missing.any():
                notes.append(f"{measure}: no run has a value for any topic, so there is no mean")
            elif missing.any():
                names = [self._topics[j] for j in np.flatnonzero(missing.any(axis=0)).tolist()]
                notes.append(
                    f"{measure}: excluded {pluralize(len(names), 'topic')} without a value from the mean: "
                    f"{join_names(names)}"
                )
        return notes


def note_undefined(measure: Measure, topics: list[str], policies: Policies) -> list[str]:
    """Return a note on the *topics* for which the measure is undefined, and on how they were counted."""
    if not topics:
        return []
    without = f"{pluralize(len(topics), 'topic')} without relevant documents"
    action = f"excluded {without}" if policies.undefined == "exclude" else f"counted {without} as 0"
    return [f"{measure}: {action}: {join_names(topics)}"]

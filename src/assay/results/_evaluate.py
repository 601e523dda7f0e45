"""``evaluate``: where judged rankings and measures meet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.engine.budget import parse_memory
from assay.engine.campaign import Campaign, read_campaign
from assay.engine.joining import Limits
from assay.engine.workers import Progress
from assay.errors import InputError
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._threshold import refuse_unreached
from assay.measures._values import values
from assay.model.arguments import check_arguments
from assay.model.arrays import Bools, Floats
from assay.model.notes import count, some
from assay.model.policies import Policies
from assay.model.provenance import Provenance
from assay.results.results import Results

MEASURES = ("AP", "nDCG@10", "P@10", "RR")
"""What runs are evaluated with, unless measures are named."""


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
    memory: str | int | None = None,
    temporary: str | Path | None = None,
    progress: Progress | None = None,
) -> Results:
    """Evaluate runs: one value for each run, topic and measure.

    ``evaluate(campaign, measures)`` evaluates a campaign that was read; ``evaluate(qrels, runs, measures)`` reads it
    first, with the options of :func:`assay.read`.

    Parameters
    ----------
    qrels, runs
        As in :func:`assay.read`; or a campaign, followed by the measures.
    measures
        Measures or their names, such as ``"AP"``, ``"nDCG@10"``, ``"RBP(p=0.8)"``; by default AP, nDCG@10, P@10, RR.
    topics, grades, ties, missing, undefined, unjudged, samples, seed, lenient
        As in :func:`assay.read`.
    memory, temporary
        As in :func:`assay.read`; the values do not depend on them.
    progress
        Called with the number of bytes read and their total.

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
    campaign = read_campaign(qrels, runs, policies, grades=grades, lenient=lenient, limits=limits, progress=progress)
    return _evaluate_campaign(campaign if topics is None else campaign.select(topics=topics), chosen)


def _evaluate_campaign(campaign: Campaign, measures: tuple[Measure, ...]) -> Results:
    """Evaluate measures; one whose threshold no grade of the qrels reaches is refused."""
    if not campaign.runs:
        raise InputError("runs: name at least one run")
    refuse_unreached(measures, campaign.judgments.levels)
    table = ValueTable(measures, campaign.runs, campaign.topics, campaign.policies)
    table.answered[:] = campaign.whole.answered.reshape(campaign.shape)
    value, topics = table.value.reshape(len(measures), -1), campaign.whole.topic
    for rows, block in campaign.blocks():
        for number, measure in enumerate(measures):
            one = values(measure, block)
            value[number, rows] = one.value
            table.undefined[number, topics[rows][one.undefined]] = True
            if one.error is not None:
                table.errors_of(number).reshape(-1)[rows] = one.error
    return table.results(campaign.provenance, campaign.notes)


class ValueTable:
    """Values while they are computed, and the results that they become.

    Attributes
    ----------
    value
        Measures x runs x topics.
    answered
        Runs x topics: whether the run has the topic.
    undefined
        Measures x topics: whether the topic lacks what the measure needs.
    """

    def __init__(
        self, measures: tuple[Measure, ...], runs: tuple[str, ...], topics: tuple[str, ...], policies: Policies
    ) -> None:
        self._measures, self._runs, self._topics, self._policies = measures, runs, topics, policies
        self.value = np.zeros((len(measures), len(runs), len(topics)))
        self.answered = np.zeros((len(runs), len(topics)), dtype=bool)
        self.undefined = np.zeros((len(measures), len(topics)), dtype=bool)
        self._errors: dict[int, Floats] = {}

    def errors_of(self, measure: int) -> Floats:
        """Return the standard errors of a measure, runs x topics; they take memory once they are asked for."""
        if measure not in self._errors:
            self._errors[measure] = np.zeros(self.answered.shape)
        return self._errors[measure]

    def results(self, provenance: Provenance, notes: Iterable[str]) -> Results:
        """Return the results with notes on the values."""
        errors = {number: error for number, error in self._errors.items() if error.any()}
        counted = self.answered | (self._policies.missing != "exclude")
        return Results(
            runs=self._runs,
            topics=self._topics,
            measures=self._measures,
            values=self.value,
            errors=self._stack(errors),
            provenance=provenance,
            notes=(
                *notes,
                *_value_notes(self._measures, self.undefined, errors, self._topics, self._policies),
                *no_value_notes(self._measures, self.value, self.undefined, counted, self._topics),
            ),
        )

    def _stack(self, errors: dict[int, Floats]) -> Floats:
        """Return the standard errors of all measures; zeros take no memory if nothing was sampled."""
        zeros = np.broadcast_to(0.0, self.value.shape)
        return np.stack([errors.get(number, zeros[0]) for number in range(len(zeros))]) if errors else zeros


def _value_notes(
    measures: tuple[Measure, ...],
    undefined: Bools,
    errors: Mapping[int, Floats],
    topics: tuple[str, ...],
    policies: Policies,
) -> list[str]:
    """Note caveats of measures, topics that lack something (*undefined*, measures x topics), and sampling."""
    notes = caveats(measures)
    for number, (measure, lacks) in enumerate(zip(measures, undefined, strict=True)):
        notes += undefined_notes(measure, [topics[i] for i in np.flatnonzero(lacks)], policies)
        if number in errors:
            drawn = f"{policies.samples} sampled orders (seed {policies.seed})"
            notes.append(f"{measure}: expected ties from {drawn}; largest standard error {errors[number].max():.2g}")
    return notes


def no_value_notes(
    measures: Sequence[Measure], value: Floats, undefined: Bools, counted: Bools, topics: Sequence[str]
) -> list[str]:
    """Note values that are not numbers although their topic counts (CRPN where N = 2 R).

    *value* is measures x runs x topics, *undefined* measures x topics, *counted* runs x topics.
    """
    notes = []
    for measure, own, lacks in zip(measures, value, undefined, strict=True):
        missing = np.isnan(own) & counted & ~lacks
        if np.isnan(own).all() and missing.any():
            notes.append(f"{measure}: has no value for any topic of any run, so there is no mean")
        elif missing.any():
            lost = [topic for topic, gone in zip(topics, missing.any(axis=0), strict=True) if gone]
            notes.append(f"{measure}: has no value for {count(len(lost), 'topic')}, left out of the mean: {some(lost)}")
    return notes


def caveats(measures: Iterable[Measure]) -> list[str]:
    """Return what readers of every value of these measures must know."""
    return [f"{measure}: {caveat}" for measure in measures if (caveat := measure.core.caveat()) is not None]


def undefined_notes(measure: Measure, topics: list[str], policies: Policies) -> list[str]:
    """Note the *topics* that lack what the measure needs, and what was done about it."""
    if not topics:
        return []
    how = "left out" if policies.undefined == "exclude" else "counted 0"
    return [f"{measure}: {count(len(topics), 'topic')} without relevant documents {how}: {some(topics)}"]

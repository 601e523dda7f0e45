"""``evaluate``: where judged rankings and measures meet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.engine.campaign import Campaign, read
from assay.engine.description import describe
from assay.engine.workers import Progress
from assay.errors import InputError
from assay.io.source import passed_over
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._threshold import refuse_unreached
from assay.measures._values import Values, values
from assay.model.arguments import check_arguments
from assay.model.arrays import Bools, Floats
from assay.model.notes import count, some
from assay.model.policies import Policies
from assay.parts import budget
from assay.results.table import Results

if TYPE_CHECKING:
    from assay.parts.evaluating import Evaluated


@check_arguments
def evaluate(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    grades: Mapping[float, float] | None = None,
    ties: str = "trec_eval-10",
    topics: str = "qrels",
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
        Measures or their names, such as ``"AP"``, ``"nDCG@10"``, ``"RBP(p=0.8)"``.
    grades, ties, topics, undefined, unjudged, samples, seed, lenient
        As in :func:`assay.read`.
    memory
        About how much memory to use, such as ``"1G"``: runs are then read and evaluated in parts, and the values
        are the same. Runs in TREC text (also compressed) and Parquet may be larger than memory; files of other
        formats are read as a whole. By default runs are evaluated in parts only if they are large for this machine,
        within half of its memory; ``"all"`` never does so.
    temporary
        The directory for temporary files, needed for files in which a topic stands in several places.
    progress
        Called with the number of runs done and their total; in parts, with the number of bytes and their total.

    Examples
    --------
    >>> qrels = {"q1": {"d1": 1, "d2": 0}}
    >>> evaluate(qrels, {"q1": {"d1": 0.2, "d2": 0.8}}, ["RR", "P@1"]).frame()["value"].to_list()
    [0.5, 0.0]
    """
    if isinstance(qrels, Campaign):
        return _evaluate_campaign(qrels, parse_measures(runs if measures is None else measures))
    chosen = parse_measures(measures)
    policies = Policies(ties, topics, undefined, unjudged, samples, seed)
    most = _memory_limit(runs, memory)
    if most is not None:
        from assay.engine.sources import as_qrels
        from assay.parts.evaluating import evaluate_in_parts

        judgments = qrels if not grades else as_qrels(qrels, lenient=lenient).regraded(grades)
        evaluated = evaluate_in_parts(
            judgments, runs, chosen, policies, memory=most, lenient=lenient, temporary=temporary, progress=progress
        )
        return _combine_parts(evaluated, runs, chosen, policies)
    campaign = read(
        qrels,
        runs,
        grades=grades,
        ties=ties,
        topics=topics,
        undefined=undefined,
        unjudged=unjudged,
        samples=samples,
        seed=seed,
        lenient=lenient,
        progress=progress,
    )
    return _evaluate_campaign(campaign, chosen)


def _memory_limit(runs: Any, memory: str | int | None) -> int | None:
    """Return the number of bytes to keep to; None for no limit."""
    if memory is not None:
        return None if memory == budget.ALL else budget.as_bytes(memory)
    several = list(runs.values()) if isinstance(runs, Mapping) else runs
    listed = several if isinstance(several, list | tuple) else [several]
    return budget.unasked([str(one) for one in listed if isinstance(one, str | Path)])


def _combine_parts(found: Evaluated, runs: Any, measures: tuple[Measure, ...], policies: Policies) -> Results:
    skipped = passed_over(runs if isinstance(runs, list | tuple) else [runs])
    names, provenance, notes = describe(found.qrels, found.runs, policies, skipped)
    counted = np.stack([run.answered for run in found.runs]) | (policies.topics != "intersection")
    topics = found.qrels.topics
    return Results(
        runs=names,
        topics=topics,
        measures=measures,
        values=found.values,
        errors=found.errors,
        provenance=provenance,
        notes=(
            *notes,
            *found.notes,
            *_value_notes(measures, found.undefined, found.errors, topics, policies),
            *no_value_notes(measures, found.values, found.undefined, counted, topics),
        ),
    )


def _evaluate_campaign(campaign: Campaign, measures: tuple[Measure, ...]) -> Results:
    """Evaluate measures; one whose threshold no grade of the qrels reaches is refused."""
    if not campaign.runs:
        raise InputError("runs: name at least one run")
    refuse_unreached(measures, campaign.judgments.levels)
    judged = campaign.judged
    scored = [values(measure, judged) for measure in measures]
    shape = (len(measures), *campaign.shape)
    value = np.stack([one.value for one in scored]).reshape(shape)
    undefined = _undefined_topics(scored, campaign)
    counted = judged.answered.reshape(campaign.shape) | (campaign.policies.topics != "intersection")
    errors = [np.zeros(len(judged)) if one.error is None else one.error for one in scored]
    return Results(
        runs=campaign.runs,
        topics=campaign.topics,
        measures=measures,
        values=value,
        errors=np.stack(errors).reshape(shape),
        provenance=campaign.provenance,
        notes=(
            *campaign.notes,
            *_value_notes(measures, undefined, errors, campaign.topics, campaign.policies),
            *no_value_notes(measures, value, undefined, counted, campaign.topics),
        ),
    )


def _undefined_topics(scored: list[Values], campaign: Campaign) -> Bools:
    """Return measures x topics: the topics that lack what a measure needs."""
    undefined = np.zeros((len(scored), len(campaign.topics)), dtype=bool)
    for row, value in zip(undefined, scored, strict=True):
        row[campaign.judged.topic[value.undefined]] = True
    return undefined


def _value_notes(
    measures: tuple[Measure, ...],
    undefined: Bools,
    errors: Iterable[Floats],
    topics: tuple[str, ...],
    policies: Policies,
) -> list[str]:
    """Note caveats of measures, topics that lack something (*undefined*, measures x topics), and sampling."""
    notes = caveats(measures)
    for measure, lacks, error in zip(measures, undefined, errors, strict=True):
        notes += undefined_notes(measure, [topics[i] for i in np.flatnonzero(lacks)], policies)
        if error.any():
            drawn = f"{policies.samples} sampled orders (seed {policies.seed})"
            notes.append(f"{measure}: expected ties from {drawn}; largest standard error {error.max():.2g}")
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

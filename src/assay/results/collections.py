"""Read several test collections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from assay.engine.campaign import Campaign, read
from assay.engine.workers import Progress
from assay.errors import InputError
from assay.io.collection_list import CollectionPaths, read_list
from assay.measures import Measure
from assay.model.notes import join_names
from assay.results._evaluate import evaluate
from assay.results.results import Results

MEASURES = ("nDCG@10",)
"""The default measure of campaigns."""


def read_collections(
    sources: str | Path | Iterable[str | Path] | Mapping[str, tuple[Any, Any]],
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    progress: Progress | None = None,
    **options: Any,
) -> dict[str, Campaign | Results]:
    """Read several test collections, for :func:`assay.collections`.

    Parameters
    ----------
    sources
        One or several of these: a TOML file; a directory with ``qrels`` and ``runs/``, or with subdirectories that have
        both (the layout of BEIR); a directory with result files of MTEB; a text ``NAME:QRELS:RUNS``. Alternatively, a
        dict from names to pairs of judgments and runs, as in :func:`assay.read`.
    measures
        Measures of collections with values of other tools; by default nDCG@10, and ``main_score`` of MTEB.
    progress
        Called with the number of collections read and their total.
    options
        Options of :func:`assay.read`, which apply to all collections.

    Examples
    --------
    >>> qrels, run = {"q1": {"a": 1}}, {"q1": {"a": 0.5}}
    >>> read_collections({"first": (qrels, {"bm25": run}), "second": (qrels, {"bm25": run})})
    {'first': Campaign(1 run x 1 topic, 1 judgment), 'second': Campaign(1 run x 1 topic, 1 judgment)}
    """
    if isinstance(sources, Mapping):
        listed = {str(name): CollectionPaths(*_check_pair(name, pair)) for name, pair in sources.items()}
    else:
        listed = read_list(sources)
    collections: dict[str, Campaign | Results] = {}
    for number, (name, paths) in enumerate(listed.items(), 1):
        for one, source in _read_collection(name, paths, measures, options).items():
            if one in collections:
                raise InputError(f"{name}: the collection {one} is already named; give it another name")
            collections[one] = source
        if progress is not None:
            progress(number, len(listed))
    return collections


def _check_pair(name: Any, pair: Any) -> tuple[Any, Any]:
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise InputError(f"sources: collection {name!r}: expected a pair of qrels and runs, got {type(pair).__name__}")
    return pair


def _read_collection(
    name: str, paths: CollectionPaths, measures: Any, options: Mapping[str, Any]
) -> dict[str, Campaign | Results]:
    """Read one collection, or the collections of a directory of values."""
    if not paths.values:
        return {name: read(paths.qrels, paths.runs, **options)}
    values = Results.read(list(paths.values), unit="task", missing="pairwise", measures=measures)
    if paths.by_task:
        return {task: _select_task(values, task) for task in values.topics}
    if paths.qrels is None:
        return {name: values}
    campaign = read(paths.qrels, paths.runs, **options)
    return {name: add_runs(evaluate(campaign, MEASURES if measures is None else measures), values)}


def _select_task(values: Results, task: str) -> Results:
    """Return the results of one task, without runs that lack it."""
    results = values.select(topics=task)
    runs = [
        run for run, lacks in zip(results.runs, np.isnan(results.values).all(axis=(0, 2)), strict=True) if not lacks
    ]
    return results.select(runs=runs)


def add_runs(results: Results, others: Results) -> Results:
    """Return results with the runs of other results added, for the measures of *results*.

    Runs are paired on the topics that both results have. A value that is a mean over unknown topics has a topic of its
    own, so that it is not paired with any value of a topic.
    """
    shared = [run for run in others.runs if run in results.runs]
    if shared:
        raise InputError(f"values: contain the run {shared[0]}, which is also among the runs; rename one of the two")
    known = [str(one) for one in others.measures]
    lacking = [str(one) for one in results.measures if str(one) not in known]
    if lacking:
        raise InputError(f"values: have no {lacking[0]}; they have {join_names(known)}")
    others = others.select(measures=list(map(str, results.measures)))
    topics = tuple(dict.fromkeys((*results.topics, *others.topics)))
    parts = []
    for one in (results, others):
        values = np.full((len(one.measures), len(one.runs), len(topics)), np.nan)
        values[:, :, [topics.index(topic) for topic in one.topics]] = one.values
        parts.append(values)
    values = np.concatenate(parts, axis=1)
    return replace(
        results,
        runs=(*results.runs, *others.runs),
        topics=topics,
        values=values,
        errors=np.zeros(values.shape),
        provenance=replace(results.provenance, inputs=(*results.provenance.inputs, *others.provenance.inputs)),
        notes=(*results.notes, *others.notes),
    )

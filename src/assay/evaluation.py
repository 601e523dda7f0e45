"""``evaluate(qrels, runs, measures)``: where readers, judged rankings and measures meet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.inputs import Joined, Progress, as_qrels, count, join_all, some
from assay.io.source import passed_over
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._values import values
from assay.model.judged import Judged
from assay.model.policies import Policies
from assay.model.qrels import Qrels
from assay.model.run import distinct_names
from assay.results.provenance import Provenance
from assay.results.table import Results


def evaluate(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    ties: str = "trec_eval-10",
    topics: str = "qrels",
    undefined: str = "zero",
    unjudged: str = "nonrelevant",
    samples: int = 100,
    seed: int = 0,
    lenient: bool = False,
    progress: Progress | None = None,
) -> Results:
    """Evaluate runs: one value for each run, topic and measure.

    Parameters
    ----------
    qrels
        A path, a :class:`Qrels`, a dict of dicts, a frame, or ``"irds:…"`` for a dataset of ir_datasets.
    runs
        A path, a :class:`Run`, a dict of dicts or a frame; a list of these; or a dict from names to these. Paths
        may be directories and globs.
    measures
        Measures or their names, such as ``"AP"``, ``"nDCG@10"``, ``"RBP(p=0.8)"``.
    ties
        ``trec_eval-10``, ``trec_eval-9``, ``rank``, ``file`` or ``expected``.
    topics
        ``qrels`` (a topic that a run lacks is an empty ranking) or ``intersection``.
    undefined
        What a topic without relevant documents counts: ``zero`` or ``exclude``.
    unjudged
        ``nonrelevant`` or ``condensed``.
    samples, seed
        For expected ties of measures without a closed form: how many orders are drawn, and from which seed.
    lenient
        Go on after bad lines and duplicates; ``Results.notes`` counts them.
    progress
        Called with the number of runs done and their total.

    Examples
    --------
    >>> qrels = {"q1": {"d1": 1, "d2": 0}}
    >>> evaluate(qrels, {"q1": {"d1": 0.2, "d2": 0.8}}, ["RR", "P@1"]).frame()["value"].to_list()
    [0.5, 0.0]
    """
    chosen = parse_measures(measures)
    policies = Policies(ties, topics, undefined, unjudged, samples, seed)
    return evaluated(prepared(qrels, runs, policies, lenient=lenient, progress=progress), chosen)


@dataclass(frozen=True, eq=False)
class Prepared:
    """Runs joined with the qrels: all that measures and analyses need."""

    qrels: Qrels
    runs: tuple[str, ...]
    judged: Judged
    provenance: Provenance
    notes: tuple[str, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Runs x topics."""
        return len(self.runs), len(self.qrels.topics)


def prepared(
    qrels: Any,
    runs: Any,
    policies: Policies,
    *,
    grades: Mapping[float, float] | None = None,
    lenient: bool = False,
    progress: Progress | None = None,
) -> Prepared:
    """Read everything and join it; *grades* says which grades are to be taken for others."""
    judgments = qrels if not grades else as_qrels(qrels, lenient=lenient).regraded(grades)
    ready, joined = join_all(judgments, runs, policies, lenient, progress)
    return assembled(ready, runs, joined, policies)


def assembled(ready: Qrels, runs: Any, joined: list[Joined], policies: Policies) -> Prepared:
    """Put runs that were joined one by one together; *runs* is what the user named."""
    names, naming = distinct_names([(run.name, run.source) for run in joined])
    notes = [
        *ready.notes,
        *passed_over(runs if isinstance(runs, list | tuple) else [runs]),
        *(note for run, extra in zip(joined, naming, strict=True) for note in (*run.notes, *extra)),
    ]
    return Prepared(
        qrels=ready,
        runs=tuple(names),
        judged=Judged.assemble(ready, [run.part for run in joined], policies),
        provenance=Provenance.of(ready, joined, names, policies),
        notes=tuple(notes),
    )


def evaluated(ready: Prepared, measures: tuple[Measure, ...]) -> Results:
    """The values of measures."""
    found = [values(measure, ready.judged) for measure in measures]
    shape = (len(measures), *ready.shape)
    nothing = np.zeros(len(ready.judged))
    return Results(
        runs=ready.runs,
        topics=ready.qrels.topics,
        measures=measures,
        values=np.stack([value.value for value in found]).reshape(shape),
        errors=np.stack([nothing if value.error is None else value.error for value in found]).reshape(shape),
        provenance=ready.provenance,
        notes=(*ready.notes, *_notes(measures, found, ready.judged, ready.qrels)),
    )


def _notes(chosen: tuple[Measure, ...], found: list[Any], judged: Judged, qrels: Qrels) -> list[str]:
    notes = []
    for measure, value in zip(chosen, found, strict=True):
        undefined = np.unique(judged.topic[value.undefined])
        notes += undefined_notes(measure, [qrels.topics[i] for i in undefined], judged.policies)
        if value.error is not None and value.error.any():
            drawn = f"{judged.policies.samples} sampled orders (seed {judged.policies.seed})"
            notes.append(f"{measure}: expected ties from {drawn}; largest standard error {value.error.max():.2g}")
    return notes


def undefined_notes(measure: Measure, topics: list[str], policies: Policies) -> list[str]:
    """That *topics* lack what the measure needs, and what was done about it."""
    if not topics:
        return []
    how = "left out" if policies.undefined == "exclude" else "counted 0"
    return [f"{measure}: {count(len(topics), 'topic')} without relevant documents {how}: {some(topics)}"]

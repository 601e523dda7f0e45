"""``evaluate(qrels, runs, measures)``: where readers, judged rankings and measures meet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from assay.errors import encodable
from assay.inputs import Joined, Progress, as_qrels, count, join_all, some
from assay.io.source import passed_over
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._threshold import refuse_unreached
from assay.measures._values import Values, values
from assay.model.arguments import check_arguments
from assay.model.arrays import Bools, Floats
from assay.model.judged import Judged
from assay.model.policies import Policies
from assay.model.qrels import Qrels
from assay.model.run import distinct_names
from assay.parts import budget
from assay.results.provenance import Provenance, Read
from assay.results.table import Results

if TYPE_CHECKING:
    from assay.parts.evaluating import Evaluated


@check_arguments
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
    memory: str | int | None = None,
    temporary: str | Path | None = None,
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
        The order of documents. By score, tied documents by descending id (``trec_eval-10``, ``trec_eval-9`` with
        32-bit scores), by ascending id (``score-id``) or as they came (``score-file``); ``expected`` is the mean over
        their orders. ``rank`` and ``file`` follow the rank column or the input and ignore the scores.
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
    memory
        About how much memory to take, such as ``"1G"``: runs are then read and evaluated in parts, and the values
        are the same. Runs in TREC text (also compressed) and Parquet may be larger than memory; files of other
        formats are read as a whole. By default runs are evaluated in parts only if they are large for this machine,
        within half of its memory; ``"all"`` never does so.
    temporary
        The directory for temporary files, which files need in which a topic stands in several places.
    progress
        Called with the number of runs done and their total; in parts, with the number of bytes and their total.

    Examples
    --------
    >>> qrels = {"q1": {"d1": 1, "d2": 0}}
    >>> evaluate(qrels, {"q1": {"d1": 0.2, "d2": 0.8}}, ["RR", "P@1"]).frame()["value"].to_list()
    [0.5, 0.0]
    """
    chosen = parse_measures(measures)
    policies = Policies(ties, topics, undefined, unjudged, samples, seed)
    most = _memory(runs, memory)
    if most is None:
        return evaluated(prepared(qrels, runs, policies, lenient=lenient, progress=progress), chosen)
    from assay.parts.evaluating import evaluate_in_parts

    return _in_parts(
        evaluate_in_parts(
            qrels, runs, chosen, policies, memory=most, lenient=lenient, temporary=temporary, progress=progress
        ),
        runs,
        chosen,
        policies,
    )


def _memory(runs: Any, memory: str | int | None) -> int | None:
    """How much memory to keep to; None for all."""
    if memory is not None:
        return None if memory == budget.ALL else budget.as_bytes(memory)
    several = list(runs.values()) if isinstance(runs, Mapping) else runs
    listed = several if isinstance(several, list | tuple) else [several]
    return budget.unasked([str(one) for one in listed if isinstance(one, str | Path)])


def _in_parts(found: Evaluated, runs: Any, measures: tuple[Measure, ...], policies: Policies) -> Results:
    names, provenance, notes = described(found.qrels, runs, found.runs, policies)
    counted = np.stack([run.part.answered for run in found.runs]) | (policies.topics != "intersection")
    return Results(
        runs=names,
        topics=found.qrels.topics,
        measures=measures,
        values=found.values,
        errors=found.errors,
        provenance=provenance,
        notes=(
            *notes,
            *found.notes,
            *_value_notes(measures, found.undefined, found.errors, found.qrels, policies),
            *no_value_notes(measures, found.values, found.undefined, counted, found.qrels.topics),
        ),
    )


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
    names, provenance, notes = described(ready, runs, joined, policies)
    judged = Judged.assemble(ready, [run.part for run in joined], policies)
    return Prepared(qrels=ready, runs=names, judged=judged, provenance=provenance, notes=notes)


class ReadRun(Read, Protocol):
    """A run that was read, in whatever form it is kept."""

    @property
    def name(self) -> str:
        """What it calls itself."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was ignored or assumed."""


class Described(NamedTuple):
    """Names of runs that tell them apart, where they and the judgments come from, and notes on all of them."""

    names: tuple[str, ...]
    provenance: Provenance
    notes: tuple[str, ...]


def described(qrels: Qrels | None, runs: Any, found: Sequence[ReadRun], policies: Policies) -> Described:
    """What is told of runs that were *found* where the user said (*runs*)."""
    names, naming = distinct_names([(encodable(run.name), encodable(run.source)) for run in found])
    notes = [
        *(() if qrels is None else qrels.notes),
        *passed_over(runs if isinstance(runs, list | tuple) else [runs]),
        *(note for run, extra in zip(found, naming, strict=True) for note in (*run.notes, *extra)),
    ]
    # A file with several runs has its notes in each of them.
    once = tuple(dict.fromkeys(map(encodable, notes)))
    return Described(tuple(names), Provenance.of(qrels, found, names, policies), once)


def evaluated(ready: Prepared, measures: tuple[Measure, ...]) -> Results:
    """Evaluate measures; one whose threshold no grade of the qrels reaches is refused."""
    refuse_unreached(measures, ready.qrels.levels)
    found = [values(measure, ready.judged) for measure in measures]
    shape = (len(measures), *ready.shape)
    nothing = np.zeros(len(ready.judged))
    value = np.stack([value.value for value in found]).reshape(shape)
    undefined = _undefined(found, ready.judged, ready.qrels)
    counted = ready.judged.answered.reshape(ready.shape) | (ready.judged.policies.topics != "intersection")
    errors = [nothing if one.error is None else one.error for one in found]
    return Results(
        runs=ready.runs,
        topics=ready.qrels.topics,
        measures=measures,
        values=value,
        errors=np.stack(errors).reshape(shape),
        provenance=ready.provenance,
        notes=(
            *ready.notes,
            *_value_notes(measures, undefined, errors, ready.qrels, ready.judged.policies),
            *no_value_notes(measures, value, undefined, counted, ready.qrels.topics),
        ),
    )


def _undefined(found: list[Values], judged: Judged, qrels: Qrels) -> Bools:
    """Measures x topics: the topics that lack what a measure needs."""
    undefined = np.zeros((len(found), len(qrels.topics)), dtype=bool)
    for row, value in zip(undefined, found, strict=True):
        row[judged.topic[value.undefined]] = True
    return undefined


def _value_notes(
    chosen: tuple[Measure, ...], undefined: Bools, errors: Iterable[Floats], qrels: Qrels, policies: Policies
) -> list[str]:
    """Notes on values: caveats of measures, topics (*undefined*, measures x topics) that lack something, sampling."""
    notes = caveats(chosen)
    for measure, lacks, error in zip(chosen, undefined, errors, strict=True):
        notes += undefined_notes(measure, [qrels.topics[i] for i in np.flatnonzero(lacks)], policies)
        if error.any():
            drawn = f"{policies.samples} sampled orders (seed {policies.seed})"
            notes.append(f"{measure}: expected ties from {drawn}; largest standard error {error.max():.2g}")
    return notes


def no_value_notes(
    measures: Sequence[Measure], value: Floats, undefined: Bools, counted: Bools, topics: Sequence[str]
) -> list[str]:
    """Notes on values that are not numbers although their topic counts (CRPN where N = 2 R).

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
    """That *topics* lack what the measure needs, and what was done about it."""
    if not topics:
        return []
    how = "left out" if policies.undefined == "exclude" else "counted 0"
    return [f"{measure}: {count(len(topics), 'topic')} without relevant documents {how}: {some(topics)}"]

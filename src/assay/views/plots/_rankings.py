"""Which rankings a figure of curves shows: the runs and the topic that a user names, or else the first ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from assay.effort.curve import whole_curve
from assay.engine.joining import each_run, join_one
from assay.engine.sources import as_qrels
from assay.errors import InputError, suggestion
from assay.measures._threshold import refuse_nothing_relevant
from assay.model.policies import Policies, refuse_expected
from assay.model.provenance import Provenance
from assay.model.relative_position import LENGTHS
from assay.model.run import distinct_names
from assay.results._evaluate import Prepared, prepared
from assay.views.plots._choice import run_named, topic_named

if TYPE_CHECKING:
    from assay.engine.workers import Progress
    from assay.model.qrels import Qrels
    from assay.model.run import Run
    from assay.views.plots._figures import Reading

MOST = 8
"""So many curves can be told apart."""


@dataclass(frozen=True, eq=False)
class Rankings:
    """Runs with their documents, and the topic that is looked at.

    *longest* is the length of the longest ranking of any of them, for any topic.
    """

    qrels: Qrels
    runs: dict[str, Run]
    topic: str
    longest: int
    ties: str
    notes: tuple[str, ...]
    provenance: dict[str, Any]

    def curve(self, run: str, depth: int | None = None, length: str = "extend", gain: str = "DCG") -> pl.DataFrame:
        """Return the whole curve of one of the runs; by default all have the length of the longest."""
        if depth is not None and depth < 1:
            raise InputError(f"depth must be at least 1, got {depth}")
        if length not in LENGTHS:
            raise InputError(f"length {length!r}: choose one of {', '.join(LENGTHS)}{suggestion(length, LENGTHS)}")
        chosen = self.longest if depth is None else depth
        one = self.runs[run]
        return whole_curve(self.qrels, one, self.topic, depth=chosen, length=length, gain=gain, ties=self.ties)


def rankings(
    qrels: Any,
    runs: Any,
    topic: str | None = None,
    run: str | Sequence[str] | None = None,
    *,
    most: int = MOST,
    ties: str = "trec_eval-10",
    lenient: bool = False,
    progress: Progress | None = None,
) -> Rankings:
    """The runs of some names, *most* at most; by default the first of all, and then no other is read.

    The topic is by default the first one with relevant documents that the first of the runs has.
    """
    refuse_expected(ties, "a curve needs an order")
    policies = Policies(ties)
    said: tuple[str, ...] = ()
    if run is None:
        judgments = as_qrels(qrels, lenient=lenient)
        first, *others = sources(runs, lenient)
        found, *more = first.read(ties == "rank")
        chosen = {first.name or found.name: found}
        if others or more:
            said = (
                f"{next(iter(chosen))} is shown, the first of {1 + len(others) + len(more)} runs; --run names others",
            )
    else:
        names = [run] if isinstance(run, str) else list(run)
        if not 0 < len(names) <= most:
            many = "one run" if most == 1 else f"1 to {most} runs"
            raise InputError(f"run: this figure shows {many}, got {len(names)}")
        judgments, chosen = _named(qrels, runs, names, policies, lenient=lenient, progress=progress)
    refuse_nothing_relevant(1, judgments.levels)
    parts = [join_one(judgments, one, policies) for one in chosen.values()]
    provenance = Provenance.of(judgments, parts, list(chosen), policies)
    if topic is not None:
        topic_named(topic, judgments.topics, provenance)
    return Rankings(
        qrels=judgments,
        runs=chosen,
        topic=_first(judgments, parts[0].part.length.tolist()) if topic is None else topic,
        longest=max(int(one.part.length.max(initial=0)) for one in parts),
        ties=ties,
        notes=(*dict.fromkeys((*judgments.notes, *(note for one in parts for note in one.notes))), *said),
        provenance=provenance.as_dict(),
    )


def _named(
    qrels: Any, runs: Any, names: Sequence[str], policies: Policies, *, lenient: bool, progress: Progress | None
) -> tuple[Qrels, dict[str, Run]]:
    """Only runs that are wanted are kept in memory; all must be read, since their names are in them."""
    kept: dict[tuple[str, str], Run] = {}

    def work(_: Qrels, run: Run) -> _Seen:
        if _may_mean(names, run):
            kept[run.name, run.source] = run
        return _Seen(run.name, run.source, run.digest)

    judgments, seen = each_run(qrels, runs, work, lenient, progress, rank=policies.ties == "rank")
    known, _ = distinct_names([(one.name, one.source) for one in seen])
    provenance = Provenance.of(judgments, seen, known, policies)
    wanted = [run_named(name, known, provenance) for name in names]
    return judgments, {name: kept[seen[known.index(name)][:2]] for name in wanted}


class _Seen(NamedTuple):
    name: str
    source: str
    digest: str | None


def _may_mean(names: Sequence[str], run: Run) -> bool:
    """Whether one of the names may be that of the run, once those of all are known (see ``distinct_names``)."""
    file = PurePath(run.source).name
    return any(
        name in (run.name, run.source) or file.startswith(name) or name.endswith(f":{run.name}") for name in names
    )


def joined(qrels: Any, runs: Any, reading: Reading) -> Prepared:
    """All runs, joined with the qrels, for curves of relative position."""
    named: dict[str, Any] = {name: value for name, value in reading.items() if name not in ("lenient", "progress")}
    policies = Policies(**named)
    refuse_expected(policies.ties, "a curve needs an order")
    ready = prepared(qrels, runs, policies, lenient=reading.get("lenient", False), progress=reading.get("progress"))
    refuse_nothing_relevant(1, ready.qrels.levels)
    return ready


def _first(qrels: Qrels, lengths: list[int]) -> str:
    relevant = qrels.counts[:, qrels.levels >= 1].sum(axis=1).tolist()
    good = [topic for topic, r, n in zip(qrels.topics, relevant, lengths, strict=True) if r and n]
    return [*good, *(topic for topic, r in zip(qrels.topics, relevant, strict=True) if r), *qrels.topics][0]

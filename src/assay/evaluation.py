"""``evaluate(qrels, runs, measures)``: where readers, judged rankings and measures meet."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from assay.errors import InputError
from assay.io import pieces, trec
from assay.io.source import STDIN, expand
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._values import values
from assay.model.joining import Part, judge, merged
from assay.model.judged import Judged
from assay.model.policies import Policies
from assay.model.qrels import Qrels, read_qrels
from assay.model.run import Run, distinct_names, runs_of
from assay.results.provenance import Input, Provenance
from assay.results.table import Results

Progress = Callable[[int, int], None]


class _Joined(NamedTuple):
    """What is kept of a run once it is joined with the qrels."""

    name: str
    source: str
    digest: str | None
    notes: tuple[str, ...]
    part: Part


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
    policies = Policies(ties, topics, undefined, unjudged, samples, seed)
    chosen = parse_measures(measures)
    judgments, joined = _join_all(qrels, runs, policies, lenient, progress)
    names, naming = distinct_names([(run.name, run.source) for run in joined])
    judged = Judged.assemble(judgments, [run.part for run in joined], policies)
    shape = (len(chosen), len(joined), len(judgments.topics))
    found = [values(measure, judged) for measure in chosen]
    notes = [
        *judgments.notes,
        *(note for run, extra in zip(joined, naming, strict=True) for note in (*run.notes, *extra)),
        *_notes(chosen, found, judged, judgments),
    ]
    return Results(
        runs=tuple(names),
        topics=judgments.topics,
        measures=chosen,
        values=np.stack([value.value for value in found]).reshape(shape),
        errors=np.stack([np.zeros(len(judged)) if v.error is None else v.error for v in found]).reshape(shape),
        provenance=_provenance(judgments, joined, names, policies),
        notes=tuple(notes),
    )


def as_qrels(qrels: Any, *, lenient: bool = False) -> Qrels:
    """Judgments from whatever a user has: a path, a dict of dicts, a frame, ``irds:…``, :class:`Qrels`."""
    if isinstance(qrels, Qrels):
        return qrels
    if isinstance(qrels, str) and qrels.startswith("irds:"):
        return Qrels.from_ir_datasets(qrels, lenient=lenient)
    if isinstance(qrels, str | Path):
        return read_qrels(qrels, lenient=lenient)
    if isinstance(qrels, Mapping):
        return Qrels.from_dict(qrels, lenient=lenient)
    if _is_frame(qrels):
        return Qrels.from_frame(qrels, lenient=lenient)
    raise InputError(f"qrels: expected a path, Qrels, a dict of dicts or a frame, got {type(qrels).__name__}")


def _is_frame(thing: Any) -> bool:
    """A frame of any library: Arrow's interface, or a lazy frame, or an old frame that has only columns."""
    kind = type(thing)
    return any(hasattr(kind, name) for name in ("__arrow_c_stream__", "collect_schema", "columns"))


class _Join(NamedTuple):
    """What joining a run needs beside the run."""

    qrels: Future[Qrels]
    policies: Policies
    lenient: bool


Task = Callable[[_Join], list[_Joined]]


def _tasks(runs: Any) -> list[Task]:
    """One function for each input, which reads and joins its runs when called."""
    if isinstance(runs, Mapping) and not _is_run_dict(runs):
        return [_renamed(str(name), task) for name, one in runs.items() for task in _tasks(one)]
    if isinstance(runs, str | Path | Run | Mapping) or _is_frame(runs):
        runs = [runs]
    if not isinstance(runs, Iterable):
        raise InputError(f"runs: expected paths, runs, dicts or frames, got {type(runs).__name__}")
    listed = list(runs)
    if listed and all(isinstance(one, str | Path) for one in listed):
        listed = expand([str(one) for one in listed])
    if not listed:
        raise InputError("runs: name at least one run")
    return [_task(one, number) for number, one in enumerate(listed, 1)]


def _renamed(name: str, task: Task) -> Task:
    return lambda join: [run._replace(name=name) for run in task(join)]


def _is_run_dict(runs: Mapping[Any, Any]) -> bool:
    """Whether this is ``{topic: {document: score}}`` rather than ``{name: run}``."""
    first: Any = next(iter(runs.values()), {})
    return isinstance(first, Mapping) and not any(isinstance(value, Mapping) for value in first.values())


def _task(one: Any, number: int) -> Task:
    if isinstance(one, str | Path):
        return lambda join: _from_path(str(one), join)
    if isinstance(one, Run):
        return lambda join: [_from_run(one, join)]
    if isinstance(one, Mapping):
        return lambda join: [_from_run(Run.from_dict(one, f"run{number}", lenient=join.lenient), join)]
    if _is_frame(one):
        return lambda join: [_from_run(Run.from_frame(one, f"run{number}", lenient=join.lenient), join)]
    raise InputError(f"runs: expected a path, Run, a dict of dicts or a frame, got {type(one).__name__}")


def _join_all(
    qrels: Any, runs: Any, policies: Policies, lenient: bool, progress: Progress | None
) -> tuple[Qrels, list[_Joined]]:
    """Read and join the runs one by one, so that no more than a few are in memory at once.

    The first runs are read while the qrels are.
    """
    tasks = _tasks(runs)
    _refuse_reading_twice(qrels, runs)
    # A few threads more than cores: reading, decompressing and parsing leave the interpreter lock, and while one
    # thread waits to get it back another can go on.
    executor = ThreadPoolExecutor(min(len(tasks) + 1, (os.cpu_count() or 1) + 3))
    try:
        judgments = executor.submit(lambda: as_qrels(qrels, lenient=lenient).prepared())
        join = _Join(judgments, policies, lenient)
        results = executor.map(lambda task: task(join), tasks)
        ready = judgments.result()
        joined: list[_Joined] = []
        for done, some in enumerate(results, 1):
            joined += some
            if progress is not None:
                progress(done, len(tasks))
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
    return ready, joined


def _refuse_reading_twice(qrels: Any, runs: Any) -> None:
    listed = runs if isinstance(runs, list | tuple) else [runs]
    if isinstance(qrels, str) and qrels == STDIN and STDIN in [one for one in listed if isinstance(one, str)]:
        raise InputError("-: standard input can be read once; name a file for the qrels or for the run")


def _from_path(path: str, join: _Join) -> list[_Joined]:
    # Only the whole file tells about ranks: pieces leave that column unread.
    by_rank = join.policies.ties == "rank"
    large = None if by_rank else pieces.opened(path)
    joined = _from_pieces(large, join) if large is not None else None
    if joined is not None:
        return [joined]
    return [_from_run(run, join) for run in runs_of(path, lenient=join.lenient, rank=by_rank)]


def _from_pieces(large: pieces.Pieces, join: _Join) -> _Joined | None:
    """A large run, piece by piece; None if it must be read as a whole (an odd line, a topic in several places)."""

    def work(begin: int, end: int) -> tuple[str, Part] | None:
        table = trec.piece(large.read(begin, end), large.path)
        if table is None:
            return None
        return table.tag or "", judge(join.qrels.result(), Run(table), join.policies)

    with ThreadPoolExecutor((os.cpu_count() or 1) + 1) as executor:
        digest = executor.submit(pieces.digest, large.path)
        found = list(executor.map(lambda piece: work(*piece), large.ranges()))
        parts = [piece[1] for piece in found if piece is not None]
        tags = {piece[0] for piece in found if piece is not None}
        part = merged(parts) if len(parts) == len(found) and len(tags) == 1 else None
        if part is None:
            return None
        return _joined(_Joined(tags.pop(), large.path, digest.result(), (), part), join)


def _from_run(run: Run, join: _Join) -> _Joined:
    part = judge(join.qrels.result(), run, join.policies)
    return _joined(_Joined(run.name, run.source, run.digest, run.notes, part), join)


def _joined(run: _Joined, join: _Join) -> _Joined:
    """The run with notes on its topics; one that shares none with the qrels is refused."""
    qrels, part = join.qrels.result(), run.part
    if part.foreign and not part.answered.any() and not join.lenient:
        ours, theirs = _some(sorted(part.foreign)), _some(qrels.topics)
        raise InputError(f"{run.source}: shares no topic with the qrels (the run has {ours}; the qrels have {theirs})")
    return run._replace(notes=(*run.notes, *_join_notes(run.source, part, join.policies)))


def _join_notes(source: str, part: Part, policies: Policies) -> list[str]:
    notes = []
    if part.foreign:
        notes.append(
            f"{source}: {_count(len(part.foreign), 'topic')} without judgments ignored "
            f"({_count(part.foreign_rows, 'document')}): {_some(sorted(part.foreign))}"
        )
    missing = int((~part.answered).sum())
    if missing:
        how = "left out" if policies.topics == "intersection" else "counted as empty rankings"
        notes.append(f"{source}: lacks {missing} of the {_count(len(part.answered), 'topic')} of the qrels; {how}")
    return notes


def _notes(chosen: tuple[Measure, ...], found: list[Any], judged: Judged, qrels: Qrels) -> list[str]:
    notes = []
    for measure, value in zip(chosen, found, strict=True):
        undefined = np.unique(judged.topic[value.undefined])
        if len(undefined):
            how = "left out" if judged.policies.undefined == "exclude" else "counted 0"
            names = _some([qrels.topics[i] for i in undefined])
            notes.append(f"{measure}: {_count(len(undefined), 'topic')} without relevant documents {how}: {names}")
        if value.error is not None and value.error.any():
            drawn = f"{judged.policies.samples} sampled orders (seed {judged.policies.seed})"
            notes.append(f"{measure}: expected ties from {drawn}; largest standard error {value.error.max():.2g}")
    return notes


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number != 1)}"


def _some(names: Iterable[str], most: int = 5) -> str:
    listed = list(names)
    return ", ".join(listed[:most]) + (", …" if len(listed) > most else "")


def _provenance(qrels: Qrels, joined: list[_Joined], names: list[str], policies: Policies) -> Provenance:
    inputs = [Input("qrels", qrels.source, qrels.source, qrels.digest)]
    inputs += [Input("run", name, run.source, run.digest) for name, run in zip(names, joined, strict=True)]
    return Provenance(tuple(inputs), policies)

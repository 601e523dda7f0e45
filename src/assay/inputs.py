"""From whatever a user has to runs joined with the qrels: files, directories, dicts, frames, all read side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from assay.errors import InputError
from assay.io import frames, pieces, trec
from assay.io.source import STDIN, expand
from assay.model.joining import Part, judge, merged
from assay.model.policies import Policies
from assay.model.qrels import Qrels, read_qrels
from assay.model.run import Run, runs_of

Progress = Callable[[int, int], None]
Read = Callable[[str], list[Run]]
IRDS = "irds:"
Result = TypeVar("Result")


class Joined(NamedTuple):
    """What is kept of a run once it is joined with the qrels."""

    name: str
    source: str
    digest: str | None
    notes: tuple[str, ...]
    part: Part


def as_qrels(qrels: Any, *, lenient: bool = False) -> Qrels:
    """Judgments from whatever a user has: a path, a dict of dicts, a frame, ``irds:…``, :class:`Qrels`."""
    if isinstance(qrels, Qrels):
        return qrels
    if isinstance(qrels, str) and qrels.startswith(IRDS):
        return Qrels.from_ir_datasets(qrels, lenient=lenient)
    if isinstance(qrels, str | Path):
        return read_qrels(qrels, lenient=lenient)
    if isinstance(qrels, Mapping):
        return Qrels.from_dict(qrels, lenient=lenient)
    if _is_tuples(qrels):
        return Qrels.from_tuples(qrels, lenient=lenient)
    if _is_frame(qrels):
        return Qrels.from_frame(qrels, lenient=lenient)
    raise InputError(f"qrels: expected a path, Qrels, a dict of dicts, tuples or a frame, got {type(qrels).__name__}")


def _is_frame(thing: Any) -> bool:
    """A frame of any library: Arrow's interface, or a lazy frame, or an old frame that has only columns."""
    kind = type(thing)
    return any(hasattr(kind, name) for name in ("__arrow_c_stream__", "collect_schema", "columns"))


class _Join(NamedTuple):
    """What joining a run needs beside the run."""

    qrels: Future[Qrels]
    policies: Policies
    lenient: bool
    read: Read | None


Task = Callable[[_Join], list[Joined]]


def _tasks(runs: Any, name: str | None = None) -> list[Task]:
    """One function for each input, which reads and joins its runs when called; *name* is given by the user."""
    if name is None and isinstance(runs, Mapping) and not _is_run_dict(runs):
        return [_named(str(name), one) for name, one in runs.items()]
    if isinstance(runs, str | Path | Run | Mapping) or _is_frame(runs) or _is_tuples(runs):
        runs = [runs]
    if not isinstance(runs, Iterable):
        raise InputError(f"runs: expected paths, runs, dicts or frames, got {type(runs).__name__}")
    listed = list(runs)
    if all(isinstance(one, str | Path) for one in listed):
        listed = expand(listed)
    else:
        listed = [each for one in listed for each in (expand(one) if isinstance(one, str | Path) else [one])]
    if not listed:
        raise InputError("runs: name at least one run")
    return [_task(one, name or f"run{number}") for number, one in enumerate(listed, 1)]


def _named(name: str, one: Any) -> Task:
    """One run under the name that the user gives it."""
    tasks = _tasks(one, name)

    def task(join: _Join) -> list[Joined]:
        found = [run for each in tasks for run in each(join)]
        if len(found) != 1:
            raise InputError(f"runs: {name!r} names {len(found)} runs; give each a name of its own")
        return [found[0]._replace(name=name)]

    return task


def _is_run_dict(runs: Mapping[Any, Any]) -> bool:
    """Whether this is ``{topic: {document: score}}`` rather than ``{name: run}``."""
    rankings = list(runs.values())
    if not all(isinstance(ranking, Mapping) for ranking in rankings):
        return False
    return not any(isinstance(value, Mapping) for ranking in rankings for value in ranking.values())


def _is_tuples(thing: Any) -> bool:
    """Whether this is a list of ``(topic, document, value)``."""
    return isinstance(thing, list | tuple) and len(thing) > 0 and all(isinstance(row, tuple) for row in thing)


def _task(one: Any, name: str) -> Task:
    if isinstance(one, str) and one.startswith(IRDS):
        return lambda join: [_from_run(Run.from_ir_datasets(one, lenient=join.lenient), join)]
    if isinstance(one, str | Path):
        return lambda join: _from_path(str(one), join)
    if isinstance(one, Run):
        return lambda join: [_from_run(one, join)]
    if isinstance(one, Mapping):
        return lambda join: [_from_run(Run.from_dict(one, name, lenient=join.lenient), join)]
    if _is_tuples(one):
        return lambda join: [_from_run(Run.from_tuples(one, name, lenient=join.lenient), join)]
    if _is_frame(one):
        return lambda join: [_from_run(Run(table), join) for table in frames.runs(one, name, join.lenient)]
    raise InputError(f"runs: expected a path, Run, a dict of dicts, tuples or a frame, got {type(one).__name__}")


def join_all(
    qrels: Any, runs: Any, policies: Policies, lenient: bool, progress: Progress | None, *, read: Read | None = None
) -> tuple[Qrels, list[Joined]]:
    """Read and join the runs one by one, so that no more than a few are in memory at once.

    The first runs are read while the qrels are. *read* reads the runs of a file in another way than usual.
    """
    tasks = _tasks(runs)
    _refuse_reading_twice(qrels, runs)
    # A few threads more than cores: reading, decompressing and parsing leave the interpreter lock, and while one
    # thread waits to get it back another can go on.
    executor = ThreadPoolExecutor(min(len(tasks) + 1, (os.cpu_count() or 1) + 3))
    try:
        judgments = executor.submit(lambda: as_qrels(qrels, lenient=lenient).prepared())
        join = _Join(judgments, policies, lenient, read)
        waiting = [executor.submit(task, join) for task in tasks]
        ready = _patiently(judgments)
        joined: list[Joined] = []
        for done, future in enumerate(waiting, 1):
            found: list[Joined] = _patiently(future)
            joined += found
            if progress is not None:
                progress(done, len(tasks))
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)  # a thread may wait for standard input for ever
        raise
    executor.shutdown()
    return ready, joined


def _patiently(future: Future[Result]) -> Result:
    """The result of a future, waking up now and then: an interrupt does not end a wait without a limit."""
    while True:
        done, _ = wait([future], timeout=0.1)
        if done:
            return future.result()


def _refuse_reading_twice(qrels: Any, runs: Any) -> None:
    listed = runs if isinstance(runs, list | tuple) else [runs]
    if isinstance(qrels, str) and qrels == STDIN and STDIN in [one for one in listed if isinstance(one, str)]:
        raise InputError("-: standard input can be read once; name a file for the qrels or for the run")


def _from_path(path: str, join: _Join) -> list[Joined]:
    # Only the whole file tells about ranks: pieces leave that column unread.
    by_rank = join.policies.ties == "rank"
    large = None if by_rank else pieces.opened(path)
    joined = _from_pieces(large, join) if large is not None else None
    if joined is not None:
        return [joined]
    found = join.read(path) if join.read is not None else runs_of(path, lenient=join.lenient, rank=by_rank)
    return [_from_run(run, join) for run in found]


def _from_pieces(large: pieces.Pieces, join: _Join) -> Joined | None:
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
        return _joined(Joined(tags.pop(), large.path, digest.result(), (), part), join)


def _from_run(run: Run, join: _Join) -> Joined:
    part = judge(join.qrels.result(), run, join.policies)
    return _joined(Joined(run.name, run.source, run.digest, run.notes, part), join)


def _joined(run: Joined, join: _Join) -> Joined:
    """The run with notes on its topics; one that shares none with the qrels is refused."""
    qrels, part = join.qrels.result(), run.part
    if part.foreign and not part.answered.any() and not join.lenient:
        ours, theirs = some(sorted(part.foreign)), some(qrels.topics)
        raise InputError(f"{run.source}: shares no topic with the qrels (the run has {ours}; the qrels have {theirs})")
    return run._replace(notes=(*run.notes, *_join_notes(run.source, part, join.policies)))


def _join_notes(source: str, part: Part, policies: Policies) -> list[str]:
    notes = []
    if part.foreign:
        notes.append(
            f"{source}: {count(len(part.foreign), 'topic')} without judgments ignored "
            f"({count(part.foreign_rows, 'document')}): {some(sorted(part.foreign))}"
        )
    missing = int((~part.answered).sum())
    if missing:
        how = "left out" if policies.topics == "intersection" else "counted as empty rankings"
        notes.append(f"{source}: lacks {missing} of the {count(len(part.answered), 'topic')} of the qrels; {how}")
    return notes


def count(number: int, thing: str) -> str:
    """A number of things, in words."""
    return f"{number} {thing}{'s' * (number != 1)}"


def some(names: Iterable[str], most: int = 5) -> str:
    """The first of many names."""
    listed = list(names)
    return ", ".join(listed[:most]) + (", …" if len(listed) > most else "")

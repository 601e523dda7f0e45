"""From whatever a user has to runs joined with the qrels: files, directories, dicts, frames, all read side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from assay.errors import InputError, encodable
from assay.io import frames, pieces, trec
from assay.io.fork import refuse_fork
from assay.io.source import STDIN, expand
from assay.model.joining import Part, judge, merged
from assay.model.policies import IGNORING_SCORES, Policies
from assay.model.qrels import Qrels, read_qrels
from assay.model.rankings import Listed, listed
from assay.model.run import Run, runs_of

Progress = Callable[[int, int], None]
Read = Callable[[str], list[Run]]
IRDS = "irds:"
Result = TypeVar("Result")
Task = Callable[["Future[Qrels]"], list[Result]]


class Standing(NamedTuple):
    """How a run stands to the qrels: judged topics that it answers, topics without judgments and their documents."""

    answered: int
    foreign: int
    foreign_rows: int


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


class Source(NamedTuple):
    """Something that holds runs: how to read them (told whether ranks are needed), its path, a name for its run."""

    read: Callable[[bool], list[Run]]
    path: str | None = None
    name: str | None = None


def sources(runs: Any, lenient: bool, read: Read | None = None, name: str | None = None) -> list[Source]:
    """What *runs* stands for, nothing being read yet; *name* is given by the user."""
    if name is None and isinstance(runs, Mapping) and not _is_run_dict(runs):
        return [_named(str(name), sources(one, lenient, read, str(name))) for name, one in runs.items()]
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
    return [_source(one, name or f"run{number}", lenient, read) for number, one in enumerate(listed, 1)]


def _named(name: str, inner: list[Source]) -> Source:
    """One run under the name that the user gives it."""
    if len(inner) == 1:
        return inner[0]._replace(name=name)
    return Source(lambda rank: [run for source in inner for run in source.read(rank)], name=name)


def _is_run_dict(runs: Mapping[Any, Any]) -> bool:
    """Whether this is ``{topic: {document: score}}`` rather than ``{name: run}``."""
    rankings = list(runs.values())
    if not all(isinstance(ranking, Mapping) for ranking in rankings):
        return False
    return not any(isinstance(value, Mapping) for ranking in rankings for value in ranking.values())


def _is_tuples(thing: Any) -> bool:
    """Whether this is a list of ``(topic, document, value)``."""
    return isinstance(thing, list | tuple) and len(thing) > 0 and all(isinstance(row, tuple) for row in thing)


def _source(one: Any, name: str, lenient: bool, read: Read | None) -> Source:
    if isinstance(one, str) and one.startswith(IRDS):
        return Source(lambda rank: [Run.from_ir_datasets(one, lenient=lenient)])
    if isinstance(one, str | Path):
        path = str(one)
        return Source(lambda rank: read(path) if read else runs_of(path, lenient=lenient, rank=rank), path)
    if isinstance(one, Run):
        return Source(lambda rank: [one])
    if isinstance(one, Mapping):
        return Source(lambda rank: [Run.from_dict(one, name, lenient=lenient)])
    if _is_tuples(one):
        return Source(lambda rank: [Run.from_tuples(one, name, lenient=lenient)])
    if _is_frame(one):
        return Source(lambda rank: [Run(table) for table in frames.runs(one, name, lenient)])
    raise InputError(f"runs: expected a path, Run, a dict of dicts, tuples or a frame, got {type(one).__name__}")


def join_all(
    qrels: Any,
    runs: Any,
    policies: Policies,
    lenient: bool,
    progress: Progress | None,
    *,
    read: Read | None = None,
    numbered: bool = False,
    any_topics: bool = False,
) -> tuple[Qrels, list[Joined]]:
    """Read and join the runs one by one.

    *read* reads the runs of a file in another way than usual; *numbered* is as in ``judge``. With *any_topics*, runs
    that share no topic with the qrels are accepted.
    """
    refuse_reading_twice(qrels, runs)
    join = partial(judge, policies=policies, numbered=numbered)
    tasks = [_joining(source, join, policies, any_topics) for source in sources(runs, lenient, read)]
    return _side_by_side(qrels, tasks, lenient, progress)


def each_run(
    qrels: Any,
    runs: Any,
    work: Callable[[Qrels, Run], Result],
    lenient: bool,
    progress: Progress | None,
    *,
    rank: bool = True,
) -> tuple[Qrels, list[Result]]:
    """What *work* makes of each run, ranks included if wanted; a run is forgotten when *work* is done with it."""
    refuse_reading_twice(qrels, runs)

    def task(source: Source) -> Task[Result]:
        def run(judgments: Future[Qrels]) -> list[Result]:
            found = _runs(source, rank=rank)
            return [work(judgments.result(), run) for run in found]

        return run

    return _side_by_side(qrels, [task(source) for source in sources(runs, lenient)], lenient, progress)


def list_all(
    qrels: Any | None,
    runs: Any,
    ties: str,
    *,
    depth: int | None = None,
    lenient: bool = False,
    progress: Progress | None = None,
) -> tuple[Qrels | None, list[Listed]]:
    """The documents of runs in rank order, with their grades if there are *qrels*; see ``model.rankings``."""
    if qrels is None:
        found = [_listed(source, None, ties, depth) for source in sources(runs, lenient)]
        return None, [run for several in at_once(found, progress) for run in several]

    def task(source: Source) -> Task[Listed]:
        return lambda judgments: [
            _known_topics(run, judgments.result()) for run in _listed(source, judgments.result(), ties, depth)()
        ]

    refuse_reading_twice(qrels, runs)
    return _side_by_side(qrels, [task(source) for source in sources(runs, lenient)], lenient, progress)


def _runs(source: Source, *, rank: bool) -> list[Run]:
    """The runs of a source, under the name that the user gave."""
    found = source.read(rank)
    return found if source.name is None else [only_one(found, source.name).named(source.name)]


def _listed(source: Source, qrels: Qrels | None, ties: str, depth: int | None) -> Callable[[], list[Listed]]:
    def work() -> list[Listed]:
        runs = [listed(run, qrels, ties, depth) for run in _runs(source, rank=ties == "rank")]
        return [run._replace(notes=(*run.notes, *order_notes(run.source, run.contradicted, ties))) for run in runs]

    return work


def _known_topics(run: Listed, qrels: Qrels) -> Listed:
    if run.foreign and not run.length.any():
        raise InputError(no_shared_topic(run.source, run.foreign, qrels.topics))
    standing = Standing(int((run.length > 0).sum()), len(run.foreign), run.foreign_rows)
    notes = topic_notes(run.source, standing, len(qrels.topics), run.foreign, False)
    return run._replace(notes=(*run.notes, *notes))


def at_once(tasks: Sequence[Callable[[], Result]], progress: Progress | None) -> list[Result]:
    """The results of tasks in their order; a few are at work at once."""
    with threads(min(len(tasks), (os.cpu_count() or 1) + 1)) as executor:
        return _in_order([executor.submit(task) for task in tasks], progress)


def _side_by_side(
    qrels: Any, tasks: list[Task[Result]], lenient: bool, progress: Progress | None
) -> tuple[Qrels, list[Result]]:
    """The results of the tasks in their order; the first are at work while the qrels are read.

    No more than a few are at work at once, so that no more than a few runs are in memory.
    """
    # A few threads more than cores: reading, decompressing and parsing leave the interpreter lock, and while one
    # thread waits to get it back another can go on.
    with threads(min(len(tasks) + 1, (os.cpu_count() or 1) + 3)) as executor:
        judgments = executor.submit(lambda: as_qrels(qrels, lenient=lenient).prepared())
        waiting = [executor.submit(task, judgments) for task in tasks]
        ready = patiently(judgments)
        return ready, [one for several in _in_order(waiting, progress) for one in several]


@contextmanager
def threads(most: int) -> Iterator[ThreadPoolExecutor]:
    """Threads that are not waited for when something goes wrong: one may wait for standard input for ever."""
    refuse_fork()
    executor = ThreadPoolExecutor(most)
    try:
        yield executor
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        raise
    executor.shutdown()


def _in_order(waiting: Sequence[Future[Result]], progress: Progress | None) -> list[Result]:
    """The results of futures as they come, in the order in which they stand."""
    results: list[Result] = []
    for done, future in enumerate(waiting, 1):
        results.append(patiently(future))
        if progress is not None:
            progress(done, len(waiting))
    return results


def patiently(future: Future[Result]) -> Result:
    """The result of a future, waking up now and then: an interrupt does not end a wait without a limit."""
    while True:
        done, _ = wait([future], timeout=0.1)
        if done:
            return future.result()


def refuse_reading_twice(qrels: Any, runs: Any) -> None:
    """Refuse standard input for both."""
    listed = runs if isinstance(runs, list | tuple) else [runs]
    if isinstance(qrels, str) and qrels == STDIN and STDIN in [one for one in listed if isinstance(one, str)]:
        raise InputError("-: standard input can be read once; name a file for the qrels or for the run")


Join = Callable[[Qrels, Run], Part]


def _joining(source: Source, join: Join, policies: Policies, any_topics: bool) -> Task[Joined]:
    """What joins the runs of a source with the qrels."""

    def task(judgments: Future[Qrels]) -> list[Joined]:
        # Only the whole file tells about ranks: pieces leave that column unread.
        by_rank = policies.ties == "rank"
        large = pieces.opened(source.path) if source.path is not None and not by_rank else None
        whole = _from_pieces(large, judgments, join) if large is not None else None
        found = [whole] if whole is not None else []
        found = found or [_from_run(run, join(judgments.result(), run)) for run in source.read(by_rank)]
        if source.name is not None:
            found = [only_one(found, source.name)._replace(name=source.name)]
        return [noted(run, judgments.result(), policies, any_topics=any_topics) for run in found]

    return task


def only_one(found: list[Result], name: str) -> Result:
    """The one run that a name stands for."""
    if len(found) != 1:
        raise InputError(f"runs: {name!r} names {len(found)} runs; give each a name of its own")
    return found[0]


def _from_pieces(large: pieces.Pieces, qrels: Future[Qrels], join: Join) -> Joined | None:
    """A large run, piece by piece; None if it must be read as a whole (an odd line, a topic in several places)."""

    def work(begin: int, end: int) -> tuple[str, Part] | None:
        table = trec.piece(large.read(begin, end), large.path)
        if table is None:
            return None
        return table.tag or "", join(qrels.result(), Run(table))

    with ThreadPoolExecutor((os.cpu_count() or 1) + 1) as executor:
        digest = executor.submit(pieces.digest, large.path)
        found = list(executor.map(lambda piece: work(*piece), large.ranges()))
        parts = [piece[1] for piece in found if piece is not None]
        tags = {piece[0] for piece in found if piece is not None}
        part = merged(parts) if len(parts) == len(found) and len(tags) == 1 else None
        return Joined(tags.pop(), encodable(large.path), digest.result(), (), part) if part is not None else None


def join_one(qrels: Qrels, run: Run, policies: Policies) -> Joined:
    """Join one run."""
    return noted(_from_run(run, judge(qrels, run, policies)), qrels, policies)


def joined(run: Listed, qrels: Qrels, policies: Policies) -> Joined:
    """Join a run that already carries document ids."""
    part = Part(run.code, run.length, run.tied, run.foreign, run.foreign_rows, run.contradicted)
    return noted(Joined(run.name, run.source, run.digest, run.notes, part), qrels, policies)


def _from_run(run: Run, part: Part) -> Joined:
    return Joined(run.name, run.source, run.digest, run.notes, part)


def noted(run: Joined, qrels: Qrels, policies: Policies, *, any_topics: bool = False) -> Joined:
    """Add notes on the topics of a run; one that shares none with the qrels is refused unless *any_topics* is set."""
    part = run.part
    if part.foreign and not part.answered.any() and not any_topics:
        raise InputError(no_shared_topic(run.source, part.foreign, qrels.topics))
    left_out = policies.topics == "intersection"
    standing = Standing(int(part.answered.sum()), len(part.foreign), part.foreign_rows)
    notes = topic_notes(run.source, standing, len(qrels.topics), part.foreign, left_out)
    notes += order_notes(run.source, part.contradicted, policies.ties)
    return run._replace(notes=(*run.notes, *notes))


def order_notes(source: str, contradicted: int, ties: str) -> list[str]:
    """Note that a tie policy that ignores the scores contradicts them."""
    if not contradicted:
        return []
    topics = count(contradicted, "topic")
    return [f"{source}: {IGNORING_SCORES[ties]} contradicts the scores in {topics}; ties={ties} ignores the scores"]


def no_shared_topic(source: str, ours: Iterable[str], theirs: Iterable[str]) -> str:
    """That a run and the qrels have nothing to do with each other."""
    runs = some(sorted(ours))
    return f"{source}: shares no topic with the qrels (the run has {runs}; the qrels have {some(theirs)})"


def topic_notes(source: str, own: Standing, topics: int, foreign: Iterable[str], left_out: bool) -> list[str]:
    """Which topics of a run have no judgments (*foreign* are the first of them), and how many topics it lacks."""
    notes = []
    if own.foreign:
        notes.append(
            f"{source}: {count(own.foreign, 'topic')} without judgments ignored "
            f"({count(own.foreign_rows, 'document')}): {some(sorted(foreign))}"
        )
    missing = topics - own.answered
    if missing:
        how = "left out" if left_out else "counted as empty rankings"
        notes.append(f"{source}: lacks {missing} of the {count(topics, 'topic')} of the qrels; {how}")
    return notes


def count(number: int, thing: str) -> str:
    """A number of things, in words."""
    return f"{number} {thing}{'s' * (number != 1)}"


def some(names: Iterable[str], most: int = 5) -> str:
    """The first of many names."""
    listed = list(names)
    return ", ".join(listed[:most]) + (", …" if len(listed) > most else "")

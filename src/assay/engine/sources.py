"""What users may pass as judgments and runs: paths, directories, globs, dicts, tuples, frames, objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from assay.errors import InputError
from assay.io import frames
from assay.io.source import STDIN, expand
from assay.model.qrels import Qrels, read_qrels
from assay.model.run import Run, runs_of

IRDS = "irds:"
ReadFile = Callable[[str], list[Run]]


class RunSource(NamedTuple):
    """One place that holds runs.

    *read* returns its runs (and is told whether the rank column is needed); *path* is its file, if it is one; *name*
    is the name that the user gave its run.
    """

    read: Callable[[bool], list[Run]]
    path: str | None = None
    name: str | None = None

    def runs(self, *, rank: bool) -> list[Run]:
        """Read the runs, under the name that the user gave."""
        runs = self.read(rank)
        if self.name is None:
            return runs
        if len(runs) != 1:
            raise InputError(f"runs: {self.name!r} names {len(runs)} runs; give each a name of its own")
        return [runs[0].named(self.name)]

    def retain(self) -> RunSource:
        """Return a source that keeps its runs in memory once they are read."""
        kept: list[Run] = []

        def read(_: bool) -> list[Run]:
            if not kept:
                kept.extend(self.read(True))
            return kept

        # Without a path the file is not read in chunks, which would leave nothing to keep.
        return self._replace(read=read, path=None)


def as_qrels(qrels: Any, *, lenient: bool = False) -> Qrels:
    """Return judgments from a path, a dict of dicts, tuples, a frame, ``irds:…`` or :class:`Qrels`."""
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


def find_sources(
    runs: Any, lenient: bool = False, read: ReadFile | None = None, name: str | None = None
) -> list[RunSource]:
    """List the sources that *runs* stands for, without reading them; *read* reads a file in a special way."""
    if name is None and isinstance(runs, Mapping) and not _is_run_dict(runs):
        return [_rename(str(name), find_sources(one, lenient, read, str(name))) for name, one in runs.items()]
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


def _rename(name: str, sources: list[RunSource]) -> RunSource:
    """Combine the sources of one run under the name that the user gave it."""
    if len(sources) == 1:
        return sources[0]._replace(name=name)
    return RunSource(lambda rank: [run for source in sources for run in source.read(rank)], name=name)


def _source(one: Any, name: str, lenient: bool, read: ReadFile | None) -> RunSource:
    if isinstance(one, str) and one.startswith(IRDS):
        return RunSource(lambda rank: [Run.from_ir_datasets(one, lenient=lenient)])
    if isinstance(one, str | Path):
        path = str(one)
        source = RunSource(lambda rank: read(path) if read else runs_of(path, lenient=lenient, rank=rank), path)
        # Standard input can be read once; large input is still streamed by its path.
        return source.retain()._replace(path=path) if path == STDIN else source
    if isinstance(one, Run):
        return RunSource(lambda rank: [one])
    if isinstance(one, Mapping):
        return RunSource(lambda rank: [Run.from_dict(one, name, lenient=lenient)])
    if _is_tuples(one):
        return RunSource(lambda rank: [Run.from_tuples(one, name, lenient=lenient)])
    if _is_frame(one):
        return RunSource(lambda rank: [Run(table) for table in frames.runs(one, name, lenient)])
    raise InputError(f"runs: expected a path, Run, a dict of dicts, tuples or a frame, got {type(one).__name__}")


def _is_frame(thing: Any) -> bool:
    """Recognise a frame of any library: by Arrow's interface, or a lazy frame, or an old frame with columns only."""
    kind = type(thing)
    return any(hasattr(kind, name) for name in ("__arrow_c_stream__", "collect_schema", "columns"))


def _is_run_dict(runs: Mapping[Any, Any]) -> bool:
    """Tell ``{topic: {document: score}}`` from ``{name: run}``."""
    rankings = list(runs.values())
    if not all(isinstance(ranking, Mapping) for ranking in rankings):
        return False
    return not any(isinstance(value, Mapping) for ranking in rankings for value in ranking.values())


def _is_tuples(thing: Any) -> bool:
    """Recognise a list of ``(topic, document, value)``."""
    return isinstance(thing, list | tuple) and len(thing) > 0 and all(isinstance(row, tuple) for row in thing)


def refuse_reading_twice(qrels: Any, runs: Any) -> None:
    """Refuse standard input for both the judgments and a run."""
    listed = runs if isinstance(runs, list | tuple) else [runs]
    if isinstance(qrels, str) and qrels == STDIN and STDIN in [one for one in listed if isinstance(one, str)]:
        raise InputError("-: standard input can be read once; name a file for the qrels or for the run")

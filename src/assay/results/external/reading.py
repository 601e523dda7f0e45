"""``Results.read``: results from the values of other tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from assay.errors import InputError, MeasureError, check_choice, suggestion
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.model.arguments import check_arguments
from assay.model.arrays import Bools, Floats
from assay.model.notes import join_names, pluralize
from assay.model.provenance import Input, Provenance
from assay.results.aggregation import aggregate_values
from assay.results.external.cells import Cells
from assay.results.external.measures import MARKERS, ExternalMeasure, forget_names, parse_name
from assay.results.external.missing import POLICIES, apply_policy
from assay.results.external.sources import ReadOptions, read_sources
from assay.results.results import Results

_KEYS = ("run", "topic", "measure")
_SUMMARY_TOLERANCE = 1e-4
_PRINTED = ("trec_eval", "ir_measures")  # formats whose values may be rounded
_COARSE = 1e-6  # a larger unit of the last decimal is mentioned in a note


@dataclass(frozen=True, eq=False)
class _NamedCells:
    """The cells of a source, with the measure of each name; *frame* has the text of the measure as its name."""

    cells: Cells
    frame: pl.DataFrame
    measures: Mapping[str, Measure]


@check_arguments
def read_results(
    source: Any,
    *,
    format: str | None = None,  # noqa: A002
    run: str | None = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    lower: str | Iterable[str] = (),
    higher: str | Iterable[str] = (),
    missing: str = "error",
    split: str | None = None,
    unit: str = "topic",
    mix: bool = False,
    keep_all: bool = False,
    lenient: bool = False,
) -> Results:
    """Read values; see :meth:`assay.Results.read`."""
    check_choice(f"missing {missing!r}", missing, POLICIES)
    forget_names()
    selection = None if measures is None else _Selection(measures)
    names = None if selection is None else frozenset(selection.names)
    sources = read_sources(source, run, ReadOptions(format, split, unit, keep_all, lenient, names))
    if not sources:
        raise InputError("source: name at least one file, table or dict of values")
    directions = _Directions.of(lower, higher)
    notes = [note for cells in sources for note in _list_notes(cells, selection)]
    named = []
    for cells in sources:
        distinct, duplicate_notes = _drop_duplicates(cells, lenient)
        notes += [*duplicate_notes, *_check_summaries(distinct, selection)]
        named.append(_name_measures(distinct, selection, directions))
    directions.refuse_unknown()
    if selection is not None:
        selection.refuse_unknown(named)
    _check_runs(named)
    if not mix:
        _check_origins(named)
    settings = {"missing": missing, **{name: True for name, flag in (("mix", mix), ("keep_all", keep_all)) if flag}}
    provenance = Provenance(tuple(map(_to_input, sources))).with_settings(**settings)
    return _combine(named, selection, missing, provenance, (*notes, *_note_resolution(sources)))


def _combine(
    named: Sequence[_NamedCells],
    selection: _Selection | None,
    missing: str,
    provenance: Provenance,
    notes: tuple[str, ...],
) -> Results:
    """Return the results of all sources, with the policy on missing values applied."""
    table = pl.concat([one.frame.with_columns(pl.lit(number).alias("source")) for number, one in enumerate(named)])
    sources = [one.cells for one in named]
    if table.is_empty():
        raise InputError(f"{sources[0].source}: contains no values")
    _refuse_shared_cells(table, sources)
    by_name = {name: measure for one in named for name, measure in one.measures.items()}
    order = table["measure"].unique(maintain_order=True).to_list()
    measures = tuple(by_name[name] for name in (order if selection is None else selection.sort(order)))
    axes = {"measures": measures, "runs": tuple(table["run"].unique(maintain_order=True))}
    axes["topics"] = tuple(table["topic"].unique().sort())
    values, lacking = _to_arrays(table, [cells.origin for cells in sources], **axes)
    measure_notes = _note_measures(measures, values, lacking)
    values, missing_notes = apply_policy(values, lacking, missing, **axes)
    errors = np.broadcast_to(0.0, values.shape)
    return Results(
        **axes, values=values, errors=errors, provenance=provenance, notes=(*notes, *measure_notes, *missing_notes)
    )


class _Selection:
    """The measures to read: for each, the name that the user wrote, and the names that assay prints for it."""

    def __init__(self, measures: str | Measure | Iterable[str | Measure]) -> None:
        requested = [measures] if isinstance(measures, str | Measure) else list(measures)
        if not requested:
            raise InputError("measures: name at least one measure, such as AP")
        self._groups = {str(one): [str(one), *_list_printed_names(one)] for one in requested}
        self.names = list(dict.fromkeys(name for group in self._groups.values() for name in group))

    def contains(self, *names: str) -> bool:
        """Return True if one of the names was requested."""
        return bool(set(names) & set(self.names))

    def sort(self, names: Sequence[str]) -> list[str]:
        """Return names in the order in which they were requested; names that only a file contains come first."""
        return sorted(names, key=lambda name: self.names.index(name) if name in self.names else -1)

    def refuse_unknown(self, named: Sequence[_NamedCells]) -> None:
        """Raise an error for a measure without values."""
        available: dict[str, str] = {}
        for one in named:
            for name in one.cells.frame["measure"].unique(maintain_order=True):
                available[name] = str(parse_name(name, one.cells.origin) or name)
        known = {*available, *available.values()}
        for text, group in self._groups.items():
            if available and not known & set(group):
                shown = join_names(dict.fromkeys(available.values()), 20)
                raise InputError(f"measure '{text}' is not among these values; available measures: {shown}")


def _list_printed_names(measure: str | Measure) -> list[str]:
    """Return the names that assay prints for a measure, or for a set of measures such as ``official``."""
    try:
        return list(map(str, parse_measures(measure)))
    except MeasureError:
        return []  # the name of an external measure


def _list_notes(cells: Cells, selection: _Selection | None) -> list[str]:
    """Return the notes of a source; texts are mentioned only if all measures are read."""
    return [note for note in cells.notes if selection is None or not getattr(note, "kind", "")]


class _Directions:
    """Stated directions of external measures; each must be used."""

    def __init__(self, stated: Mapping[str, str]) -> None:
        self._stated = stated
        self._used: set[str] = set()

    @classmethod
    def of(cls, lower: str | Iterable[str], higher: str | Iterable[str]) -> _Directions:
        """Return the directions; a measure cannot have both."""
        lists = {
            name: [texts] if isinstance(texts, str) else [str(text) for text in texts]
            for name, texts in (("lower", lower), ("higher", higher))
        }
        both = sorted(set(lists["lower"]) & set(lists["higher"]))
        if both:
            raise InputError(f"lower {both[0]!r}: is among the measures of higher, too; state one direction")
        return cls({measure: direction for direction, measures in lists.items() for measure in measures})

    def build(self, name: str) -> ExternalMeasure:
        """Return the external measure with this name."""
        self._used.add(name)
        return ExternalMeasure(label=name, direction=self._stated.get(name, "unstated"))

    def check_known(self, name: str, measure: Measure) -> None:
        """Raise an error if the direction of a measure of assay was stated."""
        for stated in {name, str(measure)} & self._stated.keys():
            better = "lower" if measure.lower_is_better else "higher"
            raise InputError(
                f"{self._stated[stated]} {stated!r}: is the measure {measure} of assay, for which {better} values are "
                "better; state directions of other measures only"
            )

    def refuse_unknown(self) -> None:
        """Raise an error for a direction of a measure that does not occur."""
        for name, direction in self._stated.items():
            if name not in self._used:
                hint = (
                    suggestion(name, self._used) or f"; other measures are {join_names(sorted(self._used)) or 'none'}"
                )
                raise InputError(f"{direction} {name!r}: no values of this measure{hint}")


def _drop_duplicates(cells: Cells, lenient: bool) -> tuple[Cells, list[str]]:
    """Refuse two values of one run, topic and measure; a lenient reader keeps the first."""
    is_repeated = ~cells.frame.select(pl.struct(*_KEYS).is_first_distinct()).to_series()
    repeated = is_repeated.arg_true()
    if not len(repeated):
        return cells, []
    row = int(repeated[0])
    run, topic, measure = cells.frame.select(_KEYS).row(row)
    message = f"{cells.locate(row)}: a second value of {measure} for run {run} and topic {topic}"
    if not lenient:
        raise InputError(f"{message}; keep one (lenient reading keeps the first)")
    rows = np.flatnonzero(~is_repeated.to_numpy())
    note = f"{cells.source}: skipped {pluralize(len(repeated), 'repeated value')} (first: {message})"
    return replace(cells, frame=cells.frame[rows], locate=lambda index: cells.locate(int(rows[index]))), [note]


def _check_summaries(cells: Cells, selection: _Selection | None) -> list[str]:
    """Return a note if the file's own values over topics differ from those of the topics that were read."""
    if cells.summaries is None or cells.summaries.is_empty():
        return []
    groups = cells.frame.group_by("run", "measure").agg("value")
    by_measure = {(run, measure): values for run, measure, values in groups.iter_rows()}
    different = []
    for run, name, summary in cells.summaries.iter_rows():
        values = [value for value in by_measure.get((run, name), []) if value is not None]
        if not values or summary is None or name in MARKERS:
            continue
        measure = parse_name(name, cells.origin)
        if selection is not None and not selection.contains(name, str(measure)):
            continue
        aggregate = "mean" if measure is None else measure.aggregate
        value = aggregate_values(np.array(values), aggregate)
        if abs(value - summary) > (1e-9 if aggregate == "sum" else _SUMMARY_TOLERANCE + 1e-9):
            word, topics = ("sum" if aggregate == "sum" else "mean"), pluralize(len(values), "topic")
            different.append(f"{name}: the file's own {word} is {summary:g}, that of its {topics} {value:.6g}")
    if not different:
        return []
    more = f" (also {len(different) - 1} other measures)" if different[1:] else ""
    return [f"{cells.source}: {different[0]}: topics may be missing{more}"]


def _name_measures(cells: Cells, selection: _Selection | None, directions: _Directions) -> _NamedCells:
    """Replace the names of measures by those of assay; drop measures that were not requested."""
    names: dict[str, str] = {}
    measures: dict[str, Measure] = {}
    for name in cells.frame["measure"].unique(maintain_order=True):
        known = parse_name(name, cells.origin)
        measure = directions.build(name) if known is None else known
        if known is not None:
            directions.check_known(name, known)
        if selection is None or selection.contains(name, str(measure)):
            names[name], measures[str(measure)] = str(measure), measure
    frame = cells.frame.filter(pl.col("measure").is_in(list(names)))
    if len(measures) < len(names):
        frame = _merge_names(frame, names, cells.source)
    return _NamedCells(cells, frame.with_columns(pl.col("measure").replace(names)), measures)


def _merge_names(frame: pl.DataFrame, names: Mapping[str, str], source: str) -> pl.DataFrame:
    """Keep the first of several names of one measure; different values are an error."""
    target = pl.col("measure").replace(names)
    values = frame.group_by("run", "topic", target.alias("target")).agg(pl.col("value").n_unique().alias("count"))
    different = values.filter(pl.col("count") > 1)
    if len(different):
        run, topic, measure, _ = different.row(0)
        texts = [text for text, name in names.items() if name == measure]
        raise InputError(
            f"{source}: {' and '.join(texts)} are the same measure ({measure}), but have different values for run "
            f"{run} and topic {topic}; keep one"
        )
    return frame.filter(pl.struct("run", "topic", target).is_first_distinct())


def _check_runs(named: Sequence[_NamedCells]) -> None:
    """Refuse a run in two sources; an MTEB model has a file for each task."""
    sources: dict[str, _NamedCells] = {}
    for one in named:
        for run in one.frame["run"].unique(maintain_order=True):
            other = sources.setdefault(run, one)
            if other is not one and {one.cells.origin, other.cells.origin} != {"mteb"}:
                raise InputError(
                    f"{one.cells.source}: run {run} is in {other.cells.source}, too; name the runs, as in "
                    "{'name': 'file'} or NAME=FILE"
                )


def _check_origins(named: Sequence[_NamedCells]) -> None:
    """Refuse values of one measure from several formats: the same name need not be the same definition."""
    origins: dict[str, _NamedCells] = {}
    for one in named:
        for name in one.frame["measure"].unique():
            other = origins.setdefault(name, one)
            if other.cells.origin != one.cells.origin:
                raise InputError(
                    f"{name}: {other.cells.source} is of format {other.cells.origin}, {one.cells.source} of format "
                    f"{one.cells.origin}; definitions may differ, so evaluate all runs with one tool (or use mix=True)"
                )


def _refuse_shared_cells(table: pl.DataFrame, sources: Sequence[Cells]) -> None:
    """Refuse two values of one cell in different sources, such as two revisions of a model."""
    repeated = (~table.select(pl.struct(*_KEYS).is_first_distinct()).to_series()).arg_true()
    if len(repeated):
        run, topic, measure = table.select(_KEYS).row(int(repeated[0]))
        source = sources[table["source"][int(repeated[0])]].source
        raise InputError(
            f"{source}: a second value of {measure} for run {run} and topic {topic}; name one file of each"
        )


def _to_arrays(
    table: pl.DataFrame,
    origins: Sequence[str],
    *,
    measures: tuple[Measure, ...],
    runs: tuple[str, ...],
    topics: tuple[str, ...],
) -> tuple[Floats, Bools]:
    """Return the values, measures x runs x topics, and the missing cells.

    A cell is missing if its row has no value, or if it has no row although another run has a row for the topic and the
    measure. In the output of assay, a topic without a value of any run is not missing: a policy excluded it.
    """
    axes = (("measure", tuple(map(str, measures))), ("run", runs), ("topic", topics))
    index = tuple(table[name].cast(pl.Enum(labels)).to_physical().to_numpy() for name, labels in axes)
    shape = tuple(len(labels) for _, labels in axes)
    values, has_row, excluded = np.full(shape, np.nan), np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    values[index] = table["value"].fill_null(np.nan).to_numpy()
    has_row[index] = True
    is_assay = np.array([origin == "assay" for origin in origins])
    excluded[index] = is_assay[table["source"].to_numpy()]
    is_nan = np.isnan(values)
    lacking = is_nan & has_row.any(axis=1, keepdims=True)
    lacking &= ~((is_nan & (excluded | ~has_row)).all(axis=1, keepdims=True))
    return values, lacking


def _to_input(cells: Cells) -> Input:
    runs = cells.frame["run"].unique()
    name = runs[0] if len(runs) == 1 else cells.source
    return Input("values", name, cells.source, cells.digest, cells.origin, cells.resolution)


def _note_resolution(sources: Sequence[Cells]) -> list[str]:
    """Return a note if values are rounded."""
    units = [one.resolution for one in sources if one.origin in _PRINTED and one.resolution is not None]
    coarsest = max((unit for unit in units if _COARSE < unit < 1), default=None)
    if coarsest is None:
        return []
    change = f"which changes a difference of two values by at most {coarsest:g}"
    return [f"values are rounded to multiples of {coarsest:g}, {change}"]


def _note_measures(measures: Sequence[Measure], values: Floats, lacking: Bools) -> list[str]:
    """Return notes on measures whose direction was not stated, and on topics without a value of any run."""
    notes = []
    for measure, block, is_missing in zip(measures, values, lacking, strict=True):
        if isinstance(measure, ExternalMeasure) and measure.direction == "unstated":
            notes.append(
                f"{measure}: not a measure that assay knows, so higher values count as better; state lower "
                f"'{measure}' or higher '{measure}'"
            )
        absent = int((np.isnan(block) & ~is_missing).all(axis=0).sum())
        if absent:
            notes.append(f"{measure}: has values on {block.shape[1] - absent} of {pluralize(block.shape[1], 'topic')}")
    return notes

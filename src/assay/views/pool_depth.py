"""Tables of the effect of deeper judging."""

from __future__ import annotations

import polars as pl

from assay.errors import InputError
from assay.meta.left_out import LeftOut
from assay.meta.pool_depth import PoolDepth
from assay.views.tables import Table

SHOWN = {
    "summary": "each measure and pool",
    "runs": "the value of each run with each pool",
    "falls": "where values fall when judgments are added",
}
GROUPED = {
    "reuse": "each measure: how much leaving out a group matters at most",
    "groups": "each group and measure",
    "left-out": "each run and measure without what its group contributed",
}
ALL = "all"


def pool_depth(report: PoolDepth, shown: str | None = None) -> Table:
    """One of the tables; by default a summary, with groups that of leaving them out."""
    kind = shown or ("summary" if report.left_out is None else "reuse")
    if kind in SHOWN:
        tidy = {"summary": report.summary, "runs": report.frame, "falls": report.violations}[kind]()
        wide = _runs(report) if kind == "runs" else _depths(tidy)
        return Table(tidy, wide, _best(report, kind), report.provenance, (*report.notes, *_directions(report)))
    if report.left_out is None:
        raise InputError(f"--show {kind} needs --groups FILE, with lines of a run and its group")
    left = report.left_out
    frame = {"reuse": left.summary, "groups": left.by_group, "left-out": left.frame}[kind]()
    return Table(frame, frame, provenance=report.provenance, notes=(*report.notes, _left(left)))


def _best(report: PoolDepth, kind: str) -> tuple[str, ...]:
    costs = any(measure.lower_is_better for measure in report.measures)
    return () if kind != "runs" or costs or len(report.measures) > 1 else (*map(str, report.depths), ALL)


def _depths(frame: pl.DataFrame) -> pl.DataFrame:
    """With a word for the pool of all judgments, and p-values left to programs: tau tells more."""
    names = [name for name in ("depth", "deeper") if name in frame.columns]
    width = max(len(name) for name in names)
    texts = [frame[name].cast(pl.String).fill_null(ALL).str.pad_start(width) for name in names]
    shown = frame.with_columns(texts)
    return shown.drop([name for name in ("p", "largest") if name in shown.columns])


def _runs(report: PoolDepth) -> pl.DataFrame:
    """A column for each depth."""
    frame, pools = report.frame(), [*map(str, report.depths), ALL]
    columns = [frame["value"].gather_every(len(pools), offset=i).alias(name) for i, name in enumerate(pools)]
    return frame.select("run", "measure").gather_every(len(pools)).with_columns(columns)


def _directions(report: PoolDepth) -> list[str]:
    """Note that measures that cannot fall did not, and how often the others did."""
    rankings = len(report.runs) * len(report.results[0].topics)
    fallen = (report.falls > 0).sum(axis=(1, 2, 3))
    steady = [str(one) for one, sure in zip(report.measures, report.guaranteed, strict=True) if sure]
    notes = []
    if steady and not fallen[report.guaranteed].any():
        checked = f"checked on {rankings} rankings, from each pool to the next"
        notes.append(f"{', '.join(steady)}: cannot fall when judgments are added, and did not ({checked})")
    for measure, sure, number in zip(report.measures, report.guaranteed, fallen.tolist(), strict=True):
        if number:
            although = ", although it cannot" if sure else ""
            notes.append(f"{measure}: fell {number} times when judgments were added{although} (--show falls)")
    return notes


def _left(left: LeftOut) -> str:
    unique, relevant = left.unique.sum(axis=0).tolist()
    return (
        f"{len(left.groups)} groups: {unique} judgments, {relevant} of them relevant, are of documents that "
        f"runs of one group only have among their first {left.depth}"
    )

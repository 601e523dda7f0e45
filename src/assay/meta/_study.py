"""A study of measures on one collection. Its steps are recorded, so that an interrupted study can be resumed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError
from assay.io.paths import file_errors, path_text
from assay.io.study_record import Record, count_rows, read_table
from assay.io.writing import write_file
from assay.measures import measures as parse_measures
from assay.meta._study_summary import SUMMARY, arrange_table, render_study
from assay.meta.groups import number_groups
from assay.meta.study_steps import StudyContext, StudySettings, StudyStep, build_steps
from assay.model.arguments import check_arguments
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.run_pairs import require_two_runs
from assay.results.tables import Table

Watch = Callable[[str, int, int], None]


@dataclass(frozen=True, eq=False)
class Study(Report):
    """A folder of tables, which are also the tables of this report; the report of :func:`study`.

    Attributes
    ----------
    folder
        The folder of the tables.
    steps
        The steps of the study.
    resumed
        The names of the steps that were already complete when the study was started.
    files
        For each step name, the names of the tables that it wrote.
    provenance, notes
        The inputs and settings of the study, and notes on what was ignored or assumed.
    """

    folder: Path
    steps: tuple[StudyStep, ...]
    resumed: tuple[str, ...]
    files: Mapping[str, tuple[str, ...]]
    provenance: Provenance
    notes: tuple[str, ...]

    name = "study"
    tables: ClassVar[Mapping[str, str]] = {
        "overview": "the steps of the study, their tables and files; tables are named after their files"
    }

    def __post_init__(self) -> None:
        """Add the tables of the steps."""
        tables = {name: step.about for step in self.steps for name in self.files[step.name]}
        object.__setattr__(self, "tables", {**self.tables, **tables})

    def __repr__(self) -> str:
        tables = pluralize(len(self.tables) - 1, "table")
        return f"Study({str(self.folder)!r}: {pluralize(len(self.steps), 'step')}, {tables})"

    def frame(self) -> pl.DataFrame:
        """Return a row for each table: step, table, rows, file (the Parquet file)."""
        rows = [
            (step.name, name, count_rows(self.folder, name), f"{name}.parquet")
            for step in self.steps
            for name in self.files[step.name]
        ]
        schema = {"step": pl.String, "table": pl.String, "rows": pl.Int64, "file": pl.String}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def summary(self) -> str:
        """Return the size of the study and the folder of its tables."""
        runs = pluralize(len(self.provenance.sources), "run")
        measures, steps = len(self.provenance.settings["measures"]), pluralize(len(self.steps), "step")
        tables = pluralize(len(self.tables) - 1, "table")
        resumed = f" {len(self.resumed)} of {steps} were already complete." if self.resumed else ""
        return (
            f"Studied {pluralize(measures, 'measure')} on {runs} in {steps}. {self.folder} contains {tables} as "
            f"Parquet and CSV; {SUMMARY} in the same folder shows the main tables.{resumed}"
        )

    def table(self, show: str | None = None) -> Table:
        """Return the overview, or the table of the study with the given name."""
        if show is not None and show != "overview" and show in self.tables:
            return replace(arrange_table(show, read_table(self.folder, show)), name=show)
        return super().table(show)

    def _show_overview(self) -> Table:
        by_step = self.frame().group_by("step", maintain_order=True)
        compact = by_step.agg(
            pl.len().cast(pl.Int64).alias("tables"),
            pl.col("rows").sum(),
            pl.col("table").first().add(".csv").alias("first file"),
        )
        return Table(self.frame(), compact)


@check_arguments
def study(
    campaign: Campaign,
    folder: str | Path,
    settings: StudySettings | Mapping[str, Any] = StudySettings(),
    *,
    fresh: bool = False,
    watch: Watch | None = None,
) -> Study:
    """Study the agreement, robustness and discriminative power of measures, and write the tables to a folder.

    The defaults are the settings of the papers on Twist and RBP. Effort, order, balancing and distances are not part
    of a study.

    Each step writes its tables as Parquet and CSV. It is then recorded in ``study.json`` with the SHA-256 digests of
    its files. An interrupted study skips the recorded steps whose files match the record. At the end, ``summary.md``
    shows the main tables. The same inputs and settings give identical files.

    Parameters
    ----------
    campaign
        Judgments and at least two runs. Read the campaign with ``keep="judgments"``; otherwise the runs are read again.
    folder
        The folder of the tables. It is created if it does not exist. It must not contain a study with other inputs or
        settings.
    settings
        A dict such as ``{"measures": ["AP", "nDCG@10"], "seeds": 5}`` with any of *measures*, *best* (the fraction of
        runs), *ratios* (percentages of judgments), *seeds*, *depths* (of pools), *resamples*, *alpha*, *levels*, *seed*
        and *groups* (a file or dict).
    fresh
        Start again if the folder already contains a study.
    watch
        Function that is called at the beginning of each step with the name of the step, the number of steps done and
        the total number of steps.
    """
    settings = StudySettings.of(settings)
    measures = parse_measures(settings.measures)
    if "AP" not in map(str, measures):
        raise InputError("measures: a study needs AP to select the best runs; add AP")
    require_two_runs(campaign.runs)
    target = _create_folder(path_text(folder))
    context = StudyContext(campaign, measures, settings, target)
    record = Record.resume(target, _identify_study(context), fresh)
    (target / SUMMARY).unlink(missing_ok=True)  # Only a complete study has a summary.
    all_steps = build_steps(settings)
    resumed = []
    for number, step in enumerate(all_steps):
        if watch is not None:
            watch(step.name, number, len(all_steps))
        if record.holds(step.name):
            resumed.append(step.name)
            continue
        record.write(step.name, step.compute(context))
    if watch is not None:
        watch("", len(all_steps), len(all_steps))
    files = {step.name: _table_names(record.done[step.name]) for step in all_steps}
    provenance = campaign.provenance.with_settings(**_plain_settings(context))
    text = render_study(target, [name for names in files.values() for name in names], provenance)
    write_file(target / SUMMARY, text.encode())
    return Study(target, all_steps, tuple(resumed), files, provenance, campaign.notes)


def _table_names(files: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the tables in a list of files; the same table is written in several formats."""
    return tuple(dict.fromkeys(Path(file).stem for file in files))


def _identify_study(context: StudyContext) -> dict[str, Any]:
    """Return everything that a study depends on: settings, policies, version and inputs.

    Inputs are identified without their directories, so that a study can be resumed after the files were moved.
    """
    provenance = context.campaign.provenance.as_dict()
    inputs = [
        {**one, "name": one["name"] if one["role"] == "run" else "qrels", "source": Path(one["source"]).name}
        for one in provenance["inputs"]
    ]
    return {"settings": _plain_settings(context), **provenance, "inputs": inputs}


def _plain_settings(context: StudyContext) -> dict[str, Any]:
    """Return the settings as plain values, with the group of each run."""
    runs = context.campaign.runs
    settings = {
        name: list(value) if isinstance(value, tuple) else value for name, value in asdict(context.settings).items()
    }
    groups = settings.pop("groups")
    if groups is None:
        return settings
    names, number = number_groups(runs, groups)
    return {**settings, "groups": dict(zip(runs, (names[i] for i in number), strict=True))}


def _create_folder(folder: str) -> Path:
    if os.path.isfile(folder):
        raise InputError(f"{folder}: is a file; choose a folder for the study")
    with file_errors(folder, "cannot be created"):
        os.makedirs(folder, exist_ok=True)
    return Path(folder)

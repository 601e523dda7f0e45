"""A study of measures on one or several collections. Its steps are recorded, so that it can be resumed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import AssayError, InputError
from assay.io.paths import file_errors, path_text
from assay.io.study_record import MANIFEST, Record, count_rows, read_table
from assay.io.writing import write_file
from assay.measures import measures as parse_measures
from assay.meta._study_index import INDEX, arrange_table, render_collections, render_index
from assay.meta.groups import number_groups
from assay.meta.study_context import Plot, StudyContext, StudySettings
from assay.meta.study_steps import StudyStep, build_steps
from assay.model.arguments import check_arguments
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.run_pairs import require_two_runs
from assay.results.tables import Table

Watch = Callable[[str, int, int], None]


@dataclass(frozen=True, eq=False)
class Study(Report):
    """A folder of tables, which are also the tables of this report, and figures; the report of :func:`study`.

    Attributes
    ----------
    folder
        The folder of the study.
    steps
        The steps of the study. The steps of several collections begin with the collection, such as ``trec8/scores``.
    resumed
        The names of the steps that were already complete when the study was started.
    files
        For each step name, the names of the tables that it wrote.
    figures
        The names of the figures that were drawn.
    skipped
        For each step that could not be computed, the reason.
    provenance, notes
        The inputs and settings of the study, and notes on what was ignored or assumed.
    collections
        The names of the collections; empty if the study has one collection.
    """

    folder: Path
    steps: tuple[StudyStep, ...]
    resumed: tuple[str, ...]
    files: Mapping[str, tuple[str, ...]]
    figures: tuple[str, ...]
    skipped: Mapping[str, str]
    provenance: Provenance
    notes: tuple[str, ...]
    collections: tuple[str, ...] = ()

    name = "study"
    tables: ClassVar[Mapping[str, str]] = {
        "overview": "the steps of the study, their tables and files; tables are named after their files"
    }

    def __post_init__(self) -> None:
        """Add the tables of the steps."""
        tables = {name: step.about for step in self.steps for name in self.files[step.name]}
        object.__setattr__(self, "tables", {**self.tables, **tables})

    def __repr__(self) -> str:
        return f"Study({str(self.folder)!r}: {self._describe_contents()})"

    def _describe_contents(self) -> str:
        tables = pluralize(len(self.tables) - 1, "table")
        return f"{tables} and {pluralize(len(self.figures), 'figure')}" if self.figures else tables

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
        """Return the size of the study, its index page, and the number of steps that were skipped."""
        runs = pluralize(len(self.provenance.sources), "run")
        runs += f" of {pluralize(len(self.collections), 'collection')}" if self.collections else ""
        measures, steps = len(self.provenance.settings["measures"]), pluralize(len(self.steps), "step")
        resumed = f" {len(self.resumed)} of {steps} were already complete." if self.resumed else ""
        skipped = f" Not computed: {', '.join(self.skipped)}; {INDEX} shows the reasons." if self.skipped else ""
        return (
            f"Studied {pluralize(measures, 'measure')} on {runs} in {steps}. {self.folder} contains "
            f"{self._describe_contents()}; {INDEX} in the same folder shows them.{skipped}{resumed}"
        )

    def table(self, show: str | None = None) -> Table:
        """Return the overview, or the table of the study with the given name."""
        if show is not None and show != "overview" and show in self.tables:
            return replace(arrange_table(show.rpartition("/")[2], read_table(self.folder, show)), name=show)
        return super().table(show)

    def _show_overview(self) -> Table:
        by_step = self.frame().group_by("step", maintain_order=True)
        compact = by_step.agg(
            pl.len().cast(pl.Int64).alias("tables"), pl.col("rows").sum(), pl.col("file").first().alias("first file")
        )
        return Table(self.frame(), compact)


@check_arguments
def study(
    campaign: Campaign | Mapping[str, Campaign],
    folder: str | Path,
    settings: StudySettings | Mapping[str, Any] = StudySettings(),
    *,
    plot: Plot | None = None,
    fresh: bool = False,
    watch: Watch | None = None,
) -> Study:
    """Run the analyses of the five papers on a collection, and write the tables and figures to a folder.

    The defaults are the settings of the papers on Twist and RBP. The analyses are: values, judgments, agreement of
    measures, pool depth, reusability (with *groups*), significance counts, discriminative power, robustness, effort
    with archetypes, effort against gain, bounds of RBP, the partial order, axioms, balancing index, and MED of the five
    best runs. A few analyses depend on a choice that a study does not make, such as a topic, and have their own
    functions.

    Each step writes its tables as Parquet. It is then recorded in ``study.json`` with the SHA-256 digests of its files.
    An interrupted study skips the recorded steps whose files match the record. At the end, ``index.html`` shows all
    tables and figures. The same inputs and settings give identical files.

    Parameters
    ----------
    campaign
        Judgments and at least two runs, or a dict with a campaign for each collection; every collection then has a
        folder of its own. Read campaigns with ``keep="judgments"``; otherwise the runs are read again.
    folder
        The folder of the study. It is created if it does not exist. It must not contain a study with other inputs or
        settings.
    settings
        A dict such as ``{"measures": ["AP", "nDCG@10"], "seeds": 5}`` with any of *measures*, *best* (the fraction of
        runs), *ratios* (percentages of judgments), *seeds*, *depths* (of pools), *resamples*, *alpha*, *levels*, *seed*
        and *groups* (a file or dict).
    plot
        The function that draws figures, ``assay.plot``; None: no figures.
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
    if isinstance(campaign, Mapping):
        return _study_collections(campaign, path_text(folder), settings, plot=plot, fresh=fresh, watch=watch)
    require_two_runs(campaign.runs)
    target = _create_folder(path_text(folder))
    context = StudyContext(campaign, measures, settings, target, plot)
    record = Record.resume(target, _identify_study(context), fresh)
    (target / INDEX).unlink(missing_ok=True)  # Only a complete study has an index page.
    all_steps = build_steps(settings, plot)
    resumed = []
    for number, step in enumerate(all_steps):
        if watch is not None:
            watch(step.name, number, len(all_steps))
        if record.holds(step.name) or (step.part_of is not None and record.holds(step.part_of)):
            resumed.append(step.name)
        else:
            _compute_step(record, step, context)
        record.remove([part.name for part in all_steps if part.part_of == step.name])
    if watch is not None:
        watch("", len(all_steps), len(all_steps))
    files = {step.name: _name_files(record.done.get(step.name, {}), ".parquet") for step in all_steps}
    report = Study(
        folder=target,
        steps=all_steps,
        resumed=tuple(resumed),
        files=files,
        figures=tuple(name for step in all_steps for name in _name_files(record.done.get(step.name, {}), ".png")),
        skipped={step.name: record.skipped[step.name] for step in all_steps if step.name in record.skipped},
        provenance=campaign.provenance.with_settings(**_plain_settings(context)),
        notes=campaign.notes,
    )
    sections = [(step, files[step.name]) for step in all_steps if not step.name.startswith("figure ")]
    write_file(
        target / INDEX, render_index(target, sections, report.figures, report.skipped, report.provenance).encode()
    )
    return report


def _compute_step(record: Record, step: StudyStep, context: StudyContext) -> None:
    """Compute and record a step. An optional step that is impossible with these inputs is skipped."""
    try:
        contents = step.compute(context)
    except AssayError as error:
        if not step.optional:
            raise
        record.skip(step.name, str(error))
        return
    record.write(step.name, contents)


def _study_collections(
    campaigns: Mapping[str, Campaign],
    folder: str,
    settings: StudySettings,
    **options: Any,
) -> Study:
    """Study each collection in a folder of its own, and write an index page for all."""
    if not campaigns:
        raise InputError("campaign: name at least one collection")
    for name in campaigns:
        if not isinstance(name, str) or name in ("", ".", "..") or any(char in name for char in "/\\\0"):
            raise InputError(f"campaign: {name!r} cannot be the name of a folder; choose another name")
        require_two_runs(campaigns[name].runs)
    target = _create_folder(folder)
    if (target / MANIFEST).exists():
        raise InputError(f"{folder}: holds a study of one collection; choose another folder")
    (target / INDEX).unlink(missing_ok=True)
    studies = {name: study(one, target / name, settings, **options) for name, one in campaigns.items()}
    counts = {
        name: {
            "runs": len(campaigns[name].runs),
            "topics": len(campaigns[name].topics),
            "tables": len(one.tables) - 1,
            "figures": len(one.figures),
        }
        for name, one in studies.items()
    }
    write_file(target / INDEX, render_collections(counts).encode())
    return _combine_studies(target, studies)


def _combine_studies(folder: Path, studies: Mapping[str, Study]) -> Study:
    """Return one report of several studies; the names of steps, tables and figures begin with the collection."""
    first = next(iter(studies.values()))
    inputs = tuple(item for one in studies.values() for item in one.provenance.inputs)
    return Study(
        folder=folder,
        steps=tuple(step._replace(name=f"{name}/{step.name}") for name, one in studies.items() for step in one.steps),
        resumed=tuple(f"{name}/{step}" for name, one in studies.items() for step in one.resumed),
        files={
            f"{name}/{step}": tuple(f"{name}/{table}" for table in tables)
            for name, one in studies.items()
            for step, tables in one.files.items()
        },
        figures=tuple(f"{name}/{figure}" for name, one in studies.items() for figure in one.figures),
        skipped={f"{name}/{step}": why for name, one in studies.items() for step, why in one.skipped.items()},
        provenance=replace(first.provenance, inputs=inputs),
        notes=tuple(f"{name}: {note}" for name, one in studies.items() for note in one.notes),
        collections=tuple(studies),
    )


def _name_files(files: Iterable[str], suffix: str) -> tuple[str, ...]:
    """Return the names of the files with this suffix, without the suffix."""
    return tuple(name.removesuffix(suffix) for name in files if name.endswith(suffix))


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

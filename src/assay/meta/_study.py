"""A whole study of measures on one collection, in steps that are kept: an interrupted study can be resumed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError
from assay.io.paths import file_errors, path_text
from assay.io.study_record import Record, read_table
from assay.measures import measures as parse_measures
from assay.meta.groups import number_groups
from assay.meta.study_steps import StudyContext, StudySettings, StudyStep, steps
from assay.model.arguments import check_arguments

Watch = Callable[[str, int, int], None]


class Study(NamedTuple):
    """The result of :func:`study`: the folder with its tables, the steps, and those that were done before."""

    folder: Path
    steps: tuple[StudyStep, ...]
    resumed: tuple[str, ...]
    notes: tuple[str, ...]
    provenance: dict[str, Any]

    def table(self, name: str) -> pl.DataFrame:
        """Read one of the tables."""
        return read_table(self.folder, name)


@check_arguments
def study(
    campaign: Campaign,
    folder: str | Path,
    settings: StudySettings | Mapping[str, Any] = StudySettings(),
    *,
    fresh: bool = False,
    watch: Watch | None = None,
) -> Study:
    """Study how measures agree, depend on judgments and separate runs, and write the tables to a folder.

    The defaults are the settings of the papers on Twist and RBP. Effort, order, balancing and distances are not part
    of a study.

    Each step writes its tables as Parquet and CSV and is then recorded in ``study.json`` with their SHA-256. A study
    that was interrupted goes on with the first step that is not recorded, or whose files are not what was recorded. The
    same inputs and settings give the same bytes.

    Parameters
    ----------
    campaign
        Judgments and at least two runs; best read with ``keep="judgments"``.
    folder
        The folder of the tables; made if it does not exist. One that holds a study with other inputs or settings is
        refused.
    settings
        A dict such as ``{"measures": ["AP", "nDCG@10"], "seeds": 5}`` of any of *measures*, *best* (the share of runs),
        *ratios* (per cent of judgments), *seeds*, *depths* (of pools), *resamples*, *alpha*, *levels*, *seed* and
        *groups* (a file or dict). The defaults are those of the papers on Twist and RBP.
    fresh
        Begin anew in a folder that holds a study.
    watch
        Called with the name of each step that is begun, how many steps are done and how many there are.
    """
    settings = StudySettings.of(settings)
    chosen = parse_measures(settings.measures)
    if "AP" not in map(str, chosen):
        raise InputError("measures: a study needs AP, by which the best runs are chosen; add it")
    if len(campaign.runs) < 2:
        raise InputError(f"runs: a study compares orders of runs; name at least two, found {len(campaign.runs)}")
    target = _make_folder(path_text(folder))
    context = StudyContext(campaign, chosen, settings, target)
    identity = _identity(context)
    record = Record.resume(target, identity, fresh)
    every = steps(settings)
    resumed = []
    for number, step in enumerate(every):
        if watch is not None:
            watch(step.name, number, len(every))
        if record.holds(step.name):
            resumed.append(step.name)
            continue
        record.write(step.name, step.make(context))
    if watch is not None:
        watch("", len(every), len(every))
    return Study(target, every, tuple(resumed), campaign.notes, identity)


def _identity(context: StudyContext) -> dict[str, Any]:
    """Return all that a study depends on: settings, policies, version, and the inputs wherever they are."""
    runs = context.campaign.runs
    settings = {
        name: list(value) if isinstance(value, tuple) else value for name, value in asdict(context.settings).items()
    }
    groups = settings.pop("groups")
    if groups is not None:
        names, number = number_groups(runs, groups)
        settings["groups"] = dict(zip(runs, (names[i] for i in number), strict=True))
    provenance = context.campaign.provenance.as_dict()
    inputs = [
        {**one, "name": one["name"] if one["role"] == "run" else "qrels", "source": Path(one["source"]).name}
        for one in provenance["inputs"]
    ]
    return {"settings": settings, **provenance, "inputs": inputs}


def _make_folder(folder: str) -> Path:
    if os.path.isfile(folder):
        raise InputError(f"{folder}: is a file; name a folder for the study")
    with file_errors(folder, "cannot be made"):
        os.makedirs(folder, exist_ok=True)
    return Path(folder)

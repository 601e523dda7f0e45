"""A whole study of measures on one collection, step by step: what is done is kept, what is left is done next time."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from assay.engine.workers import Progress
from assay.errors import InputError
from assay.io.paths import file_errors, path_text
from assay.measures import measures as parse_measures
from assay.meta.groups import groups_of
from assay.meta.pools import Pools
from assay.meta.study_record import MANIFEST, Record
from assay.meta.study_steps import MEASURES, Material, Settings, Step, steps
from assay.model.arguments import check_arguments
from assay.model.policies import Policies

__all__ = ["MANIFEST", "MEASURES", "Finished", "Settings", "Step", "steps", "study"]

Watch = Callable[[str, int, int], None]


class Finished(NamedTuple):
    """What a study has written: by step what its tables tell, and the tables."""

    folder: Path
    steps: tuple[Step, ...]
    resumed: tuple[str, ...]
    notes: tuple[str, ...]
    provenance: dict[str, Any]

    def table(self, name: str) -> pl.DataFrame:
        """One of the tables."""
        return pl.read_parquet(self.folder / f"{name}.parquet")


@check_arguments
def study(
    qrels: Any,
    runs: Any,
    folder: str | Path,
    settings: Settings | Mapping[str, Any] = Settings(),
    *,
    fresh: bool = False,
    lenient: bool = False,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Finished:
    """Study how measures agree, depend on judgments and tell runs apart, and write the tables to a folder.

    The defaults are the settings of the papers on Twist and RBP. Effort, order, balancing and distances are not part
    of a study.

    Each step writes its tables as Parquet and CSV and is then noted in ``study.json`` with their SHA-256. A study that
    was interrupted goes on with the first step that is not noted, or whose files are not what was noted. The same
    inputs and settings give the same bytes.

    Parameters
    ----------
    qrels, runs
        As in ``evaluate``.
    folder
        Where the tables go; made if it is not there. One that holds a study with other inputs or settings is refused.
    settings
        What is computed, as a dict such as ``{"measures": ["AP", "nDCG@10"], "seeds": 5}`` of any of *measures*, *best*
        (the share of runs), *ratios* (per cent of judgments), *seeds*, *depths* (of pools), *resamples*, *alpha*,
        *levels*, *ties*, *seed* and *groups* (a file or dict). The defaults are those of the papers on Twist and RBP.
    fresh
        Begin anew in a folder that holds a study.
    lenient
        As in ``evaluate``.
    progress
        Called while the runs are read.
    watch
        Called with the name of each step that is begun, how many steps are done and how many there are.
    """
    settings = Settings.of(settings)
    chosen = parse_measures(settings.measures)
    if "AP" not in map(str, chosen):
        raise InputError("measures: a study needs AP, by which the best runs are chosen; add it")
    policies = Policies(ties=settings.ties, seed=settings.seed)
    pools = Pools.of(qrels, runs, policies, lenient=lenient, progress=progress)
    if len(pools.runs) < 2:
        raise InputError(f"runs: a study compares orders of runs; name at least two, found {len(pools.runs)}")
    target = _prepared(path_text(folder))
    material = Material(pools, chosen, settings, target)
    identity = _identity(material)
    record = Record.of(target, identity, fresh)
    every = steps(settings)
    resumed = []
    for number, step in enumerate(every):
        if watch is not None:
            watch(step.name, number, len(every))
        if record.holds(step.name):
            resumed.append(step.name)
            continue
        record.write(step.name, step.make(material))
    if watch is not None:
        watch("", len(every), len(every))
    return Finished(target, every, tuple(resumed), pools.notes, identity)


def _identity(material: Material) -> dict[str, Any]:
    """What a study depends on: settings, policies, version, and the inputs by what they hold, not where they are."""
    settings = {
        name: list(value) if isinstance(value, tuple) else value for name, value in asdict(material.settings).items()
    }
    groups = settings.pop("groups")
    members = None if groups is None else groups_of(material.pools.runs, groups)
    if members is not None:
        names = (members[0][number] for number in members[1])
        settings["groups"] = dict(zip(material.pools.runs, names, strict=True))
    told = material.pools.provenance.as_dict()
    inputs = [
        {**one, "name": one["name"] if one["role"] == "run" else "qrels", "source": Path(one["source"]).name}
        for one in told["inputs"]
    ]
    return {"settings": settings, **told, "inputs": inputs}


def _prepared(folder: str) -> Path:
    if os.path.isfile(folder):
        raise InputError(f"{folder}: is a file; name a folder for the study")
    with file_errors(folder, "cannot be made"):
        os.makedirs(folder, exist_ok=True)
    return Path(folder)

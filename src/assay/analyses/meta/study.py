"""A whole study of measures on one collection, step by step: what is done is kept, what is left is done next time."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.analyses.compare.testing import significance_test
from assay.analyses.meta.correlation import correlated
from assay.analyses.meta.groups import groups_of
from assay.analyses.meta.judgments import judgment_report
from assay.analyses.meta.left_out import leave_out
from assay.analyses.meta.pool_depth import rebuilt
from assay.analyses.meta.pools import Pools
from assay.analyses.meta.power import discriminated
from assay.analyses.meta.robustness import robust
from assay.analyses.meta.selection import selected
from assay.analyses.meta.significance_counts import counted
from assay.errors import InputError
from assay.evaluation import evaluated
from assay.inputs import Progress
from assay.io.writing import whole
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.model.policies import Policies
from assay.results.table import Results

MEASURES = (
    *("AP", "P@10", "Rprec", "RR", "bpref", "nDCG", "nDCG@10", "nDCG(base=10, gains=base5)@1000"),
    *("RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)", "ERR@20", "Q", "Twist@1000"),
)
"""Those of the papers on Twist, RBP and MED, and what they are compared with."""
MANIFEST = "study.json"
FORMATS = ("parquet", "csv")

Tables = dict[str, pl.DataFrame]
Watch = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Settings:
    """What a study depends on beside its inputs; the defaults are those of the papers."""

    measures: tuple[str, ...] = MEASURES
    best: float = 0.75
    ratios: tuple[float, ...] = (90, 70, 50, 30, 10)
    seeds: int = 10
    depths: tuple[int, ...] = (10, 20, 50, 100)
    resamples: int = 1000
    alpha: float = 0.05
    levels: tuple[float, ...] = (0.05, 0.01)
    ties: str = "trec_eval-10"
    seed: int = 0
    groups: str | None = None


class Step(NamedTuple):
    """Some tables that are made together: a name, what they tell, and how they are made."""

    name: str
    about: str
    make: Callable[[Material], Tables]


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


@dataclass(frozen=True, eq=False)
class Material:
    """Runs and judgments, read once, and the values that several steps need."""

    pools: Pools
    measures: tuple[Measure, ...]
    settings: Settings
    folder: Path

    @cached_property
    def results(self) -> Results:
        """The values of all runs."""
        return evaluated(self.pools.part(), self.measures)

    @cached_property
    def best(self) -> Results:
        """The values of the best runs by MAP."""
        return selected(self.results, self.settings.best)


def study(
    qrels: Any,
    runs: Any,
    folder: str | Path,
    settings: Settings = Settings(),
    *,
    fresh: bool = False,
    lenient: bool = False,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Finished:
    """Everything that judges measures, with the settings of the papers, as tables in a folder.

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
        What is computed.
    fresh
        Begin anew in a folder that holds a study.
    lenient
        As in ``evaluate``.
    progress
        Called while the runs are read.
    watch
        Called with the name of each step that is begun, how many steps are done and how many there are.
    """
    chosen = parse_measures(settings.measures)
    if "AP" not in map(str, chosen):
        raise InputError("measures: a study needs AP, by which the best runs are chosen; add it")
    policies = Policies(ties=settings.ties, seed=settings.seed)
    pools = Pools.of(qrels, runs, policies, lenient=lenient, progress=progress)
    if len(pools.runs) < 2:
        raise InputError(f"runs: a study compares orders of runs; name at least two, found {len(pools.runs)}")
    target = _prepared(Path(folder))
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


def _prepared(folder: Path) -> Path:
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file; name a folder for the study")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made ({error.strerror})") from None
    return folder


class Record:
    """What of a study is done: which tables each step has written, with the SHA-256 of their files."""

    def __init__(self, folder: Path, identity: dict[str, Any], done: dict[str, dict[str, str]]) -> None:
        self.folder = folder
        self.identity = identity
        self.done = done

    @classmethod
    def of(cls, folder: Path, identity: dict[str, Any], fresh: bool) -> Record:
        """The record of a folder; it must be of the same study, unless that is to begin anew."""
        path = folder / MANIFEST
        if not path.exists():
            if any(folder.iterdir()):
                raise InputError(f"{folder}: holds other files; name an empty or new folder for the study")
            return cls(folder, identity, {}).noted()
        known, done = _read(path)
        if fresh:
            for name in [name for files in done.values() for name in files]:
                (folder / name).unlink(missing_ok=True)
            return cls(folder, identity, {}).noted()
        other = _difference(known, json.loads(json.dumps(identity)))
        if other is not None:
            raise InputError(f"{folder}: holds a study with other {other}; name another folder, or add --fresh")
        return cls(folder, identity, done)

    def noted(self) -> Record:
        """The same, written down: before the first table, so that a folder is known as that of a study."""
        text = json.dumps({"study": self.identity, "done": self.done}, indent=1, ensure_ascii=False)
        whole(self.folder / MANIFEST, (text + "\n").encode())
        return self

    def holds(self, step: str) -> bool:
        """Whether a step is done and its files are as it wrote them."""
        files = self.done.get(step)
        return files is not None and all(_sha256(self.folder / name) == digest for name, digest in files.items())

    def write(self, step: str, tables: Tables) -> None:
        """Write the tables of a step, and only then that it is done."""
        files = {}
        for name, data in _encoded(tables):
            for leftover in self.folder.glob(f".{name}.*"):  # of a process that was killed while it wrote
                leftover.unlink(missing_ok=True)
            whole(self.folder / name, data)
            files[name] = hashlib.sha256(data).hexdigest()
        self.done[step] = files
        self.noted()


def _read(path: Path) -> tuple[dict[str, Any], dict[str, dict[str, str]]]:
    try:
        known = json.loads(path.read_text())
        return dict(known["study"]), {step: dict(files) for step, files in known["done"].items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{path}: is not the record of a study; name another folder") from None


def _difference(known: dict[str, Any], now: dict[str, Any]) -> str | None:
    """What two studies do not have in common, in words; None if they are the same."""
    before, after = known.get("settings", {}), now["settings"]
    changed = [name for name in after | before if before.get(name) != after.get(name)]
    if changed:
        return f"settings ({', '.join(changed)})"
    others = [name for name in now if known.get(name) != now[name]]
    return None if not others else {"inputs": "inputs", "assay": "version of assay"}.get(others[0], others[0])


def _sha256(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def _encoded(tables: Tables) -> Iterator[tuple[str, bytes]]:
    for name, frame in tables.items():
        stream = io.BytesIO()
        frame.write_parquet(stream)
        yield f"{name}.parquet", stream.getvalue()
        yield f"{name}.csv", frame.write_csv(null_value="nan").encode()


# The steps -----------------------------------------------------------------------------------------------------


def steps(settings: Settings) -> tuple[Step, ...]:
    """All steps of a study; those that take long are one for each measure."""
    power = [
        Step(f"power {name}", f"Discriminative power of {name}: ASL of every pair.", _power(name))
        for name in map(str, parse_measures(settings.measures))
    ]
    groups = [Step("groups", "Reusability: pools without the judgments of one group.", _groups)]
    return (
        Step("scores", "The mean of every run and measure, and every topic.", _scores),
        Step("judgments", "Relevant documents by topic and grade, and the ideal DCG.", _judgments),
        Step("correlation", "Kendall's tau between the orders that measures give.", _correlation),
        Step("pool-depth", "Scores and orders with shallower pools.", _pool_depth),
        *(groups if settings.groups is not None else []),
        Step("significance-counts", "Pairs of runs that differ significantly.", _significance_counts),
        *power,
        Step("power", "Discriminative power of all measures, and the differences that it takes.", _all_power),
        Step("robustness", "Orders with random samples of the judgments.", _robustness),
    )


def _scores(material: Material) -> Tables:
    return {"scores": material.results.means(), "scores-topics": material.results.frame()}


def _judgments(material: Material) -> Tables:
    report = judgment_report(material.pools.qrels)
    return {"judgments": report.frame(), "judgments-ideal": report.ideals(), "judgments-summary": report.summary()}


def _correlation(material: Material) -> Tables:
    shallow = {
        f"correlation-depth{depth}": correlated(
            evaluated(material.pools.part(material.pools.pool(depth)), material.measures), material.results
        ).matrix()
        for depth in material.settings.depths
    }
    return {
        "correlation": correlated(material.results).frame(),
        "correlation-best": correlated(material.best).frame(),
        **shallow,
    }


def _pool_depth(material: Material) -> Tables:
    report = rebuilt(material.pools, material.measures, material.settings.depths)
    return {"pool-depth": report.summary(), "pool-depth-scores": report.frame()}


def _groups(material: Material) -> Tables:
    members = groups_of(material.pools.runs, material.settings.groups)
    every = np.arange(len(material.pools.runs))
    report = leave_out(material.pools, material.results, members, (max(material.settings.depths), every))
    return {"groups": report.by_group(), "groups-runs": report.frame(), "groups-summary": report.summary()}


def _significance_counts(material: Material) -> Tables:
    tests = [significance_test(name) for name in ("t", "wilcoxon")]
    return {
        "significance-counts": counted(material.results, tests, material.settings.levels).frame(),
        "significance-counts-best": counted(material.best, tests, material.settings.levels).frame(),
    }


POWER_TESTS = ("bootstrap", "tukey-randomized")


def _power(name: str) -> Callable[[Material], Tables]:
    def make(material: Material) -> Tables:
        settings = material.settings
        found = [
            discriminated(
                _one(material.best, name),
                significance_test(test, resamples=settings.resamples, seed=settings.seed),
                settings.alpha,
            )
            for test in POWER_TESTS
        ]
        label = _file_name(name)
        curves = {f"asl-{label}-{test}": one.curves() for test, one in zip(POWER_TESTS, found, strict=True)}
        return {f"power-{label}": pl.concat([one.frame() for one in found]), **curves}

    return make


def _all_power(material: Material) -> Tables:
    parts = [pl.read_parquet(material.folder / f"power-{_file_name(str(one))}.parquet") for one in material.measures]
    return {"power": pl.concat(parts).sort("test", "dp", descending=[False, True], maintain_order=True)}


def _one(results: Results, name: str) -> Results:
    """The results of one measure."""
    place = [str(measure) for measure in results.measures].index(name)
    one = slice(place, place + 1)
    return Results(
        results.runs,
        results.topics,
        results.measures[one],
        results.values[one],
        results.errors[one],
        results.provenance,
        results.notes,
    )


def _robustness(material: Material) -> Tables:
    settings = material.settings
    seeds = range(settings.seed, settings.seed + settings.seeds)
    report = robust(material.pools, material.measures, settings.ratios, seeds, best=settings.best)
    return {"robustness": report.frame(), "robustness-seeds": report.each()}


def _file_name(measure: str) -> str:
    """A measure as part of the name of a file."""
    return "".join(sign if sign.isalnum() or sign in "@.=" else "_" for sign in measure).strip("_")

"""Baselines: values of one run by measure and topic, kept in a file to compare later runs with it."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay._version import VERSION
from assay.engine.campaign import Campaign
from assay.errors import InputError
from assay.io import source as sources
from assay.io.paths import path_text
from assay.io.problems import format_value
from assay.io.writing import write_file
from assay.measures import Measure
from assay.model.arrays import Floats
from assay.model.checks import find_positions
from assay.model.qrels import Qrels
from assay.results._evaluate import evaluate
from assay.results.results import Results

FORMAT = 1
"""Version of the file format."""
_MARK = "assay_baseline"
_DIGEST_LENGTH = 16
JUDGED_CUTOFF = 10
"""Cutoff of Judged for measures without a cutoff."""


class Direction(NamedTuple):
    """Properties of a measure that a comparison with a baseline relies on."""

    lower_is_better: bool
    aggregate: str


@dataclass(frozen=True, eq=False)
class Baseline:
    """Values of one run by measure and topic, with the digests of the judgments on which they are based.

    Create it with :func:`make_baseline`, or read a file written by ``assay gate --save`` with :func:`read_baseline`.

    Attributes
    ----------
    run, sha256
        The name of the run, and the SHA-256 of its file (None: unknown).
    policies
        The policies of the evaluation; empty if the values were not computed by assay.
    topics
        The topics, in byte order.
    values
        For each measure, by name, its value on each topic; NaN where the policies exclude a topic.
    directions
        Direction and aggregate of each measure.
    judgments
        Digest of the judgments of each topic; None if the judgments are unknown.
    judged
        For each Judged@k, by name, its value on each topic: the share of judged documents.
    source, digest
        The file from which the baseline was read and its SHA-256; None if it was computed.
    """

    run: str
    topics: tuple[str, ...]
    values: Mapping[str, Floats]
    directions: Mapping[str, Direction]
    policies: Mapping[str, str | int] = field(default_factory=dict)
    judgments: tuple[str, ...] | None = None
    judged: Mapping[str, Floats] = field(default_factory=dict)
    sha256: str | None = None
    source: str | None = None
    digest: str | None = None

    def __repr__(self) -> str:
        return f"Baseline({self.run}: {', '.join(self.values)} on {len(self.topics)} topics)"

    def to_json(self) -> str:
        """Return the content of the file: JSON with one line for each key, without a time stamp.

        The same values give the same text.
        """
        measures = [{"name": name, **self.directions[name]._asdict()} for name in self.values]
        content: dict[str, Any] = {
            _MARK: FORMAT,
            "assay": VERSION,
            "run": self.run,
            "sha256": self.sha256,
            "policies": dict(self.policies),
            "measures": measures,
            "topics": list(self.topics),
            "judgments": None if self.judgments is None else list(self.judgments),
            "values": {name: _to_list(values) for name, values in self.values.items()},
            "judged": {name: _to_list(values) for name, values in self.judged.items()},
        }
        lines = [f"{json.dumps(key)}: {_dump(content[key])}" for key in sorted(content)]
        return "{\n" + ",\n".join(lines) + "\n}\n"

    def write(self, path: str | Path) -> None:
        """Write the baseline to a JSON file, compressed if the name ends with ``.gz``."""
        data = self.to_json().encode()
        write_file(path, gzip.compress(data, mtime=0) if str(path).endswith(".gz") else data)


def _dump(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)


def _to_list(values: Floats) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]


# Creation -------------------------------------------------------------------------------------------------------


def make_baseline(
    source: Campaign | Results, measures: str | Measure | Iterable[str | Measure] | None = None, run: str | None = None
) -> Baseline:
    """Return the values of one run as a baseline.

    Parameters
    ----------
    source
        A campaign, or results, which have no digests of the judgments.
    measures
        The measures; by default AP and nDCG@10 for a campaign, and all measures of results.
    run
        The name of the run; it may be omitted if there is only one.
    """
    values = evaluate_values(source, measures)
    if run is not None and not isinstance(run, str):
        raise InputError(f"run must be the name of a run, got {type(run).__name__}")
    if run is None and len(values.results.runs) != 1:
        raise InputError(f"save: needs exactly one run, got {len(values.results.runs)}; name the run to save")
    return values.to_baseline(values.results.runs[0] if run is None else run)


class GateValues(NamedTuple):
    """Values of runs, their shares of judged documents (None: unknown), and the digests of the judgments."""

    results: Results
    judged: Results | None
    digests: tuple[str, ...] | None

    def to_baseline(self, run: str) -> Baseline:
        """Return the values of one run."""
        results = self.results
        [row] = find_positions(results.runs, run, "run")
        inputs = {item.name: item.sha256 for item in results.provenance.inputs if item.role == "run"}
        names = [str(measure) for measure in results.measures]
        judged = {} if self.judged is None else {str(m): self.judged.matrix(m)[row] for m in self.judged.measures}
        return Baseline(
            run=results.runs[row],
            topics=results.topics,
            values={name: results.values[index, row] for index, name in enumerate(names)},
            directions={str(m): Direction(m.lower_is_better, m.aggregate) for m in results.measures},
            policies=get_policies(results),
            judgments=self.digests,
            judged=judged,
            sha256=inputs.get(results.runs[row]),
        )


def get_policies(source: Campaign | Results) -> dict[str, str | int]:
    """Return the policies of an evaluation; without runs among the inputs, the values were not computed by assay."""
    if not any(item.role == "run" for item in source.provenance.inputs):
        return {}
    policies = source.provenance.policies.as_dict()
    sampled = policies["ties"] == "expected"
    return {name: value for name, value in policies.items() if sampled or name not in ("samples", "seed")}


def evaluate_values(
    source: Campaign | Results, measures: str | Measure | Iterable[str | Measure] | None = None
) -> GateValues:
    """Evaluate a campaign by the measures and by Judged at their cutoffs; select the measures of results."""
    from assay.measures import measures as parse_measures

    if isinstance(source, Results):
        return GateValues(source if measures is None else source.select(measures=measures), None, None)
    if not isinstance(source, Campaign):
        raise InputError(f"source: expected results (assay.evaluate) or a campaign, got {type(source).__name__}")
    from assay.significance._compare import MEASURES

    chosen = parse_measures(MEASURES if measures is None else measures)
    judged = parse_measures([get_judged_name(measure) for measure in chosen])
    results = evaluate(source, [*chosen, *(measure for measure in judged if measure not in chosen)])
    return GateValues(results.select(measures=chosen), results.select(measures=judged), digest_topics(source.judgments))


def get_judged_name(measure: Measure | str) -> str:
    """Return the name of Judged at the cutoff of a measure, or at 10."""
    cutoff = str(measure).rpartition("@")[2]
    return f"Judged@{cutoff if cutoff.isdigit() else JUDGED_CUTOFF}"


def digest_topics(qrels: Qrels) -> tuple[str, ...]:
    """Return the digest of the judgments of each topic of the qrels; see :func:`digest_judgments`."""
    frame = qrels.frame().sort("topic", "doc")
    levels = {level: _format_grade(level) for level in qrels.levels.tolist()}
    grade = frame["grade"].cast(pl.Float64).replace_strict(levels, return_dtype=pl.String)
    lines = frame.select("topic", line=pl.format("{}\t{}\n", "doc", grade))
    texts = dict(lines.group_by("topic").agg(pl.col("line").str.join("")).iter_rows())
    return tuple(_digest(texts.get(topic, "")) for topic in qrels.topics)


def digest_judgments(grades: Mapping[str, float]) -> str:
    r"""Return the digest of the judgments of a topic.

    The digest is the first 16 hexadecimal digits of the SHA-256 of the lines ``document TAB grade LF``, sorted by the
    bytes of the documents. Whole grades have no decimals.

    >>> digest_judgments({"d2": 0, "d10": 2, "d1": 1, "é": 0.5})
    '546387f02e8cb723'
    """
    order = sorted(grades, key=str.encode)
    return _digest("".join(f"{document}\t{_format_grade(grades[document])}\n" for document in order))


def _format_grade(grade: float) -> str:
    return str(int(grade)) if float(grade).is_integer() else repr(float(grade))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_LENGTH]


# Reading --------------------------------------------------------------------------------------------------------


def is_baseline_file(path: object) -> bool:
    """Return True if a path names a JSON file with a baseline, not a run."""
    text = path_text(path) if isinstance(path, str | Path) else ""
    return has_json_name(text) and os.path.isfile(text) and f'"{_MARK}"'.encode() in sources.read(text).data


def has_json_name(name: str) -> bool:
    """Return True if a file name ends with ``.json`` or ``.json.gz``."""
    return name.lower().removesuffix(".gz").endswith(".json")


def read_baseline(path: str | Path) -> Baseline:
    """Read a file written by ``assay gate --save``."""
    source = sources.read(path_text(path))
    try:
        content = json.loads(source.data)
    except UnicodeDecodeError:
        raise InputError(f"{source.path}: invalid UTF-8; write the baseline again with --save") from None
    except json.JSONDecodeError as error:
        problem = f"invalid JSON ({error.msg}); write the baseline again with --save"
        raise InputError(f"{source.path}:{error.lineno}: {problem}") from None
    if not isinstance(content, dict) or _MARK not in content:
        raise InputError(f"{source.path}: is not a baseline; write one with assay gate --save")
    if content[_MARK] != FORMAT:
        version = format_value(content[_MARK])
        raise InputError(f"{source.path}: has version {version}, this assay reads version {FORMAT}; write it again")
    try:
        return _parse_baseline(content, source)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        problem = f"missing {error}" if isinstance(error, KeyError) else str(error)
        raise InputError(f"{source.path}: is damaged ({problem}); write it again with --save") from None


def _parse_baseline(content: Mapping[str, Any], source: sources.Source) -> Baseline:
    topics = tuple(map(str, content["topics"]))
    if len(set(topics)) < len(topics):
        raise ValueError("a topic occurs twice")
    directions = {
        str(item["name"]): Direction(bool(item["lower_is_better"]), str(item["aggregate"]))
        for item in content["measures"]
    }
    judgments = content.get("judgments")
    if judgments is not None and len(judgments) != len(topics):
        raise ValueError(f"{len(judgments)} digests of judgments for {len(topics)} topics")
    return Baseline(
        run=str(content["run"]),
        topics=topics,
        values={name: _parse_values(name, content["values"][name], len(topics)) for name in directions},
        directions=directions,
        policies=dict(content.get("policies") or {}),
        judgments=None if judgments is None else tuple(map(str, judgments)),
        judged={
            name: _parse_values(name, values, len(topics)) for name, values in (content.get("judged") or {}).items()
        },
        sha256=content.get("sha256"),
        source=source.path,
        digest=source.digest,
    )


def _parse_values(name: str, values: Any, topic_count: int) -> Floats:
    array = np.array([math.nan if value is None else value for value in values], dtype=np.float64)
    if array.shape != (topic_count,):
        raise ValueError(f"{len(array)} values of {name} for {topic_count} topics")
    if np.isinf(array).any():
        raise ValueError(f"an infinite value of {name}")
    return array

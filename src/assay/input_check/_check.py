"""``check``: report every problem in judgments and runs at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from assay.engine.inspection import Inspection, inspect_sources
from assay.engine.sources import source_options
from assay.engine.workers import Progress
from assay.errors import InputError
from assay.input_check.answers import answer_questions
from assay.input_check.checked_values import CheckedValues, compute_numbers
from assay.input_check.findings import find_problems
from assay.input_check.report import InputCheck
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.model.arguments import check_arguments
from assay.model.policies import Policies

MEASURES = ("AP", "nDCG@10")
"""Default measures of the check of ties and power."""
CUTOFFS = (5, 10, 100)


@check_arguments
def check(
    qrels: Any,
    runs: Any = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    cutoffs: Iterable[int] = CUTOFFS,
    topics: str | Iterable[str] | None = None,
    grades: Mapping[float, float] | None = None,
    ties: str = "trec_eval-10",
    missing: str = "empty",
    undefined: str = "zero",
    lenient: bool = False,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    qrels_format: str = "qrels",
    collapse: str = "max",
    merge: str | Sequence[str] | None = None,
    name_by: str = "tag",
    progress: Progress | None = None,
) -> InputCheck:
    """Report every problem in judgments and runs at once, and answer standard questions of reviewers.

    Errors in the files do not raise exceptions: they are findings, and all other files are checked.

    Parameters
    ----------
    qrels, runs
        As in :func:`assay.read`; without runs, only the judgments are checked.
    measures
        Measures for which the effect of ties and the power are computed; by default AP and nDCG@10.
    cutoffs
        Numbers of documents of each ranking in which unjudged documents are counted.
    topics
        Check only these judged topics. Problems of lines, ranks that contradict scores and identical runs are reported
        for all topics.
    grades, ties, missing, undefined
        As in :func:`assay.read`.
    lenient
        Lines that lenient reading skips are warnings instead of errors.
    columns, qrels_format, collapse, merge, name_by
        As in :func:`assay.read`.
    progress
        Called with the number of bytes read and their total.

    Examples
    --------
    >>> report = check({"q": {"a": 1, "b": 0}}, {"bm25": {"q": {"a": 2.0, "c": 1.0}, "q2": {"a": 1.0}}})
    >>> report.exit_code, [finding.kind for finding in report.findings]
    (1, ['many unjudged documents in the top 5', 'topics of runs without judgments'])
    """
    chosen = parse_measures(MEASURES if measures is None else measures)
    depths = _check_cutoffs(cutoffs)
    policies = Policies(ties, missing, undefined)
    options = source_options(lenient, columns, name_by, qrels_format=qrels_format, collapse=collapse, merge=merge)
    inspection = inspect_sources(
        qrels, runs, policies, options=options, topics=topics, grades=grades, progress=progress
    )
    campaign = inspection.campaign
    has_values = inspection.has_judgments and len(campaign.runs) > 0
    numbers = compute_numbers(inspection, depths, chosen) if has_values else None
    answers = [] if numbers is None else answer_questions(numbers, campaign.runs)
    return InputCheck(
        findings=tuple(find_problems(inspection, numbers, lenient)),
        answers=tuple(answers),
        runs=_tabulate_runs(inspection, numbers),
        topics=_tabulate_topics(inspection, numbers),
        grades=_tabulate_grades(inspection),
        provenance=campaign.provenance.with_settings(
            measures=[str(measure) for measure in chosen], cutoffs=list(depths), lenient=lenient
        ),
    )


def _check_cutoffs(cutoffs: Iterable[int]) -> tuple[int, ...]:
    depths = tuple(sorted(set(cutoffs)))
    if not depths or depths[0] < 1:
        raise InputError(f"cutoffs {', '.join(map(str, depths)) or 'none'}: name at least one rank, from 1")
    return depths


def _tabulate_runs(inspection: Inspection, numbers: CheckedValues | None) -> pl.DataFrame:
    """Return a row for each run."""
    runs, topics = inspection.runs, inspection.campaign.topics
    facts = [run.facts for run in runs]
    lengths = [run.length for run in runs]
    columns: dict[str, object] = {
        "run": inspection.campaign.runs,
        "source": [run.source for run in runs],
        "documents": [0 if one is None else one.rows for one in facts],
        "topics": [len(run.topic) for run in runs],
        "missing_topics": [len(topics) - len(run.topic) for run in runs],
        "unknown_topics": [len(run.unjudged_topics) for run in runs],
        "shortest": [int(length.min()) if len(length) else None for length in lengths],
        "longest": [int(length.max()) if len(length) else None for length in lengths],
        "contradicted_topics": [0 if one is None else len(one.contradicted_topics) for one in facts],
    }
    if numbers is not None:
        columns |= {"tied": numbers.tied.sum(axis=1), "mixed_ties": numbers.mixed.sum(axis=1)}
        columns |= {
            f"unjudged_{cutoff}": share for cutoff, share in zip(numbers.cutoffs, numbers.unjudged_share, strict=True)
        }
    schema = {name: pl.String if name in ("run", "source") else None for name in columns}
    return pl.DataFrame(columns, schema_overrides={name: dtype for name, dtype in schema.items() if dtype})


def _tabulate_topics(inspection: Inspection, numbers: CheckedValues | None) -> pl.DataFrame:
    """Return a row for each judged topic."""
    qrels = inspection.campaign.judgments
    frame = pl.DataFrame(
        {
            "topic": pl.Series(qrels.topics, dtype=pl.String),
            "judged": pl.Series(qrels.counts.sum(axis=1), dtype=pl.Int64),
            "relevant": pl.Series(qrels.counts[:, qrels.levels >= 1].sum(axis=1), dtype=pl.Int64),
        }
    )
    if numbers is None:
        return frame
    shares = numbers.unjudged.sum(axis=1) / np.maximum(numbers.considered.sum(axis=1), 1)
    return frame.with_columns(
        pl.Series("runs", (numbers.length > 0).sum(axis=0)),
        pl.Series("tied", numbers.tied.sum(axis=0)),
        *(pl.Series(f"unjudged_{cutoff}", share) for cutoff, share in zip(numbers.cutoffs, shares, strict=True)),
    )


def _tabulate_grades(inspection: Inspection) -> pl.DataFrame:
    """Return a row for each grade."""
    qrels = inspection.campaign.judgments
    judgments = qrels.counts.sum(axis=0)
    return pl.DataFrame(
        {
            "grade": pl.Series(qrels.levels, dtype=pl.Float64),
            "judgments": pl.Series(judgments, dtype=pl.Int64),
            "share": pl.Series(judgments / max(judgments.sum(), 1), dtype=pl.Float64),
            "topics": pl.Series((qrels.counts > 0).sum(axis=0), dtype=pl.Int64),
        }
    )

"""One ranking in full: at every rank the document, its grade, RP, CRP and gain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from assay.errors import InputError, suggestion
from assay.inputs import as_qrels, some
from assay.measures import measure
from assay.measures._discount import Discounted
from assay.measures._graded import Graded
from assay.model.judged import Judged
from assay.model.ordering import documents
from assay.model.policies import Policies, refuse_expected
from assay.model.relative_position import Curves, Setting
from assay.model.run import Run, read_run


def curve(
    qrels: Any,
    run: Any,
    topic: str,
    *,
    depth: int | None = None,
    length: str = "extend",
    gain: str = "DCG",
    grades: Mapping[float, float] | None = None,
    ties: str = "trec_eval-10",
    lenient: bool = False,
) -> pl.DataFrame:
    """The curve of one ranking: rank, document, grade, ideal, rp, crp, dcg, ideal_dcg, delta_gain.

    Parameters
    ----------
    qrels, run
        As in ``evaluate``; one run only.
    topic
        The topic.
    depth, length
        As in the measure ``Twist``.
    gain
        A measure of cumulated gain, such as ``DCG`` or ``DCG(base=2, gains=exp)``. *delta_gain* is what it lags behind
        the ideal ranking.
    grades, ties, lenient
        As in ``effort_report``. Ranks behind the last document have no document and no grade; they count as not
        relevant.
    """
    refuse_expected(ties, "a curve needs an order")
    judgments = as_qrels(qrels, lenient=lenient)
    judgments = judgments.regraded(grades) if grades else judgments
    one = run if isinstance(run, Run) else read_run(run, lenient=lenient)
    if topic not in judgments.topics:
        hint = suggestion(topic, judgments.topics) or f"; they have {some(judgments.topics)}"
        raise InputError(f"{judgments.source}: has no topic {topic}{hint}")
    policies = Policies(ties)
    judged = Judged.join(judgments, [one], policies).only(np.array([judgments.topics.index(topic)]))
    curves = Curves.of(judged, Setting(depth, length))
    position, height = curves.vectors(0)
    retrieved = documents(one, topic, ties)[: len(position) if depth is None else depth]
    ranks = len(position)
    grade = _grades(judged)[: len(retrieved)]
    reached, best = _cumulated(judged, gain, ranks, len(retrieved))
    ideal = judged.levels[curves.scale.ideal - 1] if len(judged.levels) else np.zeros(0)
    ideal = ideal[curves.scale.first[curves.topic[0]] :][: int(curves.relevant[0])]
    return pl.DataFrame(
        {
            "rank": np.arange(1, ranks + 1),
            "document": pl.Series([*retrieved, *[None] * (ranks - len(retrieved))], dtype=pl.String),
            "grade": pl.Series(_filled(grade, ranks, np.nan)).fill_nan(None),
            "ideal": _filled(ideal, ranks, 0.0),
            "rp": position.astype(np.int64),
            "crp": height.astype(np.int64),
            "dcg": reached,
            "ideal_dcg": best,
            "delta_gain": reached - best,
        }
    )


def _grades(judged: Judged) -> np.ndarray:
    return np.concatenate([[np.nan], judged.levels])[judged.code]


def _filled(values: np.ndarray, length: int, rest: float) -> np.ndarray:
    return np.concatenate([values[:length], np.full(max(length - len(values), 0), rest)])


def _cumulated(judged: Judged, written: str, ranks: int, retrieved: int) -> tuple[np.ndarray, np.ndarray]:
    """The gain at every rank, of the ranking and of the ideal one."""
    chosen = measure(written)
    if not (isinstance(chosen, Discounted) and isinstance(chosen, Graded)) or chosen.name != "DCG":
        raise InputError(f"gain {written!r}: name a form of DCG, such as DCG(base=2, gains=exp)")
    gain = chosen.gain(judged)
    rank = np.arange(1, ranks + 1)
    ranking = _filled(gain[judged.code][:retrieved], ranks, gain[0])
    ideal = judged.ideal(gain)
    best = _filled(ideal.gain[ideal.ranking == judged.topic[0]], ranks, 0.0)
    return np.cumsum(chosen.weighed(ranking, rank)), np.cumsum(chosen.weighed(best, rank))

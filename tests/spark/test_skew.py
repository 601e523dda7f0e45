"""Large campaigns with one dominant topic (long tests)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import assay
from assay.spark import evaluate
from spark_cases import assert_same_results

MEASURES = ("AP", "nDCG@10", "RBP(p=0.8)", "num_ret")


def build_campaign(runs: int, depth: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return qrels and runs: ten small topics, and one topic with *runs* runs of *depth* documents."""
    rng = np.random.default_rng(11)
    large = [
        pl.DataFrame(
            {
                "run": f"run{number}",
                "topic": "large",
                "doc": "d" + pl.Series(rng.permutation(2 * depth)[:depth]).cast(pl.String),
                "score": np.round(rng.random(depth), 3),
            }
        )
        for number in range(runs)
    ]
    small = [frame.head(20).with_columns(topic=pl.lit(f"small{i}")) for frame in large[:40] for i in range(10)]
    topics = ["large", *(f"small{i}" for i in range(10))]
    qrels = [
        pl.DataFrame({"topic": topic, "doc": [f"d{i}" for i in range(0, 2 * depth, max(depth // 200, 1))]})
        for topic in topics
    ]
    judgments = pl.concat(qrels)
    return judgments.with_columns(grade=pl.Series(rng.integers(0, 3, len(judgments)).astype(np.float64))), pl.concat(
        [*large, *small]
    )


@pytest.mark.scale
@pytest.mark.parametrize(("runs", "depth"), [(1, 1_000_000), (1000, 2000)])
@pytest.mark.parametrize("broadcast", [True, False])
def test_one_topic_has_nearly_all_rows(spark: Any, tmp_path: Path, runs: int, depth: int, broadcast: bool) -> None:
    qrels, rows = build_campaign(runs, depth)
    frames = [qrels, rows.sample(fraction=1, shuffle=True, seed=5)]
    for name, frame in zip(("qrels", "runs"), frames, strict=True):
        frame.write_parquet(tmp_path / f"{name}.parquet", row_group_size=100_000)
    dataframes = [spark.read.parquet(str(tmp_path / f"{name}.parquet")) for name in ("qrels", "runs")]
    evaluation = evaluate(spark, *dataframes, MEASURES, broadcast=broadcast)
    assert bool(evaluation.campaign.plan.split_topics) == (runs > 1)
    expected = assay.evaluate(qrels, rows.sort("run"), MEASURES)
    assert_same_results(evaluation.results(), expected)

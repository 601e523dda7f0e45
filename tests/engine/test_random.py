"""Evaluation in chunks of random size equals evaluation in memory, for random collections and formats."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import engine_cases as cases

MEASURES = ("AP", "nDCG", "RR", "ERR", "bpref", "BalancePoint", "RBP(p=0.8)", "Rprec", "NumRet", "Condensed(nDCG@3)")
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["t1", "t10", "t2", "é", "far", "z"]),
        st.sampled_from([f"d{number}" for number in range(9)]),
        st.sampled_from([0.0, 1.0, 1.5, -2.0]),
    ),
    min_size=1,
    max_size=60,
)
GRADES = st.dictionaries(
    st.sampled_from(["t1", "t10", "t2", "é", "z", "other"]),
    st.dictionaries(st.sampled_from([f"d{n}" for n in range(9)]), st.sampled_from([-1, 0, 1, 2]), min_size=1),
    min_size=1,
)


@settings(deadline=None, max_examples=60, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(
    qrels=GRADES,
    runs=st.lists(
        st.tuples(ROWS, st.booleans(), st.sampled_from(["run", "run.gz", "run.zst", "parquet"])), min_size=1, max_size=3
    ),
    size=st.integers(20, 400),
    policies=st.fixed_dictionaries(
        {
            "ties": st.sampled_from(["trec_eval-10", "trec_eval-9", "rank", "file", "expected"]),
            "topics": st.sampled_from(["qrels", "intersection"]),
            "undefined": st.sampled_from(["zero", "exclude"]),
            "unjudged": st.sampled_from(["nonrelevant", "condensed"]),
            "lenient": st.booleans(),
        }
    ),
)
def test_chunked_evaluation_equals_evaluation_in_memory(
    qrels: Any, runs: Any, size: int, policies: dict[str, Any]
) -> None:
    with tempfile.TemporaryDirectory() as directory, pytest.MonkeyPatch.context() as patch:
        cases.shrink_chunks(patch, size)
        paths = []
        for number, (rows, unique, ending) in enumerate(runs):
            unique_rows = list({row[:2]: row for row in rows}.values()) if unique else rows
            path = Path(directory) / f"{number}.{ending}"
            if ending == "parquet":
                run_names = pl.Series([f"r{index % 2}" for index in range(len(unique_rows))]).to_list()
                paths.append(cases.write_parquet(path, unique_rows, run_names if unique else None, group=7))
            else:
                paths.append(cases.write_text(path, cases.to_trec_text(unique_rows, f"tag{number // 2}")))
        cases.check_chunked_evaluation(qrels, paths, MEASURES, samples=4, **policies)

"""Agreement with trec_eval and pytrec_eval on real collections, topic by topic."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

import assay
from real_data import real

# Names of pytrec_eval, which wraps trec_eval 9, with the notation of assay for the same measure.
SHARED = {
    "map": "AP",
    "map_cut_5": "AP@5",
    "map_cut_100": "AP@100",
    "ndcg": "nDCG",
    "ndcg_cut_5": "nDCG@5",
    "ndcg_cut_10": "nDCG@10",
    "ndcg_cut_1000": "nDCG@1000",
    "P_5": "P@5",
    "P_10": "P@10",
    "P_1000": "P@1000",
    "recall_5": "R@5",
    "recall_100": "R@100",
    "recall_1000": "R@1000",
    "set_recall": "R",
    "set_F": "F",
    "Rprec": "Rprec",
    "bpref": "bpref",
    "recip_rank": "RR",
    "infAP": "infAP",
    "success_1": "Success@1",
    "success_5": "Success@5",
    "success_10": "Success@10",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "11pt_avg": "IPrecAvg(points=11, rounding=trec_eval-9)",
    **{f"iprec_at_recall_{i / 10:.2f}": f"IPrec(rounding=trec_eval-9)@{i / 10}" for i in range(11)},
}


def largest_difference(qrels: Path, runs: list[Path]) -> float:
    """Return the largest difference over runs, topics and measures."""
    with gzip.open(qrels, "rt") as lines:
        judgments = pytrec_eval.parse_qrel(lines)
    ours = assay.evaluate(qrels, runs, list(SHARED.values()), ties="trec_eval-9", missing="exclude")
    evaluator = pytrec_eval.RelevanceEvaluator(judgments, pytrec_eval.supported_measures)
    largest = 0.0
    for number, path in enumerate(runs):
        with gzip.open(path, "rt") as lines:
            theirs = evaluator.evaluate(pytrec_eval.parse_run(lines))
        for index, (name, _) in enumerate(SHARED.items()):
            expected = np.array([theirs.get(topic, {}).get(name, np.nan) for topic in ours.topics])
            values = ours.values[index, number]
            assert np.array_equal(np.isnan(expected), np.isnan(values)), f"{path.name} {name}: topics differ"
            largest = max(largest, float(np.nanmax(np.abs(expected - values))))
            assert np.nanmax(np.abs(expected - values)) <= 1e-9, f"{path.name} {name}"
    return largest


def test_robust03_agrees_with_pytrec_eval() -> None:
    folder = real("robust03")
    runs = sorted((folder / "runs").iterdir())
    assert len(runs) == 17
    assert largest_difference(folder / "qrels.robust03.txt.gz", runs) <= 1e-9


def test_trec8_agrees_with_pytrec_eval() -> None:
    folder = real("trec8-adhoc")
    runs = sorted((folder / "runs").iterdir())[::6][:19]
    runs = sorted({*runs, folder / "runs" / "input.uwmt8a0.gz"})  # differs between 32-bit and 64-bit scores
    assert len(runs) == 20
    assert largest_difference(folder / "qrels.trec8.adhoc.txt.gz", runs) <= 1e-9


PUBLISHED = {"map": "AP", "Rprec": "Rprec", "bpref": "bpref", "recip_rank": "RR", "P_10": "P@10", "ndcg": "nDCG",
             "iprec_at_recall_0.60": "iprec_at_recall_0.60", "11pt_avg": "11pt_avg", "gm_map": "gm_map",
             "infAP": "infAP", "recall_100": "R@100", "num_rel_ret": "NumRelRet"}  # fmt: skip


def test_trec8_agrees_with_the_published_output_of_trec_eval_10() -> None:
    """The means of all 129 runs agree to the four printed digits."""
    folder = real("trec8-adhoc")
    runs = sorted((folder / "runs").iterdir())
    results = assay.evaluate(folder / "qrels.trec8.adhoc.txt.gz", runs, list(PUBLISHED.values()))
    overall = results.overall()
    checked = 0
    for number, path in enumerate(runs):
        name = path.name.removeprefix("input.")
        with gzip.open(folder / "published-trec_eval" / f"eval.{name}", "rt") as lines:
            rows = [line.split() for line in lines]
        published = {row[0]: row[2] for row in rows if len(row) == 3 and row[1] == "all"}
        for index, measure in enumerate(PUBLISHED):
            if measure in published:
                assert overall[number, index] == pytest.approx(float(published[measure]), abs=5.0001e-5), (
                    name,
                    measure,
                )
                checked += 1
    assert checked >= 129 * 10


def test_every_line_of_real_qrels_is_read() -> None:
    """Thirteen collections: some have negative grades, one has 6980 topics."""
    paths = sorted(real("qrels-only").iterdir())
    assert paths
    for path in paths:
        with gzip.open(path, "rb") as lines:
            expected = sum(bool(line.strip()) for line in lines)
        assert len(assay.model.read_qrels(path)) == expected, path.name

"""Robustness, compared with evaluations of sampled judgments and correlations by scipy and plain loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy.stats import kendalltau

import assay
from assay import read
from assay.errors import AssayError, InputError
from assay.meta._robustness import MEASURES as DEFAULT_MEASURES
from assay.meta._robustness import RATIOS, robustness
from assay.meta.downsampling import Strata
from assay.model.qrels import Qrels
from campaign_cases import random_campaign
from oracles.rank_correlation import tau_ap_b_side
from real_data import real
from strategies import many_examples

MEASURES = ["AP", "P@5", "bpref", "nDCG", "RBP(p=0.8)"]


def sample_judgments(qrels: dict[str, dict[str, float]], ratio: float, seed: int) -> dict[str, dict[str, float]]:
    """Return the sampled judgments as a dictionary."""
    judgments = Qrels.from_dict(qrels)
    sample: dict[str, dict[str, float]] = {}
    for topic, document, grade in judgments.frame().filter(Strata.of(judgments).shuffle(seed).sample(ratio)).rows():
        sample.setdefault(topic, {})[document] = grade
    return sample


def check_against_evaluation(
    qrels: Any, runs: Any, measures: list[str], ratio: float, seed: int, **policies: Any
) -> None:
    """Check tau and tau-AP against an evaluation of the sampled judgments."""
    result = robustness(read(qrels, runs, seed=seed, **policies), measures, ratios=[ratio], seeds=1, seed=seed)
    full = assay.evaluate(qrels, runs, measures, seed=seed, **policies).overall().T
    sampled = assay.evaluate(sample_judgments(qrels, ratio, seed), runs, measures, seed=seed, **policies).overall().T
    for i, measure in enumerate(result.measures):
        sign = -1 if measure.lower_is_better else 1
        expected = kendalltau(full[i], sampled[i]).statistic
        assert result.tau[i, 0, 0] == pytest.approx(expected, abs=1e-12, nan_ok=True)
        if not np.isnan(expected):
            side = tau_ap_b_side((-sign * full[i]).tolist(), (-sign * sampled[i]).tolist())
            assert result.tau_ap[i, 0, 0] == pytest.approx(side, abs=1e-12)


@many_examples(
    25,
    seed=st.integers(0, 10_000),
    ratio=st.sampled_from([90, 50, 10]),
    grades=st.sampled_from([(0, 1), (0, 0, 1, 2, 3), (-2, 0, 1), (1,), (0, 0.5, 1e6), (0,), (-1,)]),
)
def test_every_sample_agrees_with_an_evaluation(seed, ratio, grades):
    qrels, runs = random_campaign(seed, runs=4, topics=3, grades=grades)
    check_against_evaluation(qrels, runs, MEASURES, ratio, seed % 7)


@pytest.mark.parametrize(
    "policies",
    [
        {"unjudged": "condensed"},
        {"ties": "expected"},
        {"ties": "file"},
        {"missing": "exclude"},
        {"undefined": "exclude"},
        {"unjudged": "condensed", "ties": "expected", "missing": "exclude"},
    ],
    ids=str,
)
def test_policies_are_respected(policies):
    qrels, runs = random_campaign(3)
    qrels["t9"] = {"d1": 0}
    del runs["run2"]["t1"]
    check_against_evaluation(qrels, runs, ["AP", "P@5", "nDCG@10"], 30, 1, **policies)


def test_measures_where_lower_is_better():
    qrels, runs = random_campaign(5)
    check_against_evaluation(qrels, runs, ["Unjudged@10", "BackwardSpace@20", "GM(of_measure=AP)"], 50, 2)


@pytest.fixture(scope="module")
def report():
    return robustness(read(*random_campaign(1)), MEASURES)


def test_columns_and_statistics_of_the_frames(report):
    assert report.tau.shape == (len(MEASURES), len(RATIOS), 10)
    summary, by_seed = report.frame(), report.each()
    assert summary.columns == [
        *("measure", "ratio", "seeds", "tau_mean", "tau_sd", "tau_min", "tau_max"),
        *("tau_ap_mean", "tau_ap_sd", "tau_ap_min", "tau_ap_max"),
    ]
    assert by_seed.columns == ["measure", "ratio", "seed", "tau", "tau_ap"]
    assert by_seed["seed"].unique().sort().to_list() == list(range(10))
    for measure, ratio, seeds, *numbers in summary.rows():
        rows = by_seed.filter(measure=measure, ratio=ratio)
        expected = [
            number
            for tau in (rows["tau"].to_numpy(), rows["tau_ap"].to_numpy())
            for number in (tau.mean(), tau.std(ddof=1), tau.min(), tau.max())
        ]
        assert seeds == 10
        assert numbers == pytest.approx(expected, abs=1e-12)


def test_fewer_judgments_lower_tau(report):
    mean = report.tau.mean(axis=2)
    assert (mean[:, 0] > mean[:, -1]).all()
    assert (report.tau < 1).any()


def test_all_judgments_change_nothing():
    result = robustness(read(*random_campaign(1)), MEASURES, ratios=[100], seeds=2)
    assert (result.tau == 1).all()
    assert (result.tau_ap == 1).all()


def test_pool_sizes():
    qrels, runs = random_campaign(2)
    report = robustness(read(qrels, runs), "AP", seeds=3)
    for ratio, judgments, relevant in report.pools().rows():
        for seed in range(3):
            grades = [
                grade for documents in sample_judgments(qrels, ratio, seed).values() for grade in documents.values()
            ]
            assert judgments == len(grades)
            assert relevant == sum(grade >= 1 for grade in grades)


def test_results_depend_only_on_the_seed(report):
    same_seed = robustness(read(*random_campaign(1)), MEASURES)
    assert same_seed.each().equals(report.each())
    shifted_seeds = robustness(read(*random_campaign(1)), MEASURES, ratios=[70, 30, 70], seeds=2, seed=4)
    assert shifted_seeds.ratios == (70, 30)
    assert np.array_equal(shifted_seeds.tau, report.tau[:, [1, 3]][:, :, 4:6])


def test_selection_of_the_best_runs():
    qrels, runs = random_campaign(4, runs=7)
    order = assay.evaluate(qrels, runs, "AP").best("AP")
    best = {name: run for name, run in runs.items() if name in order[:4]}
    result = robustness(read(qrels, runs), "P@5", best=0.5)
    assert result.runs == tuple(best)
    assert np.array_equal(result.tau, robustness(read(qrels, best), "P@5").tau, equal_nan=True)
    assert result.provenance.settings["runs"] == 4


def test_progress_is_reported_per_sample():
    calls: list[tuple[int, int]] = []
    robustness(
        read(*random_campaign(0, runs=2)), "AP", ratios=[50, 10], seeds=3, progress=lambda *step: calls.append(step)
    )
    assert calls == [(done, 6) for done in range(1, 7)]


def test_equal_runs_have_no_tau():
    qrels = {"t": {"a": 1, "b": 0}}
    runs = {"one": {"t": {"a": 1.0}}, "other": {"t": {"a": 2.0}}}
    result = robustness(read(qrels, runs), ["AP"], ratios=[50], seeds=2)
    assert result.frame().rows() == [("AP", 50.0, 0, *[None] * 8)]
    assert result.each()["tau"].to_list() == [None, None]
    assert result.notes == (
        "robustness is not tested: every topic has so few documents of each grade that samples keep all judgments",
        "AP: tau is undefined for 2 of 2 samples, because all runs have the same mean",
    )


def test_samples_with_equal_runs_have_no_tau():
    """Samples have one of two relevant documents; the runs differ only if it is a, which one run retrieves."""
    qrels = {"t": {"a": 1, "b": 1}}
    runs = {"one": {"t": {"a": 1.0}}, "other": {"t": {"x": 2.0}}}
    result = robustness(read(qrels, runs), "AP", ratios=[50], seeds=8)
    num_defined = int(np.isfinite(result.tau).sum())
    assert 0 < num_defined < 8
    assert result.frame().rows()[0][2:7] == (num_defined, 1.0, 0.0, 1.0, 1.0)
    seed = int(np.flatnonzero(np.isfinite(result.tau[0, 0]))[0])
    row = robustness(read(qrels, runs), "AP", ratios=[50], seeds=1, seed=seed).frame().rows()[0]
    assert row[2:7] == (1, 1.0, None, 1.0, 1.0)


def test_ratios_that_keep_all_judgments_have_no_tau():
    """90 % of two documents are two documents, and an untested ratio must not appear as a perfect correlation."""
    qrels = {"t": {"a": 1, "b": 1}}
    runs = {"one": {"t": {"a": 1.0, "b": 0.5}}, "other": {"t": {"x": 3.0, "y": 2.0, "b": 1.0}}}
    result = robustness(read(qrels, runs), "AP", ratios=[100, 90, 50], seeds=2)
    assert [result.omits_judgments(ratio) for ratio in result.ratios] == [False, False, True]
    assert result.frame().select("ratio", "seeds", "tau_mean", "tau_ap_min").rows() == [
        (100.0, 0, None, None),
        (90.0, 0, None, None),
        (50.0, 2, 1.0, 1.0),
    ]
    assert result.each()["tau"].to_list() == [None] * 4 + [1.0] * 2
    assert result.notes == ("samples of 100, 90 % keep all judgments and are not tested",)


def test_negative_grades_are_kept_and_noted():
    qrels = {"t": {**{f"r{i}": 1 for i in range(4)}, **{f"s{i}": -2 for i in range(3)}}}
    runs = {"one": {"t": {"r0": 1.0}}, "other": {"t": {"s0": 2.0, "r1": 1.0}}}
    result = robustness(read(qrels, runs), "AP", ratios=[50], seeds=1)
    assert result.notes[0] == "3 documents with negative grades count as unjudged; every sample keeps them"
    assert result.sizes.tolist() == [[2, 2]]


def test_summary_names_the_best_and_the_worst_measure(report):
    lowest = report.frame().filter(ratio=10.0).sort("tau_mean")
    summary = report.summary()
    assert summary.startswith(f"With 10 % of the judgments, {lowest['measure'][-1]} preserves the order of the")
    assert f"{lowest['measure'][0]} preserves it least ({lowest['tau_mean'][0]:.3f})" in summary


def test_summary_without_taus_and_with_ties():
    equal_runs = {"one": {"t": {"a": 1.0}}, "other": {"t": {"a": 2.0}}}
    assert (
        "Robustness was not tested"
        in robustness(read({"t": {"a": 1, "b": 0}}, equal_runs), "AP", ratios=[50]).summary()
    )
    qrels = {"t": {"a": 1, "b": 1, "c": 1, "d": 1}}
    assert "tau is undefined" in robustness(read(qrels, equal_runs), "AP", ratios=[50], seeds=2).summary()
    runs = {"one": {"t": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}, "other": {"t": {"x": 2.0, "y": 1.0}}}
    tied = robustness(read(qrels, runs), ["AP", "P@5"], ratios=[50], seeds=2)
    assert "AP and P@5 preserve equally well the order of the 2 runs: mean tau 1.000" in tied.summary()


def test_compact_tables(report):
    table = report.table()
    assert table.compact.columns == ["measure", "90 %", "70 %", "50 %", "30 %", "10 %"]
    assert table.compact["measure"].to_list() == MEASURES
    assert table.compact["10 %"].to_list() == report.frame().filter(ratio=10.0)["tau_mean"].to_list()
    assert report.table("pools").compact.columns == ["ratio", "judgments", "relevant", "kept"]
    assert report.table("seeds").compact.columns == ["measure", "seed", *table.compact.columns[1:]]


def test_default_measures():
    report = robustness(read(*random_campaign(1)), ratios=[50], seeds=1)
    assert tuple(map(str, report.measures)) == DEFAULT_MEASURES


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ratios": [0.9]}, "ratios are percentages from 1 to 100, such as 90, got 0.9"),
        ({"ratios": []}, "ratios: name at least one percentage, such as 50"),
        ({"seeds": 0}, "seeds must be a whole number of at least 1, got 0"),
        ({"seeds": 2.5}, "seeds must be a whole number of at least 1, got 2.5"),
        ({"seeds": True}, "seeds must be a whole number of at least 1, got True"),
        ({"seed": -1}, "seed must be .*at least 0, got -1"),
        ({"best": 0}, "best: the fraction of runs must be above 0"),
        ({"best": 0.1}, "runs: need at least two runs, got"),
    ],
)
def test_invalid_arguments_raise(options, message):
    with pytest.raises(AssayError, match=message):
        robustness(read(*random_campaign(0)), "AP", **options)


def test_one_run_raises():
    qrels, runs = random_campaign(0, runs=1)
    with pytest.raises(InputError, match="need at least two runs"):
        robustness(read(qrels, runs), "AP")


def test_robust03_orders_measures_as_in_the_paper():
    """Figure 13 of Ferro et al. (2016): bpref and nDCG are the most robust, and RBP is less robust than Twist."""
    qrels, runs = real("robust03", "qrels.robust03.txt.gz"), real("robust03", "runs")
    measures = ["bpref", "nDCG(base=10, gains=base5)", "Twist@1000", "AP", "RBP(p=0.8)"]
    result = robustness(read(qrels, runs, keep="judgments"), measures, ratios=[70, 30, 10], seeds=4)
    bpref, ndcg, twist, ap, rbp = result.tau.mean(axis=2)
    assert (ndcg >= np.maximum(twist, np.maximum(ap, rbp))).all()
    assert (bpref[1:] > np.maximum(twist, np.maximum(ap, rbp))[1:]).all()
    assert (twist > rbp).all()

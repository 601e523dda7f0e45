"""Significance counts, compared with scipy's tests for each pair and with the published findings."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import ttest_rel, wilcoxon

import assay
from assay import read
from assay.errors import AssayError
from assay.meta._significance_counts import MEASURES as DEFAULT_MEASURES
from assay.meta._significance_counts import significance_counts
from assay.significance.base import significance_test
from campaign_cases import random_campaign
from real_data import read_trec8

MEASURES = ["AP", "nDCG", "P@5", "RR"]


@pytest.fixture(scope="module")
def report():
    return significance_counts(read(*random_campaign(1, topics=30)), MEASURES)


def wilcoxon_p(x: np.ndarray, y: np.ndarray) -> float:
    """Return the p-value of spec section 12.7.

    Zeros are dropped. The p-value is exact for up to 25 untied differences, else normal with a tie correction.
    """
    z = np.round(x - y, 12)
    z = z[z != 0]
    if len(z) == 0:
        return 1.0
    exact = len(z) <= 25 and len(np.unique(np.abs(z))) == len(z)
    method = "exact" if exact else "asymptotic"
    return float(wilcoxon(z, correction=False, method=method).pvalue)


def test_counts_agree_with_scipy(report):
    results = assay.evaluate(*random_campaign(1, topics=30), MEASURES)
    for values, counts in zip(results.values, report.counts(), strict=True):
        pairs = list(combinations(values, 2))
        for p, actual in zip(
            ([ttest_rel(x, y).pvalue for x, y in pairs], [wilcoxon_p(x, y) for x, y in pairs]), counts, strict=True
        ):
            assert actual.tolist() == [sum(value < level for value in p) for level in (0.05, 0.01)]


def test_columns_and_counts_of_the_frames(report):
    frame = report.frame()
    assert frame.columns == ["measure", "test", "level", "pairs", "significant", "share"]
    assert frame.select("measure", "test", "level", "pairs").rows()[:4] == [
        ("AP", "t", 0.05, 15),
        ("AP", "t", 0.01, 15),
        ("AP", "wilcoxon", 0.05, 15),
        ("AP", "wilcoxon", 0.01, 15),
    ]
    each = report.each()
    assert each.columns == ["measure", "test", "run", "other", "p"]
    for measure, test, level, pairs, significant, share in frame.rows():
        rows = each.filter(measure=measure, test=test)
        assert len(rows) == pairs
        assert (rows["p"] < level).sum() == significant
        assert share == significant / pairs
    assert 0 < frame["share"].min() <= frame["share"].max() < 1


def test_tables(report):
    table = report.table()
    names = ["t < 0.05", "t < 0.01", "wilcoxon < 0.05", "wilcoxon < 0.01"]
    assert table.compact.columns == ["measure", "pairs", *names]
    assert table.compact.select(names).to_numpy().tolist() == report.counts().reshape(4, 4).tolist()
    pairs = report.table("pairs")
    assert pairs.frame.equals(report.each())
    assert pairs.compact.columns == ["measure", "run", "other", "p (t)", "p (wilcoxon)"]
    assert len(pairs.compact) == 4 * 15


def test_summaries():
    qrels = {f"q{i}": {"a": 1} for i in range(12)}
    first = {f"q{i}": {"a": 2.0, "b": 1.0} for i in range(12)}
    second = {f"q{i}": {"a": 1.0, "b": 2.0 if i else 0.5} for i in range(12)}
    source = read(qrels, {"first": first, "second": second, "copy": second})
    assert significance_counts(source, ["AP", "P@5"]).summary() == (
        "Most pairs differ significantly under AP: 2 of 3 run pairs (paired t test, p < 0.05). Fewest pairs differ "
        "significantly under P@5: 0."
    )
    assert "under AP and RR (tied): 2 of 3" in significance_counts(source, ["AP", "RR", "P@5"]).summary()
    assert significance_counts(source, "P@5").summary().startswith("None of 3 run pairs differs significantly")
    assert significance_counts(source, "AP").summary().startswith("2 of 3 run pairs differ significantly under AP")
    assert significance_counts(source, ["AP", "RR"]).summary().startswith("Under each of the 2 measures, 2 of 3")


def test_default_measures():
    assert tuple(map(str, significance_counts(read(*random_campaign(1))).results.measures)) == DEFAULT_MEASURES


def test_other_tests_and_levels():
    campaign = random_campaign(1, topics=30)
    names = ["sign", "bootstrap", "tukey-randomized"]
    result = significance_counts(read(*campaign), "AP", tests=names, levels=[0.2, 0.2], resamples=40, seed=2)
    assert result.counts().shape == (1, 3, 1)
    values = assay.evaluate(*campaign, "AP").values[0]
    for number, test in enumerate(("sign", "bootstrap", "tukey-randomized")):
        instance = significance_test(test, resamples=40, seed=2)
        assert np.array_equal(result.p[0, number], instance.compare(values, result.pairs).p)
    assert result.provenance.as_dict()["settings"]["tests"][1] == {"name": "bootstrap", "resamples": 40, "seed": 2}
    assert significance_counts(read(*campaign), "AP", tests="sign").tests[0].name == "sign"


def test_selection_of_the_best_runs():
    counts_report = significance_counts(read(*random_campaign(4, runs=7)), "P@5", best=0.5)
    assert len(counts_report.results.runs) == 4
    assert len(counts_report.pairs) == 6


def test_pairs_without_common_topics_are_noted():
    qrels = {"t1": {"a": 1}, "t2": {"a": 1}, "t3": {"a": 1}}
    runs = {
        "one": {"t1": {"a": 1.0}, "t2": {"a": 1.0}},
        "two": {"t2": {"b": 2.0, "a": 1.0}, "t1": {"a": 1.0}},
        "three": {"t3": {"a": 1.0}},
    }
    counts_report = significance_counts(read(qrels, runs, missing="exclude"), "AP")
    assert counts_report.notes[-1] == "counted 2 pairs with too few common topics as not significant"
    assert counts_report.counts().sum() == 0


def test_progress_is_reported_per_test():
    calls: list[tuple[int, int]] = []
    significance_counts(read(*random_campaign(0, runs=2)), ["AP", "RR"], progress=lambda *step: calls.append(step))
    assert calls == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tests": ["wilcoxn"]}, "did you mean wilcoxon?"),
        ({"tests": ["t", "t"]}, "tests: duplicate test t"),
        ({"tests": []}, "tests: name at least one test"),
        ({"resamples": 50}, "resamples: not used by t and wilcoxon; omit it"),
        ({"levels": []}, "levels: name at least one level, such as 0.05"),
        ({"levels": [95]}, "levels must lie between 0 and 1, such as 0.05, got 95"),
        ({"levels": [True]}, "levels must lie between 0 and 1"),
    ],
)
def test_invalid_arguments_raise(options, message):
    with pytest.raises(AssayError, match=message):
        significance_counts(read(*random_campaign(0)), "AP", **options)


def test_one_run_raises():
    with pytest.raises(AssayError, match="need at least two runs"):
        significance_counts(read(*random_campaign(0, runs=1)), "AP")


def test_existing_results_give_the_same_counts(report):
    repeated = significance_counts(report.results, tests=report.tests, levels=report.levels)
    assert repeated.frame().equals(report.frame())


def test_trec8_orders_measures_as_in_the_paper():
    """The order of measures in Table IV of Moffat & Zobel (2008), for TREC-5, holds for the 8256 pairs of TREC-8."""
    measures = ["RR", "P@10", "Rprec", "AP", "nDCG", *(f"RBP(p={p})" for p in (0.5, 0.8, 0.95))]
    report = significance_counts(read_trec8(), measures)
    assert len(report.pairs) == 8256
    counts = {
        str(each): significant for each, significant in zip(report.results.measures, report.counts(), strict=True)
    }
    lower_of_ap_and_ndcg = np.minimum(counts.pop("AP"), counts.pop("nDCG"))
    for other in counts.values():
        assert (lower_of_ap_and_ndcg > other).all()
    for lower, higher in (
        ("RR", "P@10"),
        ("P@10", "Rprec"),
        ("RBP(p=0.5)", "RBP(p=0.8)"),
        ("RBP(p=0.8)", "RBP(p=0.95)"),
    ):
        assert (counts[lower] < counts[higher]).all()

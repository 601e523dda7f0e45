"""Significance counts: against scipy's tests pair by pair, and against the paper's findings on TREC-8."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import ttest_rel, wilcoxon

import assay
from assay import read
from assay.errors import AssayError
from assay.meta._significance_counts import MEASURES as MEASURES_BY_DEFAULT
from assay.meta._significance_counts import significance_counts
from assay.significance.base import significance_test
from campaign_cases import random_campaign
from real_data import real

MEASURES = ["AP", "nDCG", "P@5", "RR"]


@pytest.fixture(scope="module")
def report():
    return significance_counts(read(*random_campaign(1, topics=30)), MEASURES)


def signed_ranks(x: np.ndarray, y: np.ndarray) -> float:
    """Section 12.7: without zeros, exact up to 25 differences without ties, else normal with tie correction."""
    z = np.round(x - y, 12)
    z = z[z != 0]
    if len(z) == 0:
        return 1.0
    exact = len(z) <= 25 and len(np.unique(np.abs(z))) == len(z)
    how = "exact" if exact else "asymptotic"
    return float(wilcoxon(z, correction=False, method=how).pvalue)


def test_counts_are_those_of_scipy(report):
    results = assay.evaluate(*random_campaign(1, topics=30), MEASURES)
    for values, counts in zip(results.values, report.counts(), strict=True):
        pairs = list(combinations(values, 2))
        for p, found in zip(
            ([ttest_rel(x, y).pvalue for x, y in pairs], [signed_ranks(x, y) for x, y in pairs]), counts, strict=True
        ):
            assert found.tolist() == [sum(one < level for one in p) for level in (0.05, 0.01)]


def test_frames(report):
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
        mine = each.filter(measure=measure, test=test)
        assert len(mine) == pairs
        assert (mine["p"] < level).sum() == significant
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
        "Most pairs differ significantly under AP: 2 of 3 run pairs (paired t test, p < 0.05); fewest under P@5: 0."
    )
    assert "under AP and RR (tied): 2 of 3" in significance_counts(source, ["AP", "RR", "P@5"]).summary()
    assert significance_counts(source, "P@5").summary().startswith("None of 3 run pairs differs significantly")
    assert significance_counts(source, "AP").summary().startswith("2 of 3 run pairs differ significantly under AP")
    assert significance_counts(source, ["AP", "RR"]).summary().startswith("Under each of the 2 measures, 2 of 3")


def test_default_measures():
    assert tuple(map(str, significance_counts(read(*random_campaign(1))).results.measures)) == MEASURES_BY_DEFAULT


def test_other_tests_and_levels():
    words = random_campaign(1, topics=30)
    named = ["sign", "bootstrap", "tukey-randomized"]
    found = significance_counts(read(*words), "AP", tests=named, levels=[0.2, 0.2], resamples=40, seed=2)
    assert found.counts().shape == (1, 3, 1)
    values = assay.evaluate(*words, "AP").values[0]
    for number, test in enumerate(("sign", "bootstrap", "tukey-randomized")):
        how = significance_test(test, resamples=40, seed=2)
        assert np.array_equal(found.p[0, number], how.compare(values, found.pairs).p)
    assert found.provenance.as_dict()["settings"]["tests"][1] == {"name": "bootstrap", "resamples": 40, "seed": 2}
    assert significance_counts(read(*words), "AP", tests="sign").tests[0].name == "sign"


def test_only_the_best_runs_by_map():
    found = significance_counts(read(*random_campaign(4, runs=7)), "P@5", best=0.5)
    assert len(found.results.runs) == 4
    assert len(found.pairs) == 6


def test_pairs_without_common_topics_are_told():
    qrels = {"t1": {"a": 1}, "t2": {"a": 1}, "t3": {"a": 1}}
    runs = {
        "one": {"t1": {"a": 1.0}, "t2": {"a": 1.0}},
        "two": {"t2": {"b": 2.0, "a": 1.0}, "t1": {"a": 1.0}},
        "three": {"t3": {"a": 1.0}},
    }
    found = significance_counts(read(qrels, runs, missing="exclude"), "AP")
    assert found.notes[-1] == "2 pairs with too few topics in common counted as not significant"
    assert found.counts().sum() == 0


def test_progress_counts_tests():
    seen: list[tuple[int, int]] = []
    significance_counts(read(*random_campaign(0, runs=2)), ["AP", "RR"], progress=lambda *step: seen.append(step))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"tests": ["wilcoxn"]}, "did you mean wilcoxon?"),
        ({"tests": ["t", "t"]}, "tests: t is named twice"),
        ({"tests": []}, "tests: name at least one test"),
        ({"resamples": 50}, "resamples: not used by t and wilcoxon; omit it"),
        ({"levels": []}, "levels: name at least one, such as 0.05"),
        ({"levels": [95]}, "levels must lie between 0 and 1, such as 0.05, got 95"),
        ({"levels": [True]}, "levels must lie between 0 and 1"),
    ],
)
def test_refused(words, message):
    with pytest.raises(AssayError, match=message):
        significance_counts(read(*random_campaign(0)), "AP", **words)


def test_one_run_is_no_pair():
    with pytest.raises(AssayError, match="need at least two runs"):
        significance_counts(read(*random_campaign(0, runs=1)), "AP")


def test_values_at_hand(report):
    again = significance_counts(report.results, tests=report.tests, levels=report.levels)
    assert again.frame().equals(report.frame())


def test_measures_order_as_in_the_paper_on_trec8():
    """Table IV of Moffat & Zobel (2008), on TREC-5: what it says of measures holds for the 8256 pairs of TREC-8."""
    measures = ["RR", "P@10", "Rprec", "AP", "nDCG", *(f"RBP(p={p})" for p in (0.5, 0.8, 0.95))]
    qrels, runs = real("trec8-adhoc", "qrels.trec8.adhoc.txt.gz"), real("trec8-adhoc", "runs")
    report = significance_counts(read(qrels, runs), measures)
    assert len(report.pairs) == 8256
    counts = {str(one): found for one, found in zip(report.results.measures, report.counts(), strict=True)}
    both = np.minimum(counts.pop("AP"), counts.pop("nDCG"))
    for other in counts.values():
        assert (both > other).all()
    for lower, higher in (
        ("RR", "P@10"),
        ("P@10", "Rprec"),
        ("RBP(p=0.5)", "RBP(p=0.8)"),
        ("RBP(p=0.8)", "RBP(p=0.95)"),
    ):
        assert (counts[lower] < counts[higher]).all()

"""Discriminative power by the paired bootstrap and Tukey's test, and its tables."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import strategies as st

import assay
from assay import meta, read
from assay.errors import AssayError, InputError, MeasureError
from assay.meta._paired import describe_correction, mean_differences
from assay.meta._power import MEASURES
from assay.results.results import Results
from assay.significance.base import significance_test
from assay.significance.values import prepare_values
from campaign_cases import random_campaign
from oracles.power import paired_bootstrap
from strategies import many_examples

RESAMPLES = 40


def draw_resamples(topics: int, count: int, seed: int) -> list[list[int]]:
    """Return the resampled topics, which are the same for all pairs and measures."""
    return np.random.default_rng(seed).integers(topics, size=(count, topics)).tolist()


def make_results(values: list[list[float]], measure: str = "AP") -> Results:
    """Return results with these values (runs x topics)."""
    table = np.array([values], dtype=np.float64)
    _, runs, topics = table.shape
    names = tuple(f"run{i}" for i in range(runs)), tuple(f"t{i}" for i in range(topics))
    template = assay.evaluate({"t": {"a": 1}}, {"t": {"a": 1.0}}, measure)
    return Results(*names, template.measures, table, np.zeros_like(table), template.provenance)


# There are few different values, so runs, topics and resamples are often tied.
VALUES = st.lists(
    st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.7, 1.0, 40.0, -2.0]), min_size=6, max_size=6),
    min_size=2,
    max_size=3,
)


@many_examples(60, values=VALUES, seed=st.integers(0, 5), alpha=st.sampled_from([0.05, 0.2, 0.5, 0.99]))
def test_bootstrap_agrees_with_the_definition(values, seed, alpha):
    report = meta.power(make_results(values), resamples=RESAMPLES, seed=seed, alpha=alpha)
    resampled_topics = draw_resamples(6, RESAMPLES, seed)
    num_separated, deltas = 0, []
    for pair, (i, j) in enumerate(combinations(range(len(values)), 2)):
        asl, possible_deltas = paired_bootstrap(values[i], values[j], resampled_topics, alpha)
        assert report.asl[0, pair] == pytest.approx(asl, abs=1e-12)
        if not possible_deltas:
            assert np.isnan(report.delta[0, pair])
        else:
            assert any(report.delta[0, pair] == pytest.approx(mean, rel=1e-9, abs=1e-9) for mean in possible_deltas)
            deltas.append(report.delta[0, pair])
        num_separated += asl < alpha
    [(_, test, pairs, dp, delta)] = report.frame().rows()
    assert (test, pairs) == ("bootstrap", len(report.pairs))
    assert dp == pytest.approx(num_separated / pairs)
    assert delta == (max(deltas) if deltas else None)


def test_identical_systems_are_not_separated():
    """MATTERS counts the 0/0 of identical systems as significant; in assay they have ASL 1 and no Delta."""
    row = [0.1, 0.5, 0.9, 0.3]
    for test in ("bootstrap", "tukey-randomized"):
        report = meta.power(make_results([row, row, row]), test=test, resamples=50)
        assert (report.asl == 1).all()
        assert report.frame().select("pairs", "dp", "delta").rows()[0][:2] == (3, 0.0)
    report = meta.power(make_results([row, row, row]), resamples=50)
    assert report.frame()["delta"].to_list() == [None]


def test_a_constant_difference_has_an_infinite_t():
    """Shifted to mean 0, all differences are 0, so no resample reaches the observed t."""
    report = meta.power(make_results([[0.5, 0.6, 0.7], [0.25, 0.35, 0.45]]), resamples=50)
    assert report.asl.tolist() == [[0.0]]
    assert report.frame().rows() == [("AP", "bootstrap", 1, 1.0, 0.0)]


@pytest.fixture(scope="module")
def report():
    return meta.power(read(*random_campaign(1, topics=12)), ["AP", "P@5"], resamples=200)


def test_columns_and_order_of_the_curves(report):
    curves = report.curves()
    assert curves.columns == ["measure", "place", "run", "other", "difference", "asl", "delta"]
    assert len(curves) == 2 * 15
    means = dict(zip(report.results.runs, report.results.overall()[:, 0].tolist(), strict=True))
    rows = curves.filter(measure="AP")
    assert rows["place"].to_list() == list(range(1, 16))
    assert rows["asl"].is_sorted(descending=True)
    assert {frozenset(pair) for pair in rows.select("run", "other").rows()} == {
        frozenset(pair) for pair in combinations(report.results.runs, 2)
    }
    for run, other, difference in rows.select("run", "other", "difference").rows():
        assert difference == pytest.approx(means[run] - means[other], abs=1e-12)
    summary = {measure: (dp, delta) for measure, _, _, dp, delta in report.frame().rows()}
    assert summary["AP"] == ((rows["asl"] < 0.05).mean(), rows["delta"].max())
    assert 0 < summary["AP"][0] < 1


def test_tables(report):
    table = report.table()
    assert table.compact.columns == ["measure", "pairs", "separated", "percent", "difference needed"]
    assert table.compact["separated"].to_list() == (report.asl < 0.05).sum(axis=1).tolist()
    assert [text.strip() for text in table.compact["percent"]] == [f"{100 * dp:.1f} %" for dp in report.frame()["dp"]]
    assert report.table("pairs").frame.equals(report.curves())
    assert report.table("pairs").heading == "measure"
    assert "not corrected" in table.caption


def test_summary_names_the_most_and_the_least_powerful_measure():
    """AP separates two of three pairs of runs; P@5 separates none."""
    qrels = {f"q{i}": {"a": 1} for i in range(20)}
    first = {f"q{i}": {"a": 2.0, "b": 1.0} for i in range(20)}
    second = {f"q{i}": {"a": 1.0, "b": float(i % 4)} for i in range(20)}
    source = read(qrels, {"first": first, "second": second, "copy": second})
    assert meta.power(source, ["AP", "P@5"], resamples=50).summary() == (
        "AP separates most pairs: 66.7 % of 3 run pairs at ASL < 0.05; P@5 separates fewest (0.0 %)."
    )
    summary_of_ties = meta.power(source, ["AP", "RR", "P@5"], resamples=50).summary()
    assert summary_of_ties.startswith("AP and RR (tied) separate most pairs: 66.7 %")
    assert (
        meta.power(source, ["AP", "RR"], resamples=50)
        .summary()
        .startswith("All measures separate the same number of pairs")
    )
    assert meta.power(source, "AP", resamples=50).summary() == "AP separates 66.7 % of 3 run pairs at ASL < 0.05."
    assert meta.power(source, "P@5", resamples=50).summary() == (
        "P@5 does not separate any of 3 run pairs at ASL < 0.05."
    )
    summary_of_none = meta.power(source, ["P@5", "P@10"], resamples=50).summary()
    assert summary_of_none == "No measure separates any of 3 run pairs at ASL < 0.05."


def test_default_measures():
    source = read(*random_campaign(1))
    assert tuple(map(str, meta.power(source, resamples=5).results.measures)) == MEASURES
    results = assay.evaluate(source, ["AP", "RR"])
    assert meta.power(results, resamples=5).results.measures == results.measures


def test_description_of_the_correction():
    pairwise, family_wise = significance_test("t"), significance_test("tukey-randomized")
    assert "p-values are not corrected" in describe_correction((pairwise,))
    assert "corrects for all pairs" not in describe_correction((pairwise,))
    assert describe_correction((family_wise,)).startswith("tukey-randomized corrects for all pairs")
    assert "p-values of t are not corrected" in describe_correction((pairwise, family_wise))


def test_results_depend_only_on_the_seed(report):
    source = read(*random_campaign(1, topics=12))
    assert meta.power(source, ["AP", "P@5"], resamples=200).curves().equals(report.curves())
    assert not meta.power(source, ["AP", "P@5"], resamples=200, seed=1).curves().equals(report.curves())
    one_measure = meta.power(source, "P@5", resamples=200)
    assert np.array_equal(one_measure.asl[0], report.asl[1]), "resamples are the same for all measures"


def test_randomized_tukey_agrees_with_the_significance_test():
    qrels, runs = random_campaign(1, topics=12)
    report = meta.power(read(qrels, runs), "AP", test="tukey-randomized", resamples=300)
    values = assay.evaluate(qrels, runs, "AP").values[0]
    expected = significance_test("tukey-randomized", resamples=300).compare(values, report.pairs)
    assert np.array_equal(report.asl[0], expected.p)
    [(_, test, _, dp, delta)] = report.frame().rows()
    assert test == "tukey-randomized"
    # The difference needed is the same for all pairs: exactly the pairs above it are separated.
    assert report.delta[0] == pytest.approx(delta)
    is_larger = np.abs(mean_differences(values, report.pairs)) > delta
    assert dp == pytest.approx(is_larger.mean())
    assert 0 < dp < 1


def test_selection_of_the_best_runs():
    qrels, runs = random_campaign(4, runs=7)
    best = assay.evaluate(qrels, runs, "AP").best("AP")[:4]
    report = meta.power(read(qrels, runs), "P@5", best=0.5, resamples=20)
    assert set(report.results.runs) == set(best)
    assert len(report.pairs) == 6
    settings = {"runs": 4, "test": "bootstrap", "resamples": 20, "seed": 0, "alpha": 0.05}
    assert report.provenance.as_dict()["settings"] == settings


def test_missing_topics_are_excluded_per_pair():
    """Each pair is compared on its common topics; pairs with fewer than two are not tested."""
    nan = float("nan")
    values = [[0.1, 0.5, 0.3, nan], [0.2, 0.7, 0.9, 0.4], [nan, nan, 0.5, 0.7], [nan, nan, nan, nan]]
    test = significance_test("bootstrap", resamples=40, seed=3)
    report = meta.power(make_results(values), test=test)
    assert report.notes == ("counted 4 pairs with too few common topics as not separated",)
    resampled_topics = draw_resamples(3, 40, 3)
    asl, possible_deltas = paired_bootstrap(values[0][:3], values[1][:3], resampled_topics, 0.05)
    assert report.asl[0, 0] == asl
    assert any(report.delta[0, 0] == pytest.approx(mean) for mean in possible_deltas)
    assert report.curves()["asl"].null_count() == 4
    assert report.curves()["asl"][:2].null_count() == 0
    assert report.curves()["difference"].null_count() == 3
    common_values = prepare_values(make_results(values), 0, complete_topics=True)
    assert np.isnan(common_values).all()


def test_geometric_means_are_compared_on_logarithms():
    values = [[0.5, 0.0, 0.25], [0.25, 1.0, 1e-9]]
    prepared = prepare_values(make_results(values, "GM(of_measure=AP)"), 0)
    assert prepared == pytest.approx(np.log([[0.5, 1e-5, 0.25], [0.25, 1.0, 1e-5]]))


def test_infinite_values_raise():
    with pytest.raises(MeasureError, match="measure 'AP': is infinite for run1 on topic t0"):
        meta.power(make_results([[0.5, 0.6], [float("inf"), 0.5]]))


def test_progress_is_reported_per_measure():
    calls: list[tuple[int, int]] = []
    source = read(*random_campaign(0, runs=2))
    meta.power(source, ["AP", "RR"], resamples=5, progress=lambda *step: calls.append(step))
    assert calls == [(1, 2), (2, 2)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "t"}, "test 't': choose one of bootstrap, tukey-randomized"),
        ({"test": "bootsrap"}, "did you mean bootstrap?"),
        ({"alpha": 5}, "alpha must lie between 0 and 1, such as 0.05, got 5"),
        ({"alpha": "x"}, "alpha must lie between 0 and 1, such as 0.05, got 'x'"),
        ({"resamples": 0}, "resamples must be a whole number of at least 1, got 0"),
        ({"seed": -1}, "seed must be "),
    ],
)
def test_invalid_arguments_raise(options, message):
    with pytest.raises(AssayError, match=message):
        meta.power(read(*random_campaign(0)), "AP", **options)


def test_one_run_raises():
    with pytest.raises(InputError, match="need at least two runs"):
        meta.power(make_results([[0.5, 0.6]]))


def test_too_few_resamples_are_noted():
    values = [[0.1, 0.4, 0.3, 0.9], [0.2, 0.2, 0.8, 0.1]]
    test = significance_test("bootstrap", resamples=50)
    assert meta.power(make_results(values), test=test, alpha=0.001).notes == (
        "50 resamples are too few for alpha 0.001; use at least 1000",
    )
    assert meta.power(make_results(values), test=test, alpha=0.05).notes == ()

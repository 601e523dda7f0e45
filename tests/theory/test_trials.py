"""Trials of the balancing index: random rankings, significance tests and rejection rates."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assay.errors import InputError, MeasureError
from assay.measures import catalogue, measure
from assay.results.formats import FORMATS, TableLayout, render
from assay.theory import _trials as module
from assay.theory import trials
from assay.theory._balance import judged_from_codes
from assay.theory._trials import DRAWINGS, TOP, Design, Part, is_linear, rank_weights


def simulate_trials(text: str = "RBP(p=0.8)", *, ranks: list[int] | None = None, **options: Any) -> pl.DataFrame:
    """Return the rates of one measure at some ranks, by default at all ranks."""
    frame = trials(text, **options).frames[0]
    return frame if ranks is None else frame.filter(pl.col("rank").is_in(ranks))


def design_trials(**options: Any) -> Design:
    """Return the design of the paper with other *options*."""
    runs = {"same": 20, "first": [70, 10], "second": [30, 70], "top": TOP, "drawing": "random-rounding"}
    return Design(**{"trials": 100, "topics": 50, "n": 1000, "alpha": 0.05, "seed": 0, **runs, **options})


def simulate_rates(**options: Any) -> dict[int, float]:
    frame = simulate_trials(**{"trials": 1000, "seed": 3, **options})
    return dict(zip(frame["rank"], frame["rejected"], strict=True))


# Rejection rates ----------------------------------------------------------------------------------


def test_random_rounding_is_the_default_and_rates_decrease() -> None:
    """The rates agree with the specification: nearly 1 up to rank 8, then decreasing, as the paper states."""
    rejection_rates = simulate_rates()
    assert list(rejection_rates) == list(range(21))
    assert all(rejection_rates[rank] > 0.995 for rank in range(7))
    expected = {7: 0.99, 8: 0.92, 9: 0.73, 10: 0.57, 11: 0.26, 12: 0.16, 13: 0.08}
    assert {rank: rejection_rates[rank] for rank in expected} == pytest.approx(expected, abs=0.05)
    assert all(rejection_rates[rank] > rejection_rates[rank + 1] for rank in range(7, 13))
    assert all(rejection_rates[rank] < 0.1 for rank in range(14, 21))
    assert simulate_rates(ranks=[9], drawing="random-rounding") == simulate_rates(ranks=[9])


def test_half_up_rounding_is_not_monotone() -> None:
    rejection_rates = simulate_rates(drawing="half-up")
    assert all(rejection_rates[rank] == 1 for rank in range(8))
    assert {rank: rejection_rates[rank] for rank in (8, 9, 10, 11, 12)} == pytest.approx(
        {8: 0.88, 9: 0.92, 10: 0.54, 11: 0.21, 12: 0.28}, abs=0.05
    )


def test_rates_of_independent_draws() -> None:
    rejection_rates = simulate_rates(drawing="bernoulli", ranks=[5, 7, 8, 9, 20])
    expected = {5: 0.99, 7: 0.75, 8: 0.53, 9: 0.34, 20: 0.05}
    assert rejection_rates == pytest.approx(expected, abs=0.06)


def test_a_measure_that_is_not_top_heavy_always_prefers_the_second_run() -> None:
    frame = simulate_trials("nDCG(base=10)", trials=20, ranks=[0, 20], n=300)
    assert frame["second"].to_list() == [1, 1]
    assert (frame["difference"] < 0).all()


def test_the_same_seed_gives_the_same_rates() -> None:
    frame = simulate_trials(trials=300, ranks=[8, 9])
    assert frame.equals(simulate_trials(trials=300, ranks=[8, 9]))
    assert not frame.equals(simulate_trials(trials=300, ranks=[8, 9], seed=1))


@pytest.mark.parametrize("drawing", DRAWINGS)
def test_weighted_sums_agree_with_full_scoring(drawing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"trials": 300, "n": 60, "ranks": [0, 8, 20], "drawing": drawing, "topics": 30}
    by_weights = simulate_trials("RBP(p=0.8)", **options)
    monkeypatch.setattr(module, "is_linear", lambda measure: False)
    by_scoring = simulate_trials("RBP(p=0.8)", **options)
    assert by_scoring["rejected"].to_list() == pytest.approx(by_weights["rejected"].to_list(), abs=0.12)
    assert by_scoring["difference"].to_list() == pytest.approx(by_weights["difference"].to_list(), abs=0.01)
    assert not by_scoring.equals(by_weights)


def test_measures_that_are_not_weighted_sums() -> None:
    frame = simulate_trials("ERR", trials=30, n=40, ranks=[0, 20])
    assert frame["first"][0] == 1
    assert frame["rejected"][1] < 0.3
    assert simulate_trials("AP", trials=3, n=1000, ranks=[0])["second"].to_list() == [1]


def test_rates_add_up_and_progress_is_reported_per_block(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    monkeypatch.setattr(module, "_RANKINGS", 500)
    frame = simulate_trials(trials=25, ranks=[3, 12, 18], progress=lambda done, total: calls.append((done, total)))
    assert calls == [(10, 25), (20, 25), (25, 25)]
    assert frame["rejected"].to_list() == pytest.approx((frame["first"] + frame["second"]).to_list())
    assert (frame["rejected"] * 25).to_list() == pytest.approx((frame["rejected"] * 25).round().to_list())


def test_constant_differences() -> None:
    frame = simulate_trials("P@20", trials=10, ranks=[0, 20])
    assert frame["rejected"].to_list() == [1, 0]
    assert frame["difference"].to_list() == pytest.approx([0.4, 0], abs=1e-15)


def test_mean_difference_agrees_with_its_expectation() -> None:
    """With independent draws, the mean of RBP is the sum of weight x probability."""
    weight = 0.2 * 0.8 ** np.arange(1000)
    top, deep = weight[5:20].sum() * 0.4, weight[20:].sum() * 0.6
    frame = simulate_trials(trials=500, ranks=[5], drawing="bernoulli")
    assert frame["difference"][0] == pytest.approx(top - deep, abs=0.005)


# Test statistic --------------------------------------------------------------------------------------------------


def test_statistic_agrees_with_the_paired_t_test() -> None:
    rng = np.random.default_rng(5)
    first, second = rng.random((2, 40, 17))
    statistic = module._t_statistic(first - second)
    expected = stats.ttest_rel(first, second, axis=1)
    assert statistic == pytest.approx(expected.statistic)
    for alpha in (0.01, 0.05, 0.3):
        assert ((np.abs(statistic) > module._critical_value(17, alpha)) == (expected.pvalue < alpha)).all()


def test_statistic_without_variance() -> None:
    third = np.full(6, 1 / 3)
    noisy = third + np.array([1, -1, 1, 1, -1, 0]) * 1e-17
    statistic = module._t_statistic(np.array([np.zeros(6), third, -third, noisy]))
    assert statistic.tolist() == [0, math.inf, -math.inf, math.inf]


def test_true_null_hypotheses_are_rejected_at_the_stated_rate() -> None:
    for alpha in (0.05, 0.2):
        frame = simulate_trials(trials=2000, ranks=[0, 10], drawing="bernoulli", second=(70, 10), alpha=alpha)
        assert frame["rejected"].to_list() == pytest.approx([alpha, alpha], abs=4 * math.sqrt(alpha / 2000))


# Random rankings -------------------------------------------------------------------------------------------------


def draw_counts(part: Part, drawing: str, size: int = 4000) -> np.ndarray:
    return part.draw_relevant(np.random.default_rng(7), size, drawing)


def test_rounding_of_the_number_of_relevant_documents() -> None:
    half_up = [int(draw_counts(part, "half-up")[0]) for part in design_trials().parts(5, [70, 10])]
    assert half_up == [1, 11, 98]  # 10.5 is rounded to 11.
    half_up = [int(draw_counts(part, "half-up")[0]) for part in design_trials().parts(15, [30, 70])]
    assert half_up == [3, 2, 686]  # 1.5 is rounded to 2.
    at_random = draw_counts(Part(5, 20, 70), "random-rounding")
    assert set(at_random) == {10, 11}
    assert at_random.mean() == pytest.approx(10.5, abs=0.04)
    assert set(draw_counts(Part(0, 10, 30), "random-rounding")) == {3}, "whole numbers are not rounded"
    assert set(draw_counts(Part(3, 3, 70), "random-rounding")) == {0}


def test_parts_of_the_design() -> None:
    assert design_trials(n=30).parts(20, [70, 10]) == (Part(0, 20, 20), Part(20, 20, 70), Part(20, 30, 10))
    assert design_trials(n=30, same=5, top=9).parts(4, [60, 1]) == (Part(0, 4, 5), Part(4, 9, 60), Part(9, 30, 1))


@pytest.mark.parametrize("drawing", DRAWINGS)
@pytest.mark.parametrize("part", [Part(TOP, 50, 70), Part(TOP, 31, 10), Part(0, 7, 20), Part(12, 20, 70)])
def test_all_ranks_of_a_part_are_equally_likely(part: Part, drawing: str) -> None:
    rng, samples = np.random.default_rng(1), 6000
    powers = 2.0 ** np.arange(part.end)  # Each set of ranks has a different sum.
    sums = module._draw_part_values(rng, samples, powers, part, drawing).astype(np.int64)
    assert (sums % 2**part.begin == 0).all()
    is_relevant = sums[:, None] >> np.arange(part.begin, part.end) & 1
    fraction = (
        draw_counts(part, drawing).mean() / (part.end - part.begin) if drawing == "half-up" else part.percent / 100
    )
    assert is_relevant.mean(axis=0) == pytest.approx(np.full(is_relevant.shape[1], fraction), abs=0.03)
    if drawing != "bernoulli":
        assert set(is_relevant.sum(axis=1)) == set(draw_counts(part, drawing).astype(int))


def test_independent_draws_below_the_top() -> None:
    values = module._draw_part_values(np.random.default_rng(1), 2000, np.ones(120), Part(TOP, 120, 70), "bernoulli")
    assert values.mean() == pytest.approx(70, abs=0.5)
    assert values.var() == pytest.approx(21, rel=0.2)


@pytest.mark.parametrize("drawing", DRAWINGS)
def test_complete_rankings_have_the_designed_fractions(drawing: str) -> None:
    parts = design_trials(n=60).parts(7, [70, 10])
    code = module._draw_codes(np.random.default_rng(4), 4000, parts, drawing)
    assert code.shape == (4000, 60)
    for part in parts:
        relevant = (code[:, part.begin : part.end] == 2).sum(axis=1)
        assert relevant.mean() == pytest.approx(draw_counts(part, drawing).mean(), abs=0.1)
        if drawing != "bernoulli":
            assert set(relevant) == set(draw_counts(part, drawing).astype(int))
    if drawing != "half-up":
        assert (code == 2).mean(axis=0) == pytest.approx(np.repeat([0.2, 0.7, 0.1], [7, 13, 40]), abs=0.04)


# Another design --------------------------------------------------------------------------------------------------


def test_other_designs() -> None:
    frame = simulate_trials(trials=200, top=8, ranks=None, n=40)
    assert frame["rank"].to_list() == list(range(9))
    swapped = simulate_trials(trials=200, first=(30, 70), second=(70, 10), ranks=[0])
    assert (swapped["first"][0], swapped["second"][0]) == (0, 1)
    equal_runs = simulate_trials(trials=400, first=(50, 50), second=(50, 50), ranks=[0, 20])
    assert max(equal_runs["rejected"]) < 0.12
    weight = 0.2 * 0.8 ** np.arange(1000)
    frame = simulate_trials(trials=300, ranks=[3], same=90, first=(80, 5), second=(20, 15), top=10)
    assert frame["difference"][0] == pytest.approx(weight[3:10].sum() * 0.6 - weight[10:].sum() * 0.1, abs=0.005)


# Weighted sums ---------------------------------------------------------------------------------------------------

SUMS = [text for cls in catalogue().values() for text in cls.examples if is_linear(measure(text))]


@pytest.mark.parametrize("text", [text for text in SUMS if "rel=2" not in text])
def test_linear_measures_are_weighted_sums(text: str) -> None:
    tested_measure = measure(text)
    rng = np.random.default_rng(0)
    relevant = rng.random((30, 45)) < rng.random((30, 1))
    topic = {0.0: 45, 1.0: 45}
    value = tested_measure.score(judged_from_codes((1 + relevant).astype(np.uint8), topic))
    [offset] = tested_measure.score(judged_from_codes(np.ones((1, 45), dtype=np.uint8), topic))
    weight = rank_weights(tested_measure, 45)
    assert value == pytest.approx(offset + relevant[:, : len(weight)] @ weight)


def test_list_of_linear_measures() -> None:
    assert {"RBP(p=0.8)", "P@10", "DCG@10", "nDCG", "CG"} <= set(SUMS)
    assert not {"AP", "ERR", "RBP(p1=0.9, p2=0.5)", "bpref", "MeanNDCG@10"} & set(SUMS)


def test_rank_weights_omit_negligible_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 150 < len(rank_weights(measure("RBP(p=0.8)"), 1000)) < 160
    assert len(rank_weights(measure("P@10"), 1000)) == TOP
    assert len(rank_weights(measure("P@300"), 1000)) == 300
    assert len(rank_weights(measure("DCG"), 1000)) == 1000
    expected = rank_weights(measure("RBP(p=0.9)"), 200)
    assert expected == pytest.approx(0.1 * 0.9 ** np.arange(200))
    monkeypatch.setattr(module, "_DOCUMENTS", 1)
    assert (rank_weights(measure("RBP(p=0.9)"), 200) == expected).all()


# Reports and invalid arguments -----------------------------------------------------------------------------------


def test_report_of_several_measures() -> None:
    calls: list[tuple[int, int]] = []
    report = trials(
        ["RBP(p=0.8)", "ERR"], 30, trials=4, topics=5, progress=lambda done, total: calls.append((done, total))
    )
    frame = report.frame()
    assert frame.columns == ["measure", "rank", "rejected", "first", "second", "difference"]
    assert frame["measure"].to_list() == ["RBP(p=0.8)"] * 21 + ["ERR"] * 21
    assert calls == [(4, 8), (8, 8)]
    assert report.balance == (8, 1)
    assert json.loads(json.dumps(report.provenance.as_dict()))["settings"] == {
        "measures": ["RBP(p=0.8)", "ERR"], "trials": 4, "topics": 5, "n": 30, "alpha": 0.05, "seed": 0,
        "drawing": "random-rounding", "same": 20, "first": [70, 10], "second": [30, 70], "top": 20,
    }  # fmt: skip
    expected = simulate_trials("ERR", trials=4, n=30, topics=5)
    assert report.frames[1].equals(expected)


def test_tables() -> None:
    one_measure, two_measures = trials(trials=30, n=50), trials(["RBP(p=0.8)", "P@20"], 50, trials=3)
    assert repr(one_measure) == "Trials(RBP(p=0.8); 30 trials, 50 topics)"
    assert one_measure.table().frame.equals(one_measure.frame())
    assert one_measure.table().compact.columns == [
        *("agree to rank", "significant", "first better", "second better", "mean difference")
    ]
    assert two_measures.table().heading == "measure"
    for report in (one_measure, two_measures):
        lines = render(report, "table", None, TableLayout(width=80)).decode().splitlines()
        assert max(map(len, lines)) <= 80
        assert all(render(report, format_name) for format_name in FORMATS)


def test_summary() -> None:
    text = trials(trials=200).summary()
    assert text.startswith("RBP(p=0.8) separates the runs in at least half of 200 trials if they agree at most down to")
    assert text.endswith("; its balancing index for n = 1000 is 8.")
    equal_runs = trials("P@5", 30, trials=20, first=(50, 50), second=(50, 50))
    assert equal_runs.summary() == (
        "P@5 separates the runs in less than half of 20 trials at every rank; its balancing index for n = 30 is 5."
    )
    not_top_heavy = trials("DCG(base=10)", 300, trials=10)
    assert "in at least half of 10 trials at every rank" in not_top_heavy.summary()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trials": 0}, "trials must be from 1 to 100000000, got 0"),
        ({"topics": 1}, "topics must be from 2 to 100000, got 1"),
        ({"n": 20}, "n must be from 21 to 100000, got 20"),
        ({"n": 5, "top": 5}, "n must be from 6 to 100000, got 5"),
        ({"top": 0}, "top must be from 1 to 10000, got 0"),
        ({"same": 101}, "same must be a percentage from 0 to 100, got 101"),
        ({"first": (70, -1)}, "first must be two percentages, such as 70,10, from 0 to 100, got 70,-1"),
        ({"second": (70,)}, "second must be two percentages, such as 70,10, from 0 to 100, got 70"),
        (
            {"drawing": "half"},
            "drawing 'half': choose one of random-rounding, half-up, bernoulli; did you mean half-up?",
        ),
        ({"alpha": 0}, "alpha must be above 0 and below 1, got 0"),
        ({"alpha": math.nan}, "alpha must be above 0 and below 1, got nan"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
    ],
)
def test_invalid_arguments_raise(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        simulate_trials(**options)
    assert str(error.value) == message


@pytest.mark.parametrize("text", ["R(rel=2)@100", "AP(rel=2)"])
def test_a_measure_without_a_value_raises(text: str) -> None:
    with pytest.raises(MeasureError, match="undefined for a topic with the grades 0 1"):
        simulate_trials(text, trials=1)

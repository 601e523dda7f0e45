"""Sensitivity of Twist to persistence and weights."""

import numpy as np
import pytest
from scipy.stats import kendalltau

import assay
from assay.effort import sensitivity
from assay.errors import AssayError
from report_contract import check_report

RNG = np.random.default_rng(1)
QRELS = {str(t): {f"d{i}": int(RNG.integers(0, 4)) for i in range(12)} | {"top": 3} for t in range(5)}
RUNS = {
    f"run{r}": {
        t: {doc: float(x) for doc, x in zip(docs, RNG.normal(size=len(docs)), strict=True)} for t, docs in QRELS.items()
    }
    for r in range(7)
}
CAMPAIGN = assay.read(QRELS, RUNS)


def test_the_grid_agrees_with_evaluations_of_each_form():
    report = sensitivity(CAMPAIGN, persistences=[1, 0.9, 0.5], weights=["none", "exp", "binary"], depth=20)
    published = assay.evaluate(CAMPAIGN, "Twist@20").overall()[:, 0]
    for row in report.frame().iter_rows(named=True):
        weights = "" if row["weights"] == "none" else f"weights={row['weights']}, "
        form = f"Twist({weights}persistence={row['persistence']:g})@20"
        means = assay.evaluate(CAMPAIGN, form).overall()[:, 0]
        assert row["mean"] == pytest.approx(means.mean())
        assert row["tau"] == pytest.approx(kendalltau(means, published).statistic)
        assert row["change"] == pytest.approx(np.abs(means - published).max())
        by_run = report.by_run().filter(weights=row["weights"], persistence=row["persistence"])
        assert by_run["mean"].to_list() == pytest.approx(means.tolist())
        assert by_run["difference"].to_list() == pytest.approx((means - published).tolist())


def test_twist_changes_continuously_at_persistence_1():
    report = sensitivity(CAMPAIGN, persistences=[1, 0.99999], weights="none")
    published, near = report.frame().iter_rows(named=True)
    assert (published["tau"], published["change"]) == (1, 0)
    assert near["change"] < 1e-3


def test_the_report():
    report = sensitivity(CAMPAIGN)
    assert check_report(report).name == "grid"
    assert report.summary().startswith("Mean Twist as published: ")
    assert "The order of the 7 runs changes most with weights" in report.summary()
    assert repr(report) == "Sensitivity(4 x 8 forms of Twist, 7 runs)"
    one_run = sensitivity(CAMPAIGN.select("run1"), persistences=[1], weights="none")
    assert one_run.frame()["tau"].to_list() == [None]
    assert one_run.summary().count(".") == 4
    assert check_report(one_run)
    same = sensitivity(CAMPAIGN, persistences=[1], weights="none")
    assert same.summary().endswith("No form changes the order of the runs.")


def test_progress_is_reported():
    calls = []
    sensitivity(CAMPAIGN, persistences=[1, 0.5], weights="none", progress=lambda *call: calls.append(call))
    assert calls == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"persistences": [0]}, "persistence must be above 0"),
        ({"persistences": []}, "persistences: name at least one value"),
        ({"weights": ["x"]}, "unknown gains x|gains x|x"),
        ({"weights": []}, "weights: name at least one value"),
        ({"length": "x"}, "length"),
    ],
)
def test_invalid_arguments_raise_an_error(arguments, message):
    with pytest.raises(AssayError, match=message):
        sensitivity(CAMPAIGN, **arguments)


def test_a_curve_needs_an_order():
    with pytest.raises(AssayError, match="a curve needs an order"):
        sensitivity(assay.read(QRELS, RUNS, ties="expected"))

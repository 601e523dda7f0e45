"""Vectors of agreement and of prediction-powered estimates."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

from assay.judges import coefficients as co
from assay.judges import prediction_powered as pp

VECTORS = json.loads((Path(__file__).parent.parent / "vectors-judging.json").read_text(encoding="utf-8"))


def vectors(operation):
    chosen = [vector for vector in VECTORS if vector["op"] == operation]
    assert chosen
    return pytest.mark.parametrize("vector", chosen, ids=lambda vector: vector["id"])


def check(vector, numbers):
    for name, expected in vector["expected"].items():
        got = numbers[name]
        if expected is None:
            assert math.isnan(got), name
        else:
            assert got == pytest.approx(expected, abs=vector["tolerance"] or 1e-12, nan_ok=True), name


def to_codes(units, grades):
    """Documents x judges: indices of grades, -1 for no judgment."""
    codes = np.full((len(units), max(map(len, units))), -1)
    for row, unit in enumerate(units):
        codes[row, : len(unit)] = [grades.index(grade) for grade in unit]
    return codes


def grades_of(inputs):
    return inputs.get("grades") or sorted({grade for unit in inputs["units"] for grade in unit})


@vectors("judges.confusion")
def test_confusion(vector):
    inputs = vector["inputs"]
    a, b = (np.array([inputs["grades"].index(grade) for grade in inputs[name]]) for name in "ab")
    table = co.cross_tabulate(a, b, np.zeros(len(a), dtype=np.int64), 1, len(inputs["grades"]))[0]
    assert table.tolist() == vector["expected"]["table"]
    assert co.agreement(table) == pytest.approx(vector["expected"]["agreement"], abs=vector["tolerance"])


@vectors("judges.kappa")
def test_kappa(vector):
    table, grades = (np.array(vector["inputs"][name], dtype=float) for name in ("table", "grades"))
    check(vector, {weights: float(co.kappa(table, grades, weights)) for weights in co.WEIGHTS})


@vectors("judges.alpha")
def test_alpha(vector):
    grades = grades_of(vector["inputs"])
    counts = co.count_grades(to_codes(vector["inputs"]["units"], grades), len(grades))
    table = co.coincidences(counts, np.zeros(len(counts), dtype=np.int64), 1)[0]
    check(vector, {metric: float(co.alpha(table, np.array(grades, float), metric)) for metric in co.METRICS})


@vectors("judges.gwet")
def test_gwet(vector):
    names = grades_of(vector["inputs"])
    grades = np.array(names, dtype=float)
    counts = co.count_grades(to_codes(vector["inputs"]["units"], names), len(grades))
    for weights, expected in vector["expected"].items():
        sums = co.sum_for_gwet(counts, grades, np.zeros(len(counts), dtype=np.int64), 1, weights)
        got = co.gwet(co.GwetSums(*(part.sum(axis=0) for part in sums)), grades, weights)
        for value, name in zip(got, ("observed", "expected", "coefficient"), strict=True):
            assert float(value) == pytest.approx(expected[name], abs=vector["tolerance"])


@vectors("judges.margins")
def test_margins(vector):
    got = co.compare_margins(np.array(vector["inputs"]["table"], dtype=float))
    for name, numbers in (
        ("bowker", (got.bowker, got.bowker_df, got.bowker_p)),
        ("stuart_maxwell", (got.stuart_maxwell, got.df, got.p)),
    ):
        expected = vector["expected"][name]
        assert numbers == pytest.approx(
            tuple(expected[key] for key in ("statistic", "df", "p")), abs=vector["tolerance"]
        )


@vectors("judges.jackknife")
def test_jackknife(vector):
    rows = [(topic, *pair) for topic, pairs in enumerate(vector["inputs"]["topics"].values()) for pair in pairs]
    topic, a, b = np.array(rows).T
    grades = np.unique([a, b])
    tables = co.cross_tabulate(
        np.searchsorted(grades, a), np.searchsorted(grades, b), topic, topic.max() + 1, len(grades)
    )
    weights = vector["inputs"].get("weights", "quadratic")
    got = co.jackknife((tables,), lambda table: co.kappa(table, grades.astype(float), weights))
    check(vector, {"value": got.value, "se": got.error, "low": got.low, "high": got.high})


def as_sample(inputs):
    return pp.Sample(*(np.array(inputs[name], dtype=float) for name in ("human", "machine", "machine_only")))


@vectors("ppi.mean")
def test_mean(vector):
    inputs = vector["inputs"]
    if vector["expected"].get("refused"):
        with pytest.raises(Exception, match="at least"):
            pp.estimate_mean(as_sample(inputs), inputs["lam"], inputs["confidence"])
        return
    got = pp.estimate_mean(as_sample(inputs), inputs["lam"], inputs["confidence"])
    assert got.method == vector["expected"]["method"]
    numbers = {**got._asdict(), "se": got.error}
    check({**vector, "expected": {k: v for k, v in vector["expected"].items() if k != "method"}}, numbers)


@vectors("ppi.difference")
def test_difference(vector):
    inputs = vector["inputs"]
    parts = {name: np.subtract(inputs[name]["a"], inputs[name]["b"]) for name in ("human", "machine", "machine_only")}
    got = pp.estimate_mean(as_sample(parts), inputs.get("lam"), inputs.get("confidence", 0.95))
    numbers = {**got._asdict(), "se": got.error}
    check({**vector, "expected": {k: v for k, v in vector["expected"].items() if k != "method"}}, numbers)


@vectors("ppi.asymptotic")
def test_the_published_interval(vector):
    """The large-sample form of the reference implementation, as a definition to compare with."""
    human, machine, other = as_sample(vector["inputs"])
    n, rest = len(human), len(other)
    lam = np.cov(human, machine, ddof=1)[0, 1] / ((1 + n / rest) * np.concatenate([machine, other]).var())
    expected = vector["expected"]
    # Its tuning differs from ours by the divisors of the variances only.
    ours = pp.tune(as_sample(vector["inputs"]))
    assert expected["lam"] == pytest.approx(ours * (n - 1) / n, abs=vector["tolerance"])
    assert lam > 0


@vectors("ppi.stratified")
def test_strata(vector):
    got = pp.estimate_stratified([as_sample(stratum) for stratum in vector["inputs"]["strata"]])
    expected = vector["expected"]
    assert got.lam.tolist() == pytest.approx(
        expected["lam"] if isinstance(expected["lam"], list) else [expected["lam"]] * len(got.lam),
        abs=vector["tolerance"],
    )
    numbers = {**got._asdict(), "se": got.error, "weights": got.weights.tolist()}
    check({**vector, "expected": {k: v for k, v in expected.items() if k != "lam"}}, numbers)


def estimate_topic(inputs, sampled):
    weights, machine, truth = (np.array(inputs[name]) for name in ("weights", "machine", "truth"))
    probability = np.full(len(weights), len(sampled) / len(weights))
    return pp.estimate_topic(weights, machine, {i: truth[i] for i in sampled}, probability)


@vectors("ppi.document")
def test_documents_of_a_topic(vector):
    inputs = vector["inputs"]
    weights, machine, inclusion = (np.array(inputs[name]) for name in ("weights", "machine", "inclusion"))
    human = {int(position): gain for position, gain in inputs["human"].items()}
    check(vector, {"value": pp.estimate_topic(weights, machine, human, inclusion)})


@vectors("ppi.document_all_samples")
def test_estimates_of_a_topic_are_unbiased(vector):
    inputs = vector["inputs"]
    samples = itertools.combinations(range(len(inputs["weights"])), inputs["sample_size"])
    estimates = [estimate_topic(inputs, sampled) for sampled in samples]
    truth = float(np.dot(inputs["weights"], inputs["truth"]))
    check(vector, {"estimates": estimates, "mean": np.mean(estimates), "truth": truth})


@vectors("ppi.efficiency")
def test_efficiency(vector):
    inputs = vector["inputs"]
    ratio = pp.expected_variance_ratio(np.array(inputs["rho"]), inputs["n"], inputs["N"])
    check(vector, {"variance_ratio": ratio.tolist(), "effective": (inputs["n"] / ratio).tolist()})

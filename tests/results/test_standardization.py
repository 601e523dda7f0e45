"""Standardised values."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st

import assay
from assay.cli import main
from assay.errors import InputError, MeasureError
from assay.measures import measure
from assay.results.standardization import METHODS, Standardized, standardize_values
from oracles.standardization import standardize
from report_contract import check_report
from strategies import many_examples

JSON = ("--format", "json")
# Decimal fractions, so that equal values, ties and the value 0 are frequent.
VALUES = st.one_of(st.none(), st.integers(0, 10).map(lambda n: n / 10), st.floats(-1e3, 1e3).map(lambda x: round(x, 4)))
EXAMPLE = [[0.1, 0.4, 0.4, 0.9], [0.2, 0.2, 0.2, 0.2], [0.0, 0.5, 0.3, 0.7]]  # topics x runs
EXPECTED = {
    "z": [[-1.0552897, -0.1507557, -0.1507557, 1.3568011], [0] * 4, [-1.2558275, 0.4186092, -0.2511655, 1.0883839]],
    "Phi": [[0.1456464, 0.4400842, 0.4400842, 0.9125778], [0.5] * 4, [0.1045893, 0.6622491, 0.4008431, 0.8617872]],
    "AB": [[0.3417065, 0.4773866, 0.4773866, 0.7035202], [0.5] * 4, [0.3116259, 0.5627914, 0.4623252, 0.6632576]],
    "U": [[0.25, 0.75, 0.75, 1.0], [1.0] * 4, [0.25, 0.75, 0.5, 1.0]],
}


COLLECTION = assay.simulate(systems=6, topics=7, depth=50, pool=20, seed=3)


def evaluate_simulated(measures="AP"):
    return assay.evaluate(COLLECTION.qrels, COLLECTION.runs, measures)


@many_examples(
    columns=st.integers(1, 4).flatmap(
        lambda topics: st.tuples(
            *(st.lists(st.lists(VALUES, min_size=topics, max_size=topics), min_size=1, max_size=6) for _ in range(2))
        )
    ),
    how=st.sampled_from(tuple(METHODS)),
)
def test_definition(columns, how):
    values, reference = (np.array(rows, dtype=np.float64) for rows in columns)
    computed = standardize_values(values, reference, how).value
    for run, row in enumerate(columns[0]):
        for topic, value in enumerate(row):
            expected = standardize(value, [other[topic] for other in columns[1]], how)
            actual = computed[run, topic]
            assert math.isnan(actual) if expected is None else actual == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("how", METHODS)
def test_worked_example(how):
    values = np.array(EXAMPLE).T
    computed = standardize_values(values, values, how).value.T
    assert computed == pytest.approx(np.array(EXPECTED[how]), abs=1e-6)


@pytest.mark.parametrize("value", [0.1, 1 / 3, 0.7])
def test_equal_values_have_z_0_despite_rounding(value):
    equal = np.array([[value], [value * 3 / 3], [value]])
    assert standardize_values(equal, equal, "z").value.ravel().tolist() == [0, 0, 0]


@pytest.mark.parametrize("how", ["z", "Phi", "AB"])
def test_the_slope_is_the_derivative(how):
    reference, step = np.array([[0.1], [0.4], [0.9]]), 1e-6
    value = np.array([[0.3]])
    higher, lower = (standardize_values(value + sign * step, reference, how).value for sign in (1, -1))
    assert standardize_values(value, reference, how).slope == pytest.approx((higher - lower) / (2 * step), rel=1e-5)


def test_each_topic_has_mean_0_and_deviation_1():
    z = evaluate_simulated(["AP", "nDCG@10"]).standardize()
    assert z.values.mean(axis=1) == pytest.approx(np.zeros((2, 7)), abs=1e-12)
    assert z.values.std(axis=1, ddof=1) == pytest.approx(np.ones((2, 7)))


def test_names_direction_and_aggregation():
    results = evaluate_simulated(["AP", "Unjudged@10", "NumRet", "GM(AP)"]).standardize("phi")
    assert list(map(str, results.measures)) == ["Phi(AP)", "Phi(Unjudged@10)", "Phi(NumRet)", "Phi(GM(AP))"]
    assert [one.lower_is_better for one in results.measures] == [False, True, False, False]
    assert {one.aggregate for one in results.measures} == {"mean"}
    assert results.matrix("Phi(AP)").shape == (6, 7)
    assert results.select(measures=["Phi(Unjudged@10)"]).measures == results.measures[1:2]
    with pytest.raises(MeasureError, match=r"measure 'AP' is not among these results; available measures: Phi\(AP\)"):
        results.matrix("AP")
    check_report(results)


def test_geometric_means_standardise_logarithms():
    results = evaluate_simulated(["AP", "GM(AP)"])
    logs = np.log(np.maximum(results.matrix("AP"), 1e-5))
    expected = (logs - logs.mean(axis=0)) / logs.std(axis=0, ddof=1)
    assert results.standardize().matrix("z(GM(AP))") == pytest.approx(expected)


def test_reference_runs_by_name_and_as_results_agree():
    results = evaluate_simulated(["AP", "RR"])
    names = results.runs[1:4]
    by_name, as_results = results.standardize("z", names), results.standardize("z", results.select(names))
    assert np.array_equal(by_name.values, as_results.values)
    reversed_topics = results.select(names, topics=results.topics[::-1])
    assert np.array_equal(by_name.values, results.standardize("z", reversed_topics).values)
    assert f"standardized by z; reference runs: {', '.join(names)}" in by_name.provenance.derivations
    assert by_name.notes[-1].startswith(
        "standardized by z (z-score: (value - mean) / standard deviation); reference: 3"
    )
    one = results.select(results.runs[0]).standardize("z", results.select(names))
    assert np.array_equal(one.values, by_name.values[:, :1]), "a single run may be standardised by other runs"


def test_topics_without_reference_values_are_excluded():
    results = evaluate_simulated()
    values = results.values.copy()
    values[0, :5, 0] = math.nan  # one run is left on the first topic
    values[0, :, 1] = 0.25
    z = replace(results, values=values).standardize()
    assert np.isnan(z.values[0, :, 0]).all()
    assert not z.values[0, :, 1].any()
    assert f"z(AP): 1 topic: z is 0, because all reference runs have the same value: {z.topics[1]}" in z.notes
    assert any("fewer than two reference runs have a value" in note for note in z.notes)


def test_standard_errors_are_scaled():
    results = evaluate_simulated()
    sampled = replace(results, errors=np.full(results.values.shape, 0.01))
    deviation = results.values.std(axis=1, ddof=1, keepdims=True)
    assert sampled.standardize().errors == pytest.approx(0.01 / np.broadcast_to(deviation, results.values.shape))
    assert np.isnan(sampled.standardize("U").errors).all(), "the error of a share is not known"
    assert not results.standardize("U").errors.any()


def test_infinite_values_need_ranks():
    results = evaluate_simulated()
    values = results.values.copy()
    values[0, 2, 3] = math.inf
    infinite = replace(results, values=values)
    with pytest.raises(MeasureError, match=r"is infinite for .* on topic .*; standardize by U"):
        infinite.standardize()
    assert infinite.standardize("U").values[0, 2, 3] == 1


def test_comparisons_and_leaderboards():
    results = evaluate_simulated(["AP", "nDCG@10"]).standardize()
    comparison = assay.compare(results, ["z(AP)"])
    assert comparison.frame()["measure"].unique().to_list() == ["z(AP)"]
    first, second = results.matrix("z(AP)")[:2]
    row = comparison.between("z(AP)", *results.runs[:2])
    assert row["difference"] == pytest.approx((first - second).mean())
    assert comparison.matrix("z(AP)").shape == (6, 6)
    check_report(comparison)
    check_report(assay.leaderboard(results, baseline=results.runs[0]))
    assert assay.meta.correlate(results).frame()["measure"].to_list() == ["z(AP)"]


def test_invalid_arguments():
    results = evaluate_simulated()
    with pytest.raises(InputError, match=r"standardize 'zz': choose one of z, Phi, AB, U"):
        results.standardize("zz")
    with pytest.raises(InputError, match="need at least two reference runs, got 1; name more runs"):
        results.select(results.runs[0]).standardize()
    with pytest.raises(InputError, match="need at least two reference runs, got 1"):
        results.standardize(reference=results.runs[0])
    with pytest.raises(InputError, match="there is no run missing"):
        results.standardize(reference=["missing", results.runs[0]])
    with pytest.raises(InputError, match="expected names of runs or results, got int"):
        results.standardize(reference=3)
    with pytest.raises(InputError, match="reference: has no values for 1 topic of these results"):
        results.standardize(reference=results.select(topics=results.topics[1:]))
    with pytest.raises(MeasureError, match="measure 'AP' is not among these results"):
        results.standardize(reference=evaluate_simulated("RR"))
    with pytest.raises(MeasureError, match=r"z\(AP\)': depends on other runs"):
        Standardized(of_measure=measure("AP")).of([1, 0])


# Commands -------------------------------------------------------------------------------------------------------


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Write a simulated collection; return the names of its runs."""
    assert main(["simulate", str(tmp_path / "sim"), "--systems", "6", "--topics", "7", "--depth", "50"]) == 0
    monkeypatch.chdir(tmp_path / "sim")
    return sorted(file.name for file in (tmp_path / "sim" / "runs").iterdir())


def call(capsys, *words, code=0):
    capsys.readouterr()
    assert main(list(words)) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def test_eval_with_the_runs_as_reference(runs, capsys):
    words = ("eval", "qrels.txt", "runs", "-m", "AP", "--standardize", "z", "--per-topic", "--format", "json")
    document = json.loads(call(capsys, *words))
    expected = assay.evaluate("qrels.txt", "runs", "AP").standardize("z")
    rows = {(row["run"], row["topic"]): row["value"] for row in document["rows"] if row["topic"] != "all"}
    assert rows == {(run, topic): value for run, topic, _, value in expected.frame().rows()}
    assert document["provenance"]["derivations"] == list(expected.provenance.derivations)


@pytest.mark.parametrize("command", ["eval", "compare", "leaderboard"])
def test_reference_runs_from_files(runs, capsys, command):
    shown = [f"runs/{name}" for name in runs[:2]]
    document = json.loads(
        call(capsys, command, "qrels.txt", *shown, "-m", "AP", "--standardize", "U", "--reference", "runs", *JSON)
    )
    expected = assay.evaluate("qrels.txt", shown, "AP").standardize("U", assay.evaluate("qrels.txt", "runs", "AP"))
    assert {row["measure"] for row in document["rows"]} == {"U(AP)"}
    means = {row.get("run", row.get("run_a")): row.get("value", row.get("mean_a")) for row in document["rows"]}
    overall = dict(zip(expected.runs, expected.overall().ravel().tolist(), strict=True))
    assert means == pytest.approx({run: overall[run] for run in means})
    roles = [entry["role"] for entry in document["provenance"]["inputs"]]
    assert roles == ["qrels", "run", "run", *["reference"] * 4]


def test_reference_runs_by_name_or_file(runs, capsys):
    results = assay.evaluate("qrels.txt", "runs", "AP")
    tables = [
        call(capsys, "eval", "qrels.txt", "runs", "-m", "AP", "--standardize", "z", *words)
        for names in (results.runs[:3], [f"runs/{name}" for name in runs[:3]])
        for words in [[word for name in names for word in ("--reference", name)]]
    ]
    assert tables[0] == tables[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["runs", "--standardize", "phi2"], "--standardize phi2: choose one of z, Phi, AB, U"),
        (["runs", "--reference", "a"], "--reference needs --standardize"),
        (["ONE", "--standardize", "z"], "one run has no reference; add runs, or --reference with files of runs"),
        (["runs", "--standardize", "z", "--reference", "nothing"], "--reference nothing: there is no such run or file"),
        (["ONE", "--standardize", "z", "--reference", "ONE", "--reference", "runs"], "is among the runs; name only"),
        (["ONE", "--standardize", "z", "--reference", "ONE"], "need at least two reference runs, got 1"),
    ],
)
@pytest.mark.parametrize("command", ["eval", "leaderboard"])
def test_invalid_options(runs, capsys, command, words, message):
    one = f"runs/{runs[0]}"
    words = [one if word == "ONE" else word for word in words]
    assert message in call(capsys, command, "qrels.txt", *words, "-m", "AP", code=2)

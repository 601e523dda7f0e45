"""Runs over several collections."""

import json
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.errors import InputError
from assay.measures import measure
from assay.model.provenance import Provenance
from assay.results.results import Results
from assay.significance.interaction import METHODS
from report_contract import check_report

VECTORS = json.loads((Path(__file__).parent.parent / "vectors-judging.json").read_text(encoding="utf-8"))


def vectors(operation):
    chosen = [vector for vector in VECTORS if vector["op"] == f"collections.{operation}"]
    assert chosen
    return pytest.mark.parametrize("vector", chosen, ids=lambda vector: vector["id"])


def results_of(values, name="AP"):
    """Results of one measure from ``{run: [value per topic]}``."""
    runs = tuple(values)
    array = np.array([[values[run] for run in runs]], dtype=float)
    topics = tuple(f"t{number}" for number in range(array.shape[2]))
    return Results(runs, topics, (measure(name),), array, np.zeros_like(array), Provenance())


def collect(values, **options):
    return assay.collections({name: results_of(runs) for name, runs in values.items()}, **options)


SIMULATED = {
    name: {
        run: np.random.default_rng([seed, number]).beta(2 + number, 3, size=topics).tolist()
        for number, run in enumerate("abcd")
    }
    for seed, (name, topics) in enumerate({"x": 12, "y": 30, "z": 20}.items())
}


@vectors("table")
def test_averages_and_ranks(vector):
    comparison = collect(vector["inputs"]["values"])
    expected, tolerance = vector["expected"], vector["tolerance"]
    means = comparison.frame().sort("run")
    for name, values in expected["means"].items():
        assert means.filter(collection=name)["value"].to_list() == pytest.approx(values, abs=tolerance)
    ranks = comparison.table("ranks").frame.sort("run")
    for column in ("macro", "micro", "mean_rank", "borda", "rank"):
        assert ranks[column].to_list() == pytest.approx(expected[column], abs=tolerance), column


@vectors("each")
def test_tests_within_collections(vector):
    inputs = vector["inputs"]
    comparison = collect({name: {"a": inputs["a"][name], "b": inputs["b"][name]} for name in inputs["a"]})
    tests = comparison.table("tests").frame
    for column in ("p", "p_adjusted"):
        numbers = dict(tests.select("collection", column).rows())
        assert numbers == pytest.approx(vector["expected"][column], abs=vector["tolerance"])


@vectors("heterogeneity")
def test_heterogeneity(vector):
    differences = vector["inputs"]["differences"]
    values = {f"c{number}": {"a": row, "b": [0] * len(row)} for number, row in enumerate(differences)}
    comparison = collect(values)
    expected, tolerance = vector["expected"], vector["tolerance"]
    test = comparison.numbers[0][1].heterogeneity
    assert METHODS[test.method[0]] == expected["method"]
    for name in ("statistic", "df1", "df2", "p"):
        assert getattr(test, name)[0] == pytest.approx(expected[name], abs=tolerance)
    assert comparison.table("pairs").frame["heterogeneity_p"].item() == test.p[0]


@vectors("missing")
def test_missing_cells(vector):
    cells = vector["inputs"]["values"]
    values = {
        name: {run: [runs[name]] for run, runs in cells.items() if runs[name] is not None}
        for name in next(iter(cells.values()))
    }
    for incomplete, expected in vector["expected"].items():
        comparison = collect(values, incomplete=incomplete, population="collections")
        ranks = comparison.table("ranks").frame
        for column in ("macro", "rank"):
            if column in expected:
                got = dict(ranks.select("run", {"macro": "macro", "rank": "rank"}[column]).rows())
                assert got == pytest.approx(expected[column], abs=vector["tolerance"])
        assert list(comparison.results) == expected.get("collections", list(values))
        assert sorted(comparison.runs) == expected.get("runs", sorted(cells))
        assert any("b lacks z" in note or "z" in note for note in comparison.notes)


@pytest.mark.parametrize("options", [{}, {"baseline": "b"}, {"population": "collections", "test": "wilcoxon"}])
def test_report(options):
    comparison = collect(SIMULATED, **options)
    check_report(comparison)
    assert "3 collections" in comparison.summary()


def test_a_run_without_rank_is_not_counted_in_the_possible_ranks():
    values = {**SIMULATED, "z": {run: SIMULATED["z"][run] for run in "abc"}}
    ranks = collect(values).table("ranks").frame
    assert ranks.filter(run="d")["rank_best"].to_list() == [None]
    assert ranks["rank_worst"].max() <= 3
    assert "d" not in collect(values).summary().replace("do", "").replace("average", "").split("(")[0]


def test_exchanged_runs_change_signs():
    forward = collect(SIMULATED, baseline="a").table("pairs").frame.filter(run_a="b")
    backward = collect(SIMULATED, baseline="b").table("pairs").frame.filter(run_a="a")
    for column in ("difference", "statistic"):
        assert forward[column].item() == pytest.approx(-backward[column].item())
    assert forward["p"].item() == pytest.approx(backward["p"].item())
    assert forward["better"].item() == backward["worse"].item()


def test_identical_runs():
    values = {name: {"a": runs["a"], "copy": runs["a"]} for name, runs in SIMULATED.items()}
    comparison = collect(values)
    assert comparison.table("pairs").frame["p"].item() == 1.0
    assert comparison.table("ranks").frame["rank"].to_list() == [1.5, 1.5]


def test_all_collections_have_the_same_weight():
    copies = {"x": {"a": [1.0] * 40, "b": [0.0] * 40}, "y": {"a": [0.0, 0.0], "b": [1.0, 1.0]}}
    assert collect(copies).table("pairs").frame["difference"].item() == 0.0


def test_lower_values_may_be_better():
    values = {name: results_of(runs, "ForwardSpace") for name, runs in SIMULATED.items()}
    ranks = assay.collections(values).table("ranks").frame
    assert ranks["macro"].to_list() == sorted(ranks["macro"].to_list())


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"baseline": "e"}, ["baseline", "'e'", "a, b, c"]),
        ({"test": "wilcoxon"}, ["wilcoxon", "randomization", "population"]),
        ({"test": "tukey", "population": "collections"}, ["tukey"]),
        ({"population": "runs"}, ["population", "topics, collections"]),
        ({"incomplete": "zero"}, ["incomplete", "unranked"]),
    ],
)
def test_invalid_arguments(options, parts):
    with pytest.raises(InputError) as error:
        collect(SIMULATED, **options)
    assert all(part in str(error.value) for part in parts), error.value


def test_measures_without_an_arithmetic_mean_are_refused():
    values = {name: results_of(runs, "GM(AP)") for name, runs in SIMULATED.items()}
    with pytest.raises(InputError, match=r"GM\(AP\).*another measure"):
        assay.collections(values)


@pytest.mark.parametrize("name", ["run", "average"])
def test_names_of_columns_are_refused(name):
    with pytest.raises(InputError, match=f"'{name}'.*another name"):
        collect({name: SIMULATED["x"]})


@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
def test_few_collections_cannot_be_significant(test):
    comparison = collect(SIMULATED, population="collections", test=test)
    assert any(test in note and "at least 6" in note for note in comparison.notes)
    assert comparison.table("pairs").frame["p"].min() > 0.05


def test_two_runs_are_needed():
    with pytest.raises(InputError, match="at least two runs"):
        collect({"x": {"a": [0.1, 0.2]}})

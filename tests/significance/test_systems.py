"""Several runs per system."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import f as f_distribution

from assay.errors import InputError
from assay.measures import measures
from assay.model.policies import Policies
from assay.model.provenance import Provenance
from assay.results.results import Results
from assay.significance.systems import SOURCES, assign_systems, average_by_system, decompose_variance

NAMES = ("x1", "y1", "x2", "z")
SYSTEMS = {"x1": "x", "x2": "x", "y1": "y"}


def make_results(values: np.ndarray, runs: tuple[str, ...] = NAMES, measure: str = "AP") -> Results:
    grid = np.asarray(values, dtype=float)[None]
    topics = tuple(f"t{number}" for number in range(grid.shape[2]))
    return Results(
        runs, topics, measures(measure), grid, np.full(grid.shape, 0.3), Provenance((), Policies()), ("note",)
    )


VALUES = np.array([[0.2, 0.4, 0.9], [0.1, 0.5, np.nan], [0.4, 0.8, 0.3], [0.3, 0.3, 0.3]])


def test_systems_are_ordered_by_their_first_run() -> None:
    names, number = assign_systems(NAMES, SYSTEMS)
    assert names == ("x", "y", "z")
    assert number.tolist() == [0, 1, 0, 2]


def test_value_of_a_system_is_the_mean_of_its_runs_per_topic() -> None:
    averaged = average_by_system(make_results(VALUES), SYSTEMS)
    assert averaged.runs == ("x", "y", "z")
    assert averaged.values[0, 0] == pytest.approx([0.3, 0.6, 0.6])
    assert averaged.values[0, 2].tolist() == [0.3, 0.3, 0.3]
    assert np.isnan(averaged.values[0, 1, 2])
    assert averaged.errors[0, 0] == pytest.approx(np.full(3, 0.3 / np.sqrt(2)))
    assert averaged.errors[0, 1] == pytest.approx(np.full(3, 0.3))
    assert (averaged.topics, averaged.notes) == (("t0", "t1", "t2"), ("note",))


def test_a_topic_missing_from_one_run_is_missing_from_its_system() -> None:
    averaged = average_by_system(make_results(VALUES), {"x1": "x", "y1": "x"})
    assert np.isnan(averaged.values[0, 0]).tolist() == [False, False, True]


def test_a_system_of_one_run_has_exactly_the_values_of_the_run() -> None:
    averaged = average_by_system(make_results(VALUES), {"x1": "only", "x2": "other", "y1": "third", "z": "fourth"})
    assert averaged.runs == ("only", "third", "other", "fourth")
    assert np.array_equal(averaged.values[0], VALUES, equal_nan=True)


def sum_squares(values: np.ndarray, systems: list[int]) -> list[float]:
    """Return the five sums of squares by summing over all values."""
    runs, topics = values.shape
    grand = values.mean()
    squares = [0.0] * 5
    for run in range(runs):
        same_system = [other for other in range(runs) if systems[other] == systems[run]]
        for topic in range(topics):
            topic_mean, run_mean = values[:, topic].mean(), values[run].mean()
            system_mean, cell_mean = values[same_system].mean(), values[same_system, topic].mean()
            squares[0] += (topic_mean - grand) ** 2
            squares[1] += (system_mean - grand) ** 2
            squares[2] += (run_mean - system_mean) ** 2
            squares[3] += (cell_mean - system_mean - topic_mean + grand) ** 2
            squares[4] += (values[run, topic] - cell_mean - run_mean + system_mean) ** 2
    return squares


@given(
    st.integers(1, 5).flatmap(
        lambda runs: st.tuples(
            st.integers(1, 4).flatmap(lambda topics: arrays(float, (runs, topics), elements=st.floats(0, 1))),
            st.lists(st.integers(0, 2), min_size=runs, max_size=runs),
        )
    )
)
def test_sums_of_squares_agree_with_the_definition_and_add_up(case) -> None:
    values, systems = case
    runs = tuple(f"r{number}" for number in range(len(values)))
    frame = decompose_variance(
        make_results(values, runs), {run: f"s{system}" for run, system in zip(runs, systems, strict=True)}
    )
    squares = frame["squares"].to_numpy()
    assert squares == pytest.approx(sum_squares(values, systems), abs=1e-12)
    assert squares.sum() == pytest.approx(((values - values.mean()) ** 2).sum(), abs=1e-12)
    assert frame["degrees"].sum() == values.size - 1
    assert frame["source"].to_list() == list(SOURCES)
    if squares.sum() > 1e-9:
        assert frame["share"].sum() == pytest.approx(1)


def test_fractions_of_a_small_example() -> None:
    # Systems differ by 0.4; runs of a system and topics do not differ.
    values = np.array([[0.1, 0.1], [0.1, 0.1], [0.5, 0.5]])
    frame = decompose_variance(make_results(values, ("a1", "a2", "b")), {"a1": "a", "a2": "a"})
    assert frame["share"].to_list() == pytest.approx([0, 1, 0, 0, 0])
    assert frame["degrees"].to_list() == [1, 1, 1, 1, 1]
    assert frame.columns == ["measure", "source", "squares", "degrees", "share", "f", "p"]


def test_constant_or_missing_values() -> None:
    constant = decompose_variance(make_results(np.full((2, 3), 0.1), ("a", "b")), {})
    assert constant["share"].to_list() == [None] * 5
    assert constant["degrees"].to_list() == [2, 1, 0, 2, 0]
    empty = decompose_variance(make_results(np.full((2, 3), np.nan), ("a", "b")), {})
    assert (empty["squares"].sum(), empty["degrees"].sum()) == (0, 0)


def test_topics_missing_from_any_run_are_excluded() -> None:
    whole = decompose_variance(make_results(VALUES[:, :2]), SYSTEMS)
    assert decompose_variance(make_results(VALUES), SYSTEMS).equals(whole)


def test_invalid_system_names_raise() -> None:
    with pytest.raises(InputError) as error:
        assign_systems(("bm25.1", "bm25.2"), {"bm25.3": "bm25"})
    assert str(error.value) == "systems: there is no run bm25.3; did you mean bm25.2?"
    with pytest.raises(InputError) as error:
        assign_systems(("x", "x1"), {"x1": "x"})
    assert (
        str(error.value) == "systems: x is the name of a system and also of a run without a system; rename one of them"
    )
    assert assign_systems(("x", "x1"), {"x1": "x", "x": "x"})[0] == ("x",)


def test_f_agrees_with_the_two_way_layout() -> None:
    """With one run per system, F is that of the analysis of variance without replication."""
    rng = np.random.default_rng(5)
    values = rng.random((4, 9))
    frame = decompose_variance(make_results(values), {})
    run_means, topic_means = values.mean(axis=1), values.mean(axis=0)
    residual = ((values - run_means[:, None] - topic_means + values.mean()) ** 2).sum() / (3 * 8)
    f = 9 * ((run_means - values.mean()) ** 2).sum() / 3 / residual
    system = frame.row(by_predicate=pl.col("source") == "system", named=True)
    assert (system["f"], system["p"]) == pytest.approx((f, f_distribution.sf(f, 3, 24)))
    assert frame.row(by_predicate=pl.col("source") == "run", named=True)["squares"] == 0.0


def test_f_compares_systems_with_their_runs() -> None:
    values = np.random.default_rng(6).random((6, 5))
    systems = dict(zip("abcdef", "xxyyzz", strict=True))
    rows = {
        row["source"]: row
        for row in decompose_variance(make_results(values, tuple("abcdef")), systems).rows(named=True)
    }
    mean_square = {name: row["squares"] / row["degrees"] for name, row in rows.items()}
    assert rows["system"]["f"] == pytest.approx(mean_square["system"] / mean_square["run"])
    assert rows["run"]["f"] == pytest.approx(mean_square["run"] / mean_square["topic x run"])
    assert rows["topic x system"]["p"] == pytest.approx(
        f_distribution.sf(mean_square["topic x system"] / mean_square["topic x run"], 8, 12)
    )
    assert rows["topic x run"]["f"] is None

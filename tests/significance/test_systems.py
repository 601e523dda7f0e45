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


def results(values: np.ndarray, runs: tuple[str, ...] = NAMES, of: str = "AP") -> Results:
    found = np.asarray(values, dtype=float)[None]
    topics = tuple(f"t{number}" for number in range(found.shape[2]))
    return Results(runs, topics, measures(of), found, np.full(found.shape, 0.3), Provenance((), Policies()), ("said",))


VALUES = np.array([[0.2, 0.4, 0.9], [0.1, 0.5, np.nan], [0.4, 0.8, 0.3], [0.3, 0.3, 0.3]])


def test_systems_stand_in_the_order_of_their_first_runs() -> None:
    names, number = assign_systems(NAMES, SYSTEMS)
    assert names == ("x", "y", "z")
    assert number.tolist() == [0, 1, 0, 2]


def test_the_value_of_a_system_is_the_mean_of_its_runs_on_the_topic() -> None:
    found = average_by_system(results(VALUES), SYSTEMS)
    assert found.runs == ("x", "y", "z")
    assert found.values[0, 0] == pytest.approx([0.3, 0.6, 0.6])
    assert found.values[0, 2].tolist() == [0.3, 0.3, 0.3]
    assert np.isnan(found.values[0, 1, 2])
    assert found.errors[0, 0] == pytest.approx(np.full(3, 0.3 / np.sqrt(2)))
    assert found.errors[0, 1] == pytest.approx(np.full(3, 0.3))
    assert (found.topics, found.notes) == (("t0", "t1", "t2"), ("said",))


def test_a_topic_that_one_run_lacks_does_not_count_for_its_system() -> None:
    found = average_by_system(results(VALUES), {"x1": "x", "y1": "x"})
    assert np.isnan(found.values[0, 0]).tolist() == [False, False, True]


def test_a_system_of_one_run_keeps_its_values_to_the_last_digit() -> None:
    found = average_by_system(results(VALUES), {"x1": "only", "x2": "other", "y1": "third", "z": "fourth"})
    assert found.runs == ("only", "third", "other", "fourth")
    assert np.array_equal(found.values[0], VALUES, equal_nan=True)


def by_hand(values: np.ndarray, of: list[int]) -> list[float]:
    """The five sums of squares as sums over all values."""
    runs, topics = values.shape
    grand = values.mean()
    parts = [0.0] * 5
    for run in range(runs):
        own = [other for other in range(runs) if of[other] == of[run]]
        for topic in range(topics):
            at_topic, at_run = values[:, topic].mean(), values[run].mean()
            system, cell = values[own].mean(), values[own, topic].mean()
            parts[0] += (at_topic - grand) ** 2
            parts[1] += (system - grand) ** 2
            parts[2] += (at_run - system) ** 2
            parts[3] += (cell - system - at_topic + grand) ** 2
            parts[4] += (values[run, topic] - cell - at_run + system) ** 2
    return parts


@given(
    st.integers(1, 5).flatmap(
        lambda runs: st.tuples(
            st.integers(1, 4).flatmap(lambda topics: arrays(float, (runs, topics), elements=st.floats(0, 1))),
            st.lists(st.integers(0, 2), min_size=runs, max_size=runs),
        )
    )
)
def test_the_parts_are_those_of_the_definition_and_add_up(drawn) -> None:
    values, of = drawn
    runs = tuple(f"r{number}" for number in range(len(values)))
    frame = decompose_variance(results(values, runs), {run: f"s{system}" for run, system in zip(runs, of, strict=True)})
    squares = frame["squares"].to_numpy()
    assert squares == pytest.approx(by_hand(values, of), abs=1e-12)
    assert squares.sum() == pytest.approx(((values - values.mean()) ** 2).sum(), abs=1e-12)
    assert frame["degrees"].sum() == values.size - 1
    assert frame["source"].to_list() == list(SOURCES)
    if squares.sum() > 1e-9:
        assert frame["share"].sum() == pytest.approx(1)


def test_shares_by_hand() -> None:
    # Systems differ by 0.4, their runs not at all, topics not at all.
    values = np.array([[0.1, 0.1], [0.1, 0.1], [0.5, 0.5]])
    found = decompose_variance(results(values, ("a1", "a2", "b")), {"a1": "a", "a2": "a"})
    assert found["share"].to_list() == pytest.approx([0, 1, 0, 0, 0])
    assert found["degrees"].to_list() == [1, 1, 1, 1, 1]
    assert found.columns == ["measure", "source", "squares", "degrees", "share", "f", "p"]


def test_nothing_varies_or_nothing_is_there() -> None:
    same = decompose_variance(results(np.full((2, 3), 0.1), ("a", "b")), {})
    assert same["share"].to_list() == [None] * 5
    assert same["degrees"].to_list() == [2, 1, 0, 2, 0]
    empty = decompose_variance(results(np.full((2, 3), np.nan), ("a", "b")), {})
    assert (empty["squares"].sum(), empty["degrees"].sum()) == (0, 0)


def test_topics_that_some_run_lacks_are_left_out() -> None:
    whole = decompose_variance(results(VALUES[:, :2]), SYSTEMS)
    assert decompose_variance(results(VALUES), SYSTEMS).equals(whole)


def test_names_that_are_refused() -> None:
    with pytest.raises(InputError) as refused:
        assign_systems(("bm25.1", "bm25.2"), {"bm25.3": "bm25"})
    assert str(refused.value) == "systems: there is no run bm25.3; did you mean bm25.2?"
    with pytest.raises(InputError) as refused:
        assign_systems(("x", "x1"), {"x1": "x"})
    assert str(refused.value) == "systems: x is the name of a system and of a run without a system; rename one"
    assert assign_systems(("x", "x1"), {"x1": "x", "x": "x"})[0] == ("x",)


def test_f_is_that_of_the_two_way_layout() -> None:
    """Without several runs of a system it is the analysis of variance without replication, by scipy's F."""
    rng = np.random.default_rng(5)
    values = rng.random((4, 9))
    found = decompose_variance(results(values), {})
    rows, topics = values.mean(axis=1), values.mean(axis=0)
    rest = ((values - rows[:, None] - topics + values.mean()) ** 2).sum() / (3 * 8)
    f = 9 * ((rows - values.mean()) ** 2).sum() / 3 / rest
    system = found.row(by_predicate=pl.col("source") == "system", named=True)
    assert (system["f"], system["p"]) == pytest.approx((f, f_distribution.sf(f, 3, 24)))
    assert found.row(by_predicate=pl.col("source") == "run", named=True)["squares"] == 0.0


def test_systems_are_held_against_their_runs() -> None:
    values = np.random.default_rng(6).random((6, 5))
    seeds = dict(zip("abcdef", "xxyyzz", strict=True))
    found = {row["source"]: row for row in decompose_variance(results(values, tuple("abcdef")), seeds).rows(named=True)}
    mean_square = {name: row["squares"] / row["degrees"] for name, row in found.items()}
    assert found["system"]["f"] == pytest.approx(mean_square["system"] / mean_square["run"])
    assert found["run"]["f"] == pytest.approx(mean_square["run"] / mean_square["topic x run"])
    assert found["topic x system"]["p"] == pytest.approx(
        f_distribution.sf(mean_square["topic x system"] / mean_square["topic x run"], 8, 12)
    )
    assert found["topic x run"]["f"] is None

"""Running sums and products within rankings."""

import numpy as np
from hypothesis import strategies as st

from assay.model.segmented_scan import accumulate, previous_values
from strategies import many_examples

LENGTHS = st.lists(st.integers(0, 40), max_size=8)


def rows(lengths: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the ranking number (length 0: none) and a random value for each row."""
    ranking = np.repeat(np.arange(len(lengths)), lengths)
    return ranking, np.random.default_rng(len(ranking)).uniform(0.1, 2, len(ranking))


@many_examples(lengths=LENGTHS)
def test_accumulate_restarts_at_each_ranking(lengths):
    ranking, values = rows(lengths)
    for ufunc in (np.add, np.multiply, np.maximum):
        cumulative = accumulate(ufunc, ranking, values)
        for number in range(len(lengths)):
            inside = ranking == number
            assert np.array_equal(cumulative[inside], ufunc.accumulate(values[inside]))


@many_examples(lengths=LENGTHS)
def test_previous_values_are_the_cumulative_values_of_the_row_above(lengths):
    ranking, values = rows(lengths)
    cumulative = previous_values(ranking, accumulate(np.add, ranking, values), -7.0)
    for number, length in enumerate(lengths):
        inside = ranking == number
        expected = [-7.0, *np.add.accumulate(values[inside])][:length]
        assert cumulative[inside].tolist() == expected


def test_accumulate_handles_one_long_ranking_among_short_ones():
    lengths = [1] * 1000 + [100_000] + [3] * 1000
    ranking, values = rows(lengths)
    cumulative = accumulate(np.add, ranking, values)
    assert cumulative[-1] == values[-3] + values[-2] + values[-1]
    assert np.isclose(cumulative[1000 + 100_000 - 1], values[1000:101_000].sum())

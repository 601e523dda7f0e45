"""Ranges of the parameters of a simulation."""

import pytest

from assay.errors import InputError
from assay.simulation import Parameters, simulate


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("systems", 0, "from 1 to 10000, got 0"),
        ("topics", 0, "from 1 to 1000000, got 0"),
        ("depth", -5, "from 1 to 100000, got -5"),
        ("grades", 1, "from 2 to 100, got 1"),
        ("pool", 0, "from 1 to 100000, got 0"),
        ("seed", -1, "from 0 to 18446744073709551615, got -1"),
        ("depth", 2.5, "from 1 to 100000, got 2.5"),
        ("topics", True, "from 1 to 1000000, got True"),
    ],
)
def test_values_out_of_range_raise_an_error(name, value, allowed):
    with pytest.raises(InputError) as error:
        simulate(**{name: value})
    assert str(error.value) == f"{name} must be a whole number {allowed}"


def test_too_many_results_raise_an_error():
    with pytest.raises(InputError, match="at most 200000000 results, got 400000000; simulate fewer"):
        Parameters(systems=40, topics=100_000, depth=100)


@pytest.mark.parametrize("depth", [1, 10, 1000, 100_000])
def test_candidates_exceed_the_depth_and_documents_exceed_candidates(depth):
    parameters = Parameters(systems=1, topics=1, depth=depth)
    assert depth < parameters.candidates < parameters.documents

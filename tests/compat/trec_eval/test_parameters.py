"""Parameters of measures, written after the period in -m."""

import pytest

from assay.compat.trec_eval import parameters
from assay.compat.trec_eval.parameters import Gain, RefusedError


def test_cutoffs_are_sorted_and_truncated_to_integers():
    assert parameters.parse_cutoffs("P", "10,5,23.4") == (5, 10, 23)


def test_recall_levels_are_sorted_and_numbers_are_not():
    assert parameters.parse_levels("iprec_at_recall", ".5,.25,1") == (0.25, 0.5, 1.0)
    assert parameters.parse_numbers("utility", "2,-1,0,1e1x") == (2.0, -1.0, 0.0, 10.0)


def test_gains():
    assert parameters.parse_gains("rbp", "p=0.8,2=9") == (Gain("p", 0.8), Gain("2", 9.0))
    assert [gain.grade for gain in parameters.parse_gains("rbp", "p=0.8,-1=9")] == [None, -1]


@pytest.mark.parametrize(
    ("parse", "text", "message"),
    [
        (parameters.parse_cutoffs, "5,0", "a cutoff must be at least 1, got 0"),
        (parameters.parse_cutoffs, "5,-3", "a cutoff must be at least 1, got -3"),
        (parameters.parse_cutoffs, "5,5", "a parameter is given twice"),
        (parameters.parse_cutoffs, "ten", "expected a whole number as parameter, found 'ten'"),
        (parameters.parse_cutoffs, "5,,10", "expected a whole number as parameter, found ''"),
        (parameters.parse_levels, "0.5,.5", "a parameter is given twice"),
        (parameters.parse_numbers, "a", "expected a number as parameter, found 'a'"),
        (parameters.parse_gains, "1=3,2", "write pairs such as m.1=3,2=9"),
        (parameters.parse_gains, "=3", "write pairs such as m.1=3,2=9"),
        (parameters.parse_gains, "1=", "expected a number as parameter, found ''"),
        (parameters.parse_gains, "1=3,1=4", "a grade is given twice"),
    ],
)
def test_invalid_parameters_are_rejected(parse, text, message):
    with pytest.raises(RefusedError, match="-m m") as error:
        parse("m", text)
    assert message in str(error.value)
    assert error.value.exit_code == 2

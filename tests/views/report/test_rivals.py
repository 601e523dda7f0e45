"""Runs that cannot be told from the best one."""

from __future__ import annotations

from assay.views.report.rivals import Rivals
from report_cases import graded, material


def test_who_is_told_from_the_best() -> None:
    ranks = {"best": [1] * 10, "near": [1] * 9 + [2], "far": [9, 8] * 5}
    found = Rivals.of(material(*graded(ranks), "RR"))
    assert found is not None
    assert (found.best, found.tied, found.apart, found.untested) == (0, (1,), (2,), ())
    assert not found.none_tested
    p = found.comparison.matrix("RR")[0]
    assert p[2] < 0.05 <= p[1]


def test_of_one_topic_nothing_is_tested() -> None:
    found = Rivals.of(material(*graded({"a": [1], "b": [2]}), "RR"))
    assert found is not None
    assert found.none_tested
    assert found.untested == (1,)


def test_of_one_run_there_are_none() -> None:
    assert Rivals.of(material(*graded({"a": [1, 2]}), "RR")) is None


def test_by_another_measure() -> None:
    ranks = {"a": [1, 1, 1], "b": [2, 2, 2]}
    found = Rivals.of(material(*graded(ranks), "RR", "NumRet"), 1)
    assert found is not None
    assert found.best == 1, "b retrieves more documents"

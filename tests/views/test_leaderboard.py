"""The leaderboard of the terminal."""

from __future__ import annotations

import assay
from assay.views.leaderboard import leaderboard

QRELS = {f"q{i}": {"a": 1, "b": 0} for i in range(6)}
GOOD = {f"q{i}": {"a": 2.0, "b": 1.0} for i in range(6)}
MIXED = {f"q{i}": {"a": float(i % 2), "b": 0.5} for i in range(6)}


def test_best_first_with_an_interval() -> None:
    lines = leaderboard(assay.evaluate(QRELS, {"mixed": MIXED, "good": GOOD}, ["RR", "P@1"])).splitlines()
    assert lines[0].split()[:2] == ["run", "RR"]
    assert lines[2].split()[:3] == ["1", "good", "1.0000"]
    assert lines[3].split()[:3] == ["2", "mixed", "0.7500"]
    assert "─●─" in lines[3]


def test_long_lists_are_cut_and_say_so() -> None:
    runs = {f"r{i}": GOOD for i in range(5)}
    assert "… and 2 more" in leaderboard(assay.evaluate(QRELS, runs, "RR"), most=3)


def test_colour_marks_the_best() -> None:
    assert "\033[1m" in leaderboard(assay.evaluate(QRELS, {"good": GOOD}, "RR"), colour=True)


def test_one_topic_has_no_interval_and_zero_has_a_place() -> None:
    text = leaderboard(assay.evaluate({"q": {"a": 1}}, {"q": {"b": 1.0}}, "RR"))
    assert "0.0000" in text
    assert "●" in text
    assert "─" not in text


def test_equal_runs_share_a_place_and_are_all_marked() -> None:
    turned = {f"q{5 - i}": {"a": float(i % 2), "b": 0.5} for i in range(6)}
    runs = {"mixed": MIXED, "turned": turned, "good": GOOD}
    lines = leaderboard(assay.evaluate(QRELS, runs, ["RR", "P@2"]), colour=True).splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["1", "2", "2"]
    assert lines[2].count("\033[1m") == 2
    assert [line.count("\033[1m") for line in lines[3:]] == [1, 1], "all have the same P@2"


def test_the_lowest_cost_is_marked() -> None:
    runs = {"all": {"q0": {"a": 1.0}}, "more": {"q0": {"a": 2.0, "x": 1.0}}}
    lines = leaderboard(assay.evaluate({"q0": {"a": 1}}, runs, "NumUnjudgedRet"), colour=True).splitlines()
    assert ["\033[1m" in line for line in lines[2:]] == [True, False]

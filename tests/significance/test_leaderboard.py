"""Leaderboards with groups of runs or with symbols for baselines."""

from __future__ import annotations

import json

import numpy as np
import pytest

from assay.errors import InputError
from assay.measures import measures
from assay.model.policies import Policies
from assay.model.provenance import Provenance
from assay.results.formats import FORMATS, TableLayout, render
from assay.results.results import Results
from assay.significance._compare import Comparison, compare
from assay.significance._leaderboard import COLUMNS, Leaderboard, leaderboard, rank_runs, write_ranges

BASE = np.array([0.5, 0.7, 0.2, 0.9, 0.4, 0.3])
NOISE = np.array([0.01, -0.02, 0.0, 0.02, -0.01, 0.0])
VALUES = {"low": BASE - 0.2 + NOISE, "top": BASE + 0.1 + 2 * NOISE, "even": BASE + 0.1, "mid": BASE - NOISE}


def make_comparison(
    measure_names: object = "AP", values: dict[str, np.ndarray] | None = None, **options: object
) -> Comparison:
    values = values or VALUES
    selected_measures = measures(measure_names)
    grid = np.array([list(values.values())] * len(selected_measures))
    topics = tuple("123456"[: grid.shape[2]])
    errors = np.zeros(grid.shape)
    return compare(
        Results(tuple(values), topics, selected_measures, grid, errors, Provenance((), Policies()), ("note",)),
        **options,
    )


def make_leaderboard(
    *args: object, top: int | None = None, symbols: str | None = None, **options: object
) -> Leaderboard:
    return rank_runs(make_comparison(*args, **options), top=top, symbols=symbols)


def test_best_run_first_with_ties() -> None:
    report = make_leaderboard()
    table = report.table()
    assert table.compact.columns == ["place", "run", "AP", "95 % CI of the mean", "tied with"]
    # The means of top and even are equal up to rounding. Both differ from mid, and all differ from low.
    assert table.compact["run"].to_list()[2:] == ["mid", "low"]
    assert table.compact["tied with"].to_list() == ["1-2", "1-2", "none", "none"]
    assert table.highest_is_best == ("AP",)
    assert table.marks == {}
    assert report.notes == ("note",)
    assert "p (Holm) < 0.05" in table.caption
    assert "paired t test, Holm's correction over all 6 pairs of runs; 6 topics" in table.caption
    assert report.summary().startswith(
        "AP: 5 of 6 pairs differ significantly. top, even are tied for first: their means are equal;"
    )


def test_columns_of_the_frame() -> None:
    comparison = make_comparison()
    frame = rank_runs(comparison).frame()
    assert frame.columns == list(COLUMNS)
    assert frame["groups"].to_list() == ["a", "a", "b", "c"]
    assert frame["better_than"].to_list() == [2, 2, 1, 0]
    assert frame["worse_than"].to_list() == [0, 0, 2, 3]
    assert frame["tied_with_leader"].to_list() == [True, True, False, False]
    means = comparison.results.means(0.95)
    for row in frame.rows(named=True):
        mean = means.filter(means["run"] == row["run"]).row(0, named=True)
        assert {name: row[name] for name in mean} == mean


def test_runs_equal_up_to_rounding_share_a_rank() -> None:
    one, other = (1 / np.array(ranks) for ranks in ([1, 7, 8, 12, 4, 9], [7, 12, 1, 9, 4, 8]))
    comparison = make_comparison(values={"one": one, "other": other, "low": one / 2})
    assert comparison.results.overall()[0, 0] != comparison.results.overall()[1, 0]
    assert rank_runs(comparison).frame().select("place", "run").rows() == [(1, "one"), (1, "other"), (3, "low")]
    assert "one, other are tied for first" in rank_runs(comparison).summary()


def test_equal_runs_share_a_rank() -> None:
    frame = make_leaderboard(values={"b": BASE, "a": BASE, "c": BASE - 0.1}).frame()
    assert frame["place"].to_list() == [1, 1, 3]
    assert frame["run"].to_list() == ["b", "a", "c"]


def test_a_run_without_values_is_last() -> None:
    frame = make_leaderboard(values={"none": np.full(6, np.nan), "a": BASE, "c": BASE - 0.1 + NOISE}).frame()
    assert frame["run"].to_list() == ["a", "c", "none"]
    assert frame["place"].to_list() == [1, 2, 3]
    # Run "none" has no values and differs significantly from no run.
    assert frame["groups"].to_list() == ["a", "b", "ab"]


def test_several_measures_are_ordered_by_the_first() -> None:
    report = make_leaderboard(("AP", "Unjudged@10"))
    table = report.table()
    assert table.compact.columns == ["place", "run", "AP", "95 % CI of the mean", "tied with", "Unjudged@10"]
    assert (table.highest_is_best, table.lowest_is_best) == (("AP",), ("Unjudged@10",))
    cost = report.frame().filter(report.frame()["measure"] == "Unjudged@10")
    assert cost["run"].to_list() == table.compact["run"].to_list()
    assert cost["place"].to_list()[2:] == [2, 1]
    assert cost["groups"].to_list() == ["c", "c", "b", "a"]
    assert cost["better_than"].to_list() == [0, 0, 2, 3]


def test_baselines_come_first_and_other_runs_have_symbols() -> None:
    report = make_leaderboard(baseline=["low", "mid"])
    table = report.table()
    assert table.compact["run"].to_list()[:2] == ["low", "mid"]
    assert table.rows_above_rule == 2
    assert table.marks == {"AP": ["‡↓", "†", "†‡", "†‡"]}
    assert report.frame()["groups"].to_list() == [None] * 4
    first, second, test = table.caption.splitlines()
    assert first == "† significantly better than low, †↓ significantly worse (p (Holm) < 0.05)"
    assert second == "‡ significantly better than mid, ‡↓ significantly worse (p (Holm) < 0.05)"
    assert test == "paired t test, Holm's correction over all 5 comparisons with 2 baselines; 6 topics"
    assert make_leaderboard(baseline="low", symbols="+x").table().marks["AP"] == ["", "+", "+", "+"]


def test_latex_table() -> None:
    lines = render(make_leaderboard(baseline="mid"), "latex", layout=TableLayout(digits=3)).decode().splitlines()
    assert any(line.startswith(r"\caption{$^{\dagger}$ significantly better than mid") for line in lines)
    assert lines[lines.index(r"mid & 0.500 \\") + 1] == r"\midrule"
    assert r"low & 0.300\rlap{$^{\dagger\downarrow}$} \\" in lines
    assert sum(r"\textbf{0.600}\rlap{$^{\dagger}$}" in line for line in lines) == 2
    assert not any("place" in line for line in lines)


def test_intervals_only_for_measures_with_a_mean() -> None:
    report = make_leaderboard(("AP", "NumRelRet"), {"a": BASE.round(), "b": BASE.round() + 1})
    table = report.table("intervals")
    assert list(table.intervals) == ["AP"]
    assert table.compact["NumRelRet"].to_list() == [8, 2]
    assert table.highest_is_best == ("AP",)
    assert table.intervals["AP"][0] == report.frame()["low"].to_list()[:2]
    assert "95 % CI of the mean of each run" in table.caption


def test_top_limits_the_runs_shown() -> None:
    report = make_leaderboard(("AP", "RR"), top=2)
    assert len(report.table().compact) == 2
    assert len(report.frame()) == 4
    assert report.notes[-1] == "2 of 4 runs are shown; all were compared"
    assert make_leaderboard(top=9).notes == ("note",)
    assert make_leaderboard(baseline="low", top=1).runs[0] == "low"


def test_every_format_renders() -> None:
    for format_name in FORMATS:
        assert render(make_leaderboard(), format_name)
        assert render(make_leaderboard(baseline="low"), format_name)
    document = json.loads(render(make_leaderboard(), "json"))
    assert document["provenance"]["settings"]["test"] == {"name": "t"}
    assert document["rows"][3]["groups"] == "c"
    with_baseline = json.loads(render(make_leaderboard(baseline="mid"), "json"))
    assert [row["loses_to"] for row in with_baseline["rows"]] == ["", "", "", "mid"]
    assert "<strong>0.6000</strong><sup>†</sup>" in render(make_leaderboard(baseline="low"), "html").decode()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"symbols": "+"}, "symbols '+': need a different character for each of the 2 baselines"),
        ({"symbols": "++"}, "symbols '++': need a different character for each of the 2 baselines"),
        ({"symbols": "+ "}, "symbols '+ ': need a different character for each of the 2 baselines"),
        ({"symbols": "+↓"}, "symbols '+↓': ↓ marks runs that are worse than a baseline; choose another symbol"),
    ],
)
def test_invalid_symbols_raise(options: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as error:
        make_leaderboard(baseline=["low", "mid"], **options)
    assert str(error.value) == message


def test_other_invalid_arguments_raise() -> None:
    with pytest.raises(InputError, match="top must be a whole number of at least 1, got 0"):
        leaderboard(make_comparison().results, top=0)
    with pytest.raises(InputError, match="symbols: need a baseline; name one"):
        leaderboard(make_comparison().results, symbols="+")
    runs = {f"r{number}": BASE + number * NOISE for number in range(6)}
    with pytest.raises(InputError, match="need a different character for each of the 5 baselines"):
        make_leaderboard(values=runs, baseline=[f"r{number}" for number in range(5)])


def test_a_baseline_may_have_a_name_with_spaces() -> None:
    values = {"old system": np.linspace(0.1, 0.2, 6), "new": np.linspace(0.5, 0.7, 6)}
    assert make_leaderboard(values=values, baseline="old system").table().marks["AP"] == ["", "†"]


def test_the_frame_lists_beaten_baselines() -> None:
    frame = make_leaderboard(baseline=["low", "mid"]).frame()
    assert dict(frame.select("run", "beats").rows()) == {"top": "low mid", "even": "low mid", "mid": "low", "low": ""}
    assert dict(frame.select("run", "loses_to").rows()) == {"top": "", "even": "", "mid": "", "low": "mid"}
    assert frame["tied_with_leader"].null_count() == 4
    assert make_leaderboard().frame()["beats"].null_count() == 4


@pytest.mark.parametrize("baseline", ["low", "top", "mid"])
@pytest.mark.parametrize("measure", ["AP", "Unjudged@10"])
def test_symbols_agree_with_compare(baseline: str, measure: str) -> None:
    """Symbols mark exactly the significant differences of ``compare --baseline``, in their direction."""
    comparison = make_comparison(measure, baseline=baseline)
    table = rank_runs(comparison).table()
    marks = dict(zip(table.compact["run"], table.marks[measure], strict=True))
    assert marks.pop(baseline) == ""
    for row in comparison.frame().iter_rows(named=True):
        better = (row["difference"] < 0) if measure == "Unjudged@10" else (row["difference"] > 0)
        assert marks[row["run_a"]] == ("" if row["p_adjusted"] >= 0.05 else "†" if better else "†↓")


def test_means_over_different_topics_are_noted() -> None:
    short = {**VALUES, "low": np.where(np.arange(6) < 2, np.nan, VALUES["low"])}
    assert make_leaderboard(values=short).notes[-1] == (
        "AP: the means of the runs are over 4 to 6 topics; two runs are compared on the topics for which both have a "
        "value"
    )


def test_interval_bars_share_one_axis() -> None:
    bars = make_leaderboard().table().compact["95 % CI of the mean"].to_list()
    positions = [bar.index("●") for bar in bars]
    assert positions == sorted(positions, reverse=True)
    assert all(bar.count("●") == 1 for bar in bars)


def test_write_ranges() -> None:
    assert write_ranges([5]) == "5"
    assert write_ranges([]) == ""
    assert write_ranges([2, 1, 4, 6, 5]) == "1-2, 4-6"

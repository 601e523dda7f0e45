"""Leaderboards with letters and with signs."""

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


def compared(of: object = "AP", values: dict[str, np.ndarray] | None = None, **given: object) -> Comparison:
    values = values or VALUES
    chosen = measures(of)
    grid = np.array([list(values.values())] * len(chosen))
    topics = tuple("123456"[: grid.shape[2]])
    shape = np.zeros(grid.shape)
    return compare(Results(tuple(values), topics, chosen, grid, shape, Provenance((), Policies()), ("said",)), **given)


def board(*args: object, top: int | None = None, symbols: str | None = None, **given: object) -> Leaderboard:
    return rank_runs(compared(*args, **given), top=top, symbols=symbols)


def test_best_first_with_ties() -> None:
    found = board()
    table = found.table()
    assert table.compact.columns == ["place", "run", "AP", "95 % CI of the mean", "tied with"]
    # top and even have the same mean up to rounding; both differ from mid, and all from low.
    assert table.compact["run"].to_list()[2:] == ["mid", "low"]
    assert table.compact["tied with"].to_list() == ["1-2", "1-2", "none", "none"]
    assert table.best == ("AP",)
    assert table.marks == {}
    assert found.notes == ("said",)
    assert "p (Holm) < 0.05" in table.caption
    assert "paired t test, Holm's correction over all 6 pairs of runs; 6 topics" in table.caption
    assert found.summary().startswith(
        "AP: 5 of 6 pairs differ significantly. top, even are tied for first: their means are equal;"
    )


def test_the_frame_has_numbers() -> None:
    found = compared()
    frame = rank_runs(found).frame()
    assert frame.columns == list(COLUMNS)
    assert frame["groups"].to_list() == ["a", "a", "b", "c"]
    assert frame["better_than"].to_list() == [2, 2, 1, 0]
    assert frame["worse_than"].to_list() == [0, 0, 2, 3]
    assert frame["tied_with_leader"].to_list() == [True, True, False, False]
    means = found.results.means(0.95)
    for row in frame.rows(named=True):
        mean = means.filter(means["run"] == row["run"]).row(0, named=True)
        assert {name: row[name] for name in mean} == mean


def test_equal_up_to_rounding_share_a_place() -> None:
    one, other = (1 / np.array(ranks) for ranks in ([1, 7, 8, 12, 4, 9], [7, 12, 1, 9, 4, 8]))
    found = compared(values={"one": one, "other": other, "low": one / 2})
    assert found.results.overall()[0, 0] != found.results.overall()[1, 0]
    assert rank_runs(found).frame().select("place", "run").rows() == [(1, "one"), (1, "other"), (3, "low")]
    assert "one, other are tied for first" in rank_runs(found).summary()


def test_equal_runs_share_a_place() -> None:
    frame = board(values={"b": BASE, "a": BASE, "c": BASE - 0.1}).frame()
    assert frame["place"].to_list() == [1, 1, 3]
    assert frame["run"].to_list() == ["b", "a", "c"]


def test_a_run_without_values_is_last() -> None:
    frame = board(values={"none": np.full(6, np.nan), "a": BASE, "c": BASE - 0.1 + NOISE}).frame()
    assert frame["run"].to_list() == ["a", "c", "none"]
    assert frame["place"].to_list() == [1, 2, 3]
    assert frame["groups"].to_list() == ["a", "b", "ab"]  # of none nothing is known


def test_several_measures_are_ordered_by_the_first() -> None:
    found = board(("AP", "Unjudged@10"))
    table = found.table()
    assert table.compact.columns == ["place", "run", "AP", "95 % CI of the mean", "tied with", "Unjudged@10"]
    assert (table.best, table.least) == (("AP",), ("Unjudged@10",))
    cost = found.frame().filter(found.frame()["measure"] == "Unjudged@10")
    assert cost["run"].to_list() == table.compact["run"].to_list()
    assert cost["place"].to_list()[2:] == [2, 1]
    assert cost["groups"].to_list() == ["c", "c", "b", "a"]
    assert cost["better_than"].to_list() == [0, 0, 2, 3]


def test_baselines_come_first_and_others_have_their_signs() -> None:
    found = board(baseline=["low", "mid"])
    table = found.table()
    assert table.compact["run"].to_list()[:2] == ["low", "mid"]
    assert table.apart == 2
    assert table.marks == {"AP": ["‡↓", "†", "†‡", "†‡"]}
    assert found.frame()["groups"].to_list() == [None] * 4
    first, second, test = table.caption.splitlines()
    assert first == "† significantly better than low, †↓ significantly worse (p (Holm) < 0.05)"
    assert second == "‡ significantly better than mid, ‡↓ significantly worse (p (Holm) < 0.05)"
    assert test == "paired t test, Holm's correction over all 5 comparisons with 2 baselines; 6 topics"
    assert board(baseline="low", symbols="+x").table().marks["AP"] == ["", "+", "+", "+"]


def test_latex_for_a_paper() -> None:
    lines = render(board(baseline="mid"), "latex", layout=TableLayout(digits=3)).decode().splitlines()
    assert any(line.startswith(r"\caption{$^{\dagger}$ significantly better than mid") for line in lines)
    assert lines[lines.index(r"mid & 0.500 \\") + 1] == r"\midrule"
    assert r"low & 0.300\rlap{$^{\dagger\downarrow}$} \\" in lines
    assert sum(r"\textbf{0.600}\rlap{$^{\dagger}$}" in line for line in lines) == 2
    assert not any("place" in line for line in lines)


def test_intervals_and_counts() -> None:
    found = board(("AP", "NumRelRet"), {"a": BASE.round(), "b": BASE.round() + 1})
    table = found.table("intervals")
    assert list(table.intervals) == ["AP"]
    assert table.compact["NumRelRet"].to_list() == [8, 2]
    assert table.best == ("AP",)
    assert table.intervals["AP"][0] == found.frame()["low"].to_list()[:2]
    assert "95 % CI of the mean of each run" in table.caption


def test_the_first_of_many() -> None:
    found = board(("AP", "RR"), top=2)
    assert len(found.table().compact) == 2
    assert len(found.frame()) == 4
    assert found.notes[-1] == "2 of 4 runs are shown; all were compared"
    assert board(top=9).notes == ("said",)
    assert board(baseline="low", top=1).runs[0] == "low"


def test_every_format() -> None:
    for form in FORMATS:
        assert render(board(), form)
        assert render(board(baseline="low"), form)
    told = json.loads(render(board(), "json"))
    assert told["provenance"]["settings"]["test"] == {"name": "t"}
    assert told["rows"][3]["groups"] == "c"
    signed = json.loads(render(board(baseline="mid"), "json"))
    assert [row["loses_to"] for row in signed["rows"]] == ["", "", "", "mid"]
    assert "<strong>0.6000</strong><sup>†</sup>" in render(board(baseline="low"), "html").decode()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"symbols": "+"}, "symbols '+': need a different character for each of the 2 baselines"),
        ({"symbols": "++"}, "symbols '++': need a different character for each of the 2 baselines"),
        ({"symbols": "+ "}, "symbols '+ ': need a different character for each of the 2 baselines"),
        ({"symbols": "+↓"}, "symbols '+↓': ↓ marks runs that are worse than a baseline; choose another symbol"),
    ],
)
def test_refusals(given: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as refused:
        board(baseline=["low", "mid"], **given)
    assert str(refused.value) == message


def test_more_refusals() -> None:
    with pytest.raises(InputError, match="top must be a whole number of at least 1, got 0"):
        leaderboard(compared().results, top=0)
    with pytest.raises(InputError, match="symbols: need a baseline; name one"):
        leaderboard(compared().results, symbols="+")
    five = {f"r{number}": BASE + number * NOISE for number in range(6)}
    with pytest.raises(InputError, match="need a different character for each of the 5 baselines"):
        board(values=five, baseline=[f"r{number}" for number in range(5)])


def test_which_baselines_are_beaten_is_data_too() -> None:
    frame = board(baseline=["low", "mid"]).frame()
    assert dict(frame.select("run", "beats").rows()) == {"top": "low mid", "even": "low mid", "mid": "low", "low": ""}
    assert dict(frame.select("run", "loses_to").rows()) == {"top": "", "even": "", "mid": "", "low": "mid"}
    assert frame["tied_with_leader"].null_count() == 4
    assert board().frame()["beats"].null_count() == 4


@pytest.mark.parametrize("baseline", ["low", "top", "mid"])
@pytest.mark.parametrize("measure", ["AP", "Unjudged@10"])
def test_signs_are_those_of_compare(baseline: str, measure: str) -> None:
    """Exactly the differences that ``compare --baseline`` finds significant are marked, in their direction."""
    found = compared(measure, baseline=baseline)
    table = rank_runs(found).table()
    marks = dict(zip(table.compact["run"], table.marks[measure], strict=True))
    assert marks.pop(baseline) == ""
    for row in found.frame().iter_rows(named=True):
        better = (row["difference"] < 0) if measure == "Unjudged@10" else (row["difference"] > 0)
        assert marks[row["run_a"]] == ("" if row["p_adjusted"] >= 0.05 else "†" if better else "†↓")


def test_means_over_different_topics_are_noted() -> None:
    short = {**VALUES, "low": np.where(np.arange(6) < 2, np.nan, VALUES["low"])}
    assert board(values=short).notes[-1] == (
        "AP: means are over different numbers of topics, from 4 to 6; "
        "comparisons are over the topics that both runs have"
    )


def test_bars_share_one_axis() -> None:
    bars = board().table().compact["95 % CI of the mean"].to_list()
    places = [bar.index("●") for bar in bars]
    assert places == sorted(places, reverse=True)
    assert all(bar.count("●") == 1 for bar in bars)


def test_ranges() -> None:
    assert write_ranges([5]) == "5"
    assert write_ranges([]) == ""
    assert write_ranges([2, 1, 4, 6, 5]) == "1-2, 4-6"

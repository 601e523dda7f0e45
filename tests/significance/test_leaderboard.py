"""Leaderboards with letters and with signs."""

from __future__ import annotations

import json

import numpy as np
import pytest

from assay.errors import InputError
from assay.measures import measures
from assay.model.policies import Policies
from assay.model.provenance import Provenance
from assay.results.table import Results
from assay.significance._compare import Comparison, compare
from assay.views.leaderboards import COLUMNS, leaderboard
from assay.views.tables import FORMATS, render

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


def test_best_first_with_letters() -> None:
    table = leaderboard(compared())
    assert table.wide.columns == ["place", "run", "AP", "AP groups"]
    # top and even have the same mean up to rounding; both differ from mid, and all from low.
    assert table.wide["run"].to_list()[2:] == ["mid", "low"]
    assert table.wide["AP groups"].to_list() == ["a", "a", "b", "c"]
    assert table.best == ("AP",)
    assert table.marks == {}
    assert table.notes == ("said",)
    letters, test, conclusion = table.caption.split(";\n")
    assert letters == "Runs that share a letter do not differ significantly (p (Holm) < 0.05)"
    assert test == "paired t test, Holm's correction over all 6 pairs of runs"
    assert conclusion.startswith("AP: 5 of 6 pairs differ significantly")
    assert "top, even are tied for first; 1 does not differ significantly from top: even" in conclusion
    assert "leader" not in conclusion


def test_tidy_has_numbers() -> None:
    found = compared()
    tidy = leaderboard(found).tidy
    assert tidy.columns == list(COLUMNS)
    assert tidy["better_than"].to_list() == [2, 2, 1, 0]
    assert tidy["worse_than"].to_list() == [0, 0, 2, 3]
    assert tidy["tied_with_leader"].to_list() == [True, True, False, False]
    means = found.results.means(0.95)
    for row in tidy.rows(named=True):
        mean = means.filter(means["run"] == row["run"]).row(0, named=True)
        assert {name: row[name] for name in mean} == mean


def test_equal_up_to_rounding_share_a_place() -> None:
    one, other = (1 / np.array(ranks) for ranks in ([1, 7, 8, 12, 4, 9], [7, 12, 1, 9, 4, 8]))
    found = compared(values={"one": one, "other": other, "low": one / 2})
    assert found.results.overall()[0, 0] != found.results.overall()[1, 0]
    table = leaderboard(found)
    assert table.wide.select("place", "run").rows() == [(1, "one"), (1, "other"), (3, "low")]
    assert "one, other are tied for first" in table.caption


def test_equal_runs_share_a_place() -> None:
    same = {"b": BASE, "a": BASE, "c": BASE - 0.1}
    table = leaderboard(compared(values=same))
    assert table.wide["place"].to_list() == [1, 1, 3]
    assert table.wide["run"].to_list() == ["b", "a", "c"]


def test_a_run_without_values_is_last() -> None:
    some = {"none": np.full(6, np.nan), "a": BASE, "c": BASE - 0.1 + NOISE}
    table = leaderboard(compared(values=some))
    assert table.wide["run"].to_list() == ["a", "c", "none"]
    assert table.wide["place"].to_list() == [1, 2, 3]
    assert table.wide["AP groups"].to_list() == ["a", "b", "ab"]  # of none nothing is known


def test_several_measures_are_ordered_by_the_first() -> None:
    table = leaderboard(compared(("AP", "Unjudged@10")))
    assert table.wide.columns == ["place", "run", "AP", "AP groups", "Unjudged@10", "Unjudged@10 groups"]
    assert (table.best, table.least) == (("AP",), ("Unjudged@10",))
    cost = table.tidy.filter(table.tidy["measure"] == "Unjudged@10")
    assert cost["run"].to_list() == table.wide["run"].to_list()
    assert cost["place"].to_list()[2:] == [2, 1]
    assert cost["groups"].to_list() == ["c", "c", "b", "a"]
    assert cost["better_than"].to_list() == [0, 0, 2, 3]


def test_signs_for_baselines() -> None:
    table = leaderboard(compared(baselines=["low", "mid"]))
    assert table.wide.columns == ["place", "run", "AP"]
    assert table.marks == {"AP": ["†‡", "†‡", "†", "‡↓"]}
    assert table.tidy["groups"].to_list() == [None] * 4
    assert table.tidy["better_than"].to_list() == [2, 2, 1, 0]
    first, second, test = table.caption.split(";\n")
    assert first == "† significantly better than low, †↓ significantly worse (p (Holm) < 0.05)"
    assert second == "‡ significantly better than mid, ‡↓ significantly worse (p (Holm) < 0.05)"
    assert test == "paired t test, Holm's correction over all 5 comparisons with 2 baselines"
    assert leaderboard(compared(baselines="low"), symbols="+x").marks["AP"] == ["+", "+", "+", ""]


def test_latex_for_a_paper() -> None:
    lines = render(leaderboard(compared(baselines="mid")), "latex", 3).decode().splitlines()
    legend = r"$^{\dagger}$ significantly better than mid, $^{\dagger}$$^{\downarrow}$ significantly worse"
    assert lines[2].startswith(rf"\caption{{{legend}")
    assert r"4 & low & 0.300$^{\dagger\downarrow}$ \\" in lines
    assert r"\toprule" in lines
    assert sum(r"\textbf{0.600}$^{\dagger}$" in line for line in lines) == 2
    assert r"3 & mid & 0.500 \\" in lines


def test_intervals_and_counts() -> None:
    table = leaderboard(compared(("AP", "NumRelRet"), {"a": BASE.round(), "b": BASE.round() + 1}), intervals=True)
    assert table.wide.columns == [
        "place",
        "run",
        "AP",
        "AP low",
        "AP high",
        "AP groups",
        "NumRelRet",
        "NumRelRet groups",
    ]
    assert table.wide["NumRelRet"].to_list() == [8, 2]
    assert table.best == ("AP",)
    assert table.wide["AP low"].to_list() == table.tidy["low"].to_list()[:2]


def test_the_first_of_many() -> None:
    table = leaderboard(compared(("AP", "RR")), top=2)
    assert len(table.wide) == 2
    assert len(table.tidy) == 4
    assert table.notes[-1] == "2 of 4 runs are shown; all were compared"
    assert leaderboard(compared(), top=9).notes == ("said",)
    assert leaderboard(compared(baselines="low"), top=1).marks == {"AP": ["†"]}


def test_every_format() -> None:
    for form in FORMATS:
        assert render(leaderboard(compared()), form)
        assert render(leaderboard(compared(baselines="low")), form)
    told = json.loads(render(leaderboard(compared()), "json"))
    assert told["provenance"]["comparison"]["test"] == {"name": "t"}
    assert told["rows"][3]["groups"] == "c"
    signed = json.loads(render(leaderboard(compared(baselines="mid")), "json"))
    assert "†↓ significantly worse" in signed["caption"]
    assert [row["loses_to"] for row in signed["rows"]] == ["", "", "", "mid"]
    assert "<strong>0.6000</strong><sup>†</sup>" in render(leaderboard(compared(baselines="low")), "html").decode()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"top": 0}, "top must be at least 1, got 0"),
        ({"symbols": "+"}, "symbols '+': name a different sign for each of the 2 baselines"),
        ({"symbols": "++"}, "symbols '++': name a different sign for each of the 2 baselines"),
        ({"symbols": "+ "}, "symbols '+ ': name a different sign for each of the 2 baselines"),
        ({"symbols": "+↓"}, "symbols '+↓': ↓ marks runs that are worse than a baseline; choose another sign"),
    ],
)
def test_refusals(given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as refused:
        leaderboard(compared(baselines=["low", "mid"]), **given)
    assert str(refused.value) == message


def test_more_baselines_than_signs() -> None:
    five = {f"r{number}": BASE + number * NOISE for number in range(6)}
    with pytest.raises(InputError) as refused:
        leaderboard(compared(values=five, baselines=[f"r{number}" for number in range(5)]))
    assert str(refused.value) == "symbols '†‡§¶': name a different sign for each of the 5 baselines"


def test_which_baselines_are_beaten_is_data_too() -> None:
    tidy = leaderboard(compared(baselines=["low", "mid"])).tidy
    assert dict(tidy.select("run", "beats").rows()) == {"top": "low mid", "even": "low mid", "mid": "low", "low": ""}
    assert dict(tidy.select("run", "loses_to").rows()) == {"top": "", "even": "", "mid": "", "low": "mid"}
    assert tidy["tied_with_leader"].null_count() == 4
    assert leaderboard(compared()).tidy["beats"].null_count() == 4


@pytest.mark.parametrize("baseline", ["low", "top", "mid"])
@pytest.mark.parametrize("measure", ["AP", "Unjudged@10"])
def test_signs_are_those_of_compare(baseline: str, measure: str) -> None:
    """Exactly the differences that ``compare --baseline`` finds significant are marked, in their direction."""
    found = compared(measure, baselines=baseline)
    table = leaderboard(found)
    marks = dict(zip(table.wide["run"], table.marks[measure], strict=True))
    assert marks.pop(baseline) == ""
    for row in found.frame().iter_rows(named=True):
        better = (row["difference"] < 0) if measure == "Unjudged@10" else (row["difference"] > 0)
        assert marks[row["run_a"]] == ("" if row["p_adjusted"] >= 0.05 else "†" if better else "†↓")


def test_intervals_are_labelled() -> None:
    assert "95 % CI of the mean of one run" in leaderboard(compared(), intervals=True).caption
    assert "CI" not in leaderboard(compared()).caption


def test_means_over_different_topics_are_said() -> None:
    short = {**VALUES, "low": np.where(np.arange(6) < 2, np.nan, VALUES["low"])}
    assert leaderboard(compared(values=short)).notes[-1] == (
        "AP: means are over different numbers of topics, from 4 to 6; "
        "comparisons are over the topics that both runs have"
    )

"""How much the rankings of runs agree."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from assay import read
from assay.distance import _rbo as module
from assay.distance._rbo import COLUMNS, rbo
from assay.distance.rank_biased_overlap import rank_biased_overlap
from assay.distance.rank_correlation import rank_correlation
from assay.errors import InputError, PolicyError
from assay.model import read_run
from real_data import real
from report_contract import check_report

X = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 2.0, "b": 1.0}, "q3": {"x": 1.0}}
Y = {"q1": {"b": 3.0, "a": 2.0, "d": 1.0}, "q2": {"a": 2.0, "b": 1.0}, "q4": {"y": 1.0}}
Z = {"q1": {"c": 3.0, "z": 2.0, "a": 2.0, "b": 2.0}, "q2": {"b": 1.0}}
WHY = "fewer than two shared documents, or all of them tied in one ranking"
SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 4).map(float), min_size=1)
RUNS = st.lists(
    st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), SCORES, min_size=1), min_size=2, max_size=4
)  # fmt: skip


def groups(scores, depth=None):
    """The documents by descending score, equal ones by descending name; groups that the depth reaches."""
    found = []
    for value in sorted(set(scores.values()), reverse=True):
        if depth is None or sum(map(len, found)) < depth:
            found.append(sorted((doc for doc in scores if scores[doc] == value), reverse=True))
    return found


def expected(a, b, p, tied, depth):
    """The columns for two rankings, one pair at a time."""
    one, other = groups(a), groups(b)
    if tied == "order":
        one, other = ([doc for group in ranking for doc in group][:depth] for ranking in (one, other))
    else:
        one, other = groups(a, depth), groups(b, depth)
    lengths = [sum(len(group) for group in ranking) for ranking in (one, other)]
    found = rank_correlation(one, other, tied=tied)
    overlap = rank_biased_overlap(one, other, p, tied=tied)
    return (*overlap, found.tau, found.tau_ap, found.shared / max(lengths), *lengths)


@pytest.mark.parametrize("tied", ["order", "w", "a", "b"])
@settings(max_examples=40, derandomize=True, deadline=None)
@given(RUNS, st.sampled_from([0.5, 0.9]), st.sampled_from([None, 1, 3]))
def test_each_pair_and_topic(tied, runs, p, depth):
    named = {f"r{i}": run for i, run in enumerate(runs)}
    report = rbo(read(runs=named, lenient=True), p=p, depth=depth, tied=tied)
    rows = {row[:3]: row[3:] for row in report.table("topics").frame.rows()}
    pairs = list(combinations(named, 2))
    wanted = {
        (a, b, topic): expected(named[a].get(topic, {}), named[b].get(topic, {}), p, tied, depth)
        for a, b in pairs
        for topic in sorted({*named[a], *named[b]})
    }
    assert list(rows) == [
        (a, b, topic) for a, b in pairs for topic in (*sorted({*named[a], *named[b]}), "all")
    ]  # fmt: skip
    for key, values in wanted.items():
        assert rows[key] == pytest.approx(values, abs=1e-12)
    for a, b in pairs:
        mine = [values for key, values in wanted.items() if key[:2] == (a, b)]
        for place, value in enumerate(rows[a, b, "all"]):
            there = [values[place] for values in mine if values[place] is not None]
            assert value == (pytest.approx(np.mean(there), abs=1e-12) if there else None)


def test_a_few_rows_at_a_time_are_the_same(monkeypatch):
    """Rankings of several topics, of different lengths, wait for each other."""
    rng = np.random.default_rng(1)
    runs = {
        f"r{i}": {
            f"q{j}": {f"d{d}": float(rng.integers(0, 9)) for d in rng.permutation(30)[: rng.integers(1, 25)]}
            for j in range(6)
        }
        for i in range(5)
    }
    for tied in ("order", "b"):
        whole = rbo(read(runs=runs), tied=tied)
        monkeypatch.setattr(module, "_BLOCK_ROWS", 4)
        assert rbo(read(runs=runs), tied=tied).values == pytest.approx(whole.values, abs=1e-12, nan_ok=True)
        monkeypatch.undo()


def test_a_report():
    report = rbo(read(runs={"x": X, "y": Y}), p=0.8)
    assert repr(report) == "OverlapReport(1 pair of runs x 4 topics: p=0.8)"
    assert report.topics == ("q1", "q2", "q3", "q4")
    frame = report.table("topics").frame
    assert frame.columns == ["run_a", "run_b", "topic", *COLUMNS]
    assert frame["topic"].to_list() == ["q1", "q2", "q3", "q4", "all"]
    assert frame["rbo"].to_list() == pytest.approx([0.5867, 1, 0, 0, 0.3967], abs=5e-5)
    assert frame["tau"].to_list() == pytest.approx([-1, 1, None, None, 0])
    assert frame["residual"].to_list()[2:4] == pytest.approx([1, 1])
    assert frame["overlap"].to_list() == pytest.approx([2 / 3, 1, 0, 0, 5 / 12])
    assert frame["depth_a"].to_list() == [3, 2, 1, 0, 1.5]
    assert report.frame().rows() == frame.filter(topic="all").rows()
    assert report.notes == (
        "x: lacks 1 of the 4 topics of all runs; rbo and min are 0 there",
        "y: lacks 1 of the 4 topics of all runs; rbo and min are 0 there",
        f"no tau or tau_ap for 2 of 4 pairs of rankings: {WHY}",
    )


def test_only_topics_that_both_have():
    report = rbo(read(runs={"x": X, "y": Y, "z": Z}, missing="exclude"))
    frame = report.table("topics").frame
    assert frame.filter(run_a="x", run_b="y")["topic"].to_list() == ["q1", "q2", "all"]
    assert frame.filter(run_b="z", topic="all")["depth_a"].to_list() == [2.5, 2.5]
    assert report.notes[0] == "x: lacks 1 of the 4 topics of all runs; omitted"
    nothing = rbo(read(runs={"x": {"q1": X["q1"]}, "y": {"q2": Y["q2"]}}, missing="exclude", lenient=True))
    assert nothing.frame().row(0)[:4] == ("x", "y", "all", None)


def test_matrix():
    report = rbo(read(runs={"x": X, "y": Y, "z": Z}), tied="b")
    matrix = report.matrix()
    assert matrix.columns == ["run", "x", "y", "z"]
    table = matrix.drop("run").to_numpy()
    assert np.array_equal(table, table.T)
    assert np.diag(table) == pytest.approx([1, 1, 1])
    by_pair = report.frame()["rbo"].to_list()
    assert [table[0, 1], table[0, 2], table[1, 2]] == by_pair
    assert np.diag(report.matrix("min").drop("run").to_numpy()).max() < 0.9
    alone = rbo(read(runs={"x": {"q": {"a": 1.0}}, "y": {"q": {"a": 1.0}}})).matrix("tau")
    assert alone.rows() == [("x", None, None), ("y", None, None)]
    named = rbo(read(runs={"run": X, "run_": Y})).matrix()
    assert named.columns == ["run__", "run", "run_"]
    with pytest.raises(InputError, match=r"matrix of 'tauap': choose one of rbo, .*; did you mean tau_ap\?"):
        report.matrix("tauap")


def test_a_run_with_ties_and_itself():
    z = {"q": Z["q1"]}
    own = [rbo(read(runs={"z": z, "again": z}), tied=tied).matrix()["z"][0] for tied in ("order", "w", "a", "b")]
    assert own[0] == own[1] == own[3] == pytest.approx(1)
    assert own[2] < 0.97


def test_only_with_the_first():
    report = rbo(read(runs={"x": X, "y": Y, "z": Z}), first=True)
    assert report.frame().select("run_a", "run_b").rows() == [("x", "y"), ("x", "z")]
    every = rbo(read(runs={"x": X, "y": Y, "z": Z})).frame()
    assert report.frame().equals(every.filter(run_a="x"))
    with pytest.raises(InputError, match="a matrix needs all pairs of runs; compute them without first=True"):
        report.matrix()


def test_depth_keeps_groups_whole():
    report = rbo(read(runs={"y": Y, "z": Z}), depth=2, tied="a")
    assert report.table("topics").frame.filter(topic="q1").select("depth_a", "depth_b").row(0) == (2, 4)
    assert "groups of ties at depth 2 were not split: up to 2 documents more compared" in report.notes
    cut = rbo(read(runs={"y": Y, "z": Z}), depth=2)
    assert cut.table("topics").frame.filter(topic="q1").select("depth_a", "depth_b").row(0) == (2, 2)
    assert not [note for note in cut.notes if "not split" in note]


def test_ties_in_the_order_of_the_policy_are_counted():
    [note] = rbo(read(runs={"y": {"q": Y["q1"]}, "z": {"q": Z["q1"]}})).notes
    assert note.startswith("3 of 7 documents (42.9%) tied")
    assert "trec_eval-10" in note
    by_line = rbo(read(runs={"y": {"q": Y["q1"]}, "z": {"q": Z["q1"]}}, ties="file"))
    assert by_line.notes == ()
    # By line z, a, b; by id z, b, a.
    assert by_line.frame()["tau"].to_list() == [-1]


def test_progress():
    calls = []
    rbo(read(runs={"x": X, "y": Y}), progress=lambda done, total: calls.append((done, total)))
    assert calls == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"p": 1}, InputError, "p must lie between 0 and 1, such as 0.9, got 1"),
        ({"depth": 0}, InputError, "depth must be a whole number of at least 1, got 0"),
        ({"depth": 2.5}, InputError, "depth must be a whole number of at least 1, got 2.5"),
        ({"depth": True}, InputError, "depth must be a whole number of at least 1, got True"),
        ({"tied": "c"}, InputError, "tied 'c': choose one of order, w, a, b"),
        ({"tied": "a", "ties": "file"}, PolicyError, "tied 'a': documents are tied by their scores"),
        ({"ties": "expected"}, PolicyError, "ties 'expected': "),
    ],
)
def test_bad_arguments(given, error, message):
    campaign = read(runs={"x": X, "y": Y}, ties=given.get("ties", "trec_eval-10"))
    with pytest.raises(error) as found:
        rbo(campaign, **{name: value for name, value in given.items() if name != "ties"})
    assert str(found.value).startswith(message)


def test_too_few_and_strange_runs():
    with pytest.raises(InputError, match="runs: need at least two runs to compare"):
        rbo(read(runs={"x": X}))
    stranger = {"t": {"a": 1.0}}
    with pytest.raises(InputError, match=r"run1: shares no topic with another run \(it has t; the others have q1, q2"):
        rbo(read(runs=[stranger, X, Y]))
    report = rbo(read(runs=[stranger, X], lenient=True))
    assert report.frame()["rbo"].to_list() == [0]


def test_real_runs_and_scipy():
    folder = real("trec8-adhoc", "runs")
    paths = [str(path) for path in sorted(folder.iterdir())[4:6]]
    report = rbo(read(runs=paths), tied="b")
    frame = report.table("topics").frame
    assert len(frame) == 51
    bounds = frame.select(
        ((pl.col("min") >= 0) & (pl.col("min") <= pl.col("rbo")) & (pl.col("rbo") <= pl.col("max"))).all()
    )
    assert bounds.item()
    one, other = (dict(zip(*_of_topic(read_run(path), "401"), strict=True)) for path in paths)
    shared = sorted({*one} & {*other})
    value = kendalltau([one[doc] for doc in shared], [other[doc] for doc in shared]).statistic
    assert frame.filter(topic="401")["tau"].item() == pytest.approx(value, abs=1e-12)


def _of_topic(run, topic):
    rows = np.flatnonzero((run.topic == topic).to_numpy())
    return run.doc.gather(rows).to_list(), run.score[rows].tolist()


# Tables and summary ----------------------------------------------------------------------------------------------


def test_tables():
    report = rbo(read(runs={"x": X, "y": Y, "z": Z}, missing="exclude"), p=0.8, depth=5, tied="a")
    table = check_report(report)
    assert table.compact.columns == ["run", "other run", "RBO", "lowest", "highest", "tau", "tau-AP", "overlap"]
    assert table.frame.equals(report.frame())
    topics = report.table("topics").frame
    assert topics.filter(pl.col("topic") != "all").equals(report.topic_frame())
    assert report.table("matrix").frame.equals(report.matrix("rbo"))
    assert report.provenance.settings == {"p": 0.8, "depth": 5, "tied": "a", "first": False}
    assert report.provenance.policies.missing == "exclude"
    with pytest.raises(InputError, match="a matrix needs all pairs of runs"):
        rbo(read(runs={"x": X, "y": Y}), first=True).table("matrix")


def test_a_topic_named_all_is_a_topic():
    report = rbo(read(runs={"x": {"all": {"a": 1.0}, "q": {"a": 1.0}}, "y": {"q": {"a": 1.0}}, "z": {"q": {"a": 1.0}}}))
    assert report.topic_frame().filter(run_a="y")["topic"].to_list() == ["q"]


def test_summary():
    assert rbo(read(runs={"x": X, "y": X, "z": Z})).summary().startswith("Most similar: x and y (")
    same = rbo(read(runs={"x": X, "y": X, "z": X})).summary()
    assert same.startswith("All 3 pairs of runs have the same RBO, 1.0000")
    tied = rbo(read(runs={"a": X, "b": X, "c": Z, "d": Z})).summary()
    assert "Most similar: 2 tied pairs (1.0000); least similar: 4 tied pairs" in tied
    [row] = rbo(read(runs={"x": X, "y": Y}), p=0.8).frame().rows(named=True)
    assert (
        f"RBO of x and y: {row['rbo']:.4f}, between {row['min']:.4f} and"
        in rbo(read(runs={"x": X, "y": Y}), p=0.8).summary()
    )
    nothing = rbo(read(runs={"x": {"q1": X["q1"]}, "y": {"q2": Y["q2"]}}, missing="exclude", lenient=True))
    assert nothing.summary() == "No topic on which two runs can be compared."

"""Rank-biased overlap of runs."""

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
UNDEFINED_TAU = "fewer than two shared documents, or all shared documents tied in one ranking"
SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 4).map(float), min_size=1)
RUNS = st.lists(
    st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), SCORES, min_size=1), min_size=2, max_size=4
)  # fmt: skip


def group_by_score(scores, depth=None):
    """Group documents by descending score, ties by descending name, until *depth* documents are listed."""
    groups = []
    for value in sorted(set(scores.values()), reverse=True):
        if depth is None or sum(map(len, groups)) < depth:
            groups.append(sorted((doc for doc in scores if scores[doc] == value), reverse=True))
    return groups


def compute_expected(a, b, p, tied, depth):
    """Compute the columns for two rankings of one topic."""
    one, other = group_by_score(a), group_by_score(b)
    if tied == "order":
        one, other = ([doc for group in ranking for doc in group][:depth] for ranking in (one, other))
    else:
        one, other = group_by_score(a, depth), group_by_score(b, depth)
    lengths = [sum(len(group) for group in ranking) for ranking in (one, other)]
    correlation = rank_correlation(one, other, tied=tied)
    overlap = rank_biased_overlap(one, other, p, tied=tied)
    return (*overlap, correlation.tau, correlation.tau_ap, correlation.rho, correlation.shared / max(lengths), *lengths)


@pytest.mark.parametrize("tied", ["order", "w", "a", "b"])
@settings(max_examples=40, derandomize=True, deadline=None)
@given(RUNS, st.sampled_from([0.5, 0.9]), st.sampled_from([None, 1, 3]))
def test_values_of_each_pair_and_topic(tied, runs, p, depth):
    runs_by_name = {f"r{i}": run for i, run in enumerate(runs)}
    report = rbo(read(runs=runs_by_name, lenient=True), p=p, depth=depth, tied=tied)
    rows = {row[:3]: row[3:] for row in report.table("topics").frame.rows()}
    pairs = list(combinations(runs_by_name, 2))
    expected = {
        (a, b, topic): compute_expected(runs_by_name[a].get(topic, {}), runs_by_name[b].get(topic, {}), p, tied, depth)
        for a, b in pairs
        for topic in sorted({*runs_by_name[a], *runs_by_name[b]})
    }
    assert list(rows) == [
        (a, b, topic) for a, b in pairs for topic in (*sorted({*runs_by_name[a], *runs_by_name[b]}), "all")
    ]  # fmt: skip
    for key, values in expected.items():
        assert rows[key] == pytest.approx(values, abs=1e-12)
    for a, b in pairs:
        pair_values = [values for key, values in expected.items() if key[:2] == (a, b)]
        for column, value in enumerate(rows[a, b, "all"]):
            defined = [values[column] for values in pair_values if values[column] is not None]
            assert value == (pytest.approx(np.mean(defined), abs=1e-12) if defined else None)


def test_block_size_does_not_change_values(monkeypatch):
    """A block contains rankings of several topics and of different lengths."""
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


def test_report():
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
        "x: lacks 1 of the 4 topics of all runs; rbo and min are 0 for these topics",
        "y: lacks 1 of the 4 topics of all runs; rbo and min are 0 for these topics",
        f"no tau, tau_ap or rho for 2 of 4 pairs of rankings: {UNDEFINED_TAU}",
    )


def test_missing_exclude_compares_shared_topics():
    report = rbo(read(runs={"x": X, "y": Y, "z": Z}, missing="exclude"))
    frame = report.table("topics").frame
    assert frame.filter(run_a="x", run_b="y")["topic"].to_list() == ["q1", "q2", "all"]
    assert frame.filter(run_b="z", topic="all")["depth_a"].to_list() == [2.5, 2.5]
    assert report.notes[0] == "x: lacks 1 of the 4 topics of all runs; these topics are omitted"
    no_shared_topic = rbo(read(runs={"x": {"q1": X["q1"]}, "y": {"q2": Y["q2"]}}, missing="exclude", lenient=True))
    assert no_shared_topic.frame().row(0)[:4] == ("x", "y", "all", None)


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
    undefined = rbo(read(runs={"x": {"q": {"a": 1.0}}, "y": {"q": {"a": 1.0}}})).matrix("tau")
    assert undefined.rows() == [("x", None, None), ("y", None, None)]
    with_odd_names = rbo(read(runs={"run": X, "run_": Y})).matrix()
    assert with_odd_names.columns == ["run__", "run", "run_"]
    with pytest.raises(InputError, match=r"matrix of 'tauap': choose one of rbo, .*; did you mean tau_ap\?"):
        report.matrix("tauap")


def test_run_with_ties_compared_with_itself():
    z = {"q": Z["q1"]}
    values = [rbo(read(runs={"z": z, "again": z}), tied=tied).matrix()["z"][0] for tied in ("order", "w", "a", "b")]
    assert values[0] == values[1] == values[3] == pytest.approx(1)
    assert values[2] < 0.97


def test_first_compares_the_first_run_with_each_other_run():
    report = rbo(read(runs={"x": X, "y": Y, "z": Z}), first=True)
    assert report.frame().select("run_a", "run_b").rows() == [("x", "y"), ("x", "z")]
    all_pairs = rbo(read(runs={"x": X, "y": Y, "z": Z})).frame()
    assert report.frame().equals(all_pairs.filter(run_a="x"))
    with pytest.raises(InputError, match="a matrix needs all pairs of runs; compute them without first=True"):
        report.matrix()


def test_depth_does_not_split_groups_of_ties():
    report = rbo(read(runs={"y": Y, "z": Z}), depth=2, tied="a")
    assert report.table("topics").frame.filter(topic="q1").select("depth_a", "depth_b").row(0) == (2, 4)
    assert "tie groups at depth 2 were not split, so up to 2 more documents were compared" in report.notes
    truncated = rbo(read(runs={"y": Y, "z": Z}), depth=2)
    assert truncated.table("topics").frame.filter(topic="q1").select("depth_a", "depth_b").row(0) == (2, 2)
    assert not [note for note in truncated.notes if "not split" in note]


def test_ties_broken_by_the_policy_get_a_note():
    [note] = rbo(read(runs={"y": {"q": Y["q1"]}, "z": {"q": Z["q1"]}})).notes
    assert note.startswith("3 of 7 documents (42.9%) are tied")
    assert "trec_eval-10" in note
    by_line = rbo(read(runs={"y": {"q": Y["q1"]}, "z": {"q": Z["q1"]}}, ties="file"))
    assert by_line.notes == ()
    # The order is z, a, b by line, but z, b, a by id.
    assert by_line.frame()["tau"].to_list() == [-1]


def test_progress_counts_topics():
    calls = []
    rbo(read(runs={"x": X, "y": Y}), progress=lambda done, total: calls.append((done, total)))
    assert calls == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"p": 1}, InputError, "p must lie between 0 and 1, such as 0.9, got 1"),
        ({"depth": 0}, InputError, "depth must be a whole number of at least 1, got 0"),
        ({"depth": 2.5}, InputError, "depth must be a whole number of at least 1, got 2.5"),
        ({"depth": True}, InputError, "depth must be a whole number of at least 1, got True"),
        ({"tied": "c"}, InputError, "tied 'c': choose one of order, w, a, b"),
        ({"tied": "a", "ties": "file"}, PolicyError, "tied 'a': ties are determined by scores"),
        ({"ties": "expected"}, PolicyError, "ties 'expected': "),
    ],
)
def test_invalid_arguments_are_rejected(arguments, error, message):
    campaign = read(runs={"x": X, "y": Y}, ties=arguments.get("ties", "trec_eval-10"))
    with pytest.raises(error) as info:
        rbo(campaign, **{name: value for name, value in arguments.items() if name != "ties"})
    assert str(info.value).startswith(message)


def test_runs_must_share_topics():
    with pytest.raises(InputError, match="runs: need at least two runs, got 1"):
        rbo(read(runs={"x": X}))
    other_topic = {"t": {"a": 1.0}}
    message = r"run1: shares no topic with another run \(it has t; the other runs have q1, q2"
    with pytest.raises(InputError, match=message):
        rbo(read(runs=[other_topic, X, Y]))
    report = rbo(read(runs=[other_topic, X], lenient=True))
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
    one, other = (dict(zip(*select_topic(read_run(path), "401"), strict=True)) for path in paths)
    shared = sorted({*one} & {*other})
    value = kendalltau([one[doc] for doc in shared], [other[doc] for doc in shared]).statistic
    assert frame.filter(topic="401")["tau"].item() == pytest.approx(value, abs=1e-12)


def select_topic(run, topic):
    rows = np.flatnonzero((run.topic == topic).to_numpy())
    return run.doc.gather(rows).to_list(), run.score[rows].tolist()


# Tables and summary --------------------------------------------------------------------------------------------------


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
    no_shared_topic = rbo(read(runs={"x": {"q1": X["q1"]}, "y": {"q2": Y["q2"]}}, missing="exclude", lenient=True))
    assert no_shared_topic.summary() == "There is no topic on which two runs can be compared."

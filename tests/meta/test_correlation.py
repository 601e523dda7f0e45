"""Correlation of the system orders of measures."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau

from assay import evaluate, read
from assay.errors import InputError, PolicyError
from assay.meta._correlate import MEASURES as DEFAULT_MEASURES
from assay.meta._correlate import check_depths, correlate, mean_scores
from assay.simulation import simulate
from oracles import pool_depth as oracle
from real_data import real

QRELS = {"q1": {"a": 1, "b": 2, "c": 0, "d": 1}, "q2": {"a": 1, "c": 0}}
RUNS = {
    "r1": {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 1.0}},
    "r2": {"q1": {"c": 3.0, "a": 2.0, "x": 1.0}, "q2": {"c": 2.0, "a": 1.0}},
    "r3": {"q1": {"b": 3.0, "x": 2.0, "d": 1.0}, "q2": {"x": 2.0, "y": 1.0}},
    "r4": {"q1": {"x": 3.0, "y": 2.0, "a": 1.0}},
}
MEASURES = ["AP", "RR", "nDCG"]


@pytest.fixture(scope="module")
def campaign():
    return simulate(systems=9, topics=8, depth=20, pool=10, seed=3)


def test_all_pairs_agree_with_scipy():
    report = correlate(read(QRELS, RUNS), MEASURES)
    overall = evaluate(QRELS, RUNS, MEASURES).overall()
    assert report.symmetric
    assert report.runs == ("r1", "r2", "r3", "r4")
    assert report.frame().select("measure", "pool", "other", "runs").rows() == [
        ("AP", "full", "RR", 4),
        ("AP", "full", "nDCG", 4),
        ("RR", "full", "nDCG", 4),
    ]
    for (i, j), row in zip(((0, 1), (0, 2), (1, 2)), report.frame().rows(named=True), strict=True):
        scipy_result = kendalltau(overall[:, i], overall[:, j])
        assert row["tau"] == pytest.approx(scipy_result.statistic, abs=1e-12)
        assert row["p"] == pytest.approx(scipy_result.pvalue, abs=1e-12)
    assert report.scores[0].tolist() == overall.T.tolist()
    assert report.matrix().columns == ["measure", "pool", *MEASURES]
    for name in ("tau_ap", "rho"):
        assert report.matrix(name)["RR"].to_list() == getattr(report.taus, name)[:, 1].tolist()
    settings = {"runs": 4, "best": None, "decimals": None, "row_unjudged": "nonrelevant"}
    assert report.provenance.as_dict()["settings"] == settings


def test_default_table_depends_on_the_number_of_pairs():
    few_pairs, many_pairs = correlate(read(QRELS, RUNS), MEASURES), correlate(read(QRELS, RUNS))
    assert list(few_pairs.tables) == ["pairs", "tau", "tau_ap", "rho", "p"]
    assert few_pairs.table().compact.columns == ["measure", "other", "tau", "tau-AP", "rho", "p", "reading"]
    assert list(many_pairs.tables) == ["tau", "pairs", "tau_ap", "rho", "p"]
    assert many_pairs.table().compact.columns == ["measure", *DEFAULT_MEASURES]
    for report in (few_pairs, many_pairs):
        for name in report.tables:
            assert report.table(name).frame.equals(report.frame())
    pools = correlate(read(QRELS, RUNS), "AP", depths=[1])
    assert pools.table().compact.columns[:3] == ["measure", "pool", "other"]
    assert pools.table("tau").compact.columns == ["measure", "pool", "AP"]


def test_labels_of_taus():
    """The label is 'equivalent' for tau above 0.9 and 'different' for tau below 0.8."""
    qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    runs = {
        "r1": {"q": {"a": 3.0, "b": 2.0, "c": 1.0}},
        "r2": {"q": {"x": 4.0, "a": 3.0, "b": 2.0, "c": 1.0}},
        "r3": {"q": {"a": 1.0}},
        "r4": {"q": {"x": 3.0, "y": 2.0, "a": 1.0}},
    }
    report = correlate(read(qrels, runs), ["AP", "P@5", "Recall@10"])
    reading = dict(zip(report.frame()["tau"].to_list(), report.table().compact["reading"].to_list(), strict=True))
    assert all(
        (word == "equivalent") == (tau > 0.9) and (word == "different") == (tau < 0.8) for tau, word in reading.items()
    )


def test_summaries():
    campaign = read(QRELS, RUNS)
    report = correlate(campaign, MEASURES)
    taus = {frozenset(row[:2]): row[2] for row in report.frame().select("measure", "other", "tau").rows()}
    highest, lowest = max(taus.values()), min(taus.values())
    assert f"(tau {highest:.3f}); least similar" in report.summary()
    assert f"(tau {lowest:.3f})." in report.summary()
    assert "With only 4 runs, tau is hard to interpret." in report.summary()
    assert "name at least two" in correlate(campaign, "AP").summary()
    assert "all runs have the same mean" in correlate(campaign, ["AP", "NumRel"]).summary()
    assert (
        correlate(campaign, ["AP", "AP@100"]).summary().startswith("AP and AP@100 order the 4 runs identically (tau 1.")
    )
    tied = correlate(campaign, ["AP", "AP@100", "AP@50", "RR"]).summary()
    assert tied.startswith("Most similar: 3 pairs tied (tau 1.000); least similar: 3 pairs tied")
    identical = correlate(campaign, ["AP", "AP@100", "AP@50"]).summary()
    assert identical.startswith("All 3 pairs of measures order the 4 runs identically")
    assert "AP (pool 1) and AP" in correlate(campaign, "AP", depths=[1]).summary()


def test_nearest_measures():
    report = correlate(read(QRELS, RUNS), MEASURES)
    tau = report.taus.tau.copy()
    np.fill_diagonal(tau, -2)
    assert report.nearest() == tuple(MEASURES[i] for i in tau.argmax(axis=1))
    assert correlate(read(QRELS, RUNS), "AP").nearest() == (None,)
    assert correlate(read(QRELS, RUNS), ["AP", "NumQ"]).nearest() == (None, None)


def test_a_measure_with_equal_values_has_no_tau():
    report = correlate(read(QRELS, RUNS), ["AP", "NumRel"])
    assert report.frame().rows() == [("AP", "full", "NumRel", None, None, None, None, 4)]
    assert report.matrix()["NumRel"].to_list() == [None, None]


def test_measures_where_lower_is_better():
    runs = {name: {"q1": run["q1"]} for name, run in RUNS.items()}  # Each run has three documents.
    report = correlate(read({"q1": QRELS["q1"]}, runs), ["Unjudged@3", "Judged@3"])
    assert report.frame()["tau"].to_list() == [1]
    assert report.scores[0][0].tolist() == [0, 1 / 3, 1 / 3, 2 / 3]


def test_rows_of_shallow_pools():
    report = correlate(read(QRELS, RUNS), ["AP", "RR"], rows=["AP", "P@2"], depths=[2, 1, 2])
    assert not report.symmetric
    assert [(str(order.measure), order.pool) for order in report.rows] == [
        ("AP", "1"),
        ("P@2", "1"),
        ("AP", "2"),
        ("P@2", "2"),
    ]
    for i, order in enumerate(report.rows):
        pool = oracle.pool(QRELS, RUNS.values(), int(order.pool))
        expected = [oracle.mean(order.measure, pool, run) for run in RUNS.values()]
        assert report.scores[0][i] == pytest.approx(expected, abs=1e-12)
    assert report.frame().shape == (8, 8)
    assert report.notes == ("r4: lacks 1 of the 2 topics of the qrels; counted as empty rankings",)


def test_notes_of_pools():
    runs = {"r1": {"q1": {"a": 1.0}, "q2": {"c": 2.0, "a": 1.0}}, "r2": {"q1": {"b": 1.0}, "q2": {"c": 1.0}}}
    report = correlate(read(QRELS, runs), "AP", depths=[1, 2])
    assert report.notes == ("pool 1: AP: counted 1 topic without relevant documents as 0: q2",)


def test_rows_of_other_judgments():
    other_qrels = {"q1": {"a": 0, "b": 1, "c": 1}, "q2": {"c": 1}}
    report = correlate(read(QRELS, RUNS), "AP", row_qrels=other_qrels)
    means = evaluate(other_qrels, RUNS, "AP").overall()[:, 0], evaluate(QRELS, RUNS, "AP").overall()[:, 0]
    assert report.taus.tau[0, 0] == pytest.approx(kendalltau(*means).statistic, abs=1e-12)
    assert [entry["role"] for entry in report.provenance.as_dict()["inputs"]].count("qrels") == 2


def test_rows_of_condensed_rankings():
    report = correlate(read(QRELS, RUNS), "P@2", row_unjudged="condensed")
    assert report.scores[0][0].tolist() == evaluate(QRELS, RUNS, "P@2", unjudged="condensed").overall()[:, 0].tolist()
    assert report.scores[1][0].tolist() == evaluate(QRELS, RUNS, "P@2").overall()[:, 0].tolist()


def test_selection_of_the_best_runs(campaign):
    report = correlate(read(campaign.qrels, campaign.runs), ["RR", "nDCG"], best=0.5)
    results = evaluate(campaign.qrels, campaign.runs, ["AP"])
    assert set(report.runs) == set(results.best("AP")[:5])
    assert "selected the best 5 of 9 runs by AP" in report.notes
    assert report.frame()["runs"].to_list() == [5]


def test_best_runs_are_selected_by_all_judgments():
    """The judgments of the rows would select other runs."""
    other_qrels = {"q1": {"x": 1, "d": 1}, "q2": {"c": 1, "x": 1}}
    best = tuple(sorted(evaluate(QRELS, RUNS, "AP").best("AP")[:2]))
    assert best != tuple(sorted(evaluate(other_qrels, RUNS, "AP").best("AP")[:2]))
    assert correlate(read(QRELS, RUNS), "AP", row_qrels=other_qrels, best=0.5).runs == best


def test_means_are_rounded_like_printf():
    runs = {"r1": {"q1": {"a": 1.0}}, "r2": {"q1": {"x": 2.0, "b": 1.0}}, "r3": {"q1": {"c": 1.0}}}
    assert correlate(read(QRELS, runs), ["RR", "P@1"], decimals=1).scores[0].tolist() == [
        [0.5, 0.2, 0.0],
        [0.5, 0.0, 0.0],
    ]
    # Rounding follows printf: 1.00015 is slightly smaller in floating point, which a product with 10000 would hide.
    results = evaluate({"q": {"a": 1}}, {"r": {"q": {"a": 1.0}}}, "RR")
    results.values[:] = 1.00015
    assert mean_scores(results, 4).tolist() == [[float(f"{1.00015:.4f}")]]


def test_other_judgments_do_not_depend_on_keep():
    reports = [
        correlate(read(QRELS, iter(RUNS.values()), keep=keep), "AP", row_qrels={"q1": {"a": 1}}, depths=[1, 2])
        for keep in ("grades", "judgments", "documents", "runs")
    ]
    for report in reports:
        assert report.frame().equals(reports[0].frame())
        assert report.notes == reports[0].notes


def test_other_judgments_without_common_topics_raise():
    with pytest.raises(InputError, match="r4: shares no topic with the qrels"):
        correlate(read(QRELS, RUNS), "AP", row_qrels={"q2": {"a": 1}})


def test_topics_missing_from_other_judgments_are_noted():
    notes = correlate(read(QRELS, RUNS), "AP", row_qrels={"q1": {"a": 1}}).notes
    assert [note for note in notes if "ignored 1 topic without judgments" in note and "r1" in note]


def test_existing_results():
    results = evaluate(QRELS, RUNS, MEASURES)
    campaign = read(QRELS, RUNS)
    report = correlate(campaign, MEASURES)
    assert correlate(results).frame().equals(report.frame())
    assert correlate(results, ["AP", "RR"]).frame().equals(correlate(campaign, ["AP", "RR"]).frame())
    assert correlate(results, rows="RR").frame().equals(correlate(campaign, MEASURES, rows="RR").frame())
    assert correlate(results, best=0.5).frame().equals(correlate(campaign, MEASURES, best=0.5).frame())
    reordered = evaluate(QRELS, dict(reversed(RUNS.items())), ["AP"])
    assert correlate(reordered, rows=results).taus.tau[0, 0] == 1  # Runs are matched by name.
    with pytest.raises(InputError, match="rows and columns must have the same runs; r1 is only in one of them"):
        correlate(results.select(["r2", "r3", "r4"]), rows=results)
    with pytest.raises(InputError, match="need at least two runs, got 1"):
        correlate(results.select(["r1"]))
    for options in ({"depths": [1]}, {"row_qrels": QRELS}, {"row_unjudged": "condensed"}):
        with pytest.raises(InputError, match="pass a campaign"):
            correlate(results, **options)
        with pytest.raises(InputError, match="rows as measures"):
            correlate(campaign, "AP", rows=results, **options)
    assert tuple(str(order.measure) for order in correlate(campaign).columns) == DEFAULT_MEASURES


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depths": [0]}, "depths must be whole numbers of at least 1, such as 10 and 100, got 0"),
        ({"depths": [2.5]}, "got 2.5"),
        ({"depths": [True]}, "got True"),
        ({"depths": []}, "depths: name at least one"),
        ({"best": 2}, "must be above 0 and at most 1"),
        ({"best": 0.25}, r"need at least two runs, got 1 after selecting the best of 4 runs"),
    ],
)
def test_invalid_arguments_raise(options, message):
    with pytest.raises(InputError, match=message):
        correlate(read(QRELS, RUNS), "AP", **options)


def test_other_invalid_arguments_raise():
    with pytest.raises(InputError, match="need at least two runs, got 1"):
        correlate(read(QRELS, RUNS["r1"]), "AP")
    with pytest.raises(InputError, match="choose one of tau, tau_ap, rho, p"):
        correlate(read(QRELS, RUNS), "AP").matrix("gamma")
    with pytest.raises(PolicyError, match="unjudged 'condense': choose one of"):
        correlate(read(QRELS, RUNS), "AP", row_unjudged="condense")
    assert check_depths(np.array([100, 10])) == (10, 100)


def test_trec8_depth_10_agrees_with_the_published_tau():
    """Tau agrees with the value published with the depth-10 pool of TREC-8, which uses MAP rounded to four digits."""
    folder = real("trec8-adhoc")
    shallow = folder / "depth10" / "depth10.qrels.gz"
    report = correlate(
        read(folder / "qrels.trec8.adhoc.txt.gz", folder / "runs", keep="documents"),
        "AP",
        row_qrels=shallow,
        row_unjudged="condensed",
        decimals=4,
    )
    assert len(report.runs) == 129
    assert report.taus.tau[0, 0] == pytest.approx(0.918489790184312, abs=5e-13)
    published = [
        dict(line.split() for line in path.read_text().splitlines())
        for path in (folder / "depth10" / "depth10.map", folder / "official-scores.map.txt")
    ]
    for actual, expected in zip(report.scores, published, strict=True):
        assert actual[0].tolist() == [float(expected[run]) for run in report.runs]


def test_robust03_rbp_resembles_rr_or_ap():
    """RBP with a small persistence orders runs like RR, with a large persistence like AP."""
    folder = real("robust03")
    campaign = read(folder / "qrels.robust03.txt.gz", folder / "runs")
    report = correlate(campaign, ["RR", "AP"], rows=[f"RBP(p={p})" for p in (0.5, 0.8, 0.95)])
    like_rr, like_ap = report.taus.tau.T
    assert (np.diff(like_rr) < 0).all()
    assert (np.diff(like_ap) > 0).all()

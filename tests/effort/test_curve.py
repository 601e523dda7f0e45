"""Curve of one run on one topic: table, landmarks and summary."""

import json
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.effort import _curve
from assay.effort._curve import compute_heights, find_landmarks, reference_curve, tabulate_curve
from assay.errors import AssayError
from assay.model import Qrels, Run
from assay.model.judged import Judged
from assay.model.relative_position import Curves, EffortSettings
from assay.results.formats import TableLayout, render
from oracles import effort as oracle

QRELS = {"301": {"a": 2, "b": 1, "c": 1, "d": 0}, "302": {"a": 1}}
RUN = Run.from_dict({"301": {"b": 9.0, "a": 8.0, "d": 8.0, "x": 6.0, "c": 5.0}, "302": {"z": 1.0, "a": 1.0}})
CAMPAIGN = assay.read(QRELS, RUN)


def curve(*args, **options):
    return _curve.curve(*args, **options).frame()


def test_the_columns_agree_with_the_definition():
    frame = curve(CAMPAIGN, "301")
    assert frame["document"].to_list() == ["b", "d", "a", "x", "c", None]
    assert frame["grade"].to_list() == [1, 0, 2, None, 1, None]
    run, counts = [1, 0, 2, 0, 1, 0], {2: 1, 1: 2}
    position = oracle.rp(run, oracle.ideal_vector(counts, 6))
    assert frame["ideal"].to_list() == oracle.ideal_vector(counts, 6)
    assert frame["rp"].to_list() == position
    assert frame["crp"].to_list() == oracle.running_sum(position)
    assert frame["dcg"].to_list() == pytest.approx(
        [assay.measure(f"DCG@{k}").of([1, 0, 2, None, 1]) for k in range(1, 7)]
    )
    own, ideal = np.array([1, 0, 2, 0, 1, 0]), np.array([2, 1, 1, 0, 0, 0])
    assert frame["delta_gain"].to_list() == pytest.approx(((own - ideal) / np.log2(np.arange(2, 8))).tolist())
    assert frame["ideal_dcg"][-1] == pytest.approx(assay.measure("IdealDCG").of([], {2: 1, 1: 2}))


def test_a_campaign_with_several_runs_needs_a_run_name():
    runs = {"one": {"q": {"b": 2.0, "a": 1.0}}, "two": {"q": {"a": 2.0, "b": 1.5, "c": 1.0}}}
    campaign = assay.read({"q": {"a": 1}}, runs)
    assert curve(campaign, "q", "one")["crp"].to_list() == [-1, 0, 0], "the length is that of the longest ranking"
    assert curve(campaign, "q", "two")["crp"].to_list() == [0, 0, 0]
    with pytest.raises(AssayError, match="run: a curve shows one run; choose one of 2 runs: one, two"):
        curve(campaign, "q")
    with pytest.raises(AssayError, match="there is no run tow; did you mean two"):
        curve(campaign, "q", "tow")


def test_condensed_rankings_have_no_unjudged_documents():
    frame = curve(CAMPAIGN.with_policies(unjudged="condensed"), "301")
    assert frame["document"].to_list() == ["b", "d", "a", "c", None, None]
    assert frame["grade"].to_list() == [1, 0, 2, 1, None, None]
    some = np.array([doc != "d" for doc in CAMPAIGN.qrels.frame()["doc"]])
    fewer = curve(CAMPAIGN.with_judgments(some).with_policies(unjudged="condensed"), "301")
    assert fewer["document"].to_list()[:4] == ["b", "a", "c", None]


def test_tied_documents_of_one_grade_are_in_order_too(tmp_path):
    qrels, run = {"q": {"a": 1}}, tmp_path / "run"
    run.write_text("q Q0 x 2 1.0 t\nq Q0 z 1 1.0 t\nq Q0 y 3 1.0000000001 t\n")
    assert curve(assay.read(qrels, run), "q")["document"].to_list() == ["y", "z", "x"]
    assert curve(assay.read(qrels, run, ties="trec_eval-9"), "q")["document"].to_list() == ["z", "y", "x"]
    assert curve(assay.read(qrels, run, ties="rank"), "q")["document"].to_list() == ["z", "x", "y"]
    assert curve(assay.read(qrels, run, ties="file"), "q")["document"].to_list() == ["x", "z", "y"]


def test_depth_length_gain_and_grades():
    whole = curve(CAMPAIGN, "301")
    for depth in (1, 2, 5):
        assert curve(CAMPAIGN, "301", depth=depth).equals(whole[:depth]), "depth limits the ranks shown"
        assert curve(CAMPAIGN, "301", depth=depth, length="asis").equals(whole[:depth])
    assert curve(CAMPAIGN, "301", depth=8)["document"].to_list() == ["b", "d", "a", "x", "c", *[None] * 3]
    assert curve(CAMPAIGN, "301", gain="DCG(gains=exp)")["dcg"][2] == pytest.approx(1 + 3 / 2)
    assert curve(assay.read(QRELS, RUN, grades={2: 1}), "301")["rp"].to_list() == [0, -2, 0, 0, 2, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"topic": "30"}, "has no topic 30; did you mean 302?"),
        ({"topic": "x"}, "has no topic x; choose from 301, 302"),
        ({"topic": "301", "gain": "AP"}, "gain 'AP': use a form of DCG"),
        ({"topic": "301", "length": "extended"}, "length 'extended': choose one of extend, error, asis"),
        ({"topic": "301", "depth": 0}, "depth must be at least 1, got 0"),
    ],
)
def test_invalid_arguments_raise_an_error(arguments, message):
    with pytest.raises(AssayError) as error:
        curve(CAMPAIGN, **arguments)
    assert message in str(error.value)


def test_a_curve_needs_an_order():
    with pytest.raises(AssayError, match="a curve needs an order"):
        curve(assay.read(QRELS, RUN, ties="expected"), "301")


def test_a_topic_missing_in_the_run_has_an_empty_ranking():
    frame = curve(assay.read({**QRELS, "303": {"a": 1}}, RUN), "303")
    assert frame["document"].null_count() == len(frame) == 5


def test_documents_with_negative_gains():
    """Ranks after the end of a ranking have no gain, but the ideal curve falls after rank R, as in the paper."""
    frame = curve(CAMPAIGN, "301", gain="DCG(base=2, gains=negative)")
    discount = [1, 1, 1 / math.log2(3), 1 / 2, 1 / math.log2(5), 1 / math.log2(6)]
    own = [1, -1, 2, -1, 1, 0]
    ideal = [2, 1, 1, -1, -1, -1]
    assert frame["dcg"].to_list() == pytest.approx(np.cumsum(np.multiply(own, discount)).tolist())
    assert frame["ideal_dcg"].to_list() == pytest.approx(np.cumsum(np.multiply(ideal, discount)).tolist())
    assert frame["dcg"][-1] == pytest.approx(assay.measure("DCG(base=2, gains=negative)").of([1, 0, 2, None, 1]))


def test_tabulate_curve_of_a_judged_ranking():
    judged_runs = Judged.join(Qrels.from_dict(QRELS), [RUN])
    frame = tabulate_curve(judged_runs.select_rankings(np.array([0])), ["b", "d", "a", "x", "c"])
    assert frame.equals(curve(CAMPAIGN, "301"))
    assert tabulate_curve(judged_runs.select_rankings(np.array([0])), pl.Series(["b", "d", "a", "x", "c"])).equals(
        frame
    )


COUNTS = st.dictionaries(st.sampled_from([1, 2, 3]), st.integers(1, 3), min_size=1)


@st.composite
def rankings(draw):
    counts = draw(COUNTS)
    pool = [grade for grade, number in counts.items() for _ in range(number)] + [0] * 4 + [None] * 2
    order = draw(st.permutations(pool))
    return list(order[: draw(st.integers(0, len(order)))]), counts


@settings(max_examples=200)
@given(rankings(), st.sampled_from([3, 8, 20]))
def test_landmarks_and_reference_curves_agree_with_the_definition(case, depth):
    ranking, counts = case
    length = oracle.topic_length(counts, depth)
    judged = Judged.from_grades([ranking], {**counts, 0: 20})
    frame = tabulate_curve(judged, [f"d{i}" for i in range(len(ranking))], depth=depth)
    expected = oracle.indicators(oracle.pad(ranking, depth, length), counts)
    landmarks = find_landmarks(frame)
    assert landmarks.relevant == sum(counts.values())
    assert landmarks.turn == expected["turn"]
    assert (math.inf if landmarks.balance is None else landmarks.balance) == expected["beta"]
    ideal = oracle.ideal_vector(counts, length)
    for name, vector in (("full-scale", ideal[::-1]), ("worst", [0] * length)):
        position = oracle.rp(vector, ideal)
        other = reference_curve(frame, name)
        assert other["rp"].to_list() == position
        assert other["crp"].to_list() == oracle.running_sum(position)
        assert other["grade"].to_list() == vector


@settings(max_examples=100)
@given(st.lists(st.lists(st.sampled_from([0, 1, 2, None]), max_size=6), max_size=4), st.sampled_from([None, 3, 9]))
def test_heights_of_several_rankings(several, depth):
    judged = Judged.from_grades(several, {2: 6, 1: 7, 0: 9})
    curves = Curves.from_judged(judged, EffortSettings(depth))
    assert compute_heights(curves).tolist() == [curves.vectors(i)[1].tolist() for i in range(len(several))]


def test_landmarks_without_relevant_documents_or_without_rows():
    assert find_landmarks(curve(assay.read({"q": {"a": 0}}, {"q": {"a": 1.0}}), "q")) == (0, 1, 0)
    assert find_landmarks(curve(assay.read({"q": {"a": 0}, "301": {"a": 1}}, RUN), "q", depth=1).clear()) == (0, 0, 0)


# The report ----------------------------------------------------------------------------------------------------------


def test_the_table_fits_a_screen():
    report = _curve.curve(CAMPAIGN, "301")
    assert report.table().frame.equals(report.frame())
    columns = ["rank", "document", "grade", "ideal", "position", "sum", "DCG", "ideal DCG", "gap"]
    assert report.table().compact.columns == columns
    assert report.table().compact["grade"].to_list() == [1, 0, 2, None, 1, None]
    assert report.table().compact["grade"].dtype == pl.Int64
    lines = render(report, "table", None, TableLayout(width=80)).decode().splitlines()
    assert max(map(len, lines)) <= 80
    assert repr(report) == "Curve(run, topic 301: 6 ranks)"


def test_the_summary_names_the_landmarks():
    def summarize(ranking, **options):
        scores = {document: -float(rank) for rank, document in enumerate(ranking)}
        return _curve.curve(assay.read({"q": {"a": 2, "b": 1, "z": 0}}, {"q": scores}), "q", **options).summary()

    assert summarize("ab") == "run1 is ideal on topic q (2 relevant documents): no document is misplaced."
    assert summarize("xab") == (
        "On topic q (2 relevant documents), run1 is furthest behind the ideal ranking at rank 1 (sum -2) and "
        "recovers at rank 3 (balance point 2, recovery ratio 1.000)."
    )
    assert summarize("xyzab").endswith(
        "at rank 2 (sum -3) and recovers at rank 4 (balance point 3, recovery ratio 0.667)."
    )
    assert summarize("xa").endswith("and does not recover within 4 ranks.")
    truncated_summary = summarize("xab", depth=1)
    assert truncated_summary.replace("run1 to rank 1 is", "run1 is") == summarize("x"), (
        "a truncated ranking has no more documents"
    )
    no_relevant = _curve.curve(assay.read({"q": {"a": 0}}, {"q": {"a": 1.0}}), "q")
    assert no_relevant.summary() == "Topic q has no relevant documents, so no document can be misplaced."


def test_notes_and_provenance():
    report = _curve.curve(assay.read({**QRELS, "303": {"a": 1}}, RUN), "303", depth=3)
    assert report.notes[-1] == "run: retrieved no documents for topic 303; the curve shows an empty ranking"
    settings = json.loads(json.dumps(report.provenance.as_dict()))["settings"]
    options = {"depth": 3, "length": "extend", "gain": "DCG", "rel": 1, "measures": [], "credit": "shapley"}
    assert settings == {"topic": "303", "run": "run", **options}
    assert report.landmarks.relevant == 1


# Contributions -------------------------------------------------------------------------------------------------------


def read_example():
    """Return the ranking of Tables I and II of Moffat and Zobel (2008): relevant at ranks 1, 2, 6, 11 and 17 of 20."""
    documents = [f"d{rank:02}" for rank in range(1, 21)]
    qrels = {"q": {documents[rank - 1]: 1 for rank in (1, 2, 6, 11, 17)}}
    return assay.read(qrels, {"q": {document: -float(rank) for rank, document in enumerate(documents)}})


def test_contributions_of_tables_1_and_2_of_the_rbp_paper():
    measures = ["AP", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)"]
    report = _curve.curve(read_example(), "q", measures=measures, credit="rank")
    frame = report.frame()
    relevant = frame.filter(grade=1)
    assert relevant["rank"].to_list() == [1, 2, 6, 11, 17]
    assert relevant["AP"].round(4).to_list() == [0.3633, 0.1633, 0.0633, 0.0299, 0.0118]
    assert [round(frame[name].sum(), 4) for name in measures[1:]] == [0.7661, 0.4526, 0.1881]
    assert not frame.filter(pl.col("grade").is_null()).select(measures).to_numpy().any()
    assert report.table().compact.columns == ["rank", "document", "grade", "ideal", "position", "sum", *measures]
    assert report.summary().endswith(
        "The contributions add up to AP = 0.6316, RBP(p=0.5) = 0.7661, RBP(p=0.8) = 0.4526 and RBP(p=0.95) = 0.1881."
    )


@pytest.mark.parametrize("credit", ["shapley", "rank"])
def test_contributions_sum_to_the_values_of_the_evaluation(credit):
    measures = ["AP", "nDCG", "DCG", "Twist", "Q", "ERR", "RR"]
    for campaign in (CAMPAIGN, CAMPAIGN.with_policies(unjudged="condensed")):
        report = _curve.curve(campaign, "301", measures=measures, credit=credit)
        expected = assay.evaluate(campaign, measures).values[:, 0, 0]
        assert [report.frame()[name].sum() for name in measures] == pytest.approx(expected.tolist())
        assert list(report.values.values()) == pytest.approx(expected.tolist())
        assert report.provenance.settings["credit"] == credit


def test_contributions_at_fewer_ranks_are_part_of_the_value():
    report = _curve.curve(CAMPAIGN, "301", depth=2, measures="AP", credit="rank")
    assert len(report.frame()) == 2
    assert report.summary().endswith("Within the ranks shown, contributions add up to 0.5111 of AP = 0.7556.")


def test_sampled_contributions_are_noted():
    report = _curve.curve(read_example(), "q", measures=["ERR", "Twist"])
    [note] = [note for note in report.notes if "random orders" in note]
    assert note.startswith("Twist: contributions were estimated from random orders of the documents")


def test_invalid_measures_and_credits_raise_an_error():
    with pytest.raises(AssayError, match="choose one of shapley, rank; did you mean rank"):
        _curve.curve(CAMPAIGN, "301", measures="AP", credit="ranks")
    with pytest.raises(AssayError, match="without relevant documents has a value other than 0"):
        _curve.curve(CAMPAIGN, "301", measures="BalancePoint")

"""One curve in full."""

import pytest

import assay
from assay.analyses.effort.curve import curve
from assay.errors import AssayError
from oracles import effort as oracle

QRELS = {"301": {"a": 2, "b": 1, "c": 1, "d": 0}, "302": {"a": 1}}
RUN = assay.Run.from_dict({"301": {"b": 9.0, "a": 8.0, "d": 8.0, "x": 6.0, "c": 5.0}, "302": {"z": 1.0, "a": 1.0}})


def test_a_curve():
    found = curve(QRELS, RUN, "301")
    assert found["document"].to_list() == ["b", "d", "a", "x", "c", None]
    assert found["grade"].to_list() == [1, 0, 2, None, 1, None]
    run, counts = [1, 0, 2, 0, 1, 0], {2: 1, 1: 2}
    position = oracle.rp(run, oracle.ideal_vector(counts, 6))
    assert found["ideal"].to_list() == oracle.ideal_vector(counts, 6)
    assert found["rp"].to_list() == position
    assert found["crp"].to_list() == oracle.running_sum(position)
    assert found["dcg"].to_list() == pytest.approx(
        [assay.measure(f"DCG@{k}").of([1, 0, 2, None, 1]) for k in range(1, 7)]
    )
    assert found["delta_gain"].to_list() == pytest.approx((found["dcg"] - found["ideal_dcg"]).to_list())
    assert found["ideal_dcg"][-1] == pytest.approx(assay.measure("IdealDCG").of([], {2: 1, 1: 2}))


def test_tied_documents_of_one_grade_are_in_order_too(tmp_path):
    qrels, run = {"q": {"a": 1}}, tmp_path / "run"
    run.write_text("q Q0 x 2 1.0 t\nq Q0 z 1 1.0 t\nq Q0 y 3 1.0000000001 t\n")
    assert curve(qrels, run, "q")["document"].to_list() == ["y", "z", "x"]
    assert curve(qrels, run, "q", ties="trec_eval-9")["document"].to_list() == ["z", "y", "x"]
    assert curve(qrels, run, "q", ties="rank")["document"].to_list() == ["z", "x", "y"]
    assert curve(qrels, run, "q", ties="file")["document"].to_list() == ["x", "z", "y"]


def test_depth_length_gain_and_grades():
    assert len(curve(QRELS, RUN, "301", depth=2, length="asis")) == 3
    assert len(curve(QRELS, RUN, "301", depth=2)) == 6
    assert curve(QRELS, RUN, "301", depth=2)["document"].to_list() == ["b", "d", *[None] * 4]
    assert curve(QRELS, RUN, "301", gain="DCG(gains=exp)")["dcg"][2] == pytest.approx(1 + 3 / 2)
    assert curve(QRELS, RUN, "301", grades={2: 1})["rp"].to_list() == [0, -2, 0, 0, 2, 0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"topic": "30"}, "has no topic 30; did you mean 302?"),
        ({"topic": "x"}, "has no topic x; they have 301, 302"),
        ({"topic": "301", "gain": "AP"}, "gain 'AP': name a form of DCG"),
        ({"topic": "301", "ties": "expected"}, "a curve needs an order"),
    ],
)
def test_refused(given, message):
    with pytest.raises(AssayError) as error:
        curve(QRELS, RUN, **given)
    assert message in str(error.value)


def test_a_topic_that_the_run_lacks():
    found = curve({**QRELS, "303": {"a": 1}}, RUN, "303")
    assert found["document"].null_count() == len(found) == 5

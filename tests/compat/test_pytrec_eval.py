"""The interface of pytrec_eval, compared with pytrec_eval itself."""

import io
import math

import numpy as np
import pytest
import pytrec_eval as theirs
from hypothesis import given, settings
from hypothesis import strategies as st

import assay.compat.pytrec_eval as ours
from assay.errors import AssayError

# Each case has a topic name of its own: pytrec_eval reuses values computed for a topic of the same name.
QRELS = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d1": 0}, "q3": {"d9": 1}}
RUN = {"q2": {"d1": 0.5, "d2": 0.5}, "q1": {"x": 3.0, "d1": 2.0, "d3": 2.0}, "q7": {"d1": 1.0}}
NAMES = [f"d{i}" for i in range(8)]


def check_same(left, right):
    assert list(left) == list(right)
    for topic, values in left.items():
        assert list(values) == list(right[topic])
        for name, value in values.items():
            assert value == pytest.approx(right[topic][name], abs=1e-12, nan_ok=True), (topic, name)


@pytest.mark.parametrize("judged_only", [False, True])
@pytest.mark.parametrize("level", [1, 2])
def test_all_measures(level, judged_only):
    measures = theirs.supported_measures
    expected = theirs.RelevanceEvaluator(QRELS, measures, level, judged_only).evaluate(RUN)
    check_same(ours.RelevanceEvaluator(QRELS, measures, level, judged_only).evaluate(RUN), expected)


def test_supported_names():
    assert ours.supported_measures == theirs.supported_measures
    assert ours.supported_nicknames == theirs.supported_nicknames


@pytest.mark.parametrize(
    "measures",
    [
        {"P.5,10", "ndcg_cut_3", "map"},
        {"official"},
        {"P", "P_7", "recall.2"},
        {"set_F.0.5", "utility", "iprec_at_recall.0.1,0.55", "Rprec_mult_0.5"},
        {"P.5.5", "ndcg_cut_10.5"},
        ["map", "map"],
    ],
)
def test_notations_of_measures(measures):
    check_same(
        ours.RelevanceEvaluator(QRELS, measures).evaluate(RUN), theirs.RelevanceEvaluator(QRELS, measures).evaluate(RUN)
    )


@settings(max_examples=100)
@given(
    grades=st.dictionaries(st.sampled_from(NAMES), st.integers(-1, 3), min_size=1),
    scores=st.dictionaries(
        st.sampled_from([*NAMES, "x", "y"]), st.sampled_from([0.0, 0.1, 0.1000000001, 1.0]), min_size=1
    ),
    level=st.integers(1, 3),
    judged_only=st.booleans(),
)
def test_random_topics(grades, scores, level, judged_only):
    # bpref of trec_eval reads beyond its memory when the level is above the largest grade + 1.
    measures = theirs.supported_measures - ({"bpref", "gm_bpref"} if level > max(grades.values()) else set())
    topic = f"{abs(hash((tuple(grades.items()), tuple(scores.items()), level, judged_only)))}"
    if max(grades.values()) < 0:
        return
    expected = theirs.RelevanceEvaluator({topic: grades}, measures, level, judged_only).evaluate({topic: scores})
    check_same(
        ours.RelevanceEvaluator({topic: grades}, measures, level, judged_only).evaluate({topic: scores}), expected
    )


def test_undefined_value_is_nan():
    evaluator = ours.RelevanceEvaluator({"q": {"a": 1}}, {"11pt_avg"}, judged_docs_only_flag=True)
    assert math.isnan(evaluator.evaluate({"q": {"x": 1.0}})["q"]["11pt_avg"])


def test_evaluator_can_be_reused():
    evaluator = ours.RelevanceEvaluator(QRELS, {"map"})
    first = evaluator.evaluate(RUN)
    assert evaluator.evaluate({"q1": {"d1": 1.0}})["q1"]["map"] == 0.5
    assert evaluator.evaluate(RUN) == first


def test_topics_without_judgments_or_results():
    evaluator = ours.RelevanceEvaluator({**QRELS, "empty": {}}, {"map", "num_rel"})
    assert evaluator.evaluate({}) == {}
    assert evaluator.evaluate({"empty": {"d": 1.0}, "q9": {"d": 1.0}}) == {}
    assert evaluator.evaluate({"q1": {}}) == {"q1": {"num_rel": 2.0, "map": 0.0}}
    assert evaluator.evaluate({"q1": {}, "q3": {"d9": 1.0}})["q1"] == {"num_rel": 2.0, "map": 0.0}
    assert ours.RelevanceEvaluator({}, {"map"}).evaluate(RUN) == {}


def test_empty_ranking():
    qrels, run = {"nothing": {"a": 1, "b": 0}}, {"nothing": {}}
    measures = theirs.supported_measures
    check_same(
        ours.RelevanceEvaluator(qrels, measures).evaluate(run), theirs.RelevanceEvaluator(qrels, measures).evaluate(run)
    )


def test_topic_with_only_negative_grades_after_another():
    qrels, run = {"before": {"a": 1}, "negative": {"a": -1}}, {"before": {"a": 1.0}, "negative": {"a": 2.0, "x": 1.0}}
    measures = theirs.supported_measures
    check_same(
        ours.RelevanceEvaluator(qrels, measures).evaluate(run), theirs.RelevanceEvaluator(qrels, measures).evaluate(run)
    )


def test_no_measures():
    assert ours.RelevanceEvaluator(QRELS, set()).evaluate(RUN) == {"q2": {}, "q1": {}}


def test_numpy_numbers_are_accepted():
    evaluator = ours.RelevanceEvaluator({"q": {"a": np.int64(1)}}, {"map"})
    assert evaluator.evaluate({"q": {"a": np.float32(0.5)}}) == {"q": {"map": 1.0}}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({"q": {"a": 0.5}}, {"map"}), "topic q: document a has grade 0.5; trec_eval needs integers"),
        (({"q": {"a": 1}}, {"mapp"}), "unsupported measure mapp; did you mean map?"),
        (({"q": {"a": 1}}, {"P_"}), "unsupported measure P_"),
        (({"q": {"a": 1}}, {"all_prefs"}), "needs -R prefs"),
        (({"q": {"a": 1}}, {"map"}, 0), "relevance_level must be at least 1, got 0"),
    ],
)
def test_invalid_arguments_are_rejected(arguments, message):
    with pytest.raises(AssayError) as error:
        ours.RelevanceEvaluator(*arguments)
    assert message in str(error.value)


def test_parsers_agree():
    qrels, run = "q1 0 d1 1\nq1 0 d2 -1\nq2 0 d1 0\n", "q1 Q0 d1 1 2.5 t\nq2 Q0 d1 1 1e-3 t\n"
    assert ours.parse_qrel(io.StringIO(qrels)) == theirs.parse_qrel(io.StringIO(qrels))
    assert ours.parse_run(io.StringIO(run)) == theirs.parse_run(io.StringIO(run))


@pytest.mark.parametrize(
    ("parse", "lines", "message"),
    [
        (ours.parse_run, ["q1 Q0 d1 1 2.5"], "line 1: expected 6 columns (topic Q0 doc rank score tag), found 5"),
        (ours.parse_run, ["q Q0 d 1 2 t", "q Q0 d 2 1 t"], "line 2: document d occurs twice for topic q"),
        (ours.parse_run, ["q Q0 d 1 x t"], "line 1: expected a number, found 'x'"),
        (ours.parse_qrel, ["q 0 d 1.9"], "line 1: expected a whole number, found '1.9'"),
        (ours.parse_qrel, ["q 0 d"], "line 1: expected 4 columns (topic iteration doc grade), found 3"),
    ],
)
def test_invalid_lines_are_rejected(parse, lines, message):
    with pytest.raises(AssayError) as error:
        parse(lines)
    assert message in str(error.value)


@pytest.mark.parametrize("measure", ["map", "num_ret", "gm_map"])
def test_aggregated_measure(measure):
    values = [0.1, 0.25, 3.0]
    assert ours.compute_aggregated_measure(measure, values) == theirs.compute_aggregated_measure(measure, values)

"""Judgments of several judges, compared with the output of trec_eval, its C code, and the definition."""

from collections import Counter
from itertools import count

import polars as pl
import pytest
from hypothesis import strategies as st

from assay.compat.trec_eval.judgment_groups import Judges, read_judgments
from assay.compat.trec_eval.measure_spec import MeasureSettings
from assay.compat.trec_eval.options import TrecEvalOptions
from assay.compat.trec_eval.selection import select_measures
from assay.errors import InputError
from assay.io.groups import Groups
from assay.measures._trec_eval import CUTOFFS, MULTIPLES
from assay.model.run import Run, read_run
from oracles.ap import ap
from oracles.precision import p
from oracles.sets import rprec_mult
from oracles.trec_eval_code import trec_eval_code
from real_data import real
from strategies import close, many_examples

NAMES = count(1)
DOCUMENTS = ("a", "B", "c10", "c9", "é", "Z", "d1", "d2")
GRADES = st.sampled_from([-2, -1, 0, 0, 1, 1, 2, 3])
# {judge: {document: grade}}; there are several judge names, so topics have different judges.
TOPIC = st.dictionaries(
    st.sampled_from(["1", "2", "10", "J"]),
    st.dictionaries(st.sampled_from(DOCUMENTS), GRADES, min_size=1),
    min_size=1,
)
TOPICS = st.lists(TOPIC, min_size=1, max_size=3)
SCORES = st.dictionaries(st.sampled_from((*DOCUMENTS, "x", "Y")), st.sampled_from([3.0, 2.5, 2.0, -1.0]), min_size=1)
FLAGS = st.fixed_dictionaries(
    {
        "level": st.sampled_from([0, 1, 1, 2, 4]),
        "max_documents": st.sampled_from([None, None, 0, 1, 3]),
        "judged_only": st.booleans(),
    }
)
PARAMETERS = {"cutoffs": (1, 3, 10), "multiples": (0.05, 0.5, 1.0, 1.4)}


def to_rows(topics):
    return [
        (topic, judge, document, float(grade))
        for topic, judges in topics.items()
        for judge, grades in judges.items()
        for document, grade in grades.items()
    ]


def build_judges(topics):
    frame = pl.DataFrame(to_rows(topics)[::-1], ["topic", "judge", "doc", "value"], orient="row")
    return Judges(Groups("f", frame, lambda row: f"f:{row + 1}", ""))


def compute_values(judges, run, cutoffs=CUTOFFS, multiples=MULTIPLES, **flags):
    """Compute all measures, by name in trec_eval, for each topic, and a mask of the topics in the run."""
    options = TrecEvalOptions(**flags)
    names = ("map_avgjg", f"P_avgjg.{join_values(cutoffs)}", f"Rprec_mult_avgjg.{join_values(multiples)}")
    items, _ = select_measures(names, "qrels_jg", MeasureSettings(options.profile, options.level))
    values, in_run = judges.evaluate(run, items, options)
    return dict(zip([column.label for item in items for column in item.columns], values, strict=True)), in_run


def join_values(values):
    return ",".join(map(str, values))


def read_judges(path):
    return read_judgments(TrecEvalOptions(str(path), layout="qrels_jg"))


def compute_expected(judges, scores, level, max_documents, judged_only):
    """Return the mean over judges of each measure."""
    order = sorted(scores, key=lambda document: (scores[document], document), reverse=True)[:max_documents]
    total = Counter()
    for grades in judges.values():
        ranking = [grades.get(document) for document in order if not judged_only or grades.get(document, -1) >= 0]
        # With level 0 every judged document is relevant, except those marked as unjudged by a negative grade.
        ranking = [None if grade is None or grade < 0 else grade for grade in ranking]
        counts = Counter(grade for grade in grades.values() if grade >= 0)
        total["map_avgjg"] += ap(ranking, counts, rel=level)
        for cutoff in PARAMETERS["cutoffs"]:
            total[f"P_avgjg_{cutoff}"] += p(ranking, counts, cutoff, level)
        for multiple in PARAMETERS["multiples"]:
            total[f"Rprec_mult_avgjg_{multiple:.2f}"] += rprec_mult(ranking, counts, multiple, level)
    return {name: value / len(judges) for name, value in total.items()}


@many_examples(topics=TOPICS, scores=SCORES, flags=FLAGS)
def test_values_match_the_definition(topics, scores, flags):
    topics_by_name = {f"q{9 - number}": judges for number, judges in enumerate(topics)}
    run = {"elsewhere": scores} | {topic: scores for topic in topics_by_name if topic != "q8"}
    judges = build_judges(topics_by_name)
    values, in_run = compute_values(judges, Run.from_dict(run), **flags, **PARAMETERS)
    assert judges.topics == tuple(sorted(topics_by_name))
    assert in_run.tolist() == [topic != "q8" for topic in judges.topics]
    for number, topic in enumerate(judges.topics):
        expected = compute_expected(topics_by_name[topic], scores if topic != "q8" else {}, **flags)
        assert values.keys() == expected.keys()
        for name, value in expected.items():
            assert close(float(values[name][number]), value), name


@many_examples(topic=TOPIC, scores=SCORES, flags=FLAGS)
def test_values_match_the_code_of_trec_eval(tmp_path_factory, topic, scores, flags):
    name = f"t{next(NAMES)}"
    judgments = "".join(f"{topic} {judge} {doc} {grade:.0f}\n" for topic, judge, doc, grade in to_rows({name: topic}))
    run = "".join(f"{name} Q0 {document} 0 {score} t\n" for document, score in scores.items())
    options = {"level": flags["level"], "judged_only": flags["judged_only"]}
    options |= {} if flags["max_documents"] is None else {"most": flags["max_documents"]}
    code = trec_eval_code(
        tmp_path_factory.getbasetemp(),
        "qrels_jg",
        judgments,
        run,
        ("map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
        **options,
    )
    values, _ = compute_values(build_judges({name: topic}), Run.from_dict({name: scores}), **flags)
    # The values are bitwise equal because sums are computed in the same order.
    assert {label: float(column[0]) for label, column in values.items()} == code[name]


@pytest.mark.parametrize("judgments", ["qrels.123", "qrels.comments.123"])
def test_output_matches_trec_eval(judgments):
    judges = read_judges(real("trec_eval-test", judgments))
    values, in_run = compute_values(judges, read_run(real("trec_eval-test", "results.test")))
    assert in_run.all()
    lines = [
        f"{name:<22}\t{topic}\t{column[number]:6.4f}\n"
        for number, topic in enumerate(judges.topics)
        for name, column in values.items()
    ]
    lines += [f"{'runid':<22}\tall\tSTANDARD\n", f"{'num_q':<22}\tall\t3\n"]
    lines += [f"{name:<22}\tall\t{column.mean():6.4f}\n" for name, column in values.items()]
    assert "".join(lines) == real("trec_eval-test", "out.test.qrels_jg").read_text()


def score_topic(judges, scores, **options):
    values, _ = compute_values(build_judges({"q": judges}), Run.from_dict({"q": scores}), **options)
    return {name: float(column[0]) for name, column in values.items()}


def test_names_of_measures():
    names = ["map_avgjg", *(f"P_avgjg_{k}" for k in CUTOFFS), *(f"Rprec_mult_avgjg_{x:.2f}" for x in MULTIPLES)]
    assert list(score_topic({"j": {"a": 1}}, {"a": 1.0})) == names


def test_judges_without_relevant_documents_count():
    assert score_topic({"j": {"a": 1}}, {"a": 1.0})["map_avgjg"] == 1
    assert score_topic({"j": {"a": 1}, "k": {"b": 0}}, {"a": 1.0})["map_avgjg"] == 0.5
    assert score_topic({"j": {"a": 1}, "k": {"b": -1}}, {"a": 1.0})["map_avgjg"] == 0.5


def test_judges_of_other_topics_do_not_count():
    judges = build_judges({"q": {"j": {"a": 1}}, "r": {"j": {"a": 1}, "k": {"a": 0}, "l": {"a": 0}}})
    values, _ = compute_values(judges, Run.from_dict({"q": {"a": 1.0}, "r": {"a": 1.0}}))
    assert values["map_avgjg"].tolist() == [1, 1 / 3]


def test_ties_depend_on_the_precision_of_scores():
    assert score_topic({"j": {"b": 1}}, {"a": 1.0, "b": 1.0}, cutoffs=[1])["P_avgjg_1"] == 1
    nearly = {"a": 1.0 + 1e-12, "b": 1.0}
    assert score_topic({"j": {"b": 1}}, nearly, cutoffs=[1])["P_avgjg_1"] == 0
    assert score_topic({"j": {"b": 1}}, nearly, cutoffs=[1], profile="9.0.8")["P_avgjg_1"] == 1


def test_grades_are_truncated_to_integers():
    options = {"judged_only": True, "cutoffs": [1]}
    assert score_topic({"j": {"a": 1.9}}, {"a": 1.0}, level=2, **options)["P_avgjg_1"] == 0
    assert score_topic({"j": {"a": -0.5, "b": 1}}, {"a": 2.0, "b": 1.0}, **options)["P_avgjg_1"] == 0
    assert score_topic({"j": {"a": -1, "b": 1}}, {"a": 2.0, "b": 1.0}, **options)["P_avgjg_1"] == 1


def test_unjudged_documents_are_never_relevant():
    assert score_topic({"j": {"a": -1}}, {"a": 1.0, "b": 1.0}, level=0, cutoffs=[2])["P_avgjg_2"] == 0


def test_nonpositive_multiples_mean_rank_0():
    assert score_topic({"j": {"a": 1}}, {"a": 1.0}, multiples=[-1.0, 0.0, 1.0]) == {
        **score_topic({"j": {"a": 1}}, {"a": 1.0}, multiples=[1.0]),
        "Rprec_mult_avgjg_-1.00": 0.0,
        "Rprec_mult_avgjg_0.00": 0.0,
    }


def test_repeated_judgment_is_rejected(tmp_path):
    path = tmp_path / "f"
    path.write_text("q j a 1\nq k a 1\nq j a 1\n")
    with pytest.raises(
        InputError, match=r":3: document a is listed twice for judge j of topic q \(first at .*:1, the same"
    ):
        read_judges(path)

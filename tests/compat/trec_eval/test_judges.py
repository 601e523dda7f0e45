"""Several judges: what trec_eval prints, what its code computes, and the definition."""

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
# {judge: {document: grade}}; judges are many, so that topics have different ones.
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
        "most": st.sampled_from([None, None, 0, 1, 3]),
        "judged_only": st.booleans(),
    }
)
FEW = {"cutoffs": (1, 3, 10), "multiples": (0.05, 0.5, 1.0, 1.4)}


def rows(topics):
    return [
        (topic, judge, document, float(grade))
        for topic, judges in topics.items()
        for judge, grades in judges.items()
        for document, grade in grades.items()
    ]


def judges_of(topics):
    frame = pl.DataFrame(rows(topics)[::-1], ["topic", "judge", "doc", "value"], orient="row")
    return Judges(Groups("f", frame, lambda row: f"f:{row + 1}", ""))


def judge_values(judges, run, cutoffs=CUTOFFS, multiples=MULTIPLES, **given):
    """Every measure for each topic, by its name in trec_eval, and a mask of the topics that the run has."""
    options = TrecEvalOptions(**{"max_documents" if name == "most" else name: value for name, value in given.items()})
    written = ("map_avgjg", f"P_avgjg.{_listed(cutoffs)}", f"Rprec_mult_avgjg.{_listed(multiples)}")
    items, _ = select_measures(written, "qrels_jg", MeasureSettings(options.profile, options.level))
    values, answered = judges.evaluate(run, items, options)
    return dict(zip([column.label for item in items for column in item.columns], values, strict=True)), answered


def _listed(values):
    return ",".join(map(str, values))


def read_judges(path):
    return read_judgments(TrecEvalOptions(str(path), layout="qrels_jg"))


def definition(judges, scores, level, most, judged_only):
    """Each measure for each judge alone, and the mean."""
    order = sorted(scores, key=lambda document: (scores[document], document), reverse=True)[:most]
    total = Counter()
    for grades in judges.values():
        ranking = [grades.get(document) for document in order if not judged_only or grades.get(document, -1) >= 0]
        # With level 0 every judged document is relevant, but none that is marked as not judged.
        ranking = [None if grade is None or grade < 0 else grade for grade in ranking]
        counts = Counter(grade for grade in grades.values() if grade >= 0)
        total["map_avgjg"] += ap(ranking, counts, rel=level)
        for cutoff in FEW["cutoffs"]:
            total[f"P_avgjg_{cutoff}"] += p(ranking, counts, cutoff, level)
        for multiple in FEW["multiples"]:
            total[f"Rprec_mult_avgjg_{multiple:.2f}"] += rprec_mult(ranking, counts, multiple, level)
    return {name: value / len(judges) for name, value in total.items()}


@many_examples(topics=TOPICS, scores=SCORES, flags=FLAGS)
def test_definition(topics, scores, flags):
    named = {f"q{9 - number}": judges for number, judges in enumerate(topics)}
    run = {"elsewhere": scores} | {topic: scores for topic in named if topic != "q8"}
    judges = judges_of(named)
    values, answered = judge_values(judges, Run.from_dict(run), **flags, **FEW)
    assert judges.topics == tuple(sorted(named))
    assert answered.tolist() == [topic != "q8" for topic in judges.topics]
    for number, topic in enumerate(judges.topics):
        want = definition(named[topic], scores if topic != "q8" else {}, **flags)
        assert values.keys() == want.keys()
        for name, value in want.items():
            assert close(float(values[name][number]), value), name


@many_examples(topic=TOPIC, scores=SCORES, flags=FLAGS)
def test_what_the_code_of_trec_eval_computes(tmp_path_factory, topic, scores, flags):
    name = f"t{next(NAMES)}"
    judgments = "".join(f"{topic} {judge} {doc} {grade:.0f}\n" for topic, judge, doc, grade in rows({name: topic}))
    run = "".join(f"{name} Q0 {document} 0 {score} t\n" for document, score in scores.items())
    given = {"level": flags["level"], "judged_only": flags["judged_only"]}
    given |= {} if flags["most"] is None else {"most": flags["most"]}
    code = trec_eval_code(
        tmp_path_factory.getbasetemp(),
        "qrels_jg",
        judgments,
        run,
        ("map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
        **given,
    )
    values, _ = judge_values(judges_of({name: topic}), Run.from_dict({name: scores}), **flags)
    # Not nearly: sums are taken in the same order.
    assert {label: float(found[0]) for label, found in values.items()} == code[name]


@pytest.mark.parametrize("judgments", ["qrels.123", "qrels.comments.123"])
def test_what_trec_eval_prints(judgments):
    judges = read_judges(real("trec_eval-test", judgments))
    values, answered = judge_values(judges, read_run(real("trec_eval-test", "results.test")))
    assert answered.all()
    lines = [
        f"{name:<22}\t{topic}\t{found[number]:6.4f}\n"
        for number, topic in enumerate(judges.topics)
        for name, found in values.items()
    ]
    lines += [f"{'runid':<22}\tall\tSTANDARD\n", f"{'num_q':<22}\tall\t3\n"]
    lines += [f"{name:<22}\tall\t{found.mean():6.4f}\n" for name, found in values.items()]
    assert "".join(lines) == real("trec_eval-test", "out.test.qrels_jg").read_text()


def one(judges, scores, **given):
    values, _ = judge_values(judges_of({"q": judges}), Run.from_dict({"q": scores}), **given)
    return {name: float(found[0]) for name, found in values.items()}


def test_names():
    names = ["map_avgjg", *(f"P_avgjg_{k}" for k in CUTOFFS), *(f"Rprec_mult_avgjg_{x:.2f}" for x in MULTIPLES)]
    assert list(one({"j": {"a": 1}}, {"a": 1.0})) == names


def test_judges_without_relevant_documents_count():
    assert one({"j": {"a": 1}}, {"a": 1.0})["map_avgjg"] == 1
    assert one({"j": {"a": 1}, "k": {"b": 0}}, {"a": 1.0})["map_avgjg"] == 0.5
    assert one({"j": {"a": 1}, "k": {"b": -1}}, {"a": 1.0})["map_avgjg"] == 0.5


def test_judges_of_other_topics_do_not_count():
    judges = judges_of({"q": {"j": {"a": 1}}, "r": {"j": {"a": 1}, "k": {"a": 0}, "l": {"a": 0}}})
    values, _ = judge_values(judges, Run.from_dict({"q": {"a": 1.0}, "r": {"a": 1.0}}))
    assert values["map_avgjg"].tolist() == [1, 1 / 3]


def test_ties():
    assert one({"j": {"b": 1}}, {"a": 1.0, "b": 1.0}, cutoffs=[1])["P_avgjg_1"] == 1
    nearly = {"a": 1.0 + 1e-12, "b": 1.0}
    assert one({"j": {"b": 1}}, nearly, cutoffs=[1])["P_avgjg_1"] == 0
    assert one({"j": {"b": 1}}, nearly, cutoffs=[1], profile="9.0.8")["P_avgjg_1"] == 1


def test_only_the_whole_part_of_a_grade_counts():
    given = {"judged_only": True, "cutoffs": [1]}
    assert one({"j": {"a": 1.9}}, {"a": 1.0}, level=2, **given)["P_avgjg_1"] == 0
    assert one({"j": {"a": -0.5, "b": 1}}, {"a": 2.0, "b": 1.0}, **given)["P_avgjg_1"] == 0
    assert one({"j": {"a": -1, "b": 1}}, {"a": 2.0, "b": 1.0}, **given)["P_avgjg_1"] == 1


def test_what_is_not_judged_is_never_relevant():
    assert one({"j": {"a": -1}}, {"a": 1.0, "b": 1.0}, level=0, cutoffs=[2])["P_avgjg_2"] == 0


def test_multiples_that_are_not_positive_are_rank_0():
    assert one({"j": {"a": 1}}, {"a": 1.0}, multiples=[-1.0, 0.0, 1.0]) == {
        **one({"j": {"a": 1}}, {"a": 1.0}, multiples=[1.0]),
        "Rprec_mult_avgjg_-1.00": 0.0,
        "Rprec_mult_avgjg_0.00": 0.0,
    }


def test_a_judge_judges_a_document_once(tmp_path):
    path = tmp_path / "f"
    path.write_text("q j a 1\nq k a 1\nq j a 1\n")
    with pytest.raises(
        InputError, match=r":3: document a is listed twice for judge j of topic q \(first at .*:1, the same"
    ):
        read_judges(path)

"""Preferences: what trec_eval prints, what its code computes, and the definition."""

from itertools import count
from random import Random

import numpy as np
import polars as pl
import pytest
from hypothesis import assume
from hypothesis import strategies as st

from assay.compat.trec_eval import judgment_groups
from assay.compat.trec_eval.judgment_groups import Preferences, read_judgments
from assay.compat.trec_eval.measure_spec import MeasureSettings
from assay.compat.trec_eval.options import TrecEvalOptions
from assay.compat.trec_eval.registry import PREFERENCE_COUNTS, PREFERENCE_MEASURES
from assay.compat.trec_eval.selection import select_measures
from assay.errors import InputError
from assay.io.groups import Groups
from assay.model.run import Run, read_run
from oracles.preferences import is_contradictory, preference_measures, preference_pairs
from oracles.trec_eval_code import trec_eval_code
from real_data import real
from strategies import close, many_examples

NAMES = count(1)
ITEMS, _ = select_measures(PREFERENCE_MEASURES, "prefs", MeasureSettings())
DOCUMENTS = ("a", "B", "c10", "c9", "é", "Z", "d1", "d2", "-", "é2", "d10", "00")
UNJUDGED = ("x", "Y")
POOLS = ((0, 1), (0, 1, 2, 3), (0, 0, 0, 0, 1), (0.5, 1.5, 2), (0,), (1,))
ANY = (*POOLS, (0, 1e-300, 1.7e308), (-1.7e308, 0, 1.7e308), (-1, 0, 1, 2), (-2, -1, 0), (-1, 1))


def groups_of_a_topic(seed, pools):
    """``{group: {subgroup: {document: level}}}``; now and then the subgroups of a group disagree."""
    rng = Random(seed)
    pool = rng.choice(pools)
    documents = rng.sample(DOCUMENTS, rng.randint(1, len(DOCUMENTS)))
    groups = {}
    for name in rng.sample(["g1", "g10", "G2"], rng.randint(1, 3)):
        opinion = {document: rng.choice(pool) for document in documents}
        agree = rng.random() < 0.8
        groups[name] = {}
        for subgroup in rng.sample(["s", "S", "t"], rng.randint(1, 3)):
            listed = rng.sample(documents, rng.randint(1, len(documents)))
            groups[name][subgroup] = {d: opinion[d] if agree else rng.choice(pool) for d in listed}
    return groups


def topics_of(pools):
    """Drawn as a whole: lists that hypothesis draws one by one are too short to tell the measures apart."""
    return st.integers(0, 2**48).map(lambda seed: groups_of_a_topic(seed, pools))


def scores_of(seed):
    rng = Random(seed)
    retrieved = rng.sample(DOCUMENTS + UNJUDGED, rng.randint(1, len(DOCUMENTS)))
    return {document: rng.choice([3.0, 2.5, 2.0, 1.5, -1.0]) for document in retrieved}


SCORES = st.integers(0, 2**48).map(scores_of)
MOST = st.sampled_from([None, None, 0, 1, 2, 5])


def rows(topic, groups):
    return [
        (topic, group, subgroup, document, float(level))
        for group, subgroups in groups.items()
        for subgroup, levels in subgroups.items()
        for document, level in levels.items()
    ]


def preferences(topics):
    """Preferences of ``{topic: groups}``, their rows in no order that helps."""
    lines = [line for topic, groups in topics.items() for line in rows(topic, groups)][::-1]
    columns = ["topic", "group", "subgroup", "doc", "value"]
    return Preferences(Groups("f", pl.DataFrame(lines, columns, orient="row"), lambda row: f"f:{row + 1}", ""))


def preference_values(found, run, **given):
    """Every measure for each topic, by name, and a mask of the topics that the run has."""
    values, answered = found.evaluate(run, ITEMS, TrecEvalOptions(**given))
    return dict(zip(PREFERENCE_MEASURES, values, strict=True)), answered


def ranked(scores, most=None):
    """Documents by score; tied ones ascending by id."""
    return sorted(scores, key=lambda document: (-scores[document], document))[:most]


def one(groups, scores, **given):
    """Every value of a single topic."""
    values, answered = preference_values(preferences({"q": groups}), Run.from_dict({"q": scores}), **given)
    assert answered.tolist() == [True]
    return {name: float(found[0]) for name, found in values.items()}


def printed(values, topics, chosen):
    """What trec_eval prints for ``-q``, with the lines that its set of measures begins with."""
    lines = [
        _line(name, topic, found[number])
        for number, topic in enumerate(topics)
        for name, found in values.items()
        if chosen[number]
    ]
    lines += [f"{'runid':<22}\tall\tSTANDARD\n", f"{'num_q':<22}\tall\t{chosen.sum()}\n"]
    for name, found in values.items():
        lines.append(_line(name, "all", found[chosen].sum() / (1 if name in PREFERENCE_COUNTS else chosen.sum())))
    return "".join(lines)


def _line(name, topic, value):
    return f"{name:<22}\t{topic}\t" + (f"{value:.0f}\n" if name in PREFERENCE_COUNTS else f"{value:6.4f}\n")


@pytest.mark.parametrize(
    ("layout", "judgments", "run", "output"),
    [
        ("prefs", "prefs.test", "prefs.results.test", "out.test.prefs"),
        ("prefs", "prefs.comment.test", "prefs.results.test", "out.test.prefs"),
        ("qrels_prefs", "qrels.test", "results.test", "out.test.qrels_prefs"),
    ],
)
def test_what_trec_eval_prints(layout, judgments, run, output):
    found = read_judgments(TrecEvalOptions(str(real("trec_eval-test", judgments)), layout=layout))
    values, answered = preference_values(found, read_run(real("trec_eval-test", run)))
    assert printed(values, found.topics, answered) == real("trec_eval-test", output).read_text()


@many_examples(groups=topics_of(POOLS), scores=SCORES, most=MOST)
def test_what_the_code_of_trec_eval_computes(tmp_path_factory, groups, scores, most):
    assume(not any(map(is_contradictory, groups.values())))
    topic = f"t{next(NAMES)}"
    form = "prefs" if any(len(subgroups) > 1 for subgroups in groups.values()) else "qrels_prefs"
    parts = [line if form == "prefs" else (line[0], line[1], *line[3:]) for line in rows(topic, groups)]
    judgments = "".join(" ".join(map(str, line)) + "\n" for line in parts)
    run = "".join(f"{topic} Q0 {document} 0 {score} t\n" for document, score in scores.items())
    given = {} if most is None else {"most": most}
    code = trec_eval_code(tmp_path_factory.getbasetemp(), form, judgments, run, PREFERENCE_MEASURES, **given)
    # Not nearly: sums are taken in the same order.
    assert one(groups, scores, max_documents=most) == code[topic]


@many_examples(groups=topics_of(ANY), scores=SCORES, most=MOST)
def test_definition(groups, scores, most):
    assume(not any(map(is_contradictory, groups.values())))
    got, want = one(groups, scores, max_documents=most), preference_measures(groups, ranked(scores, most))
    assert got.keys() == want.keys() == set(PREFERENCE_MEASURES)
    for name in PREFERENCE_MEASURES:
        assert close(got[name], want[name]), name


@many_examples(groups=topics_of(ANY))
def test_exactly_contradictions_are_refused(groups):
    if any(map(is_contradictory, groups.values())):
        with pytest.raises(InputError, match="of topic q"):
            preferences({"q": groups})
    else:
        preferences({"q": groups})


@many_examples(
    max_examples=60,
    topics=st.lists(topics_of(POOLS), min_size=2, max_size=3),
    scores=SCORES,
    cells=st.integers(1, 30),
)
def test_topics_stand_alone_and_blocks_do_not_matter(topics, scores, cells):
    assume(not any(is_contradictory(subgroups) for groups in topics for subgroups in groups.values()))
    named = {f"q{9 - number}": groups for number, groups in enumerate(topics)}
    run = {"elsewhere": scores} | {topic: scores for topic in named if topic != "q9"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judgment_groups, "_CELLS", cells)
        values, answered = preference_values(preferences(named), Run.from_dict(run))
    assert answered.tolist() == [topic != "q9" for topic in sorted(named)]
    for number, topic in enumerate(sorted(named)):
        alone = one(named[topic], scores if topic != "q9" else {"x": 1.0})
        assert {name: found[number] for name, found in values.items()} == alone


def levels(**given):
    return {"g": {"s": given}}


def test_preferences_that_the_format_describes():
    """The examples of ``trec_eval -h -R prefs``; of the second it says 5, forgetting d4 over d3."""
    ranked_six = levels(d1=3, d2=2, d3=0, d4=6, d5=0, d6=2)
    twice = {"g": {"s": {"d1": 3, "d2": 2, "d3": 1}, "t": {"d1": 2, "d2": 1, "d4": 3}}}
    two = {"g": {"s": {"d1": 3, "d2": 2}}, "h": {"s": {"d1": 0, "d3": 6, "d4": 2}, "t": {"d1": 0, "d2": 8}}}
    chain = {"g": {"s": {"d1": 3, "d2": 2, "d3": 1}, "t": {"d2": 5, "d4": 4}}}
    for groups, number in ((ranked_six, 13), (twice, 6), (two, 5), (chain, 5)):
        assert one(groups, {"x": 1.0})["prefs_num_prefs_poss"] == number
        assert sum(len(preference_pairs(subgroups)) for subgroups in groups.values()) == number


def test_tied_documents_ascend():
    assert one(levels(a=1, b=0), {"a": 1.0, "b": 1.0})["prefs_simp_ret"] == 1
    assert one(levels(a=0, b=1), {"a": 1.0, "b": 1.0})["prefs_simp_ret"] == 0
    assert one(levels(a=0, b=1), {"a": 1.0, "b": 1.0}, max_documents=1)["prefs_num_prefs_ful"] == 0


def test_scores_of_trec_eval_9_are_short():
    nearly = {"a": 1.0, "b": 1.0 + 1e-12}
    assert one(levels(a=1, b=0), nearly)["prefs_simp"] == 0
    assert one(levels(a=1, b=0), nearly, profile="9.0.8")["prefs_simp"] == 1
    assert one(levels(a=1, b=0), nearly, profile="9.0.8", max_documents=1)["prefs_simp"] == 1


def test_a_group_without_preferences_spoils_the_balance():
    fine = levels(a=1, b=0)
    spoilt = fine | {"h": {"s": {"a": 0}}}
    assert one(fine, {"a": 1.0})["prefs_avgjg_Rnonrel"] == 1
    assert one(spoilt, {"a": 1.0})["prefs_avgjg_Rnonrel"] == 0
    assert one(spoilt, {"a": 1.0})["prefs_avgjg"] == 0.5


def test_a_topic_that_the_run_lacks_is_an_empty_ranking():
    found = preferences({"q2": levels(a=1, b=0), "q10": levels(a=1, b=0, c=0)})
    assert found.topics == ("q10", "q2")
    values, answered = preference_values(found, Run.from_dict({"q2": {"a": 1.0}}))
    assert answered.tolist() == [False, True]
    assert values["prefs_num_prefs_poss"].tolist() == [2, 1]
    assert all(values[name][0] == 0 for name in PREFERENCE_MEASURES[1:])


def read(tmp_path, text, layout="prefs"):
    path = tmp_path / "f"
    path.write_text(text)
    return read_judgments(TrecEvalOptions(str(path), layout=layout))


CIRCLE = (
    "PATH: group g of topic q prefers document {0} to {1} and {1} to {0}, directly or through other documents; "
    "correct its subgroups, or write different opinions as different groups"
)
BOTH = (
    "PATH:3: document a has level 0 at PATH:3 and level 2 at PATH:2, in two subgroups of group g of topic q; "
    "write 0 in both or in neither"
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q g s a 2\nq g s b 1\nq g t b 2\nq g t a 1\n", CIRCLE.format("a", "b")),
        ("q g s a 2\nq g s b 1\nq h s c 1\nq g t b 2\nq g t c 1\nq g u c 3\nq g u a 1\n", CIRCLE.format("a", "b")),
        ("# who\nq g s a 2\nq g t a 0\nq g t b 1\n", BOTH),
    ],
)
def test_contradictions(text, message, tmp_path):
    with pytest.raises(InputError) as error:
        read(tmp_path, text)
    assert str(error.value) == message.replace("PATH", str(tmp_path / "f"))


def test_different_groups_may_contradict_each_other(tmp_path):
    found = read(tmp_path, "q g a 2\nq g b 1\nq h b 2\nq h a 1\n", "qrels_prefs")
    values, _ = preference_values(found, Run.from_dict({"q": {"a": 2.0, "b": 1.0}}))
    assert values["prefs_pair"].tolist() == [0.5]


def test_equal_in_one_subgroup_and_not_in_another_is_no_contradiction(tmp_path):
    found = read(tmp_path, "q g s a 1\nq g s b 1\nq g t a 2\nq g t b 1\n")
    values, _ = preference_values(found, Run.from_dict({"q": {"x": 2.0}}))
    assert values["prefs_num_prefs_poss"].tolist() == [1]


def test_large_groups_take_little_memory(tmp_path):
    """3000 documents in a chain of pairs, and each in a ranking of them all."""
    size = 3000
    pairs = "".join(f"q g s{i} d{i} 2\nq g s{i} d{i + 1} 1\n" for i in range(size - 1))
    everything = "".join(f"q h s d{i} {size - i}\n" for i in range(size))
    found = read(tmp_path, pairs + everything)
    run = Run.from_dict({"q": {f"d{i}": float(-i) for i in range(0, size, 2)}})
    values, _ = preference_values(found, run)
    possible, half = size * (size - 1) / 2, size // 2
    assert values["prefs_num_prefs_poss"].tolist() == [2 * possible]
    assert values["prefs_simp_ret"].tolist() == values["prefs_pair_ret"].tolist() == [1]
    implied = sum(size - 1 - i - (half - 1 - i // 2) for i in range(0, size, 2))
    fulfilled = half * (half - 1) / 2 + implied
    assert np.allclose(values["prefs_pair"], fulfilled / possible, rtol=1e-12, atol=0)

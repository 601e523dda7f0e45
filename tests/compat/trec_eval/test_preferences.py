"""Preferences, compared with the output of trec_eval, its C code, and the definition."""

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


def draw_groups(seed, pools):
    """Draw ``{group: {subgroup: {document: level}}}``; the subgroups of a group sometimes disagree."""
    rng = Random(seed)
    pool = rng.choice(pools)
    documents = rng.sample(DOCUMENTS, rng.randint(1, len(DOCUMENTS)))
    groups = {}
    for name in rng.sample(["g1", "g10", "G2"], rng.randint(1, 3)):
        opinion = {document: rng.choice(pool) for document in documents}
        agree = rng.random() < 0.8
        groups[name] = {}
        for subgroup in rng.sample(["s", "S", "t"], rng.randint(1, 3)):
            sample = rng.sample(documents, rng.randint(1, len(documents)))
            groups[name][subgroup] = {d: opinion[d] if agree else rng.choice(pool) for d in sample}
    return groups


def draw_topics(pools):
    """Draw a seed instead of lists: the lists drawn by hypothesis are too short to distinguish the measures."""
    return st.integers(0, 2**48).map(lambda seed: draw_groups(seed, pools))


def draw_scores(seed):
    rng = Random(seed)
    retrieved = rng.sample(DOCUMENTS + UNJUDGED, rng.randint(1, len(DOCUMENTS)))
    return {document: rng.choice([3.0, 2.5, 2.0, 1.5, -1.0]) for document in retrieved}


SCORES = st.integers(0, 2**48).map(draw_scores)
MAX_DOCUMENTS = st.sampled_from([None, None, 0, 1, 2, 5])


def to_rows(topic, groups):
    return [
        (topic, group, subgroup, document, float(level))
        for group, subgroups in groups.items()
        for subgroup, levels in subgroups.items()
        for document, level in levels.items()
    ]


def build_preferences(topics):
    """Build preferences from ``{topic: groups}``; the rows are in reverse order, because order must not matter."""
    lines = [line for topic, groups in topics.items() for line in to_rows(topic, groups)][::-1]
    columns = ["topic", "group", "subgroup", "doc", "value"]
    return Preferences(Groups("f", pl.DataFrame(lines, columns, orient="row"), lambda row: f"f:{row + 1}", ""))


def compute_values(preferences, run, **options):
    """Compute all measures, by name, for each topic, and a mask of the topics in the run."""
    values, in_run = preferences.evaluate(run, ITEMS, TrecEvalOptions(**options))
    return dict(zip(PREFERENCE_MEASURES, values, strict=True)), in_run


def rank(scores, max_documents=None):
    """Sort documents by descending score, ties by ascending id."""
    return sorted(scores, key=lambda document: (-scores[document], document))[:max_documents]


def score_topic(groups, scores, **options):
    """Compute all measures of one topic."""
    values, in_run = compute_values(build_preferences({"q": groups}), Run.from_dict({"q": scores}), **options)
    assert in_run.tolist() == [True]
    return {name: float(column[0]) for name, column in values.items()}


def render_output(values, topics, in_run):
    """Render the output of ``trec_eval -q``, including runid and num_q."""
    lines = [
        render_line(name, topic, column[index])
        for index, topic in enumerate(topics)
        for name, column in values.items()
        if in_run[index]
    ]
    lines += [f"{'runid':<22}\tall\tSTANDARD\n", f"{'num_q':<22}\tall\t{in_run.sum()}\n"]
    for name, column in values.items():
        lines.append(
            render_line(name, "all", column[in_run].sum() / (1 if name in PREFERENCE_COUNTS else in_run.sum()))
        )
    return "".join(lines)


def render_line(name, topic, value):
    return f"{name:<22}\t{topic}\t" + (f"{value:.0f}\n" if name in PREFERENCE_COUNTS else f"{value:6.4f}\n")


@pytest.mark.parametrize(
    ("layout", "judgments", "run", "output"),
    [
        ("prefs", "prefs.test", "prefs.results.test", "out.test.prefs"),
        ("prefs", "prefs.comment.test", "prefs.results.test", "out.test.prefs"),
        ("qrels_prefs", "qrels.test", "results.test", "out.test.qrels_prefs"),
    ],
)
def test_output_matches_trec_eval(layout, judgments, run, output):
    preferences = read_judgments(TrecEvalOptions(str(real("trec_eval-test", judgments)), layout=layout))
    values, in_run = compute_values(preferences, read_run(real("trec_eval-test", run)))
    assert render_output(values, preferences.topics, in_run) == real("trec_eval-test", output).read_text()


@many_examples(groups=draw_topics(POOLS), scores=SCORES, max_documents=MAX_DOCUMENTS)
def test_values_match_the_code_of_trec_eval(tmp_path_factory, groups, scores, max_documents):
    assume(not any(map(is_contradictory, groups.values())))
    topic = f"t{next(NAMES)}"
    layout = "prefs" if any(len(subgroups) > 1 for subgroups in groups.values()) else "qrels_prefs"
    lines = [line if layout == "prefs" else (line[0], line[1], *line[3:]) for line in to_rows(topic, groups)]
    judgments = "".join(" ".join(map(str, line)) + "\n" for line in lines)
    run = "".join(f"{topic} Q0 {document} 0 {score} t\n" for document, score in scores.items())
    options = {} if max_documents is None else {"most": max_documents}
    code = trec_eval_code(tmp_path_factory.getbasetemp(), layout, judgments, run, PREFERENCE_MEASURES, **options)
    # The values are bitwise equal because sums are computed in the same order.
    assert score_topic(groups, scores, max_documents=max_documents) == code[topic]


@many_examples(groups=draw_topics(ANY), scores=SCORES, max_documents=MAX_DOCUMENTS)
def test_values_match_the_definition(groups, scores, max_documents):
    assume(not any(map(is_contradictory, groups.values())))
    values, expected = (
        score_topic(groups, scores, max_documents=max_documents),
        preference_measures(groups, rank(scores, max_documents)),
    )
    assert values.keys() == expected.keys() == set(PREFERENCE_MEASURES)
    for name in PREFERENCE_MEASURES:
        assert close(values[name], expected[name]), name


@many_examples(groups=draw_topics(ANY))
def test_only_contradictions_are_rejected(groups):
    if any(map(is_contradictory, groups.values())):
        with pytest.raises(InputError, match="of topic q"):
            build_preferences({"q": groups})
    else:
        build_preferences({"q": groups})


@many_examples(
    max_examples=60,
    topics=st.lists(draw_topics(POOLS), min_size=2, max_size=3),
    scores=SCORES,
    cells=st.integers(1, 30),
)
def test_values_do_not_depend_on_other_topics_and_block_sizes(topics, scores, cells):
    assume(not any(is_contradictory(subgroups) for groups in topics for subgroups in groups.values()))
    topics_by_name = {f"q{9 - index}": groups for index, groups in enumerate(topics)}
    run = {"elsewhere": scores} | {topic: scores for topic in topics_by_name if topic != "q9"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judgment_groups, "_CELLS", cells)
        values, in_run = compute_values(build_preferences(topics_by_name), Run.from_dict(run))
    assert in_run.tolist() == [topic != "q9" for topic in sorted(topics_by_name)]
    for index, topic in enumerate(sorted(topics_by_name)):
        alone = score_topic(topics_by_name[topic], scores if topic != "q9" else {"x": 1.0})
        assert {name: column[index] for name, column in values.items()} == alone


def make_group(**levels):
    return {"g": {"s": levels}}


def test_examples_of_the_format_description():
    """The examples of ``trec_eval -h -R prefs``; for the second it counts 5, omitting d4 over d3."""
    ranked_six = make_group(d1=3, d2=2, d3=0, d4=6, d5=0, d6=2)
    twice = {"g": {"s": {"d1": 3, "d2": 2, "d3": 1}, "t": {"d1": 2, "d2": 1, "d4": 3}}}
    two = {"g": {"s": {"d1": 3, "d2": 2}}, "h": {"s": {"d1": 0, "d3": 6, "d4": 2}, "t": {"d1": 0, "d2": 8}}}
    chain = {"g": {"s": {"d1": 3, "d2": 2, "d3": 1}, "t": {"d2": 5, "d4": 4}}}
    for groups, number in ((ranked_six, 13), (twice, 6), (two, 5), (chain, 5)):
        assert score_topic(groups, {"x": 1.0})["prefs_num_prefs_poss"] == number
        assert sum(len(preference_pairs(subgroups)) for subgroups in groups.values()) == number


def test_ties_are_broken_by_ascending_id():
    assert score_topic(make_group(a=1, b=0), {"a": 1.0, "b": 1.0})["prefs_simp_ret"] == 1
    assert score_topic(make_group(a=0, b=1), {"a": 1.0, "b": 1.0})["prefs_simp_ret"] == 0
    assert score_topic(make_group(a=0, b=1), {"a": 1.0, "b": 1.0}, max_documents=1)["prefs_num_prefs_ful"] == 0


def test_trec_eval_9_compares_scores_in_single_precision():
    nearly = {"a": 1.0, "b": 1.0 + 1e-12}
    assert score_topic(make_group(a=1, b=0), nearly)["prefs_simp"] == 0
    assert score_topic(make_group(a=1, b=0), nearly, profile="9.0.8")["prefs_simp"] == 1
    assert score_topic(make_group(a=1, b=0), nearly, profile="9.0.8", max_documents=1)["prefs_simp"] == 1


def test_group_without_preferences_makes_rnonrel_zero():
    with_preferences = make_group(a=1, b=0)
    with_empty_group = with_preferences | {"h": {"s": {"a": 0}}}
    assert score_topic(with_preferences, {"a": 1.0})["prefs_avgjg_Rnonrel"] == 1
    assert score_topic(with_empty_group, {"a": 1.0})["prefs_avgjg_Rnonrel"] == 0
    assert score_topic(with_empty_group, {"a": 1.0})["prefs_avgjg"] == 0.5


def test_missing_topic_is_an_empty_ranking():
    preferences = build_preferences({"q2": make_group(a=1, b=0), "q10": make_group(a=1, b=0, c=0)})
    assert preferences.topics == ("q10", "q2")
    values, in_run = compute_values(preferences, Run.from_dict({"q2": {"a": 1.0}}))
    assert in_run.tolist() == [False, True]
    assert values["prefs_num_prefs_poss"].tolist() == [2, 1]
    assert all(values[name][0] == 0 for name in PREFERENCE_MEASURES[1:])


def read_preferences(tmp_path, text, layout="prefs"):
    path = tmp_path / "f"
    path.write_text(text)
    return read_judgments(TrecEvalOptions(str(path), layout=layout))


CYCLE = (
    "PATH: group g of topic q prefers document {0} to {1} and {1} to {0}, directly or through other documents; "
    "correct its subgroups, or write different opinions as different groups"
)
ZERO_AND_POSITIVE = (
    "PATH:3: document a has level 0 at PATH:3 and level 2 at PATH:2, in two subgroups of group g of topic q; "
    "write 0 in both or in neither"
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q g s a 2\nq g s b 1\nq g t b 2\nq g t a 1\n", CYCLE.format("a", "b")),
        ("q g s a 2\nq g s b 1\nq h s c 1\nq g t b 2\nq g t c 1\nq g u c 3\nq g u a 1\n", CYCLE.format("a", "b")),
        ("# who\nq g s a 2\nq g t a 0\nq g t b 1\n", ZERO_AND_POSITIVE),
    ],
)
def test_messages_of_contradictions(text, message, tmp_path):
    with pytest.raises(InputError) as error:
        read_preferences(tmp_path, text)
    assert str(error.value) == message.replace("PATH", str(tmp_path / "f"))


def test_different_groups_may_contradict_each_other(tmp_path):
    preferences = read_preferences(tmp_path, "q g a 2\nq g b 1\nq h b 2\nq h a 1\n", "qrels_prefs")
    values, _ = compute_values(preferences, Run.from_dict({"q": {"a": 2.0, "b": 1.0}}))
    assert values["prefs_pair"].tolist() == [0.5]


def test_equal_levels_do_not_contradict_a_preference(tmp_path):
    preferences = read_preferences(tmp_path, "q g s a 1\nq g s b 1\nq g t a 2\nq g t b 1\n")
    values, _ = compute_values(preferences, Run.from_dict({"q": {"x": 2.0}}))
    assert values["prefs_num_prefs_poss"].tolist() == [1]


def test_large_groups_take_little_memory(tmp_path):
    """One group is a chain of pairs over 3000 documents; the other ranks all of them."""
    size = 3000
    pairs = "".join(f"q g s{i} d{i} 2\nq g s{i} d{i + 1} 1\n" for i in range(size - 1))
    ranking = "".join(f"q h s d{i} {size - i}\n" for i in range(size))
    preferences = read_preferences(tmp_path, pairs + ranking)
    run = Run.from_dict({"q": {f"d{i}": float(-i) for i in range(0, size, 2)}})
    values, _ = compute_values(preferences, run)
    possible, half = size * (size - 1) / 2, size // 2
    assert values["prefs_num_prefs_poss"].tolist() == [2 * possible]
    assert values["prefs_simp_ret"].tolist() == values["prefs_pair_ret"].tolist() == [1]
    implied = sum(size - 1 - i - (half - 1 - i // 2) for i in range(0, size, 2))
    fulfilled = half * (half - 1) / 2 + implied
    assert np.allclose(values["prefs_pair"], fulfilled / possible, rtol=1e-12, atol=0)

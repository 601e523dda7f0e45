"""MED through the public function, checked with ``evaluate`` on completed qrels."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume
from hypothesis import strategies as st

from assay import evaluate, read
from assay.distance._med.dispatch import Task
from assay.distance.maximized_effectiveness import ALL, DocumentLabel, MedReport, med
from assay.errors import InputError, MeasureError, PolicyError
from assay.measures import Measure, measure
from assay.measures._possible_grades import possible_grades
from assay.measures._threshold import find_threshold_problems
from assay.results.formats import render
from assay.uncertainty.completions import bound_values
from real_data import real
from report_contract import check_report
from strategies import many_examples

# Measures of every family; cutoffs are at least 2, so every measure uses the first two ranks.
FAMILIES = (
    *(
        "P@3",
        "P(rel=2)@2",
        "RBP(p=0.8)",
        "RBP(p=0.5, gains=unit)@3",
        "SDCG@3",
        "CG@3",
        "DCG(gains=exp)@4",
        "DCG(base=2)",
    ),
    *("INSQ(T=2)", "NumRelRet", "RR", "RR@2", "DampedRR(k=2)", "RR2@3", "Success@2"),
    *("nDCG@3", "nDCG", "nDCG(gains=exp12)@2", "nDCG(gains=binary)@3", "nCG@2", "R@3", "R(capped=true)@2", "F@3"),
    *("F", "MeanNDCG@3", "Rprec", "RprecMult@0.5", "RprecMult(rel=2)@2"),
    *("AP", "AP@2", "AP(norm=min)@3", "AP(norm=k)@3", "AP(rel=2)", "SSP@3", "SP", "SP@2"),
    *("ERR", "ERR@3", "ERR(gains=unit)@2", "Q(gains=binary)", "Q(beta=0)", "Q(gains=binary, norm=min)@2"),
    "GM(AP@2)",
)
NO_ALGORITHM = (
    *("Accuracy@3", "Twist", "Twist@4", "nERR@3", "INST(T=2)", "NERR8@3", "RBP(p1=0.9, p2=0.5)", "SetAP", "IPrec@0.5"),
    *("AP*", "BPM(T=1)@3", "YAAP", "LossAtR@4"),
)
INTERVALS = ("Q", "Q(beta=10, gains=exp)@3")
# These measures distinguish unjudged documents from grade 0, so the current judgments do not equal any labeling.
UNLIKE_GRADE_0 = ("bpref", "bpref(k=10)", "infAP", "Condensed(AP@2)", "Condensed(nDCG@3)")
EVERY = (*FAMILIES, *NO_ALGORITHM, *INTERVALS, *UNLIKE_GRADE_0)

# The empty pool means that there are no qrels.
POOLS: tuple[tuple[float, ...], ...] = (
    (0, 1),
    (0, 1, 2),
    (0, 0.5, 1.7),
    (-2, -1, 0, 1, 2),
    (0, 1, 100),
    (0.25,),
    (0,),
    (1,),
    (-1,),
    (),
)
TOLERANCE = 1e-9
MAX_LABELINGS = 81


@dataclass(frozen=True)
class Collection:
    """Qrels (or None) and two runs as dicts. An extra topic, *scale*, holds every grade, which fixes the scale."""

    qrels: dict[str, dict[str, float]] | None
    runs: dict[str, dict[str, dict[str, float]]]

    def rank(self, run: str, topic: str, depth: int | None = None) -> list[str]:
        """Sort documents as trec_eval does: by descending score, then by descending id."""
        scores = self.runs[run].get(topic, {})
        return sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)[:depth]

    def grades(self, topic: str) -> dict[str, float]:
        return (self.qrels or {}).get(topic, {})

    def free_documents(self, topic: str, depth: int | None) -> list[str]:
        """Return the retrieved documents without a grade, or with a negative one."""
        docs = dict.fromkeys(doc for run in self.runs for doc in self.rank(run, topic, depth))
        return [doc for doc in docs if self.grades(topic).get(doc, -1) < 0]

    @property
    def levels(self) -> np.ndarray:
        return np.array(sorted({grade for grades in (self.qrels or {}).values() for grade in grades.values()}))

    @property
    def topics(self) -> list[str]:
        return sorted(self.qrels or {topic for run in self.runs.values() for topic in run})

    def truncate(self, depth: int | None) -> Collection:
        """Return a copy with rankings of this depth, with scores that do not tie."""
        runs = {
            run: {topic: score_by_rank(self.rank(run, topic, depth)) for topic in self.runs[run]} for run in self.runs
        }
        return Collection(self.qrels, runs)


def score_by_rank(ranking: list[str]) -> dict[str, float]:
    return {doc: float(-position) for position, doc in enumerate(ranking)}


@st.composite
def collections(
    draw: Any, pools: tuple[tuple[float, ...], ...] = POOLS, topics: tuple[str, ...] = ("q1",), max_length: int = 4
) -> Collection:
    """Draw two lists of at most *max_length* of six documents, and judgments of documents in and outside the lists."""
    pool = draw(st.sampled_from(pools))
    grade = st.sampled_from(pool) if pool else st.nothing()
    lists = st.lists(st.sampled_from("abcdef"), unique=True, max_size=max_length)
    qrels: dict[str, dict[str, float]] = {"scale": {f"s{i}": value for i, value in enumerate(pool)}}
    runs: dict[str, dict[str, dict[str, float]]] = {"x": {"scale": {"s0": 1.0}}, "y": {"scale": {"s0": 1.0}}}
    for topic in topics:
        one = draw(lists)
        other = draw(st.one_of(lists, st.just(one), st.permutations(one)))
        for run, ranking in (("x", one), ("y", other)):
            if ranking:
                tied = draw(st.booleans())
                runs[run][topic] = dict.fromkeys(ranking, 1.0) if tied else score_by_rank(list(ranking))
        judged = draw(st.dictionaries(st.sampled_from("abcdefop"), grade, max_size=6)) if pool else {}
        qrels[topic] = judged or {"o": pool[0] if pool else 0}
    return Collection(qrels if pool else None, runs)


def sample_measures(texts: Iterable[str] = EVERY) -> st.SearchStrategy[list[str]]:
    """Draw a few measures; computing all measures in every example takes too long."""
    return st.lists(st.sampled_from(list(texts)), min_size=8, max_size=12, unique=True)


def parse_measures(texts: Iterable[str]) -> list[Measure]:
    return [measure(text) for text in texts]


CLASSES_UNLIKE_GRADE_0 = {type(parsed) for parsed in parse_measures(UNLIKE_GRADE_0)}


def has_interval(chosen: Measure) -> bool:
    return str(chosen).split("@")[0] in {text.split("@")[0] for text in INTERVALS}


def get_depth(chosen: Measure, depth: int | None = None) -> int | None:
    return Task.prepare(chosen, depth, "exact").depth


def list_grades(chosen: Measure, collection: Collection) -> tuple[float, ...]:
    return tuple(possible_grades(getattr(chosen, "of_measure", chosen), collection.levels).tolist())


class Labelings:
    """Differences for all labelings: each completion of a topic is evaluated as a topic of its own."""

    def __init__(self, collection: Collection, depth: int | None = None) -> None:
        self.collection = collection
        self.depth = depth
        self.differences: dict[str, dict[str, dict[tuple[float, ...], float]]] = {}

    def evaluate(self, chosen: list[Measure]) -> Labelings:
        """Evaluate measures; those with the same grades and the same depth together."""
        groups: dict[tuple[tuple[float, ...], int | None], list[Measure]] = {}
        for each in chosen:
            key = (list_grades(each, self.collection), get_depth(each, self.depth))
            groups.setdefault(key, []).append(each)
        for (grades, depth), measures in groups.items():
            self._evaluate(measures, grades, depth)
        return self

    def _evaluate(self, chosen: list[Measure], grades: tuple[float, ...], depth: int | None) -> None:
        collection = self.collection
        qrels: dict[str, dict[str, float]] = {
            "scale": {f"s{i}": g for i, g in enumerate((*collection.levels, *grades))}
        }
        runs: dict[str, dict[str, dict[str, float]]] = {run: {"scale": {"s0": 1.0}} for run in collection.runs}
        completions: dict[str, tuple[str, tuple[float, ...]]] = {}
        for topic in collection.topics:
            free = collection.free_documents(topic, depth)
            if len(grades) ** len(free) > MAX_LABELINGS:
                continue
            for labels in product(grades, repeat=len(free)):
                name = f"{topic}-{len(completions)}"
                completions[name] = topic, labels
                # A topic needs at least one judgment. Grade 0 for a document that no run retrieves changes nothing.
                qrels[name] = {**collection.grades(topic), **dict(zip(free, labels, strict=True))} or {
                    "unretrieved": 0.0
                }
                for run, topics in runs.items():
                    if ranking := collection.rank(run, topic, depth):
                        topics[name] = score_by_rank(ranking)
        results = evaluate(qrels, runs, chosen)
        values = np.where(np.isnan(results.values), 0.0, results.values)
        column = {topic: i for i, topic in enumerate(results.topics)}
        for number, each in enumerate(chosen):
            by_topic = self.differences.setdefault(str(each), {})
            for name, (topic, labels) in completions.items():
                difference = float(values[number, 0, column[name]] - values[number, 1, column[name]])
                by_topic.setdefault(topic, {})[labels] = difference


def is_close(value: float, other: float) -> bool:
    return abs(value - other) <= TOLERANCE * max(1.0, abs(value), abs(other))


def collect_values(report: MedReport, number: int, topic: int, pair: int = 0) -> dict[str, float]:
    return {
        name: float(getattr(report, name)[number, pair, topic])
        for name in ("up", "down", "up_bound", "down_bound", "difference", "distance", "bound", "exact")
    }


# Comparison with all labelings ---------------------------------------------------------------------------------------


@many_examples(60, collection=collections(), depth=st.sampled_from([None, None, None, 2, 3]), texts=sample_measures())
def test_distance_is_the_maximum_over_all_labelings(
    collection: Collection, depth: int | None, texts: list[str]
) -> None:
    report = med(read(collection.qrels, collection.runs), texts, depth=depth, labels=True)
    differences = Labelings(collection, depth).evaluate(list(report.measures)).differences
    for number, chosen in enumerate(report.measures):
        for position, topic in enumerate(report.topics):
            by_labeling = differences[str(chosen)].get(topic)
            if by_labeling is None:
                continue
            largest, smallest = max(by_labeling.values()), min(by_labeling.values())
            values, context = collect_values(report, number, position), (str(chosen), topic)
            assert is_close(values["up_bound"], largest) or values["up_bound"] > largest, context
            assert is_close(values["down_bound"], -smallest) or values["down_bound"] > -smallest, context
            if values["exact"]:
                assert is_close(values["distance"], max(largest, -smallest)), context
            if not has_interval(chosen):  # exact in both directions
                assert values["exact"], context
                assert is_close(values["up"], largest), context
                assert is_close(values["down"], -smallest), context
            labels = {label.document: label.grade for label in report.labels if label[2:4] == context}
            free = collection.free_documents(topic, get_depth(chosen, depth))
            assert set(labels) <= set(free), context
            attained = by_labeling[tuple(labels.get(doc, 0.0) for doc in free)]
            assert is_close(attained, values["up"] if values["up"] >= values["down"] else -values["down"]), context


@many_examples(30, collection=collections(), depth=st.sampled_from([None, 2]), texts=sample_measures())
def test_judged_difference_matches_evaluate_and_is_within_the_distance(
    collection: Collection, depth: int | None, texts: list[str]
) -> None:
    # Measures whose threshold no grade reaches are rejected.
    texts = [text for text in texts if not find_threshold_problems(parse_measures([text]), collection.levels)]
    assume(texts)
    report = med(read(collection.qrels, collection.runs), texts, depth=depth)
    if collection.qrels is None:
        assert not report.difference.any()
        return
    values = evaluate(collection.qrels, collection.truncate(depth).runs, report.measures).values
    assert np.allclose(report.difference[:, 0], values[:, 0] - values[:, 1], rtol=0, atol=TOLERANCE)
    exceeds = np.abs(report.difference) > report.bound + TOLERANCE
    for chosen, mask in zip(report.measures, exceeds, strict=True):
        is_noted = any(note.startswith(f"{chosen}: distinguishes unjudged") for note in report.notes)
        assert is_noted == mask.any(), chosen
        assert not is_noted or type(chosen) in CLASSES_UNLIKE_GRADE_0, chosen


@many_examples(30, collection=collections(), texts=sample_measures([*FAMILIES, *NO_ALGORITHM, *UNLIKE_GRADE_0]))
def test_exhaustive_search_agrees(collection: Collection, texts: list[str]) -> None:
    if any(5 ** len(collection.free_documents(topic, None)) > 4000 for topic in collection.topics):
        return
    exact = med(read(collection.qrels, collection.runs), texts)
    exhaustive = med(read(collection.qrels, collection.runs), texts, method="exhaustive")
    assert exhaustive.exact.all()
    for name in ("up", "down", "up_bound", "down_bound", "difference"):
        assert np.allclose(getattr(exact, name), getattr(exhaustive, name), rtol=TOLERANCE, atol=TOLERANCE), name


@many_examples(25, collection=collections(), depth=st.sampled_from([None, 2]), texts=sample_measures())
def test_swapping_the_runs_swaps_the_directions(collection: Collection, depth: int | None, texts: list[str]) -> None:
    swapped = dict(reversed(collection.runs.items()))
    report, swapped_report = (
        med(read(collection.qrels, runs), texts, depth=depth) for runs in (collection.runs, swapped)
    )
    for name, swapped_name in (
        ("up", "down"),
        ("up_bound", "down_bound"),
        ("distance", "distance"),
        ("bound", "bound"),
    ):
        assert np.allclose(
            getattr(report, name), getattr(swapped_report, swapped_name), rtol=TOLERANCE, atol=TOLERANCE
        ), name
    assert np.allclose(report.difference, -swapped_report.difference, rtol=TOLERANCE, atol=TOLERANCE)
    frames = [each.table("topics").frame for each in (report, swapped_report)]
    assert np.allclose(frames[0]["largest"], -frames[1]["smallest"], rtol=TOLERANCE, atol=TOLERANCE)


@many_examples(
    50,
    collection=collections(POOLS[:8]),
    document_index=st.integers(0, 99),
    grade_index=st.integers(0, 99),
    texts=sample_measures(),
)
def test_judging_one_more_document_never_increases_the_distance(
    collection: Collection, document_index: int, grade_index: int, texts: list[str]
) -> None:
    """Another judgment leaves a subset of the labelings, for any measure, under two conditions.

    The document is within the depth of the measure in one of the lists (below that depth it could not be labelled
    before), and its grade is on the scale already, so the gains of the other grades do not change.
    """
    assert collection.qrels is not None
    free = collection.free_documents("q1", 2)
    levels = [level for level in collection.levels.tolist() if level >= 0]
    if not free:
        return
    judged = {**collection.grades("q1"), free[document_index % len(free)]: levels[grade_index % len(levels)]}
    before = med(read(collection.qrels, collection.runs), texts)
    after = med(read({**collection.qrels, "q1": judged}, collection.runs), texts)
    highest = np.where(before.exact, before.distance, before.bound)
    increased = (after.distance > highest + TOLERANCE * np.maximum(1, highest)).any(axis=(1, 2))
    assert not increased.any(), [
        text for text, is_increased in zip(before.measures, increased, strict=True) if is_increased
    ]
    assert (after.up <= before.up_bound + TOLERANCE * np.maximum(1, np.abs(before.up_bound))).all()
    assert (after.down <= before.down_bound + TOLERANCE * np.maximum(1, np.abs(before.down_bound))).all()


# Measures for which an empty ranking has the value 0, for any judgments.
ZERO_IF_EMPTY = (*FAMILIES, "nERR@3", "SetAP", "IPrec@0.5", "NERR8@3", "bpref", "INST(T=2)", "BPM(T=1)@3")


@many_examples(40, collection=collections(POOLS[:9]), texts=sample_measures(ZERO_IF_EMPTY))
def test_distance_to_an_empty_ranking_is_the_range_of_completions(collection: Collection, texts: list[str]) -> None:
    runs = {"x": collection.runs["x"], "y": {"scale": {"s0": 1.0}}}
    alone = replace(collection, runs=runs)
    campaign = read(alone.qrels, alone.runs)
    report = med(campaign, texts)
    for number, chosen in enumerate(report.measures):
        inner = getattr(chosen, "of_measure", chosen)
        for topic, rankings in enumerate(campaign.rankings()):
            if rankings.topic == "scale":
                continue
            judged = rankings.top(get_depth(chosen)).select([0]).to_judged()
            bounds = bound_values(inner, judged, outside=0, tail=False)
            values, context = collect_values(report, number, topic), (str(chosen), rankings.topic)
            assert bounds.exact[0], context
            assert is_close(values["up_bound"], bounds.high[0]), context
            assert is_close(-values["down_bound"], bounds.low[0]), context


def build_larger_collection(seed: int, documents: int = 24) -> Collection:
    """Return lists that are too long to enumerate all labelings."""
    rng = np.random.default_rng(seed)
    names = [f"d{i:02}" for i in range(documents)]
    pool = [(0, 1), (0, 1, 2, 3), (-1, 0, 1, 2)][seed % 3]
    qrels: dict[str, dict[str, float]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {"x": {}, "y": {}}
    for topic in ("q1", "q2"):
        judged_fraction = rng.choice([0.0, 0.3, 0.6])
        judged = {doc: float(rng.choice(pool)) for doc in [*names, "o1", "o2"] if rng.random() < judged_fraction}
        qrels[topic] = judged or {"o1": 1.0}
        for run in runs.values():
            run[topic] = score_by_rank(rng.permutation(names)[: rng.integers(5, documents)].tolist())
    qrels["scale"] = {f"s{i}": float(grade) for i, grade in enumerate(pool)}
    return Collection(qrels, runs)


LARGER = ("bpref", "Twist@40", "nERR@10", "INST(T=2)", "Accuracy@10", "SetAP", "MeanNDCG@20", "Q", "P@10", "nDCG@10")


@pytest.mark.parametrize(("seed", "depth"), [(0, None), (1, 12), (2, None)])
def test_reported_labels_attain_the_distance(seed: int, depth: int | None) -> None:
    collection = build_larger_collection(seed)
    assert collection.qrels is not None
    report = med(read(collection.qrels, collection.runs), [*FAMILIES, *LARGER], depth=depth, labels=True)
    label_frames = report.label_frame().partition_by("measure", "topic", as_dict=True)
    for number, chosen in enumerate(report.measures):
        cut = collection.truncate(get_depth(chosen, depth))
        completed = {}
        for topic in collection.topics:
            judged = {**collection.grades(topic), **dict.fromkeys(cut.free_documents(topic, None), 0.0)}
            label_frame = label_frames.get((str(chosen), topic))
            labels = {} if label_frame is None else dict(label_frame.select("document", "grade").rows())
            assert set(labels) <= set(cut.free_documents(topic, None)), chosen
            completed[topic] = {**judged, **labels}
        values = evaluate(completed, cut.runs, chosen).values[0]
        for position, topic in enumerate(collection.topics):
            reported = collect_values(report, number, position)
            expected = reported["up"] if reported["up"] >= reported["down"] else -reported["down"]
            assert is_close(float(values[0, position] - values[1, position]), expected), (str(chosen), topic)
            assert reported["distance"] <= reported["bound"] + TOLERANCE
            assert abs(reported["difference"]) <= reported["bound"] + TOLERANCE or str(chosen) == "bpref"


# Small hand-computed cases -------------------------------------------------------------------------------------------

RUNS = {
    "x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 1.0}},
    "y": {"1": {"b": 3.0, "a": 2.0, "d": 1.0}, "2": {"a": 1.0}},
    "z": {"1": {"d": 1.0}},
}
QRELS = {"1": {"a": 1, "c": 0, "e": 1}, "2": {"a": 0}}
COLUMNS = [
    *("run_a", "run_b", "measure", "topic", "med", "difference", "direction", "exact", "low", "high"),
    *("smallest", "largest"),
]


def test_frame() -> None:
    report = med(read(QRELS, {name: RUNS[name] for name in "xy"}), ["P@2", "RR"])
    assert repr(report) == "MedReport(1 pair x 2 topics: P@2, RR)"
    frame = report.frame()
    assert frame.columns == COLUMNS
    assert frame["measure"].to_list() == ["P@2", "RR"]
    assert frame["topic"].to_list() == [ALL, ALL]
    assert frame["direction"].to_list() == [None, None]
    topics = report.table("topics").frame
    assert topics.columns == COLUMNS
    assert topics.schema == frame.schema
    assert topics.select("measure", "topic").rows() == [
        *(("P@2", "1"), ("P@2", "2"), ("P@2", "all")),
        *(("RR", "1"), ("RR", "2"), ("RR", "all")),
    ]
    # RR, topic 1: a is relevant, so x has RR = 1. y has 1/2 if b, its first document, is non-relevant, else 1.
    assert topics.filter(measure="RR").drop("run_a", "run_b", "measure").rows() == [
        ("1", 0.5, 0.5, "a", True, 0.5, 0.5, 0.0, 0.5),
        ("2", 0.0, 0.0, "-", True, 0.0, 0.0, 0.0, 0.0),
        ("all", 0.25, 0.25, None, True, 0.25, 0.25, 0.0, 0.25),
    ]
    assert str(topics["smallest"][1]) == "0.0"  # not -0.0
    assert not report.exact.all() or frame["exact"].all()


@many_examples(15, collection=collections(topics=("q1", "q2")), texts=sample_measures())
def test_means_are_over_topics(collection: Collection, texts: list[str]) -> None:
    report = med(read(collection.qrels, collection.runs), texts)
    all_rows = report.table("topics").frame
    means = report.frame()
    topics = all_rows.filter(pl.col("topic") != ALL)
    by_hand = topics.group_by("measure", maintain_order=True).agg(
        pl.col("med", "difference", "low", "high", "smallest", "largest").mean(), pl.col("exact").all()
    )
    assert by_hand["measure"].to_list() == means["measure"].to_list()
    assert by_hand["exact"].to_list() == means["exact"].to_list()
    for name in ("med", "difference", "low", "high", "smallest", "largest"):
        assert np.allclose(by_hand[name], means[name], rtol=1e-12, atol=1e-12), name
    assert all_rows.filter(topic=ALL).equals(means)
    numbers = topics.drop("run_a", "run_b", "measure", "topic", "direction", "exact")
    assert numbers.select((pl.max_horizontal(-pl.col("smallest"), "largest") - pl.col("high")).abs().max()).item() == 0
    assert (topics["direction"] == "-").to_list() == (topics["med"] <= 1e-12).to_list()


def test_a_topic_may_be_named_all() -> None:
    report = med(read(runs={"x": {"all": {"a": 1.0}}, "y": {"all": {"b": 1.0}}}), "P@1")
    assert report.table("topics").frame["direction"].to_list() == ["a", None]


def test_labels() -> None:
    report = med(read(QRELS, {name: RUNS[name] for name in "xyz"}), ["RR", "AP"], labels=True)
    # Topic 1: a is relevant, c is not. Compared with z = d, x = a b c has RR = 1 for any label of b; y = b a d only
    # if b is relevant.
    assert report.labels == (
        DocumentLabel("y", "z", "RR", "1", "b", 1.0),
        DocumentLabel("x", "z", "AP", "1", "b", 1.0),
        DocumentLabel("y", "z", "AP", "1", "b", 1.0),
    )
    frame = report.label_frame()
    assert frame.columns == ["run_a", "run_b", "measure", "topic", "document", "grade"]
    assert frame.schema["grade"] == pl.Float64
    assert len(frame) == len(report.labels)
    assert set(frame["document"]) <= {"b", "d"}  # a, c and e are judged
    without = med(read(QRELS, RUNS), "AP")
    assert without.labels is None
    with pytest.raises(InputError, match=r"no labels in this report; compute the distances with labels=True"):
        without.table("labels")


def test_matrix() -> None:
    report = med(read(QRELS, RUNS), ["P@2", "RR"])
    assert report.pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
    for number, chosen in enumerate(report.measures):
        matrix = report.matrix(chosen)
        assert (matrix == matrix.T).all()
        assert (np.diag(matrix) == 0).all()
        assert matrix[0, 2] == report.distance[number, 1].mean() > 0


def test_first_compares_the_first_run_with_each_other_run() -> None:
    report = med(read(QRELS, RUNS), "RR", first=True)
    assert report.pairs.tolist() == [[0, 1], [0, 2]]
    assert report.frame().select("run_a", "run_b").rows() == [("x", "y"), ("x", "z")]
    assert np.isnan(report.matrix(measure("RR"))[1, 2])


def test_topics_without_qrels_are_those_of_all_runs() -> None:
    runs = {"x": {"1": {"a": 1.0}, "3": {"a": 1.0}, "4": {"a": 1.0}}, "y": {"2": {"a": 1.0}, "4": {"a": 2.0}}}
    report = med(read(runs=runs), "AP")
    assert report.topics == ("1", "2", "3", "4")
    assert report.up[0, 0].tolist() == [1, 0, 1, 0]
    assert report.down[0, 0].tolist() == [0, 1, 0, 0]
    assert not report.difference.any()
    assert report.table("topics").frame["direction"].to_list() == ["a", "b", "a", "-", None]
    assert [note.split(": ")[1] for note in report.notes] == [
        "lacks 1 of the 4 topics of all runs; counted as empty rankings",
        "lacks 2 of the 4 topics of all runs; counted as empty rankings",
    ]
    with pytest.raises(InputError, match=r"x: shares no topic with another run \(it has 1; the other runs have 2"):
        med(read(runs={"x": {"1": {"a": 1.0}}, "y": {"2": {"a": 1.0}}}), "AP")


def test_residual_covers_ranks_below_the_depth() -> None:
    runs = {"x": {"1": {f"d{i}": -float(i) for i in range(9)}}, "y": {"1": {f"d{i}": float(i) for i in range(9)}}}
    without_residual, with_residual = (
        med(read(runs=runs), "RBP(p=0.8)", depth=2, residual=residual) for residual in (False, True)
    )
    assert with_residual.distance[0, 0, 0] == pytest.approx(without_residual.distance[0, 0, 0] + 0.8**2)


def test_inexact_distances_get_a_note() -> None:
    runs = {
        "x": {"1": {f"d{i:02}": -float(i) for i in range(14)}},
        "y": {"1": {f"d{i:02}": float(i) for i in range(14)}},
    }
    report = med(read({"1": {"e": 1}}, runs), "bpref")
    assert report.notes[0] == (
        "bpref: the exact distance is not known in 1 of 1 case; it lies between low and high, and med is low"
    )
    assert report.matrix("bpref").shape == (2, 2)
    with pytest.raises(MeasureError, match="measure 'AP': not in this report; choose one of bpref"):
        report.matrix("AP")


def test_fully_judged_and_identical_runs() -> None:
    qrels = {"1": {"a": 1, "b": 0, "c": 1, "d": 0}, "2": {"a": 1}}
    report = med(read(qrels, RUNS), EVERY)
    assert np.allclose(report.distance, np.abs(report.difference))
    same = med(read(runs={"x": RUNS["x"], "y": RUNS["x"]}), EVERY)
    assert not same.bound.any()
    assert same.exact.all()


def test_progress_counts_topics() -> None:
    calls: list[tuple[int, int]] = []
    med(read(QRELS, RUNS), "RR", progress=lambda done, total: calls.append((done, total)))
    assert calls == [(1, 2), (2, 2)]


def test_notes() -> None:
    report = med(read(QRELS, {**RUNS, "z": {"1": {"d": 1.0}, "9": {"d": 1.0, "e": 2.0}}}), "RR")
    [ignored, missing] = report.notes
    assert "ignored 1 topic without judgments (2 documents): 9" in ignored
    assert "lacks 1 of the 2 topics of the qrels; counted as empty rankings" in missing
    for method in ("greedy", "greedy-on", "tabu"):
        report = med(read(runs=RUNS), ["AP", "SSP@3"], method=method)
        assert (
            report.notes[0]
            == f"AP, SSP@3: {method} finds a lower bound of the distance, which may be less than the distance"
        )
        assert not report.exact.any()
        assert np.isinf(report.frame()["high"].to_numpy()).all()
    missing = "z: lacks 1 of the 2 topics of all runs; counted as empty rankings"
    assert med(read(runs=RUNS), "AP", method="exhaustive").notes == (missing,)


def test_measures_with_another_aggregate_get_a_note() -> None:
    report = med(read(QRELS, RUNS), ["GM(AP)", "NumRelRet", "AP"])
    text = "distances are aggregated by their mean over topics, not by the"
    assert [note for note in report.notes if text in note] == [
        f"GM(AP): {text} geometric mean",
        f"NumRelRet: {text} sum",
    ]
    assert (report.distance[0] == report.distance[2]).all()


def test_judged_difference_may_exceed_the_distance() -> None:
    """bpref skips unjudged documents; labelled 0 they are judged non-relevant, and each costs less."""
    runs = {
        "x": {"q": score_by_rank(["n", "r", "u", "v"])},
        "y": {"q": score_by_rank(["r", "n", "u", "v"])},
    }
    report = med(read({"q": {"n": 0, "r": 1, "o": 1, "p": 1}}, runs), ["bpref", "AP"])
    assert report.difference[0, 0, 0] == pytest.approx(-1 / 3)
    assert report.distance[0, 0, 0] == pytest.approx(1 / 5)
    [note] = report.notes
    assert note.startswith("bpref: distinguishes unjudged documents from documents of grade 0")
    assert note.endswith("this occurs 1 time")


def test_infinite_and_undefined_values() -> None:
    runs = {
        "x": {"q": score_by_rank(["a", "b"]), "r": {"a": 1.0}},
        "y": {"q": score_by_rank(["c", "d"]), "r": {"b": 1.0}},
    }
    report = med(read({"q": {"a": 1}, "r": {"b": 1}}, runs), ["BalancePoint", "CRPN@2"], labels=True)
    infinite = report.table("topics").frame.filter(measure="BalancePoint@2")
    assert infinite["med"].to_list() == [np.inf] * 3
    assert infinite["difference"].to_list()[:2] == [-np.inf, np.inf]
    assert infinite["difference"].to_list()[2] is None  # in both directions
    assert infinite["exact"].all()
    assert report.frame()["measure"].to_list() == ["BalancePoint@2", "CRPN@2"]
    undefined = med(read({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0}}}), "CRPN(length=asis)@2")
    row = undefined.table("topics").frame.row(0, named=True)
    assert row["topic"] == "q"


def test_provenance() -> None:
    provenance = med(read(QRELS, RUNS, ties="file", seed=5), "AP").provenance
    assert [(entry.role, entry.name) for entry in provenance.inputs][1:] == [("run", "x"), ("run", "y"), ("run", "z")]
    assert provenance.inputs[0].role == "qrels"
    assert (provenance.policies.ties, provenance.policies.seed) == ("file", 5)
    assert [entry.role for entry in med(read(runs=RUNS), "AP").provenance.inputs] == ["run"] * 3


def test_report_records_the_parameters() -> None:
    report = med(read(runs=RUNS), "RBP(p=0.8)", depth=7, residual=True, seed=5)
    assert (report.depth, report.method, report.residual, report.seed) == (7, "exact", True, 5)


# Depth ---------------------------------------------------------------------------------------------------------------


def test_depth_becomes_the_cutoff_of_measures_without_one() -> None:
    texts = ["AP", "nDCG@2", "RBP(p=0.8)", "P@9", "Rprec", "GM(AP)", "Condensed(AP)", "Twist"]
    report = med(read(runs=RUNS), texts, depth=5)
    expected = "AP@5, nDCG@2, RBP(p=0.8)@5, P@9, Rprec, GM(AP@5), Condensed(AP@5), Twist@5"
    assert ", ".join(map(str, report.measures)) == expected


@many_examples(20, collection=collections(), texts=sample_measures())
def test_rankings_are_truncated_before_labelling(collection: Collection, texts: list[str]) -> None:
    """*depth* gives the distance of truncated rankings; a smaller cutoff of the measure takes precedence."""
    requested = [*texts, "nDCG@9", "AP@9", "Q(gains=binary)@9"]
    report = med(read(collection.qrels, collection.runs), requested, depth=2)
    truncated = med(read(collection.qrels, collection.truncate(2).runs), report.measures)
    for name in ("up", "down", "up_bound", "down_bound", "difference"):
        assert np.allclose(getattr(report, name), getattr(truncated, name), rtol=TOLERANCE, atol=TOLERANCE), name
    with_depth = med(read(collection.qrels, collection.runs), ["AP@2", "nDCG@2", "GM(AP@2)"], depth=9)
    without_depth = med(read(collection.qrels, collection.truncate(2).runs), ["AP@2", "nDCG@2", "GM(AP@2)"])
    assert np.allclose(with_depth.distance, without_depth.distance, rtol=TOLERANCE, atol=TOLERANCE)


def test_condensed_measure_skips_unjudged_documents_below_its_cutoff() -> None:
    runs = {"x": {"q": score_by_rank(["u", "v", "a"])}, "y": {"q": score_by_rank(["b", "u", "v"])}}
    qrels = {"q": {"a": 1, "b": 0, "c": 1}}
    report = med(read(qrels, runs), "Condensed(AP@1)", labels=True)
    assert report.difference[0, 0, 0] == 0.5  # a is the first judged document of x
    assert report.up[0, 0, 0] == pytest.approx(1 / 3)  # but the first document of x is u
    assert [label.document for label in report.labels] == ["u"]
    assert med(read(qrels, runs), "Condensed(AP@1)", depth=2).difference[0, 0, 0] == 0


def test_effort_measures_use_one_length_for_all_topics_and_pairs() -> None:
    qrels = {"q": {"a": 1, "b": 0}, "r": {"a": 1}}
    long = score_by_rank([f"d{i}" for i in range(8)])
    runs = {
        "x": {"q": score_by_rank(["b", "a"]), "r": {"a": 1.0}},
        "y": {"q": score_by_rank(["a", "b"]), "r": {"a": 1.0}},
        "z": {"r": long},
    }
    report = med(read(qrels, runs), "Twist", first=True)
    values = evaluate(qrels, runs, "Twist").values[0]
    assert np.allclose(report.difference[0], values[0] - values[1:])
    assert [str(each) for each in report.measures] == ["Twist@8"]
    assert report.distance[0, 0].tolist() == pytest.approx(np.abs(report.difference[0, 0]).tolist())


# Rejected arguments --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measures", "options", "error", "message"),
    [
        ("AP", {"depth": 0}, InputError, "depth must be a whole number of at least 1, got 0"),
        ("AP", {"method": "greedi"}, InputError, "method 'greedi': choose one of .*; did you mean greedy"),
        ("nDCG@10", {"method": "greedy"}, MeasureError, "measure 'nDCG@10': method greedy is for AP, SSP and SP"),
        ("nDCG@10", {"method": "greedy-on"}, MeasureError, "method greedy-on is for AP, SSP and SP; use exact"),
        ("Q", {"method": "tabu"}, MeasureError, "method tabu is for AP, SSP and SP; use exact"),
        ("AP", {"method": "max-grade"}, MeasureError, "method max-grade is for nDCG, nCG, recall and F@k; use exact"),
        ("AP", {"residual": True}, MeasureError, "measure 'AP': has no residual"),
        ("RBP(p=0.8)", {"residual": True, "method": "exhaustive"}, MeasureError, "and the exact method"),
        ("DCG", {"residual": True}, MeasureError, "has no residual"),
        ([], {}, MeasureError, "name at least one measure"),
    ],
)
def test_invalid_arguments_are_rejected(
    measures: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        med(read(runs=RUNS), measures, **options)


def test_expected_ties_are_rejected() -> None:
    with pytest.raises(PolicyError, match="ties 'expected'"):
        med(read(runs=RUNS, ties="expected"), "AP")


def test_unjudged_policy_does_not_matter() -> None:
    plain, condensed = (med(read(QRELS, RUNS, unjudged=policy), EVERY) for policy in ("nonrelevant", "condensed"))
    assert condensed.table("topics").frame.equals(plain.table("topics").frame)


def test_qrels_instead_of_a_campaign_are_rejected() -> None:
    with pytest.raises(InputError, match="campaign must be a campaign"):
        med(QRELS, "AP")  # type: ignore[arg-type]


def test_a_single_run_is_rejected() -> None:
    with pytest.raises(InputError, match="runs: need at least two runs, got 1"):
        med(read(runs={"x": RUNS["x"]}), "AP")


def test_exhaustive_search_has_a_limit() -> None:
    runs = {name: {"q": {f"{name}{i}": float(i) for i in range(11)}} for name in "xy"}
    with pytest.raises(InputError, match="topic q: 2 grades for 22 unjudged documents are more than 1048576 labelings"):
        med(read(runs=runs), "AP", method="exhaustive")
    assert med(read(runs=runs), "AP", method="exhaustive", depth=5).exact.all()


def test_values_of_all_methods() -> None:
    """The smallest cases in which greedy labels and max-grade labels are not optimal."""
    runs = {"y": {"q": score_by_rank(list("ABCDEF"))}, "z": {"q": score_by_rank(list("DBaCbc"))}}
    qrels = {"q": {"A": 1, "D": 0, "E": 1, "F": 0, "a": 1, "b": 1, "c": 1}}
    values = {
        method: float(med(read(qrels, runs), "AP@6", method=method).up[0, 0, 0])
        for method in ("exact", "exhaustive", "greedy", "greedy-on", "tabu")
    }
    optimum = pytest.approx(0.25 / 7)
    assert values == {
        "exact": optimum,
        "exhaustive": optimum,
        "greedy": pytest.approx(1 / 30),
        "greedy-on": optimum,
        "tabu": optimum,
    }
    graded_runs = {"y": {"q": score_by_rank(["A", "B"])}, "z": {"q": score_by_rank(["C", "D"])}}
    graded_qrels = {"q": {"A": 1, "C": 0, "D": 0, "E": 1}, "other": {"s": 2}}
    by_method = [
        med(read(graded_qrels, graded_runs, lenient=True), "nDCG(gains=exp12)@2", method=method).up[0, 0, 1]
        for method in ("exact", "max-grade", "exhaustive")
    ]
    assert by_method == pytest.approx([1, 0.797, 1], abs=5e-4)


def test_residual_widens_both_directions() -> None:
    runs = {"x": {"q": {"a": 1.0}}, "y": {"q": score_by_rank(["a", "b"])}}
    without_residual, with_residual = (
        med(read(runs=runs), "RBP(p=0.5)", residual=residual) for residual in (False, True)
    )
    assert (without_residual.up[0, 0, 0], without_residual.down[0, 0, 0]) == (0, 0.25)
    assert (with_residual.up[0, 0, 0], with_residual.down[0, 0, 0]) == (0.5, 0.5)


def test_ties_policy_decides_the_order() -> None:
    tied = {"x": {"q": {"a": 1.0, "b": 1.0}}, "y": {"q": {"b": 2.0, "a": 1.0}}}
    assert med(read(runs=tied), "RR").distance[0, 0, 0] == 0  # b before a: by descending id
    assert med(read(runs=tied, ties="file"), "RR").distance[0, 0, 0] == 0.5


# Real runs -----------------------------------------------------------------------------------------------------------


def test_real_runs() -> None:
    folder = real("trec8-adhoc")
    qrels, runs = folder / "qrels.trec8.adhoc.txt.gz", sorted((folder / "runs").iterdir())[:10]
    for judgments, chosen, selected in (
        (qrels, "AP@100", runs[:2]),
        (qrels, "nDCG@10", runs),
        (None, "AP@100", runs[:2]),
    ):
        report = med(read(judgments, selected), chosen)
        assert report.distance.shape == (1, len(selected) * (len(selected) - 1) // 2, 50)
        assert report.exact.all()
        assert (np.abs(report.difference) <= report.distance + 1e-12).all()
        if judgments is None:
            assert report.distance.min() > 0
            continue
        values = evaluate(qrels, selected, chosen).values[0]
        a, b = report.pairs.T
        assert np.allclose(report.difference[0], values[a] - values[b], rtol=0, atol=1e-12)
        undecided = report.distance - np.abs(report.difference)
        assert (undecided.max() > 0.1) == (chosen == "nDCG@10")  # the first two runs were pooled to depth 100


# Tables and summary --------------------------------------------------------------------------------------------------

MEAN_COLUMNS = ["measure", "run", "other run", "MED", "difference", "lowest", "highest"]


def test_tables() -> None:
    report = med(read(QRELS, RUNS), "nDCG@5", labels=True, trace=True, places=True)
    table = check_report(report)
    assert table.compact.columns == MEAN_COLUMNS
    assert table.heading == "measure"
    assert table.frame.equals(report.frame())
    topics = report.table("topics")
    assert topics.compact["topic"].to_list() == ["1", "2", "all"] * 3
    assert topics.frame.filter(pl.col("topic") != "all").equals(report.topic_frame())
    labels = report.table("labels")
    assert labels.compact.columns == ["measure", "run", "other run", "topic", "document", "grade"]
    assert labels.compact.schema["grade"] == pl.Int64
    assert labels.frame.equals(report.label_frame())


def test_default_measures() -> None:
    report = med(read(QRELS, RUNS))
    assert [str(measure) for measure in report.measures] == ["AP@100", "nDCG@10", "RBP(p=0.8)"]
    check_report(report, "pairs", "topics")


def test_distances_that_are_not_exact_are_lower_bounds() -> None:
    report = med(read(QRELS, RUNS), "AP", method="greedy")
    assert report.table().compact.columns == [*MEAN_COLUMNS[:3], "MED at least", "difference"]
    assert json.loads(render(report, "json"))["rows"][0]["high"] == "inf"


def test_matrix_needs_one_measure() -> None:
    table = check_report(med(read(QRELS, RUNS), "RR"), "matrix")
    assert table.name == "pairs"
    report = med(read(QRELS, RUNS), "RR")
    matrix = report.table("matrix").frame
    assert matrix.columns == ["run", "x", "y", "z"]
    assert matrix.drop("run").to_numpy().tolist() == report.matrix("RR").tolist()
    assert med(read(QRELS, RUNS), "RR", first=True).table("matrix").frame.row(1)[3] is None
    with pytest.raises(InputError, match="a matrix shows one measure; name a single measure instead of AP, RR"):
        med(read(QRELS, RUNS), ["AP", "RR"]).table("matrix")


def test_settings() -> None:
    settings = med(read(QRELS, RUNS), "AP", depth=2, method="tabu", seed=4).provenance.settings
    assert settings == {"measures": ["AP@2"], "depth": 2, "method": "tabu", "residual": False, "seed": 4}


def test_summary() -> None:
    qrels = {"q": {"a": 1, "b": 0}}
    ahead = {"good": {"q": {"a": 2.0, "x": 1.0}}, "bad": {"q": {"b": 2.0, "y": 1.0}}}
    assert med(read(qrels, ahead), ["P@1", "P@2"]).summary() == (
        "By P@1 good stays ahead of bad for any labels of their unjudged documents. "
        "By P@2 the judgments leave the order of good and bad open."
    )
    swapped_runs = {"bad": ahead["bad"], "good": ahead["good"]}
    assert med(read(qrels, swapped_runs), "P@1").summary().startswith("By P@1 good stays ahead of bad")
    identical_runs = {"one": ahead["good"], "two": ahead["good"]}
    assert med(read(qrels, identical_runs), "P@2").summary() == (
        "By P@2 one and two stay tied for any labels of their unjudged documents."
    )
    summary = med(read(qrels, {**ahead, "copy": ahead["bad"]}), ["P@1", "P@2"]).summary()
    assert "No labels of unjudged documents change the order of 3 of 3 pairs of runs by P@1, 1 by P@2." in summary
    assert "Closest by P@1: bad and copy (mean MED 0.0000)." in summary

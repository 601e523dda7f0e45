"""MED through the public function: what labels reach is recomputed with ``evaluate`` on completed qrels."""

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

# All families, two ranks deep or more, so that the first two ranks of a list are always looked at.
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
# They tell unjudged documents from those of grade 0: what is judged so far is no labeling.
UNLIKE_GRADE_0 = ("bpref", "bpref(k=10)", "infAP", "Condensed(AP@2)", "Condensed(nDCG@3)")
EVERY = (*FAMILIES, *NO_ALGORITHM, *INTERVALS, *UNLIKE_GRADE_0)

# An empty pool stands for no qrels at all.
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
MOST = 81


@dataclass(frozen=True)
class Collection:
    """Qrels (or none) and two runs as dicts; one topic more holds every grade, so that the scale never changes."""

    qrels: dict[str, dict[str, float]] | None
    runs: dict[str, dict[str, dict[str, float]]]

    def ranking(self, run: str, topic: str, depth: int | None = None) -> list[str]:
        """In trec_eval's order: score descending, then document id descending."""
        scores = self.runs[run].get(topic, {})
        return sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)[:depth]

    def judged(self, topic: str) -> dict[str, float]:
        return (self.qrels or {}).get(topic, {})

    def free(self, topic: str, depth: int | None) -> list[str]:
        docs = dict.fromkeys(doc for run in self.runs for doc in self.ranking(run, topic, depth))
        return [doc for doc in docs if self.judged(topic).get(doc, -1) < 0]

    @property
    def levels(self) -> np.ndarray:
        return np.array(sorted({grade for judged in (self.qrels or {}).values() for grade in judged.values()}))

    @property
    def topics(self) -> list[str]:
        return sorted(self.qrels or {topic for run in self.runs.values() for topic in run})

    def cut(self, depth: int | None) -> Collection:
        """Rankings of that depth, with scores that do not tie."""
        runs = {run: {topic: _scored(self.ranking(run, topic, depth)) for topic in self.runs[run]} for run in self.runs}
        return Collection(self.qrels, runs)


def _scored(ranking: list[str]) -> dict[str, float]:
    return {doc: float(-place) for place, doc in enumerate(ranking)}


@st.composite
def collections(
    draw: Any, pools: tuple[tuple[float, ...], ...] = POOLS, topics: tuple[str, ...] = ("q1",), most: int = 4
) -> Collection:
    """Up to *most* of six documents in each list, some judged, some judged documents in neither list."""
    pool = draw(st.sampled_from(pools))
    grade = st.sampled_from(pool) if pool else st.nothing()
    listed = st.lists(st.sampled_from("abcdef"), unique=True, max_size=most)
    qrels: dict[str, dict[str, float]] = {"scale": {f"s{i}": value for i, value in enumerate(pool)}}
    runs: dict[str, dict[str, dict[str, float]]] = {"x": {"scale": {"s0": 1.0}}, "y": {"scale": {"s0": 1.0}}}
    for topic in topics:
        one = draw(listed)
        other = draw(st.one_of(listed, st.just(one), st.permutations(one)))
        for run, ranking in (("x", one), ("y", other)):
            if ranking:
                tied = draw(st.booleans())
                runs[run][topic] = dict.fromkeys(ranking, 1.0) if tied else _scored(list(ranking))
        judged = draw(st.dictionaries(st.sampled_from("abcdefop"), grade, max_size=6)) if pool else {}
        qrels[topic] = judged or {"o": pool[0] if pool else 0}
    return Collection(qrels if pool else None, runs)


def some(texts: Iterable[str] = EVERY) -> st.SearchStrategy[list[str]]:
    """A few measures: all together take too long for every example."""
    return st.lists(st.sampled_from(list(texts)), min_size=8, max_size=12, unique=True)


def named(texts: Iterable[str]) -> list[Measure]:
    return [measure(text) for text in texts]


UNLIKE = {type(each) for each in named(UNLIKE_GRADE_0)}


def is_interval(chosen: Measure) -> bool:
    return str(chosen).split("@")[0] in {text.split("@")[0] for text in INTERVALS}


def depth_of(chosen: Measure, depth: int | None = None) -> int | None:
    return Task.prepare(chosen, depth, "exact").depth


def grades_of(chosen: Measure, collection: Collection) -> tuple[float, ...]:
    return tuple(possible_grades(getattr(chosen, "of_measure", chosen), collection.levels).tolist())


class Labelings:
    """What all labels give: each labeling of each topic is evaluated, completed, as a topic of its own."""

    def __init__(self, collection: Collection, depth: int | None = None) -> None:
        self.collection = collection
        self.depth = depth
        self.differences: dict[str, dict[str, dict[tuple[float, ...], float]]] = {}

    def of(self, chosen: list[Measure]) -> Labelings:
        """Evaluate measures; those with the same grades and the same depth at once."""
        alike: dict[tuple[tuple[float, ...], int | None], list[Measure]] = {}
        for each in chosen:
            key = (grades_of(each, self.collection), depth_of(each, self.depth))
            alike.setdefault(key, []).append(each)
        for (grades, depth), several in alike.items():
            self._evaluate(several, grades, depth)
        return self

    def _evaluate(self, chosen: list[Measure], grades: tuple[float, ...], depth: int | None) -> None:
        whole = self.collection
        qrels: dict[str, dict[str, float]] = {"scale": {f"s{i}": g for i, g in enumerate((*whole.levels, *grades))}}
        runs: dict[str, dict[str, dict[str, float]]] = {run: {"scale": {"s0": 1.0}} for run in whole.runs}
        places: dict[str, tuple[str, tuple[float, ...]]] = {}
        for topic in whole.topics:
            free = whole.free(topic, depth)
            if len(grades) ** len(free) > MOST:
                continue
            for labels in product(grades, repeat=len(free)):
                name = f"{topic}-{len(places)}"
                places[name] = topic, labels
                # A document that nobody has, so that no topic is without any: of grade 0 it counts for nothing here.
                qrels[name] = {**whole.judged(topic), **dict(zip(free, labels, strict=True))} or {"nobody": 0.0}
                for run, topics in runs.items():
                    if ranking := whole.ranking(run, topic, depth):
                        topics[name] = _scored(ranking)
        found = evaluate(qrels, runs, chosen)
        values = np.where(np.isnan(found.values), 0.0, found.values)
        at = {topic: i for i, topic in enumerate(found.topics)}
        for number, each in enumerate(chosen):
            mine = self.differences.setdefault(str(each), {})
            for name, (topic, labels) in places.items():
                difference = float(values[number, 0, at[name]] - values[number, 1, at[name]])
                mine.setdefault(topic, {})[labels] = difference


def near(value: float, other: float) -> bool:
    return abs(value - other) <= TOLERANCE * max(1.0, abs(value), abs(other))


def values_of(report: MedReport, number: int, topic: int, pair: int = 0) -> dict[str, float]:
    return {
        name: float(getattr(report, name)[number, pair, topic])
        for name in ("up", "down", "up_bound", "down_bound", "difference", "distance", "bound", "exact")
    }


# Against all labels --------------------------------------------------------------------------------------------------


@many_examples(60, collection=collections(), depth=st.sampled_from([None, None, None, 2, 3]), texts=some())
def test_what_all_labels_give(collection: Collection, depth: int | None, texts: list[str]) -> None:
    report = med(read(collection.qrels, collection.runs), texts, depth=depth, labels=True)
    truth = Labelings(collection, depth).of(list(report.measures)).differences
    for number, chosen in enumerate(report.measures):
        for place, topic in enumerate(report.topics):
            by_labels = truth[str(chosen)].get(topic)
            if by_labels is None:
                continue
            largest, smallest = max(by_labels.values()), min(by_labels.values())
            got, about = values_of(report, number, place), (str(chosen), topic)
            assert near(got["up_bound"], largest) or got["up_bound"] > largest, about
            assert near(got["down_bound"], -smallest) or got["down_bound"] > -smallest, about
            if got["exact"]:
                assert near(got["distance"], max(largest, -smallest)), about
            if not is_interval(chosen):  # exact in both directions
                assert got["exact"], about
                assert near(got["up"], largest), about
                assert near(got["down"], -smallest), about
            labels = {each.document: each.grade for each in report.labels if each[2:4] == about}
            free = collection.free(topic, depth_of(chosen, depth))
            assert set(labels) <= set(free), about
            reached = by_labels[tuple(labels.get(doc, 0.0) for doc in free)]
            assert near(reached, got["up"] if got["up"] >= got["down"] else -got["down"]), about


@many_examples(30, collection=collections(), depth=st.sampled_from([None, 2]), texts=some())
def test_the_difference_as_judged_is_that_of_evaluate_and_not_beyond_the_distance(
    collection: Collection, depth: int | None, texts: list[str]
) -> None:
    # Measures with an unreachable threshold are refused.
    texts = [text for text in texts if not find_threshold_problems(named([text]), collection.levels)]
    assume(texts)
    report = med(read(collection.qrels, collection.runs), texts, depth=depth)
    if collection.qrels is None:
        assert not report.difference.any()
        return
    values = evaluate(collection.qrels, collection.cut(depth).runs, report.measures).values
    assert np.allclose(report.difference[:, 0], values[:, 0] - values[:, 1], rtol=0, atol=TOLERANCE)
    beyond = np.abs(report.difference) > report.bound + TOLERANCE
    for chosen, where in zip(report.measures, beyond, strict=True):
        told = any(note.startswith(f"{chosen}: distinguishes unjudged") for note in report.notes)
        assert told == where.any(), chosen
        assert not told or type(chosen) in UNLIKE, chosen


@many_examples(30, collection=collections(), texts=some([*FAMILIES, *NO_ALGORITHM, *UNLIKE_GRADE_0]))
def test_exhaustive_search_gives_the_same(collection: Collection, texts: list[str]) -> None:
    if any(5 ** len(collection.free(topic, None)) > 4000 for topic in collection.topics):
        return
    one = med(read(collection.qrels, collection.runs), texts)
    other = med(read(collection.qrels, collection.runs), texts, method="exhaustive")
    assert other.exact.all()
    for name in ("up", "down", "up_bound", "down_bound", "difference"):
        assert np.allclose(getattr(one, name), getattr(other, name), rtol=TOLERANCE, atol=TOLERANCE), name


@many_examples(25, collection=collections(), depth=st.sampled_from([None, 2]), texts=some())
def test_runs_can_be_exchanged(collection: Collection, depth: int | None, texts: list[str]) -> None:
    swapped = dict(reversed(collection.runs.items()))
    one, other = (med(read(collection.qrels, runs), texts, depth=depth) for runs in (collection.runs, swapped))
    for name, turned in (("up", "down"), ("up_bound", "down_bound"), ("distance", "distance"), ("bound", "bound")):
        assert np.allclose(getattr(one, name), getattr(other, turned), rtol=TOLERANCE, atol=TOLERANCE), name
    assert np.allclose(one.difference, -other.difference, rtol=TOLERANCE, atol=TOLERANCE)
    frames = [report.table("topics").frame for report in (one, other)]
    assert np.allclose(frames[0]["largest"], -frames[1]["smallest"], rtol=TOLERANCE, atol=TOLERANCE)


@many_examples(50, collection=collections(POOLS[:8]), which=st.integers(0, 99), grade=st.integers(0, 99), texts=some())
def test_judging_one_more_document_never_raises_it(
    collection: Collection, which: int, grade: int, texts: list[str]
) -> None:
    """The labelings that remain are among those that there were, whatever the measure, if two things are so.

    The document stands within the depth of the measure in one of the lists (further down it could not be labelled
    before), and its grade is one of the scale, so that the other grades still mean the same.
    """
    assert collection.qrels is not None
    possible = collection.free("q1", 2)
    known = [level for level in collection.levels.tolist() if level >= 0]
    if not possible:
        return
    judged = {**collection.judged("q1"), possible[which % len(possible)]: known[grade % len(known)]}
    before = med(read(collection.qrels, collection.runs), texts)
    after = med(read({**collection.qrels, "q1": judged}, collection.runs), texts)
    highest = np.where(before.exact, before.distance, before.bound)
    worse = (after.distance > highest + TOLERANCE * np.maximum(1, highest)).any(axis=(1, 2))
    assert not worse.any(), [text for text, bad in zip(before.measures, worse, strict=True) if bad]
    assert (after.up <= before.up_bound + TOLERANCE * np.maximum(1, np.abs(before.up_bound))).all()
    assert (after.down <= before.down_bound + TOLERANCE * np.maximum(1, np.abs(before.down_bound))).all()


# An empty ranking is worth 0 to them, whatever is relevant.
NOTHING_FOR_NOTHING = (*FAMILIES, "nERR@3", "SetAP", "IPrec@0.5", "NERR8@3", "bpref", "INST(T=2)", "BPM(T=1)@3")


@many_examples(40, collection=collections(POOLS[:9]), texts=some(NOTHING_FOR_NOTHING))
def test_against_an_empty_ranking_it_is_what_completions_allow(collection: Collection, texts: list[str]) -> None:
    runs = {"x": collection.runs["x"], "y": {"scale": {"s0": 1.0}}}
    alone = replace(collection, runs=runs)
    campaign = read(alone.qrels, alone.runs)
    report = med(campaign, texts)
    for number, chosen in enumerate(report.measures):
        inner = getattr(chosen, "of_measure", chosen)
        for topic, rankings in enumerate(campaign.rankings()):
            if rankings.topic == "scale":
                continue
            judged = rankings.top(depth_of(chosen)).select([0]).to_judged()
            bounds = bound_values(inner, judged, outside=0, tail=False)
            got, about = values_of(report, number, topic), (str(chosen), rankings.topic)
            assert bounds.exact[0], about
            assert near(got["up_bound"], bounds.high[0]), about
            assert near(-got["down_bound"], bounds.low[0]), about


def larger(seed: int, documents: int = 24) -> Collection:
    """Lists that are too long to try all labels."""
    rng = np.random.default_rng(seed)
    names = [f"d{i:02}" for i in range(documents)]
    pool = [(0, 1), (0, 1, 2, 3), (-1, 0, 1, 2)][seed % 3]
    qrels: dict[str, dict[str, float]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {"x": {}, "y": {}}
    for topic in ("q1", "q2"):
        share = rng.choice([0.0, 0.3, 0.6])
        judged = {doc: float(rng.choice(pool)) for doc in [*names, "o1", "o2"] if rng.random() < share}
        qrels[topic] = judged or {"o1": 1.0}
        for run in runs.values():
            run[topic] = _scored(rng.permutation(names)[: rng.integers(5, documents)].tolist())
    qrels["scale"] = {f"s{i}": float(grade) for i, grade in enumerate(pool)}
    return Collection(qrels, runs)


LARGER = ("bpref", "Twist@40", "nERR@10", "INST(T=2)", "Accuracy@10", "SetAP", "MeanNDCG@20", "Q", "P@10", "nDCG@10")


@pytest.mark.parametrize(("seed", "depth"), [(0, None), (1, 12), (2, None)])
def test_reported_labels_written_into_the_qrels_give_the_distance(seed: int, depth: int | None) -> None:
    collection = larger(seed)
    assert collection.qrels is not None
    report = med(read(collection.qrels, collection.runs), [*FAMILIES, *LARGER], depth=depth, labels=True)
    by_name = report.label_frame().partition_by("measure", "topic", as_dict=True)
    for number, chosen in enumerate(report.measures):
        cut = collection.cut(depth_of(chosen, depth))
        full = {}
        for topic in collection.topics:
            judged = {**collection.judged(topic), **dict.fromkeys(cut.free(topic, None), 0.0)}
            found = by_name.get((str(chosen), topic))
            labels = {} if found is None else dict(found.select("document", "grade").rows())
            assert set(labels) <= set(cut.free(topic, None)), chosen
            full[topic] = {**judged, **labels}
        values = evaluate(full, cut.runs, chosen).values[0]
        for place, topic in enumerate(collection.topics):
            got = values_of(report, number, place)
            wanted = got["up"] if got["up"] >= got["down"] else -got["down"]
            assert near(float(values[0, place] - values[1, place]), wanted), (str(chosen), topic)
            assert got["distance"] <= got["bound"] + TOLERANCE
            assert abs(got["difference"]) <= got["bound"] + TOLERANCE or str(chosen) == "bpref"


# Small cases by hand -------------------------------------------------------------------------------------------------

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
    every = report.table("topics").frame
    assert every.columns == COLUMNS
    assert every.schema == frame.schema
    assert every.select("measure", "topic").rows() == [
        *(("P@2", "1"), ("P@2", "2"), ("P@2", "all")),
        *(("RR", "1"), ("RR", "2"), ("RR", "all")),
    ]
    # RR, topic 1: a is relevant, so that x has 1; y has 1/2 if b, its first document, is not relevant, else 1.
    assert every.filter(measure="RR").drop("run_a", "run_b", "measure").rows() == [
        ("1", 0.5, 0.5, "a", True, 0.5, 0.5, 0.0, 0.5),
        ("2", 0.0, 0.0, "-", True, 0.0, 0.0, 0.0, 0.0),
        ("all", 0.25, 0.25, None, True, 0.25, 0.25, 0.0, 0.25),
    ]
    assert str(every["smallest"][1]) == "0.0"  # not -0.0
    assert not report.exact.all() or frame["exact"].all()


@many_examples(15, collection=collections(topics=("q1", "q2")), texts=some())
def test_means_are_over_topics(collection: Collection, texts: list[str]) -> None:
    report = med(read(collection.qrels, collection.runs), texts)
    every = report.table("topics").frame
    means = report.frame()
    topics = every.filter(pl.col("topic") != ALL)
    by_hand = topics.group_by("measure", maintain_order=True).agg(
        pl.col("med", "difference", "low", "high", "smallest", "largest").mean(), pl.col("exact").all()
    )
    assert by_hand["measure"].to_list() == means["measure"].to_list()
    assert by_hand["exact"].to_list() == means["exact"].to_list()
    for name in ("med", "difference", "low", "high", "smallest", "largest"):
        assert np.allclose(by_hand[name], means[name], rtol=1e-12, atol=1e-12), name
    assert every.filter(topic=ALL).equals(means)
    numbers = topics.drop("run_a", "run_b", "measure", "topic", "direction", "exact")
    assert numbers.select((pl.max_horizontal(-pl.col("smallest"), "largest") - pl.col("high")).abs().max()).item() == 0
    assert (topics["direction"] == "-").to_list() == (topics["med"] <= 1e-12).to_list()


def test_a_topic_may_have_the_name_of_the_mean() -> None:
    report = med(read(runs={"x": {"all": {"a": 1.0}}, "y": {"all": {"b": 1.0}}}), "P@1")
    assert report.table("topics").frame["direction"].to_list() == ["a", None]


def test_labels() -> None:
    report = med(read(QRELS, {name: RUNS[name] for name in "xyz"}), ["RR", "AP"], labels=True)
    # Topic 1: a is relevant, c not. Against z = d, x = a b c has RR = 1 whatever b is, y = b a d only with b.
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


def test_the_first_run_with_each_of_the_others() -> None:
    report = med(read(QRELS, RUNS), "RR", first=True)
    assert report.pairs.tolist() == [[0, 1], [0, 2]]
    assert report.frame().select("run_a", "run_b").rows() == [("x", "y"), ("x", "z")]
    assert np.isnan(report.matrix(measure("RR"))[1, 2])


def test_without_qrels_the_topics_are_those_of_any_run() -> None:
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
    with pytest.raises(InputError, match=r"x: shares no topic with another run \(it has 1; the others have 2"):
        med(read(runs={"x": {"1": {"a": 1.0}}, "y": {"2": {"a": 1.0}}}), "AP")


def test_a_residual_is_that_behind_the_depth() -> None:
    deep = {"x": {"1": {f"d{i}": -float(i) for i in range(9)}}, "y": {"1": {f"d{i}": float(i) for i in range(9)}}}
    cut, whole = (med(read(runs=deep), "RBP(p=0.8)", depth=2, residual=residual) for residual in (False, True))
    assert whole.distance[0, 0, 0] == pytest.approx(cut.distance[0, 0, 0] + 0.8**2)


def test_distances_within_an_interval_are_noted() -> None:
    many = {
        "x": {"1": {f"d{i:02}": -float(i) for i in range(14)}},
        "y": {"1": {f"d{i:02}": float(i) for i in range(14)}},
    }
    report = med(read({"1": {"e": 1}}, many), "bpref")
    assert report.notes[0] == "bpref: 1 of 1 distance not exact, but known to lie between low and high; med is low"
    assert report.matrix("bpref").shape == (2, 2)
    with pytest.raises(MeasureError, match="measure 'AP': not in this report; choose one of bpref"):
        report.matrix("AP")


def test_nothing_is_judged_or_everything() -> None:
    everything = {"1": {"a": 1, "b": 0, "c": 1, "d": 0}, "2": {"a": 1}}
    report = med(read(everything, RUNS), EVERY)
    assert np.allclose(report.distance, np.abs(report.difference))
    same = med(read(runs={"x": RUNS["x"], "y": RUNS["x"]}), EVERY)
    assert not same.bound.any()
    assert same.exact.all()


def test_progress() -> None:
    told: list[tuple[int, int]] = []
    med(read(QRELS, RUNS), "RR", progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]


def test_notes() -> None:
    report = med(read(QRELS, {**RUNS, "z": {"1": {"d": 1.0}, "9": {"d": 1.0, "e": 2.0}}}), "RR")
    [ignored, missing] = report.notes
    assert "1 topic without judgments ignored (2 documents): 9" in ignored
    assert "lacks 1 of the 2 topics of the qrels; counted as empty rankings" in missing
    for method in ("greedy", "greedy-on", "tabu"):
        report = med(read(runs=RUNS), ["AP", "SSP@3"], method=method)
        assert report.notes[0] == f"AP, SSP@3: {method} finds a lower bound of the distance, not always the distance"
        assert not report.exact.any()
        assert np.isinf(report.frame()["high"].to_numpy()).all()
    missing = "z: lacks 1 of the 2 topics of all runs; counted as empty rankings"
    assert med(read(runs=RUNS), "AP", method="exhaustive").notes == (missing,)


def test_measures_that_are_not_means_over_topics_are_noted() -> None:
    report = med(read(QRELS, RUNS), ["GM(AP)", "NumRelRet", "AP"])
    told = "distances are aggregated by their mean over topics, not by the"
    assert [note for note in report.notes if told in note] == [
        f"GM(AP): {told} geometric mean",
        f"NumRelRet: {told} sum",
    ]
    assert (report.distance[0] == report.distance[2]).all()


def test_what_is_judged_so_far_may_lie_beyond_what_labels_reach() -> None:
    """bpref skips unjudged documents; labelled 0 they are judged, and each of them costs less."""
    runs = {
        "x": {"q": _scored(["n", "r", "u", "v"])},
        "y": {"q": _scored(["r", "n", "u", "v"])},
    }
    report = med(read({"q": {"n": 0, "r": 1, "o": 1, "p": 1}}, runs), ["bpref", "AP"])
    assert report.difference[0, 0, 0] == pytest.approx(-1 / 3)
    assert report.distance[0, 0, 0] == pytest.approx(1 / 5)
    [note] = report.notes
    assert note.startswith("bpref: distinguishes unjudged documents from those of grade 0")
    assert note.endswith("here 1 time")


def test_infinite_values_and_those_that_are_no_number() -> None:
    runs = {"x": {"q": _scored(["a", "b"]), "r": {"a": 1.0}}, "y": {"q": _scored(["c", "d"]), "r": {"b": 1.0}}}
    report = med(read({"q": {"a": 1}, "r": {"b": 1}}, runs), ["BalancePoint", "CRPN@2"], labels=True)
    infinite = report.table("topics").frame.filter(measure="BalancePoint@2")
    assert infinite["med"].to_list() == [np.inf] * 3
    assert infinite["difference"].to_list()[:2] == [-np.inf, np.inf]
    assert infinite["difference"].to_list()[2] is None  # in both directions
    assert infinite["exact"].all()
    assert report.frame()["measure"].to_list() == ["BalancePoint@2", "CRPN@2"]
    none = med(read({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0}}}), "CRPN(length=asis)@2")
    row = none.table("topics").frame.row(0, named=True)
    assert row["topic"] == "q"


def test_provenance() -> None:
    told = med(read(QRELS, RUNS, ties="file", seed=5), "AP").provenance
    assert [(each.role, each.name) for each in told.inputs][1:] == [("run", "x"), ("run", "y"), ("run", "z")]
    assert told.inputs[0].role == "qrels"
    assert (told.policies.ties, told.policies.seed) == ("file", 5)
    assert [each.role for each in med(read(runs=RUNS), "AP").provenance.inputs] == ["run"] * 3


def test_how_is_kept() -> None:
    report = med(read(runs=RUNS), "RBP(p=0.8)", depth=7, residual=True, seed=5)
    assert (report.depth, report.method, report.residual, report.seed) == (7, "exact", True, 5)


# Depth ---------------------------------------------------------------------------------------------------------------


def test_depth_is_the_cutoff_of_measures_without_one() -> None:
    asked = ["AP", "nDCG@2", "RBP(p=0.8)", "P@9", "Rprec", "GM(AP)", "Condensed(AP)", "Twist"]
    report = med(read(runs=RUNS), asked, depth=5)
    written = "AP@5, nDCG@2, RBP(p=0.8)@5, P@9, Rprec, GM(AP@5), Condensed(AP@5), Twist@5"
    assert ", ".join(map(str, report.measures)) == written


@many_examples(20, collection=collections(), texts=some())
def test_lists_are_cut_before_labels_are_chosen(collection: Collection, texts: list[str]) -> None:
    """The same as comparing lists that are no longer than that; a smaller cutoff of the measure's own wins."""
    asked = [*texts, "nDCG@9", "AP@9", "Q(gains=binary)@9"]
    report = med(read(collection.qrels, collection.runs), asked, depth=2)
    cut = med(read(collection.qrels, collection.cut(2).runs), report.measures)
    for name in ("up", "down", "up_bound", "down_bound", "difference"):
        assert np.allclose(getattr(report, name), getattr(cut, name), rtol=TOLERANCE, atol=TOLERANCE), name
    own = med(read(collection.qrels, collection.runs), ["AP@2", "nDCG@2", "GM(AP@2)"], depth=9)
    alone = med(read(collection.qrels, collection.cut(2).runs), ["AP@2", "nDCG@2", "GM(AP@2)"])
    assert np.allclose(own.distance, alone.distance, rtol=TOLERANCE, atol=TOLERANCE)


def test_a_condensed_measure_looks_past_its_cutoff_only_where_documents_are_unjudged() -> None:
    runs = {"x": {"q": _scored(["u", "v", "a"])}, "y": {"q": _scored(["b", "u", "v"])}}
    qrels = {"q": {"a": 1, "b": 0, "c": 1}}
    report = med(read(qrels, runs), "Condensed(AP@1)", labels=True)
    assert report.difference[0, 0, 0] == 0.5  # a is the first judged document of x
    assert report.up[0, 0, 0] == pytest.approx(1 / 3)  # but its first document is u
    assert [each.document for each in report.labels] == ["u"]
    assert med(read(qrels, runs), "Condensed(AP@1)", depth=2).difference[0, 0, 0] == 0


def test_measures_of_effort_have_one_length_for_all_topics_and_pairs() -> None:
    qrels = {"q": {"a": 1, "b": 0}, "r": {"a": 1}}
    long = _scored([f"d{i}" for i in range(8)])
    runs = {
        "x": {"q": _scored(["b", "a"]), "r": {"a": 1.0}},
        "y": {"q": _scored(["a", "b"]), "r": {"a": 1.0}},
        "z": {"r": long},
    }
    report = med(read(qrels, runs), "Twist", first=True)
    values = evaluate(qrels, runs, "Twist").values[0]
    assert np.allclose(report.difference[0], values[0] - values[1:])
    assert [str(each) for each in report.measures] == ["Twist@8"]
    assert report.distance[0, 0].tolist() == pytest.approx(np.abs(report.difference[0, 0]).tolist())


# What is refused -----------------------------------------------------------------------------------------------------


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
def test_refused(measures: Any, options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        med(read(runs=RUNS), measures, **options)


def test_ties_must_be_broken() -> None:
    with pytest.raises(PolicyError, match="ties 'expected'"):
        med(read(runs=RUNS, ties="expected"), "AP")


def test_unjudged_documents_stay_in_the_rankings() -> None:
    plain, condensed = (med(read(QRELS, RUNS, unjudged=how), EVERY) for how in ("nonrelevant", "condensed"))
    assert condensed.table("topics").frame.equals(plain.table("topics").frame)


def test_what_is_no_campaign_is_refused() -> None:
    with pytest.raises(InputError, match="campaign must be a campaign"):
        med(QRELS, "AP")  # type: ignore[arg-type]


def test_two_runs_are_needed() -> None:
    with pytest.raises(InputError, match="runs: need at least two runs to compare, found 1"):
        med(read(runs={"x": RUNS["x"]}), "AP")


def test_exhaustive_search_has_a_limit() -> None:
    runs = {name: {"q": {f"{name}{i}": float(i) for i in range(11)}} for name in "xy"}
    with pytest.raises(InputError, match="topic q: 2 grades for 22 unjudged documents are more than 1048576 labelings"):
        med(read(runs=runs), "AP", method="exhaustive")
    assert med(read(runs=runs), "AP", method="exhaustive", depth=5).exact.all()


def test_methods() -> None:
    """The smallest case in which the greedy labels are not the best (A-004-6), and max-grade labels (A-004-5)."""
    runs = {"y": {"q": _scored(list("ABCDEF"))}, "z": {"q": _scored(list("DBaCbc"))}}
    qrels = {"q": {"A": 1, "D": 0, "E": 1, "F": 0, "a": 1, "b": 1, "c": 1}}
    found = {
        method: float(med(read(qrels, runs), "AP@6", method=method).up[0, 0, 0])
        for method in ("exact", "exhaustive", "greedy", "greedy-on", "tabu")
    }
    right = pytest.approx(0.25 / 7)
    assert found == {
        "exact": right,
        "exhaustive": right,
        "greedy": pytest.approx(1 / 30),
        "greedy-on": right,
        "tabu": right,
    }
    graded = {"y": {"q": _scored(["A", "B"])}, "z": {"q": _scored(["C", "D"])}}
    judged = {"q": {"A": 1, "C": 0, "D": 0, "E": 1}, "other": {"s": 2}}
    by_method = [
        med(read(judged, graded, lenient=True), "nDCG(gains=exp12)@2", method=method).up[0, 0, 1]
        for method in ("exact", "max-grade", "exhaustive")
    ]
    assert by_method == pytest.approx([1, 0.797, 1], abs=5e-4)


def test_residual() -> None:
    runs = {"x": {"q": {"a": 1.0}}, "y": {"q": _scored(["a", "b"])}}
    plain, more = (med(read(runs=runs), "RBP(p=0.5)", residual=residual) for residual in (False, True))
    assert (plain.up[0, 0, 0], plain.down[0, 0, 0]) == (0, 0.25)
    assert (more.up[0, 0, 0], more.down[0, 0, 0]) == (0.5, 0.5)


def test_ties_decide_the_order() -> None:
    tied = {"x": {"q": {"a": 1.0, "b": 1.0}}, "y": {"q": {"b": 2.0, "a": 1.0}}}
    assert med(read(runs=tied), "RR").distance[0, 0, 0] == 0  # b before a: ids descend
    assert med(read(runs=tied, ties="file"), "RR").distance[0, 0, 0] == 0.5


# Real runs -----------------------------------------------------------------------------------------------------------


def test_real_runs() -> None:
    folder = real("trec8-adhoc")
    qrels, runs = folder / "qrels.trec8.adhoc.txt.gz", sorted((folder / "runs").iterdir())[:10]
    for judgments, chosen, used in ((qrels, "AP@100", runs[:2]), (qrels, "nDCG@10", runs), (None, "AP@100", runs[:2])):
        report = med(read(judgments, used), chosen)
        assert report.distance.shape == (1, len(used) * (len(used) - 1) // 2, 50)
        assert report.exact.all()
        assert (np.abs(report.difference) <= report.distance + 1e-12).all()
        if judgments is None:
            assert report.distance.min() > 0
            continue
        values = evaluate(qrels, used, chosen).values[0]
        a, b = report.pairs.T
        assert np.allclose(report.difference[0], values[a] - values[b], rtol=0, atol=1e-12)
        undecided = report.distance - np.abs(report.difference)
        assert (undecided.max() > 0.1) == (chosen == "nDCG@10")  # the first two runs were pooled down to rank 100


# Tables and summary ----------------------------------------------------------------------------------------------

MEAN = ["measure", "run", "other run", "MED", "difference", "lowest", "highest"]


def test_tables() -> None:
    report = med(read(QRELS, RUNS), "AP", labels=True)
    table = check_report(report)
    assert table.compact.columns == MEAN
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
    assert report.table().compact.columns == [*MEAN[:3], "MED at least", "difference"]
    assert json.loads(render(report, "json"))["rows"][0]["high"] == "inf"


def test_a_matrix_is_of_one_measure() -> None:
    table = check_report(med(read(QRELS, RUNS), "RR"), "matrix")
    assert table.name == "pairs"
    report = med(read(QRELS, RUNS), "RR")
    matrix = report.table("matrix").frame
    assert matrix.columns == ["run", "x", "y", "z"]
    assert matrix.drop("run").to_numpy().tolist() == report.matrix("RR").tolist()
    assert med(read(QRELS, RUNS), "RR", first=True).table("matrix").frame.row(1)[3] is None
    with pytest.raises(InputError, match="a matrix shows one measure; name one instead of AP, RR"):
        med(read(QRELS, RUNS), ["AP", "RR"]).table("matrix")


def test_settings() -> None:
    settings = med(read(QRELS, RUNS), "AP", depth=2, method="tabu", seed=4).provenance.settings
    assert settings == {"measures": ["AP@2"], "depth": 2, "method": "tabu", "residual": False, "seed": 4}


def test_summary() -> None:
    qrels = {"q": {"a": 1, "b": 0}}
    ahead = {"good": {"q": {"a": 2.0, "x": 1.0}}, "bad": {"q": {"b": 2.0, "y": 1.0}}}
    assert med(read(qrels, ahead), ["P@1", "P@2"]).summary() == (
        "By P@1 good stays ahead of bad whatever labels their unjudged documents get. "
        "By P@2 the judgments leave the order of good and bad open."
    )
    back = {"bad": ahead["bad"], "good": ahead["good"]}
    assert med(read(qrels, back), "P@1").summary().startswith("By P@1 good stays ahead of bad")
    same = {"one": ahead["good"], "two": ahead["good"]}
    assert med(read(qrels, same), "P@2").summary() == (
        "By P@2 one and two stay tied whatever labels their unjudged documents get."
    )
    three = med(read(qrels, {**ahead, "copy": ahead["bad"]}), ["P@1", "P@2"]).summary()
    assert "No labels of unjudged documents change the order of 3 of 3 pairs of runs by P@1, 1 by P@2." in three
    assert "Closest by P@1: bad and copy (mean MED 0.0000)." in three

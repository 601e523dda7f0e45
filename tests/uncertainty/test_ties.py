"""Effect of ties, compared with all orders of tied documents and with evaluate."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from functools import cache
from itertools import permutations, product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import assume
from hypothesis import strategies as st

import assay
from assay import uncertainty
from assay.measures import Additive, Measure, catalogue, measure
from assay.model import Run, random_orders
from assay.model.judged import Judged
from assay.model.policies import TIES, Policies
from assay.uncertainty._ties import COUNTS, ORDERS, PRECISIONS, orders
from real_data import real
from report_contract import check_report
from strategies import Collection, close, many_examples, refuses

EXPECTED = Policies(ties="expected")
PAGE = Path(__file__).parents[2] / "docs" / "concepts" / "ties.md"


# Every measure declared as swap monotone, on all orders of many small rankings ------------------------------------


@dataclasses.dataclass(frozen=True)
class Case:
    """Rankings of tied groups for one topic; *orders* has all orders of the first ranking, then of the second, …"""

    groups: list[list[list[float | None]]]
    counts: dict[float, int]
    tied: Judged
    orders: Judged
    first: np.ndarray


def list_orders(group: list[float | None]) -> list[tuple[float | None, ...]]:
    return sorted(set(permutations(group)), key=str)


def tied_rankings(
    rankings: list[list[list[float | None]]], extra_counts: dict[float, int]
) -> tuple[dict[float, int], Judged]:
    """Return the number of judged documents by grade, and the rankings of tied groups."""
    flat = [[grade for group in groups for grade in group] for groups in rankings]
    counts = {grade: extra + max(ranking.count(grade) for ranking in flat) for grade, extra in extra_counts.items()}
    tied = [index > 0 for groups in rankings for group in groups for index in range(len(group))]
    return counts, Collection((counts,), tuple((0, tuple(ranking)) for ranking in flat)).to_judged(EXPECTED, tied)


def make_case(rankings: list[list[list[float | None]]], extra_counts: dict[float, int]) -> Case:
    counts, tied = tied_rankings(rankings, extra_counts)
    orders_by_ranking = [
        [sum(groups_in_order, ()) for groups_in_order in product(*map(list_orders, groups))] for groups in rankings
    ]
    return Case(
        rankings,
        counts,
        tied,
        Collection((counts,), tuple((0, ranking) for orders in orders_by_ranking for ranking in orders)).to_judged(),
        np.cumsum([0, *map(len, orders_by_ranking)])[:-1],
    )


@cache
def make_cases() -> list[Case]:
    rng = np.random.default_rng(8)
    result = []
    for pool in ((0, 1), (-1, 0, 1), (0, 1, 2, 3), (-2, -1, 0, 0.5, 1, 2), (0, 1, 1.7, 1e6)) * 2:
        rankings: list[list[list[float | None]]] = []
        while len(rankings) < 25:
            # Untied documents come first, so that groups begin at any rank. Unjudged documents are drawn more often.
            groups: list[list[float | None]] = [[grade] for grade in draw_grades(rng, pool, rng.integers(0, 4))]
            groups += [draw_grades(rng, pool, rng.integers(1, 5)) for _ in range(rng.integers(1, 4))]
            if math.prod(len(list_orders(group)) for group in groups) <= 150:
                rankings.append(groups)
        result.append(make_case(rankings, {grade: int(rng.integers(0, 3)) for grade in pool}))
    return result


def draw_grades(rng: np.random.Generator, pool: tuple[float, ...], size: int) -> list[float | None]:
    return [(None, None, *pool)[i] for i in rng.integers(0, len(pool) + 2, size)]


def list_variants(cls: type[Measure]) -> list[Measure]:
    """Return the examples of a measure, and these with cutoffs within short rankings."""
    measures = [measure(text) for text in cls.examples]
    if "cutoff" in {field.name for field in dataclasses.fields(cls)}:
        measures += [example @ cutoff for example in measures for cutoff in (1, 2, 3, 5)]
    return list(dict.fromkeys(measures))


def get_tie_key(tested_measure: Measure, judged: Judged) -> np.ndarray | None:
    return tested_measure.tie_key(judged)


def find_counterexample(tested_measure: Measure, tie_key: object = get_tie_key) -> str | None:
    """Return a ranking with an order beyond the values of best first and best last, or None."""
    for case in make_cases():
        if refuses(getattr(tested_measure, "of_measure", tested_measure), Collection((case.counts,), ()).top):
            continue
        key = tie_key(tested_measure, case.tied)
        if key is None:
            return "has no tie key"
        values_of_orders = tested_measure.score(case.orders)
        low, high = (
            tested_measure.score(case.tied.sort_ties(key, best_first=best_first)) for best_first in (False, True)
        )
        margin = 1e-12 * np.maximum(1, np.abs(high))
        is_beyond = np.maximum.reduceat(values_of_orders, case.first) > high + margin
        is_beyond |= np.minimum.reduceat(values_of_orders, case.first) < low - margin
        if is_beyond.any():
            return f"{tested_measure} of {case.groups[int(np.argmax(is_beyond))]}, judged {case.counts}"
    return None


@pytest.mark.parametrize("cls", [pytest.param(cls, id=name) for name, cls in catalogue().items()])
def test_declared_swap_monotone_measures_have_no_counterexample(cls):
    for variant in list_variants(cls):
        if variant.tie_key(make_cases()[0].tied) is not None:
            example = find_counterexample(variant)
            assert example is None, f"{example}: set swap_monotone = False"


@pytest.mark.parametrize("text", ["infAP", "BPM(T=1)@10"])
def test_a_false_declaration_has_a_counterexample(text):
    def use_gain_as_key(tested_measure: Measure, judged: Judged) -> np.ndarray:
        return tested_measure.gain(judged) if hasattr(tested_measure, "gain") else judged.relevance(1)

    assert find_counterexample(measure(text), use_gain_as_key) is not None


def test_relevant_documents_without_gain_precede_others():
    without_gain = measure("SFT(gains={1:0,2:3})@2")
    assert find_counterexample(without_gain) is None
    assert find_counterexample(without_gain, lambda tested_measure, judged: tested_measure.gain(judged)) is not None


@pytest.mark.parametrize("text", ["AP", "nDCG@2", "RR", "P@1", "bpref", "ERR@3", "RBP(p1=0.9, p2=0.5)@2"])
def test_a_wrong_tie_key_has_a_counterexample(text):
    assert (
        find_counterexample(measure(text), lambda tested_measure, judged: -tested_measure.tie_key(judged)) is not None
    )
    assert (
        find_counterexample(measure(text), lambda tested_measure, judged: np.zeros(1 + len(judged.levels))) is not None
    )


def test_measures_declared_as_swap_monotone():
    names = {name for name, cls in catalogue().items() if cls.swap_monotone}
    assert names >= {
        "AP", "AP*", "bpref", "CG", "DampedRR", "DCG", "ERR", "F", "INSQ", "IPrec", "IPrecAvg", "Judged", "MeanNDCG",
        "nCG", "nDCG", "nERR", "NumRelRet", "P", "Q", "R", "RBP", "Rprec", "RR", "RR2", "SDCG", "Shaw", "SP", "SSP",
        "Success",
    }  # fmt: skip
    assert not names & {"infAP", "BPM", "INST", "GM"}


@pytest.mark.parametrize("cls", [pytest.param(cls, id=name) for name, cls in catalogue().items() if cls.swap_monotone])
def test_every_declaration_has_a_proof(cls):
    """One proof covers all plain sums over ranks; any other measure needs a paragraph of its own."""
    if not issubclass(cls, Additive) or cls.score is not Additive.score:
        assert cls.name.replace("*", "\\*") in PAGE.read_text(), "prove it in docs/concepts/ties.md"


def test_a_geometric_mean_has_the_tie_key_of_its_measure():
    tied = make_cases()[0].tied
    assert np.array_equal(measure("GM(AP)").tie_key(tied), measure("AP").tie_key(tied))
    assert measure("GM(infAP)").tie_key(tied) is None


# The order of tied documents --------------------------------------------------------------------------------------


GROUP = st.lists(st.sampled_from([None, -1, 0, 1, 2]), min_size=1, max_size=5)


@many_examples(max_examples=100, rankings=st.lists(st.lists(GROUP, max_size=4), min_size=1, max_size=4))
def test_sort_ties_orders_groups_by_key(rankings):
    _, tied = tied_rankings(rankings, dict.fromkeys((-1, 0, 1, 2), 0))
    table = {None: 0.0, -1: 5.0, 0: 0.0, 1: 2.0, 2: -1.0}
    grades = [None, *tied.levels.tolist()]
    for best_first in (True, False):
        sorted_rankings = tied.sort_ties(np.array([table[grade] for grade in grades]), best_first=best_first)
        assert sorted_rankings.tied is None
        assert np.array_equal(sorted_rankings.start, tied.start)
        start = 0
        for groups in rankings:
            for group in groups:
                grades_of_group = [grades[code] for code in sorted_rankings.code[start : start + len(group)]]
                assert Counter(grades_of_group) == Counter(group)
                assert [table[g] for g in grades_of_group] == sorted((table[g] for g in group), reverse=best_first)
                start += len(group)


def test_sort_ties_leaves_untied_rankings_unchanged():
    judged = Judged.from_grades([[0, 1, 2], []])
    assert judged.sort_ties(np.arange(4.0), best_first=True).code.tolist() == judged.code.tolist()


@many_examples(
    max_examples=50, rankings=st.lists(st.lists(GROUP, max_size=6), min_size=1, max_size=4), sample=st.integers(0, 99)
)
def test_shuffle_ties_sorts_by_one_random_key_per_document(rankings, sample):
    _, tied = tied_rankings([[*groups[:2]] for groups in rankings], dict.fromkeys((-1, 0, 1, 2), 0))
    group, _ = tied.tie_groups()
    rank = np.arange(len(group)) - np.repeat(tied.start[:-1], np.diff(tied.start))
    keys = random_orders.draw(tied.policies.seed, sample, np.zeros(len(group), dtype=np.uint64), rank)
    expected = tied.code[np.lexsort((keys, group))]
    assert np.array_equal(tied.shuffle_ties(sample).code, expected)


def test_concatenation_of_rankings():
    tied = make_cases()[0].tied
    halves = [
        tied.select_rankings(np.arange(10)),
        tied.select_rankings(np.arange(0)),
        tied.select_rankings(np.arange(10, len(tied))),
    ]
    whole = Judged.concatenate(halves)
    for name in ("topic", "start", "code", "answered", "tied"):
        assert np.array_equal(getattr(whole, name), getattr(tied, name)), name
    assert Judged.concatenate([half.without_ties() for half in halves]).tied is None


# Reports ----------------------------------------------------------------------------------------------------------


# 0.1 and the next double are equal as 32-bit floats.
SCORES = st.sampled_from([0.1, math.nextafter(0.1, 1), 0.25, 0.5, 1e300, 2e300])
RUN = st.dictionaries(
    st.sampled_from(["1", "2", "10", "none"]), st.dictionaries(st.sampled_from("abcdefgh"), SCORES, max_size=6)
)
QRELS = st.fixed_dictionaries(
    {"1": st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([-1, 0, 1, 2]), min_size=1)},
    optional={"2": st.just({"a": 1, "b": 0, "c": 2}), "10": st.just({"d": 0})},
)
MEASURES = ("AP", "nDCG@2", "RR", "bpref", "infAP", "NumRelRet", "GM(AP)", "P@1")


def has_documents(run: dict[str, dict[str, float]]) -> bool:
    return any(run.values())


def share_topics(qrels: dict[str, dict[str, float]], run: dict[str, dict[str, float]]) -> bool:
    """Return whether the run has documents for a judged topic; reading any other run is an error."""
    return any(run.get(topic) for topic in qrels)


@many_examples(
    max_examples=40,
    qrels=QRELS,
    runs=st.lists(RUN.filter(has_documents), min_size=1, max_size=3),
    missing=st.sampled_from(["empty", "exclude"]),
    undefined=st.sampled_from(["zero", "exclude"]),
    unjudged=st.sampled_from(["nonrelevant", "condensed"]),
)
def test_values_agree_with_evaluate(qrels, runs, **policies):
    assume(all(share_topics(qrels, run) for run in runs))
    named_runs = {f"r{i}": run for i, run in enumerate(runs)}
    policies |= {"samples": 7, "seed": 3}
    report = uncertainty.ties(assay.read(qrels, named_runs, **policies), MEASURES)
    assert report.runs == tuple(named_runs)
    for order in TIES:
        values = report.values[ORDERS.index(order)]
        if order == "rank":
            assert np.isnan(values).all()
            continue
        results = assay.evaluate(qrels, named_runs, MEASURES, ties=order, **policies)
        assert np.allclose(values, results.values, rtol=1e-13, atol=1e-13, equal_nan=True), order
    low, high = report.values[ORDERS.index("min")], report.values[ORDERS.index("max")]
    for order in ("trec_eval-10", "expected"):
        value = report.values[ORDERS.index(order)]
        assert (np.isnan(value) | ((low <= value) & (value <= high))).all()


def count_ties(run: dict[str, float], grades: dict[str, float], condensed: bool, precision: type) -> list[int]:
    """Return the COUNTS of a topic from dictionaries of groups."""
    scores = {doc: score for doc, score in run.items() if not condensed or grades.get(doc, -1) >= 0}
    groups: dict[object, list[str]] = {}
    for doc, score in scores.items():
        with np.errstate(over="ignore"):
            groups.setdefault(precision(score), []).append(doc)
    tied = [docs for docs in groups.values() if len(docs) > 1]
    mixed = [docs for docs in tied if len({grades.get(doc) for doc in docs}) > 1]
    return [len(scores), sum(map(len, tied)), len(tied), max(map(len, tied), default=0), sum(map(len, mixed))]


@many_examples(
    max_examples=100, qrels=QRELS, run=RUN.filter(has_documents), unjudged=st.sampled_from(["nonrelevant", "condensed"])
)
def test_counts_agree_with_a_loop(qrels, run, unjudged):
    assume(share_topics(qrels, run))
    report = uncertainty.ties(assay.read(qrels, {"r": run}, unjudged=unjudged), "RR")
    for index, precision in enumerate((np.float64, np.float32)):
        expected = [
            count_ties(run.get(topic, {}), qrels[topic], unjudged == "condensed", precision) for topic in report.topics
        ]
        assert report.counts[index, :, 0].T.tolist() == expected


@many_examples(max_examples=40, qrels=QRELS, run=RUN.filter(has_documents))
def test_extremes_agree_with_all_orders_of_the_documents(qrels, run):
    """Each topic is evaluated once for every order that does not contradict the scores."""
    assume(share_topics(qrels, run))
    report = uncertainty.ties(assay.read(qrels, {"r": run}), ["AP", "nDCG@2", "RR", "infAP"])
    for topic in [topic for topic in run if run[topic] and topic in qrels]:
        groups: dict[float, list[str]] = {}
        for doc, score in run[topic].items():
            groups.setdefault(score, []).append(doc)
        orders = product(*(permutations(groups[score]) for score in sorted(groups, reverse=True)))
        ordered_runs = {
            f"o{i}": {topic: {doc: 1.0 for group in order for doc in group}} for i, order in enumerate(orders)
        }
        results = assay.evaluate(qrels, ordered_runs, report.measures, ties="file")
        index = report.topics.index(topic)
        for i, measure_ in enumerate(report.measures):
            low, high = (report.values[ORDERS.index(extreme), i, 0, index] for extreme in ("min", "max"))
            values = results.values[i, :, index]
            if str(measure_) != "infAP":
                assert close(low, values.min())
                assert close(high, values.max())
            else:
                assert values.min() - 1e-12 <= low <= high <= values.max() + 1e-12


def test_exactness_of_extremes_and_expected_values():
    measures = ["AP", "bpref", "infAP", "INST(T=1)", "NumRet", "GM(AP)"]
    report = uncertainty.ties(assay.read({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}), measures)
    exact = dict(zip(ORDERS, report.exact.tolist(), strict=True))
    assert exact["min"] == exact["max"] == [True, True, False, False, True, True]
    assert exact["expected"] == [True, False, False, False, True, True]
    assert all(all(exact[order]) for order in TIES if order != "expected")
    # No documents are tied.
    assert uncertainty.ties(assay.read({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}), measures).exact.all()


def test_repeated_ranks_are_noted(tmp_path):
    (tmp_path / "run").write_text("q Q0 a 0 2 t\nq Q0 b 0 1 t\nq Q0 c 1 0 t\n")
    notes = uncertainty.ties(assay.read({"q": {"a": 1}}, tmp_path / "run"), "AP").notes
    assert (
        f"{tmp_path}/run: duplicate rank of 1 document within a topic; documents with the same rank are in the order "
        "of the file" in notes
    )


def test_block_size_does_not_matter(monkeypatch):
    rng = np.random.default_rng(1)
    qrels = {f"{t}": {f"d{i}": int(rng.integers(0, 3)) for i in range(20)} for t in range(5)}
    runs = {
        f"r{j}": {t: {f"d{i}": float(rng.integers(0, 4)) for i in range(30)} for t in list(qrels)[: 5 - j]}
        for j in range(3)
    }
    whole = uncertainty.ties(assay.read(qrels, runs), MEASURES)
    for size in (1, 7, 60):
        monkeypatch.setattr(orders, "_BLOCK", size)
        assert np.array_equal(uncertainty.ties(assay.read(qrels, runs), MEASURES).values, whole.values, equal_nan=True)
    other_seed = uncertainty.ties(assay.read(qrels, runs, seed=1), MEASURES).values
    assert (other_seed != whole.values).any()


def test_random_orders_may_exceed_best_first_and_best_last():
    bpm = measure("BPM(T=1)@10")
    qrels = {"q": {"a": 0, "b": 2, "c": 3, "first": 0}}
    tied = dict.fromkeys("abc", 1.0)
    low, _ = uncertainty.ties(assay.read(qrels, {"q": tied}), bpm).values[-2:].ravel()
    assert low == bpm.of([0, 3, 2]) < min(bpm.of([0, 2, 3]), bpm.of([3, 2, 0]))
    _, high = uncertainty.ties(assay.read(qrels, {"q": {"first": 2.0, **tied}}), bpm).values[-2:].ravel()
    assert high == bpm.of([0, 2, 3, 0]) > max(bpm.of([0, 0, 2, 3]), bpm.of([0, 3, 2, 0]))


# The frame --------------------------------------------------------------------------------------------------------


TIED = {"q1": {"a": 1.0, "b": 1.0}, "q2": {"a": 2.0}}
GRADES = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}


def test_frame_of_orders():
    frame = uncertainty.ties(assay.read(GRADES, {"r": TIED}), ["RR", "infAP"]).table("orders").frame
    assert frame.columns == ["run", "measure", "topic", "ties", "value", "exact"]
    assert frame.schema["value"] == pl.Float64
    assert frame["topic"].unique().to_list() == ["all"]
    rows = frame.filter(measure="RR").select("ties", "value", "exact").rows()
    assert rows == [
        ("trec_eval-10", 0.75, True),
        ("trec_eval-9", 0.75, True),
        ("score-file", 1.0, True),
        ("score-id", 1.0, True),
        ("rank", None, True),
        ("file", 1.0, True),
        ("expected", 0.875, True),
        ("min", 0.75, True),
        ("max", 1.0, True),
    ]
    assert frame.filter(measure="infAP")["ties"].to_list() == [*TIES, "lowest seen", "highest seen"]
    assert frame.filter(measure="infAP", exact=False)["ties"].to_list() == ["expected", "lowest seen", "highest seen"]
    counts = {name: frame.filter(measure=name)["value"].to_list() for name in (*COUNTS, "share")}
    assert counts == {
        "documents": [3, 3], "tied": [2, 2], "groups": [1, 1], "largest": [2, 2], "mixed": [2, 2],
        "share": [2 / 3, 2 / 3],
    }  # fmt: skip
    assert frame.filter(measure="tied")["ties"].to_list() == list(PRECISIONS)


def test_frame_by_topic():
    runs = {"r": {"q1": dict.fromkeys("abcd", 1.0), "q2": dict.fromkeys("ab", 1.0)}, "s": TIED}
    frame = uncertainty.ties(assay.read(GRADES, runs), ["RR"]).table("topics").frame
    assert frame.filter(run="r", measure="RR", ties="max").select("topic", "value").rows() == [
        ("q1", 1.0), ("q2", 1.0), ("all", 1.0)
    ]  # fmt: skip
    assert frame.filter(run="r", measure="largest", ties="trec_eval-9")["value"].to_list() == [4, 2, 4]
    assert frame.filter(run="r", measure="groups", ties="trec_eval-9")["value"].to_list() == [1, 1, 2]
    assert frame.filter(run="s", measure="share", ties="trec_eval-10")["value"].to_list() == [1, 0, 2 / 3]
    assert frame["run"].to_list() == sorted(frame["run"].to_list())


def test_an_unavailable_order_has_no_value():
    frame = uncertainty.ties(assay.read(GRADES, {"r": TIED}), ["NumRet"]).table("orders").frame
    assert frame.filter(measure="NumRet")["value"].to_list() == [3, 3, 3, 3, None, 3, 3, 3, 3]
    missing = uncertainty.ties(assay.read(GRADES, {"r": {"q2": {"a": 1.0}}}), ["RR"]).table("topics").frame
    assert missing.filter(measure="share", topic="q1")["value"].to_list() == [None, None]


def test_repr_and_provenance():
    report = uncertainty.ties(assay.read(GRADES, {"r": TIED}), ["RR", "P@1"])
    assert repr(report) == "TieReport(1 run x 2 topics: RR, P@1)"
    assert report.provenance.as_dict()["inputs"][1] == {"role": "run", "name": "r", "source": "r", "sha256": None}


# Notes ------------------------------------------------------------------------------------------------------------


LINES = "q1 Q0 b 1 3.0 x\nq1 Q0 a 2 2.0 x\nq2 Q0 a 1 1.0 x\n"


def write_file(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def read_notes(path: str, name: str = "RR") -> list[str]:
    return [
        note.replace(f"{Path(path).parent}/", "") for note in uncertainty.ties(assay.read(GRADES, path), name).notes
    ]


def test_unusable_ranks_are_noted(tmp_path):
    broken = write_file(tmp_path / "broken.run", LINES.replace("a 2", "a x"))
    report = uncertainty.ties(assay.read(GRADES, broken), "RR")
    assert np.isnan(report.values[ORDERS.index("rank")]).all()
    assert read_notes(broken) == ["broken.run:2: the rank must be a whole number, found 'x'; no values for ties=rank"]
    assert uncertainty.ties(assay.read(GRADES, {"r": TIED}), "RR").notes == (
        "r: has no rank column; no values for ties=rank",
    )


def test_orders_that_contradict_the_scores_are_noted(tmp_path):
    ranks = write_file(tmp_path / "ranks.run", LINES.replace("b 1", "b 7"))
    assert read_notes(ranks) == ["rank: the rank column contradicts the scores in 1 run: x"]
    lines = write_file(tmp_path / "lines.run", "".join(reversed(LINES.splitlines(keepends=True))))
    assert read_notes(lines) == ["file: the order of the lines contradicts the scores in 1 run: x"]
    assert read_notes(write_file(tmp_path / "fine.run", LINES)) == []


def test_notes_of_the_evaluation_are_included(tmp_path):
    path = write_file(tmp_path / "x.run", "q1 Q0 b 1 3.0 x\nq9 Q0 b 1 3.0 x\n")
    qrels = {**GRADES, "q3": {"z": 0}}
    options = {"undefined": "exclude", "missing": "exclude"}
    notes = uncertainty.ties(assay.read(qrels, path, **options), ["AP"]).notes
    assert notes == assay.evaluate(qrels, path, ["AP"], **options).notes
    assert len(notes) == 3
    assert "excluded" in notes[-1]


def test_sampling_is_noted():
    tied = {"q1": {"a": 1.0, "b": 1.0, "c": 1.0}}
    notes = uncertainty.ties(assay.read(GRADES, {"r": tied}, samples=50, seed=4), ["bpref", "infAP", "AP"]).notes[2:]
    assert [note.partition(":")[0] for note in notes] == [
        "expected values are means over 50 sampled orders (seed 4); largest standard errors",
        "lowest and highest values are from 50 sampled orders (seed 4); the true range may be wider",
    ]
    assert "bpref (" in notes[0]
    assert notes[1].endswith(": infAP")


# Inputs -----------------------------------------------------------------------------------------------------------


def test_inputs_of_every_kind(tmp_path):
    path = write_file(tmp_path / "x.run", LINES)
    frame = pl.DataFrame(
        {"run": ["f", "f", "g"], "topic": ["q1", "q1", "q2"], "doc": ["a", "b", "a"], "score": [1, 1, 2]}
    )
    run = Run.from_dict(TIED, "mine")
    tuples = [("q1", "a", 1.0), ("q1", "b", 1.0)]
    for runs in (path, Path(path), [path], run, TIED, tuples, frame, {"n": path, "m": TIED}, [run, path, TIED, frame]):
        report = uncertainty.ties(assay.read(GRADES, runs), "RR")
        results = assay.evaluate(GRADES, runs, "RR")
        assert report.runs == results.runs
        assert np.array_equal(report.values[0], results.values)
        assert report.provenance.inputs == results.provenance.inputs


def test_tie_policy_of_the_campaign_does_not_matter():
    runs = {"r": {**TIED, "q1": dict.fromkeys("abc", 1.0)}}
    report = uncertainty.ties(assay.read(GRADES, runs), MEASURES)
    for order in ("expected", "score-id", "file"):
        other = uncertainty.ties(assay.read(GRADES, runs, ties=order, keep="runs"), MEASURES)
        assert np.array_equal(other.values, report.values, equal_nan=True)


def test_selected_runs_and_topics_of_a_campaign():
    runs = {"long": {"q1": {f"d{i}": 1.0 for i in range(9)}}, "r": TIED}
    campaign = assay.read(GRADES, runs)
    whole, selected = (
        uncertainty.ties(campaign, ["RR", "Twist"]),
        uncertainty.ties(campaign.select("r", "q1"), ["RR", "Twist"]),
    )
    assert np.array_equal(selected.values[:, :, 0, 0], whole.values[:, :, 1, 0], equal_nan=True)
    assert selected.counts[:, :, 0, 0].tolist() == whole.counts[:, :, 1, 0].tolist()


def test_progress_and_the_order_of_runs(tmp_path):
    for i in range(6):
        lines = LINES.replace(" x\n", f" x{i}\n")
        extra = "".join(f"q1 Q0 d{j} 9 0.{i}{j} x{i}\n" for j in range(300 * (6 - i)))
        write_file(tmp_path / f"{i}.run", lines + extra)
    calls: list[tuple[int, int]] = []
    report = uncertainty.ties(
        assay.read(GRADES, str(tmp_path)), "RR", progress=lambda done, total: calls.append((done, total))
    )
    assert report.runs == tuple(f"x{i}" for i in range(6))
    assert calls == [(i, 6) for i in range(1, 7)]


# Real runs --------------------------------------------------------------------------------------------------------


def test_trec8_runs_agree_with_evaluate():
    folder = real("trec8-adhoc")
    paths = [folder / "runs" / f"input.{name}.gz" for name in ("uwmt8a0", "ok8amxc")]
    report = uncertainty.ties(assay.read(folder / "qrels.trec8.adhoc.txt.gz", paths), ["AP", "nDCG@10"])
    for order in TIES:
        results = assay.evaluate(folder / "qrels.trec8.adhoc.txt.gz", paths, ["AP", "nDCG@10"], ties=order)
        assert np.allclose(report.values[ORDERS.index(order)], results.values, rtol=1e-13, atol=1e-13), order
    counts = dict(zip(COUNTS, report.counts[:, :, 0].sum(axis=2).T.tolist(), strict=True))
    assert counts["tied"] == [37475, 47113], "more scores are equal as 32-bit floats"
    assert counts["mixed"] == [33112, 43658]
    frame = report.table("orders").frame.filter(~pl.col("ties").str.starts_with("score-"), run="uwmt8a0", measure="AP")
    assert [round(value, 4) for value in frame["value"]] == [0.2142, 0.2143, 0.2140, 0.2141, 0.2139, 0.2044, 0.2301]


def test_a_run_with_almost_only_ties():
    folder = real("robust03")
    path = folder / "runs" / "input.rutcor03100.gz"
    report = uncertainty.ties(assay.read(folder / "qrels.robust03.txt.gz", path), ["AP"])
    frame = report.table("orders").frame.filter(ties="trec_eval-10")
    assert frame.filter(measure="share")["value"][0] > 0.999
    low, high = (
        report.table("orders").frame.filter(measure="AP", ties=extreme)["value"][0] for extreme in ("min", "max")
    )
    assert (round(low, 4), round(high, 4)) == (0.0416, 0.1372)


@pytest.mark.parametrize("unjudged", ["nonrelevant", "condensed"])
def test_equal_length_measures_use_the_longest_ranking_of_all_runs(unjudged: str) -> None:
    qrels = {"q": {"a": 1, "b": 0, "c": 1, **{f"d{i}": 0 for i in range(9)}}}
    long_ranking = {f"u{i}": 100.0 - i for i in range(20)} | {f"d{i}": 50.0 - i for i in range(9)} | {"a": 1.0}
    runs = {"short": {"q": {"b": 2.0, "a": 1.0, "c": 0.5}}, "long": {"q": long_ranking}}
    names = ["Twist", "Condensed(Twist)", "GM(Twist)", "AP"]
    report = uncertainty.ties(assay.read(qrels, runs, unjudged=unjudged), names)
    expected = assay.evaluate(qrels, runs, names, unjudged=unjudged).values
    for order in ("trec_eval-10", "trec_eval-9", "file", "expected", "min", "max"):
        np.testing.assert_array_equal(report.values[ORDERS.index(order)], expected, err_msg=order)


# Tables and summary ----------------------------------------------------------------------------------------------

JUDGED = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
YX = {"y": {"q1": {"a": 1.0, "b": 1.0}, "q2": {"a": 2.0}}, "x": {"q1": {"a": 2.0, "b": 1.0}}}
COUNT_COLUMNS = ["tied", "share", "groups", "largest", "mixed"]


def test_table_of_runs() -> None:
    report = uncertainty.ties(assay.read(JUDGED, YX))
    table = check_report(report)
    assert table.compact.columns == ["run", "tied", "share", "mixed", "AP", "nDCG@10", "P@10", "RR"]
    assert table.compact.select("run", "tied", "mixed").rows() == [("y", 2, 2), ("x", 0, 0)]
    assert [text.strip() for text in table.compact["share"]] == ["66.7 %", "0.0 %"]
    assert [text.strip() for text in table.compact["RR"]] == ["0.7500–1.0000", "0.5000"]
    rows = table.frame.filter(measure="RR").select(*COUNT_COLUMNS, "value", "low", "high").rows()
    assert rows == [(2, 2 / 3, 1, 2, 2, 0.75, 0.75, 1.0), (0, 0.0, 0, 0, 0, 0.5, 0.5, 0.5)]
    assert table.frame.equals(report.frame())
    assert table.frame.columns[:7] == ["run", "measure", "value", "low", "high", "exact", "documents"]
    assert report.provenance.settings["measures"] == ["AP", "nDCG@10", "P@10", "RR"]
    names = {f"a-longer-name-{name}": run for name, run in YX.items()}
    check_report(uncertainty.ties(assay.read(JUDGED, names)))


def test_table_of_runs_marks_sampled_ranges() -> None:
    table = check_report(uncertainty.ties(assay.read(JUDGED, YX), ["RR", "infAP"]), "runs")
    assert not any(text.endswith("~") for text in table.compact["RR"])
    assert all(text.endswith("~") for text in table.compact["infAP"])
    assert "sampled" in table.caption


def test_table_of_orders_has_counts_for_score_orders() -> None:
    table = uncertainty.ties(assay.read(JUDGED, YX), ["RR", "NumRet"]).table("orders")
    assert table.compact.columns == ["run", "ties", "RR", "NumRet", "tied", "mixed"]
    assert table.compact.filter(run="y").rows() == [
        ("y", "trec_eval-10", 0.75, 3, 2, 2),
        ("y", "trec_eval-9", 0.75, 3, 2, 2),
        ("y", "score-file", 1.0, 3, None, None),
        ("y", "score-id", 1.0, 3, None, None),
        ("y", "rank", None, None, None, None),
        ("y", "file", 1.0, 3, None, None),
        ("y", "expected", 0.875, 3, None, None),
        ("y", "min", 0.75, 3, None, None),
        ("y", "max", 1.0, 3, None, None),
    ]
    assert table.compact["run"].to_list() == ["y"] * 9 + ["x"] * 9
    assert table.compact.filter(run="x")["tied"].drop_nulls().to_list() == [0, 0]


def test_table_of_orders_separates_inexact_extremes() -> None:
    rows = uncertainty.ties(assay.read(JUDGED, YX), ["RR", "infAP"]).table("orders").compact.filter(run="y")
    assert rows["ties"].to_list() == [*TIES, "min", "max", "lowest seen", "highest seen"]
    assert rows["RR"].to_list()[-4:] == [0.75, 1.0, None, None]
    assert rows["infAP"].is_null().to_list()[-4:] == [True, True, False, False]
    only_inexact = uncertainty.ties(assay.read(JUDGED, YX), ["infAP"]).table("orders").compact.filter(run="y")
    assert only_inexact["ties"].to_list() == [*TIES, "lowest seen", "highest seen"]


def test_table_of_topics() -> None:
    rows = uncertainty.ties(assay.read(JUDGED, YX), ["RR", "infAP"]).table("topics").compact
    assert rows.columns == ["run", "topic", "ties", "RR", "infAP", "tied", "mixed"]
    assert rows["topic"].to_list()[:33] == ["q1"] * 11 + ["q2"] * 11 + ["all"] * 11
    assert rows.filter(run="y", ties="min").select("topic", "RR").rows() == [("q1", 0.5), ("q2", 1.0), ("all", 0.75)]
    assert rows.filter(run="y", ties="trec_eval-10")["tied"].to_list() == [2, 0, 2]


def test_summary_reports_changes_in_the_order_of_runs() -> None:
    unchanged = uncertainty.ties(assay.read(JUDGED, YX), "RR").summary()
    assert unchanged == (
        "2 of 5 documents are tied (40.0 %), in 1 of 2 runs. By RR no order of tied documents changes the order of the "
        "runs. All tie policies give the same order of runs (no values for rank)."
    )
    close_runs = {**YX, "x": {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 2.0}}}  # Run x is as bad as the worst order of y.
    changed = uncertainty.ties(assay.read(JUDGED, close_runs), "RR").summary()
    assert "By RR other orders of tied documents can change the order of 1 of 1 pair of runs." in changed
    assert changed.endswith("differently from trec_eval-10: score-file, score-id, file, expected.")
    sampled = uncertainty.ties(assay.read(JUDGED, close_runs, samples=50), "infAP").summary()
    assert "among 50 sampled orders" in sampled


def test_summary_of_one_run_and_of_no_ties() -> None:
    summary = uncertainty.ties(assay.read(JUDGED, {"y": YX["y"]}), "RR").summary()
    assert summary == "2 of 3 documents are tied (66.7 %). Depending on their order, RR lies between 0.7500 and 1.0000."
    unchanged = uncertainty.ties(assay.read(JUDGED, {"y": {"q1": {"b": 1.0, "z": 1.0}}}), "RR").summary()
    assert unchanged.endswith("Their order does not change RR.")
    assert uncertainty.ties(assay.read(JUDGED, {"x": YX["x"]}), "RR").summary() == "None of 2 documents is tied."

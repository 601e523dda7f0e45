"""Agreement of judges, their effect on conclusions, and combined estimates."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import assay
from assay.engine.judges import read_judges
from assay.errors import InputError
from assay.judges import coefficients as co
from assay.judges import prediction_powered as pp
from assay.judges._effect import compare_top, estimate_favour, find_flips
from assay.judges.ratings import collect_ratings
from assay.meta.kendall import taus
from assay.model import Qrels
from assay.significance.strata import mean_ranks
from report_contract import check_report

HUMAN = {"q1": {"a": 2, "b": 0, "c": 1, "d": -2}, "q2": {"a": 0, "x": 3}, "q3": {"e": 1}}
MODEL = {"q1": {"a": 3, "b": 0, "d": 0, "g": 2}, "q2": {"a": 1}, "q4": {"a": 1}}


@pytest.fixture(scope="module")
def collection():
    return assay.simulate(systems=6, topics=40, seed=3)


@pytest.fixture(scope="module")
def campaign(collection):
    return assay.read(collection.qrels, collection.runs, keep="documents")


def find_vector(operation):
    """Return the vector of an operation that has only one."""
    vectors = json.loads((Path(__file__).parent.parent / "vectors-judging.json").read_text(encoding="utf-8"))
    [vector] = [one for one in vectors if one["op"] == operation]
    return vector


def disturb(qrels, over=0.15, under=0.05, seed=0):
    """A judge that raises and lowers grades at random."""
    frame = qrels.frame()
    draw = np.random.default_rng(seed).random(len(frame))
    change = np.where(draw < over, 1.0, np.where(draw > 1 - under, -1.0, 0.0))
    grades = np.clip(frame["grade"].to_numpy() + change, 0, 3)
    return Qrels.from_frame(frame.with_columns(grade=pl.Series(grades)))


def test_documents_in_common():
    ratings, _ = collect_ratings({"human": HUMAN, "model": MODEL})
    pair = ratings.pair(0, 1)
    rows = [
        (pair.topics[topic], doc, *grades)
        for topic, doc, grades in zip(pair.topic, pair.doc, pair.grade.tolist(), strict=True)
    ]
    assert rows == [("q1", "a", 2, 3), ("q1", "b", 0, 0), ("q1", "d", 0, 0), ("q2", "a", 0, 1)]
    bias = assay.judges.agree({"human": HUMAN, "model": MODEL}).table("bias").frame
    assert bias.select("pairs", "only_a", "only_b").rows() == [(4, 3, 2)]


@pytest.mark.parametrize(("negative", "pairs"), [("zero", 4), ("keep", 4), ("drop", 3)])
def test_negative_grades(negative, pairs):
    agreement = assay.judges.agree({"human": HUMAN, "model": MODEL}, negative=negative)
    assert agreement.frame()["pairs"].unique().to_list() == [pairs]
    assert (-2 in agreement.ratings.levels) == (negative == "keep")


def test_shift_of_grades():
    vector = find_vector("judges.shift")
    judges = {
        name: {
            t: {f"d{i}": pair[index] for i, pair in enumerate(pairs)} for t, pairs in vector["inputs"]["topics"].items()
        }
        for index, name in enumerate("ab")
    }
    bias = assay.judges.agree(judges).table("bias").frame.row(0, named=True)
    expected = vector["expected"]
    for name in ("pairs", "over", "under", "shift", "low", "high", "p"):
        assert bias[name] == pytest.approx(expected[name], abs=vector["tolerance"]), name


def naive_kappa(pairs, distance):
    """The definition, over pairs of documents."""
    observed = np.mean([distance(a, b) for a, b in pairs])
    expected = np.mean([distance(a, b) for a, _ in pairs for _, b in pairs])
    return math.nan if expected == 0 else 1 - observed / expected


@pytest.mark.parametrize("seed", range(8))
def test_kappa_is_one_minus_observed_by_expected_distance(seed):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 4, size=30)
    b = np.where(rng.random(30) < 0.5, a, rng.integers(0, 4, size=30))
    table = co.cross_tabulate(a, b, np.zeros(30, dtype=np.int64), 1, 4)[0]
    for weights, distance in {
        "none": lambda x, y: float(x != y),
        "linear": lambda x, y: abs(x - y),
        "quadratic": lambda x, y: (x - y) ** 2,
    }.items():
        pairs = list(zip(a.tolist(), b.tolist(), strict=True))
        assert co.kappa(table, np.arange(4.0), weights) == pytest.approx(naive_kappa(pairs, distance))


def test_leaving_topics_out_equals_computing_without_them():
    rng = np.random.default_rng(1)
    judges = {name: {f"q{t}": {f"d{d}": int(rng.integers(0, 3)) for d in range(12)} for t in range(6)} for name in "ab"}
    frame = assay.judges.agree(judges).frame()
    row = frame.filter(statistic="kappa", weights="linear").row(0, named=True)
    values = []
    for left_out in judges["a"]:
        rest = {name: {t: grades for t, grades in one.items() if t != left_out} for name, one in judges.items()}
        values.append(assay.judges.agree(rest).frame().filter(statistic="kappa", weights="linear")["value"].item())
    error = math.sqrt(5 / 6 * np.square(np.array(values) - np.mean(values)).sum())
    assert (row["high"] - row["low"]) / 2 == pytest.approx(2.5705818366147395 * error)


def test_known_bias_is_recovered(collection):
    agreement = assay.judges.agree({"human": collection.qrels, "model": disturb(collection.qrels)})
    check_report(agreement)
    bias = agreement.table("bias").frame.row(0, named=True)
    assert bias["p"] < 0.001
    assert bias["over"] > bias["under"]
    assert bias["low"] < bias["shift"] < bias["high"]
    assert "higher grades" in agreement.summary()
    table = agreement.table("confusion").frame
    assert table["documents"].sum() == len(collection.qrels)


def test_identical_judges():
    agreement = assay.judges.agree({"a": HUMAN, "b": HUMAN})
    assert set(agreement.frame()["value"]) == {1.0}
    assert "not significant" in agreement.summary()


def test_several_judges(collection):
    judges = {name: disturb(collection.qrels, seed=seed) for seed, name in enumerate("abc")}
    agreement = assay.judges.agree(judges)
    frame = agreement.frame()
    assert frame["judge_a"].null_count() == 3  # alpha of all judges
    assert len(agreement.pairs) == 3
    assert len(assay.judges.agree(judges, reference="b").pairs) == 2
    check_report(agreement)


def test_grades_of_a_judge_are_replaced():
    frame = assay.judges.agree({"human": HUMAN, "model": MODEL}, grades={"model": {3: 2, 1: 0}}).frame()
    assert frame.filter(statistic="agreement")["value"].item() == 1.0


@pytest.mark.parametrize(
    ("judges", "options", "parts"),
    [
        ({"a": HUMAN}, {}, ["two judges"]),
        ({"a": HUMAN, "b": {"q9": {"z": 1}}}, {}, ["a and b", "no document in common"]),
        ({"a": HUMAN, "b": MODEL}, {"reference": "c"}, ["c", "a, b"]),
        ({"a": HUMAN, "b": MODEL}, {"grades": {"c": {1: 2}}}, ["c"]),
        ({"a": {"q": {f"d{i}": i / 50 for i in range(50)}}, "b": {"q": {"d1": 1}}}, {}, ["51", "at most 20"]),
        ({"a": HUMAN, "b": MODEL}, {"negative": "ignore"}, ["zero", "keep", "drop"]),
    ],
)
def test_invalid_judges(judges, options, parts):
    with pytest.raises(InputError) as error:
        assay.judges.agree(judges, **options)
    assert all(part in str(error.value) for part in parts), error.value


# Effect on conclusions ------------------------------------------------------------------------------------------


def test_the_same_judge_changes_nothing(collection, campaign):
    effects = assay.judges.effect(campaign, {"a": collection.qrels, "b": collection.qrels}, "AP", resamples=20)
    row = effects.frame().row(0, named=True)
    assert (row["tau"], row["tau_ap"], row["max_drop"], row["only_a"], row["only_b"]) == (1.0, 1.0, 0.0, 0, 0)
    assert row["both"] + row["neither"] == 15
    assert "first under both judges" in effects.summary()


def test_values_are_those_of_each_judge(collection, campaign):
    model = disturb(collection.qrels, 0.3, 0.1)
    effects = assay.judges.effect(campaign, {"human": collection.qrels, "model": model}, ["AP", "RR"], resamples=20)
    check_report(effects)
    runs = effects.table("runs").frame.filter(measure="AP")
    for name, column in (("human", "mean_a"), ("model", "mean_b")):
        qrels = {"human": collection.qrels, "model": model}[name]
        means = dict(assay.evaluate(qrels, collection.runs, "AP").means().select("run", "value").rows())
        assert dict(runs.select("run", column).rows()) == pytest.approx(means)


def test_only_common_documents_count_by_default(collection, campaign):
    frame = collection.qrels.frame()
    few = Qrels.from_frame(frame.gather_every(2))
    common = assay.judges.effect(campaign, {"all": collection.qrels, "few": few}, "AP", resamples=20)
    assert common.frame()["tau"].item() == 1.0
    own = assay.judges.effect(campaign, {"all": collection.qrels, "few": few}, "AP", judgments="own", resamples=20)
    runs = own.table("runs").frame
    assert (runs["mean_a"] != runs["mean_b"]).all()


def test_shared_runs_are_marked_and_their_favour_is_estimated(collection, campaign):
    shared = campaign.runs[:2]
    # The model judge thinks that the first document of the shared runs is always highly relevant.
    rankings = campaign.rankings(depth=1, runs=shared)
    frame = collection.qrels.frame()
    top = {
        (t, d)
        for t, d in zip(np.repeat(rankings.topics, 1), rankings.doc.to_list()[: len(rankings.topics)], strict=False)
    }
    favoured = frame.with_columns(
        grade=pl.struct("topic", "doc").map_elements(
            lambda row: 3.0 if (row["topic"], str(row["doc"])) in top else -1.0, return_dtype=pl.Float64
        )
    )
    grades = pl.Series(np.where(favoured["grade"] > 0, 3.0, frame["grade"]))
    model = Qrels.from_frame(frame.with_columns(grade=grades))
    effects = assay.judges.effect(
        campaign, {"human": collection.qrels, "model": model}, "RR", shared={"model": shared}, resamples=20
    )
    assert any("use the model that judged" in note for note in effects.notes)
    assert effects.frame()["favour"].item() > 0
    assert "°" in "".join(effects.table("runs").frame["run"])


def test_order_of_runs():
    vector = find_vector("judges.order")
    runs = list(vector["inputs"]["a"])
    means = np.array([[vector["inputs"][name][run] for run in runs] for name in "ab"])
    order, expected = taus(means[1], means[0]), vector["expected"]
    assert order.tau[0, 0] == pytest.approx(expected["tau"], abs=1e-12)
    assert order.estimated[0, 0] == pytest.approx(expected["tau_ap"], abs=1e-12)
    top = compare_top(runs, means, 3)
    assert (len(top.common), list(top.left), list(top.entered)) == tuple(expected["top_3"].values())
    change = np.diff(mean_ranks(means), axis=0)[0]
    assert (runs[int(change.argmax())], change.max()) == tuple(expected["max_drop"].values())
    assert np.abs(change).max() == expected["largest_change"]


def test_tau_with_ties():
    vector = find_vector("judges.tau")
    a, b = (np.array(vector["inputs"][name]) for name in "ab")
    assert taus(b, a).tau[0, 0] == pytest.approx(vector["expected"]["tau"], abs=1e-12)


def test_flips_of_significance():
    vector = find_vector("judges.flips")
    runs = sorted({run for row in vector["inputs"]["a"] for run in row[:2]})
    verdicts = []
    for name in "ab":
        rows = vector["inputs"][name]
        verdict = np.zeros((len(runs), len(runs)))
        for a, b, difference, p in rows:
            sign = np.sign(difference) * (p < vector["inputs"]["alpha"])
            verdict[runs.index(a), runs.index(b)], verdict[runs.index(b), runs.index(a)] = sign, -sign
        verdicts.append(verdict)
    flips = find_flips(runs, *verdicts)
    expected = dict(vector["expected"])
    assert len(flips.pairs) == expected.pop("pairs")
    assert {kind: flips.count(kind) for kind in expected} == expected


def test_machine_grades_of_some_documents_bias_average_precision():
    """Measures that are no sums cannot be estimated from some documents of a topic (decision of the estimator)."""
    vector = find_vector("ppi.document_plug_in_ap")
    truth, machine = vector["inputs"]["truth"], vector["inputs"]["machine"]

    def ap(grades):
        found = [rank for rank, grade in enumerate(grades, 1) if grade]
        return np.mean([number / rank for number, rank in enumerate(found, 1)])

    samples = itertools.combinations(range(len(truth)), vector["inputs"]["sample_size"])
    values = [ap([truth[i] if i in sample else machine[i] for i in range(len(truth))]) for sample in samples]
    assert np.mean(values) == pytest.approx(vector["expected"]["mean"])
    assert ap(truth) == pytest.approx(vector["expected"]["truth"])


def test_favour_is_a_paired_t_test():
    vector = find_vector("judges.circular")
    inputs = vector["inputs"]
    runs = list(inputs["a"])
    values = [np.array([inputs[name][run] for run in runs]) for name in "ab"]
    favour = estimate_favour(runs, values, inputs["shared"])
    got = {"difference": favour.favour, **favour._asdict()}
    for name, number in vector["expected"].items():
        assert got[name] == pytest.approx(number, abs=vector["tolerance"])


# Combined estimates ---------------------------------------------------------------------------------------------


def test_estimates_of_few_human_judgments(collection, campaign):
    human = collection.qrels.select(np.arange(0, 40, 3))
    judges = {"human": human, "model": disturb(collection.qrels)}
    combined = assay.judges.combine(campaign, judges, ["AP", "nDCG@10"], baseline=campaign.runs[0])
    check_report(combined)
    frame = combined.frame()
    assert len(frame) == 2 * (6 + 5)
    assert frame["topics_human"].unique().to_list() == [14]
    means = dict(assay.evaluate(human, collection.runs, "AP").means().select("run", "value").rows())
    alone = frame.filter(pl.col("run_b").is_null(), measure="AP")
    assert dict(alone.select("run_a", "human").rows()) == pytest.approx(means)
    assert any("random sample" in note for note in combined.notes)


def test_a_perfect_machine_needs_no_human(collection, campaign):
    judges = {"human": collection.qrels.select(np.arange(0, 40, 3)), "model": collection.qrels}
    combined = assay.judges.combine(campaign, judges, "AP")
    assert set(combined.frame()["method"]) == {"human"}
    assert any("different values on fewer than 5" in note for note in combined.notes)


@pytest.mark.parametrize("seed", range(3))
def test_intervals_cover_the_mean(seed):
    """Coverage of 95 % intervals for few topics and a biased machine."""
    rng = np.random.default_rng(seed)
    covered = 0
    draws = 400
    for _ in range(draws):
        quality = rng.normal(0.5, 0.15, size=125)
        human, machine = quality + rng.normal(0, 0.1, size=125), quality + 0.1 + rng.normal(0, 0.1, size=125)
        one = pp.estimate_mean(pp.Sample(human[:25], machine[:25], machine[25:]))
        covered += one.low <= 0.5 <= one.high
    assert covered / draws == pytest.approx(0.95, abs=3 * math.sqrt(0.95 * 0.05 / draws))


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"judges": 1}, ["two judges"]),
        ({"lam": 2.0}, ["lam", "0 to 1"]),
        ({"baseline": "nobody"}, ["nobody"]),
        ({"measures": "NumRet"}, ["NumRet"]),
        ({"human": 3}, ["at least 5"]),
    ],
)
def test_invalid_combinations(collection, campaign, change, parts):
    human = collection.qrels.select(np.arange(change.get("human", 14)))
    judges = {"human": human, "model": collection.qrels}
    judges = dict(list(judges.items())[: change.get("judges", 2)])
    options = {name: value for name, value in change.items() if name in ("lam", "baseline")}
    with pytest.raises(assay.AssayError) as error:
        assay.judges.combine(campaign, judges, change.get("measures", "AP"), **options)
    assert all(part in str(error.value) for part in parts), error.value


def test_the_machine_must_judge_all_topics(collection, campaign):
    judges = {"human": collection.qrels, "model": collection.qrels.select(np.arange(30))}
    with pytest.raises(InputError, match="no judgments for 10 topics"):
        assay.judges.combine(campaign, judges, "AP")


def test_a_csv_table_of_several_judges(tmp_path):
    path = tmp_path / "judges.csv"
    path.write_text("judge,topic,doc,grade\nann,q,d,1\nben,q,d,0\nann,q,e,2.5\n")
    judges = read_judges(path)
    assert {name: qrels.frame()["grade"].to_list() for name, qrels in judges.items()} == {"ann": [1, 2.5], "ben": [0]}
    path.write_text(path.read_text() + "ann,q,f,high\n")
    with pytest.raises(InputError, match=r"judges.csv:5: the grade must be a finite number, found 'high'"):
        read_judges(path)
    lenient = read_judges(path, lenient=True)
    assert len(lenient["ann"]) == 2
    assert "is not a finite number: 1" in lenient["ben"].notes[0]

"""Gates: verdicts on candidates against baselines."""

from __future__ import annotations

import gzip
import json
import math
from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy.stats import beta, nct, ttest_1samp
from scipy.stats import t as student

import assay
from assay.errors import AssayError, InputError, PolicyError
from assay.measures import measure
from assay.model.provenance import Provenance
from assay.results.results import Results
from assay.significance import Baseline, make_baseline, read_baseline
from assay.significance.differences import scale_differences
from assay.significance.tests.bootstrap import Bootstrap
from assay.significance.tests.randomization import Randomization
from assay.significance.tests.t import T
from report_contract import check_report


def make_results(values, measures="AP", runs=None, topics=None):
    """Results from arrays: measures x runs x topics, or runs x topics for one measure."""
    array = np.asarray(values, dtype=np.float64)
    array = array if array.ndim == 3 else array[None]
    names = [measures] if isinstance(measures, str) else measures
    return Results(
        runs=tuple(runs or ("old", "new", "other")[: array.shape[1]]),
        topics=tuple(topics or (f"q{i:03}" for i in range(array.shape[2]))),
        measures=tuple(map(measure, names)),
        values=array,
        errors=np.zeros(array.shape),
        provenance=Provenance(),
    )


def make_pair(topics, shift, spread, seed=0, mean=0.5):
    rng = np.random.default_rng(seed)
    old = rng.uniform(0.1, 2 * mean - 0.1, topics)
    noise = rng.normal(0, spread, topics)
    return np.stack([old, old + shift + noise - noise.mean()])


def judge_slowly(b, c, margin, *, lower=False, alpha=0.05, least=10):
    """Verdict, finding, p_pass and p_fail of one row by the definition, one candidate and one row."""
    n = len(b)
    gain = [
        0.0 if math.isclose(x, y, rel_tol=1e-12) else (y - x) * (-1 if lower else 1) for x, y in zip(b, c, strict=True)
    ]
    if isinstance(margin, str):
        share = float(margin.rstrip("%")) / 100
        tolerated = [share * x for x in b]
    else:
        tolerated = [margin] * n
    if n < least:
        return "undecided", "too few topics", math.nan, math.nan
    contrast = [g + m for g, m in zip(gain, tolerated, strict=True)]
    mirror = [m - g for g, m in zip(gain, tolerated, strict=True)]
    p_pass = ttest_1samp(contrast, 0, alternative="greater").pvalue
    p_fail = ttest_1samp(contrast, 0, alternative="less").pvalue
    half = student.ppf(1 - alpha, n - 1) * np.std(gain, ddof=1) / math.sqrt(n)
    is_better, is_worse = np.mean(gain) - half > 0, np.mean(gain) + half < 0
    changed, losses = sum(g != 0 for g in gain), [-g for g in gain if g < 0]
    blocked = False
    if 0 < changed < 10:
        share = beta.ppf(1 - alpha, len(losses) + 1, n - len(losses)) if len(losses) < n else 1.0
        blocked = share * (np.mean(losses) if losses else 0.0) >= np.mean(tolerated)
    if changed == 0:
        return "pass", "identical", p_pass, p_fail
    if p_fail < alpha:
        return "fail", "inferior", p_pass, p_fail
    if p_pass < alpha and blocked:
        return "undecided", "sparse", p_pass, p_fail
    if p_pass < alpha:
        equivalent = ttest_1samp(mirror, 0, alternative="greater").pvalue < alpha
        return "pass", "superior" if is_better else "equivalent" if equivalent else "non-inferior", p_pass, p_fail
    return "undecided", "worse" if is_worse else "undecided", p_pass, p_fail


CASES = [
    (topics, shift, changed, margin)
    for topics in (6, 12, 60)
    for shift in (-0.05, -0.01, 0.0, 0.03)
    for changed in (2, 9, 60)
    for margin in (0.0, 0.02, "5%")
]


@pytest.mark.parametrize("name", ["AP", "ranks"])
def test_rows_agree_with_the_definition(name):
    """All cases are measures of one call, so that rows with different numbers of topics are computed together."""
    rng = np.random.default_rng(3)
    for number, (topics, shift, changed, margin) in enumerate(CASES):
        b = rng.uniform(0.2, 0.8, topics)
        c = b + np.where(rng.permutation(topics) < changed, shift + rng.normal(0, 0.03, topics), 0.0)
        b[0], c[0] = 0.1 + 0.2, 0.3  # equal up to rounding
        results = make_results([b, c])
        if name == "ranks":
            results = replace(results, measures=(LOWER,))
        [row] = assay.gate(results, "old", margins={results.measures[0]: margin}).rows
        verdict, finding, p_pass, p_fail = judge_slowly(b, c, margin, lower=name == "ranks")
        assert (row.verdict, row.finding) == (verdict, finding), (number, CASES[number])
        np.testing.assert_allclose(
            [row.numbers["p_pass"], row.numbers["p_fail"]], [p_pass, p_fail], rtol=1e-6, atol=1e-12
        )
        assert row.role == "required"


LOWER = measure("Frustration@10")


def test_the_report():
    report = assay.gate(make_results(make_pair(60, 0, 0.02)), "old", margins={"AP": "5%"})
    assert check_report(report).name == "rows"
    assert (report.verdict, report.exit_code) == ("pass", 0)
    frame = report.frame()
    assert frame.columns[:6] == ["candidate", "measure", "attribute", "slice", "role", "topics"]
    row = frame.row(0, named=True)
    assert row["margin"] == pytest.approx(0.05 * row["baseline"])
    assert row["low"] < row["difference"] < row["high"]
    assert row["change"] == pytest.approx(row["candidate_value"] / row["baseline"] - 1)
    assert row["change_low"] < row["change"] < row["change_high"]
    deviation = np.std(make_pair(60, 0, 0.02)[1] - 0.95 * make_pair(60, 0, 0.02)[0], ddof=1)
    power = 1 - nct.cdf(student.ppf(0.95, 59), 59, math.sqrt(60) * row["mdd"] / deviation)
    assert power == pytest.approx(0.8)
    assert report.provenance.settings["margins"] == {"AP": "5%"}
    topics = report.table("topics").frame
    assert topics["difference"].is_sorted()
    assert len(topics) == 60


def test_verdicts_and_exit_codes():
    shifts = {"pass": 0.0, "fail": -0.1, "undecided": -0.02}
    for verdict, shift in shifts.items():
        results = make_results(make_pair(50, shift, 0.03))
        report = assay.gate(results, "old", margins={"AP": 0.02})
        assert report.verdict == verdict
        assert report.exit_code == {"pass": 0, "fail": 1, "undecided": 3}[verdict]
        assert assay.gate(results, "old", margins={"AP": 0.02}, on_undecided="fail").exit_code == (verdict != "pass")
        assert assay.gate(results, "old", margins={"AP": 0.02}, on_undecided="pass").exit_code == (verdict == "fail")
        assert report.summary().startswith(f"{verdict}: new against old, 50 topics.")


def test_required_measures_must_all_pass_and_watched_measures_can_only_fail():
    good, bad, unclear = (make_pair(50, shift, 0.03, seed) for seed, shift in enumerate((0.0, -0.1, -0.02)))
    results = make_results([good, bad, unclear], ["AP", "RR", "P@10"])
    margins = {"AP": 0.02}
    assert assay.gate(results, "old", margins=margins, watch={"P@10": 0.02}).verdict == "pass"
    assert assay.gate(results, "old", margins={**margins, "P@10": 0.02}).verdict == "undecided"
    report = assay.gate(results, "old", margins=margins, watch={"RR": 0.02, "P@10": 0.02})
    assert report.verdict == "fail"
    assert [row.role for row in report.rows] == ["required", "watch", "watch"]
    p = report.frame()["p_fail"].to_numpy()
    assert report.rows[1].numbers["p_fail_adjusted"] == pytest.approx(min(1, 3 * p[1]))


def test_each_candidate_is_a_gate_of_its_own():
    old, new = make_pair(40, 0.0, 0.02)
    results = make_results([old, new, new - 0.2])
    report = assay.gate(results, "old", margins={"AP": 0.05})
    assert report.verdicts == {"new": "pass", "other": "fail"}
    assert report.verdict == "fail"
    alone = assay.gate(results.select(runs=["old", "other"]), "old", margins={"AP": 0.05})
    assert alone.frame().equals(report.frame()[1:])
    with pytest.raises(InputError, match="save: needs exactly one candidate"):
        report.save("baseline.json")


def test_slices_are_watched():
    old, new = make_pair(60, 0.0, 0.02)
    new[:20] -= 0.12
    table = {f"q{i:03}": {"language": "de" if i < 20 else "en" if i < 55 else "fr"} for i in range(60)}
    results = make_results([old, new])
    assert assay.gate(results, "old", margins={"AP": 0.1}).verdict == "pass"
    report = assay.gate(results, "old", margins={"AP": 0.1}, topics_table=table, by="language")
    by_slice = {row.slice: row for row in report.rows}
    assert by_slice[None].verdict == "pass"
    assert by_slice["fr"].finding == "too few topics"
    assert by_slice["de"].role == "watch"
    assert by_slice["de"].title == "AP [language=de]"
    p_fail = judge_slowly(old[:20], new[:20], 0.1)[3]
    assert by_slice["de"].numbers["p_fail"] == pytest.approx(p_fail)
    strict = assay.gate(results, "old", margins={"AP": 0.06}, topics_table=table, by="language")
    assert {row.slice: row.verdict for row in strict.rows}["de"] == "fail"
    assert strict.verdict == "fail"
    assert "AP [language=de] fell by" in strict.summary()
    check_report(strict)
    own = {f"q{i:03}": {"hard": float(value)} for i, value in enumerate(old)}
    with pytest.raises(InputError, match="regression to the mean"):
        assay.gate(results, "old", margins={"AP": 0.1}, topics_table=own, by="hard:3")
    with pytest.raises(InputError, match="by: needs topics_table"):
        assay.gate(results, "old", margins={"AP": 0.1}, by="language")


@pytest.mark.parametrize("test", ["t", "randomization", "bootstrap"])
def test_all_tests_agree_on_clear_cases(test):
    for shift, verdict in ((0.0, "pass"), (-0.1, "fail"), (-0.03, "undecided")):
        report = assay.gate(make_results(make_pair(40, shift, 0.04)), "old", margins={"AP": 0.03}, test=test)
        assert report.verdict == verdict
    reference = assay.gate(make_results(make_pair(40, -0.02, 0.05)), "old", margins={"AP": 0.03})
    other = assay.gate(make_results(make_pair(40, -0.02, 0.05)), "old", margins={"AP": 0.03}, test=test)
    assert other.rows[0].numbers["p_pass"] == pytest.approx(reference.rows[0].numbers["p_pass"], abs=0.05)


@pytest.mark.parametrize("test", [T(), Randomization(), Randomization(resamples=200), Bootstrap(resamples=200)])
def test_tails_exchange_sides_with_the_sign_of_the_differences(test):
    x = np.round(np.random.default_rng(4).normal(0.1, 0.5, (3, 11)), 2)
    x[1], x[2] = 0.0, 0.25
    tails, mirrored = (test.compute_tails(scale_differences(values)) for values in (x, -x))
    np.testing.assert_allclose(tails.greater, mirrored.less)
    np.testing.assert_allclose(tails.less, mirrored.greater)
    assert tails.greater[1] == tails.less[1] >= 0.5
    assert tails.greater[2] < 0.05 < 0.95 < tails.less[2]
    if isinstance(test, Randomization):
        sums = [sum(s * v for s, v in zip(signs, x[0], strict=True)) for signs in product((1, -1), repeat=11)]
        exact = np.mean([total >= x[0].sum() - 1e-9 for total in sums])
        assert tails.greater[0] == pytest.approx(exact, abs=0 if test.resamples > 2**11 else 0.08)


def test_geometric_means_and_counts():
    b, c = make_pair(40, 0.0, 0.03)
    report = assay.gate(make_results([b, c], "GM(AP)"), "old", margins={"GM(AP)": "10%"})
    logs = assay.gate(make_results(np.log([b, c]) + 10), "old", margins={"AP": -math.log(0.9)})
    for name in ("p_pass", "p_fail", "difference", "low", "high", "mdd"):
        assert report.rows[0].numbers[name] == pytest.approx(logs.rows[0].numbers[name]), name
    assert report.rows[0].numbers["baseline"] == pytest.approx(math.exp(np.log(b).mean()))
    assert any("log(max(value" in note for note in report.notes)
    with pytest.raises(InputError, match=r"GM\(AP\) is compared by ratios; write a percentage"):
        assay.gate(make_results([b, c], "GM(AP)"), "old", margins={"GM(AP)": 0.1})
    counts = assay.gate(make_results([b * 10, c * 10], "NumRelRet"), "old", margins={"NumRelRet": 1})
    assert counts.rows[0].numbers["baseline"] == pytest.approx(10 * b.mean())
    assert any("mean per topic" in note for note in counts.notes)


def test_topics_without_a_value_are_left_out():
    b, c = make_pair(40, 0.0, 0.03)
    b[3], c[5] = math.nan, math.nan
    report = assay.gate(make_results([b, c]), "old", margins={"AP": 0.05})
    keep = ~np.isnan(b + c)
    assert report.rows[0].numbers["topics"] == 38
    assert report.rows[0].numbers["p_pass"] == pytest.approx(judge_slowly(b[keep], c[keep], 0.05)[2])
    assert any("2 topics excluded" in note for note in report.notes)
    check_report(report)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"margins": {}}, "margins: name the tolerated loss"),
        ({"margins": {"AP": -0.1}}, "margins: AP=-0.1: write a tolerated loss such as 0.01"),
        ({"margins": {"AP": "much"}}, "margins: AP=much: write a tolerated loss"),
        ({"margins": {"AP": math.inf}}, "margins: AP=inf: write"),
        ({"margins": {"AP": "100%"}}, "margins: AP=100%: a loss of 100 % or more is always tolerated"),
        ({"margins": {"RR": 0.1}}, "measure 'RR' is not among these results"),
        ({"margins": {"AP": 0.1}, "watch": {"AP": 0.1}}, "watch: AP is also in margins"),
        ({"margins": {"AP": 0.1, "map": 0.1}}, "margins: AP and map are the same measure"),
        ({"margins": {"AP": 0.1}, "measures": ["AP", "RR"]}, "margins: RR has no margin; add one, such as RR=0.01"),
        ({"margins": {"AP": 0.1, "RR": 0.1}, "measures": "AP"}, "margins: RR is not among the measures"),
        ({"margins": {"AP": 0.1}, "test": "sign"}, "test 'sign': choose one of bootstrap, randomization, t"),
        ({"margins": {"AP": 0.1}, "alpha": 0.6}, "alpha must be below 0.5"),
        ({"margins": {"AP": 0.1}, "power": 0.01}, "power must be above alpha"),
        ({"margins": {"AP": 0.1}, "min_topics": 1}, "min_topics must be a whole number of at least 2"),
        ({"margins": {"AP": 0.1}, "min_coverage": 2}, "min_coverage must be a share from 0 to 1"),
        ({"margins": {"AP": 0.1}, "on_undecided": "warn"}, "on_undecided 'warn': choose one of pass, fail, undecided"),
        ({"margins": {"AP": 0.1}, "resamples": 10}, "resamples: the test t does not resample"),
    ],
)
def test_invalid_arguments(arguments, message):
    with pytest.raises(AssayError) as error:
        assay.gate(make_results(make_pair(20, 0, 0.1)), "old", **arguments)
    assert message in str(error.value)


def test_invalid_sources_and_baselines():
    results = make_results(make_pair(20, 0, 0.1))
    with pytest.raises(InputError, match="baseline 'odl' is not among the runs; did you mean old"):
        assay.gate(results, "odl", margins={"AP": 0.1})
    with pytest.raises(InputError, match="there is no candidate besides the baseline old"):
        assay.gate(results.select(runs="old"), "old", margins={"AP": 0.1})
    with pytest.raises(InputError, match="source"):
        assay.gate("runs", "old", margins={"AP": 0.1})
    with pytest.raises(InputError, match="is a share of the mean of the baseline, which is 0; write a difference"):
        assay.gate(make_results(np.zeros((2, 20))), "old", margins={"AP": "5%"})


# Baseline files -------------------------------------------------------------------------------------------------

QRELS = {f"q{i:02}": {"a": 1, "b": 0, "c": i % 2} for i in range(20)}
OLD = {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in QRELS}
NEW = {topic: {"a": 3.0, "c": 2.0, "x": 1.0} for topic in QRELS}


@pytest.fixture
def path(tmp_path):
    make_baseline(assay.read(QRELS, {"old": OLD}), ["AP", "P@3"]).write(tmp_path / "baseline.json")
    return tmp_path / "baseline.json"


def test_a_baseline_file_gives_the_same_result_as_the_run(path):
    by_run = assay.gate(assay.read(QRELS, {"old": OLD, "new": NEW}), "old", margins={"AP": "5%"}, watch={"P@3": 0.1})
    by_file = assay.gate(assay.read(QRELS, {"new": NEW}), path, margins={"AP": "5%"}, watch={"P@3": 0.1})
    assert by_file.frame().equals(by_run.frame())
    by_results = assay.gate(
        assay.evaluate(QRELS, {"new": NEW}, ["AP", "P@3"]),
        assay.evaluate(QRELS, {"old": OLD}, ["AP", "P@3"]),
        margins={"AP": "5%"},
        watch={"P@3": 0.1},
    )
    assert by_results.frame().equals(by_run.frame())
    assert [item.role for item in by_file.provenance.inputs] == ["qrels", "run", "baseline"]


def test_a_baseline_file_is_reproducible_and_can_be_compressed(path, tmp_path):
    text = path.read_text(encoding="utf-8")
    content = json.loads(text)
    assert content["assay_baseline"] == 1
    assert list(content) == sorted(content)
    assert content["measures"][0] == {"name": "AP", "lower_is_better": False, "aggregate": "mean"}
    assert content["judged"]["Judged@3"] == [1.0] * 20
    again = read_baseline(path)
    assert again.to_json() == text
    assert repr(again) == "Baseline(old: AP, P@3 on 20 topics)"
    again.write(tmp_path / "again.json.gz")
    assert gzip.decompress((tmp_path / "again.json.gz").read_bytes()).decode() == text
    assert read_baseline(tmp_path / "again.json.gz").to_json() == text


def test_gate_saves_the_candidate(path, tmp_path):
    report = assay.gate(assay.read(QRELS, {"new": NEW}), path, margins={"AP": "5%", "P@3": 0.1})
    report.save(tmp_path / "next.json")
    saved = read_baseline(tmp_path / "next.json")
    assert saved.run == "new"
    assert saved.to_json() == make_baseline(assay.read(QRELS, {"new": NEW}), ["AP", "P@3"]).to_json()


def test_changed_topics_are_left_out(path):
    qrels = {**QRELS, "q03": {"a": 2}, "new": {"a": 1}}
    del qrels["q01"]
    runs = {"new": dict.fromkeys(qrels, NEW["q00"])}
    report = assay.gate(assay.read(qrels, runs), path, margins={"AP": "5%"})
    assert (report.coverage.changed, report.coverage.added, report.coverage.removed) == (("q03",), ("new",), ("q01",))
    assert report.rows[0].numbers["topics"] == 18
    assert "18 topics (1 added, 1 removed, 1 with new judgments left aside)" in report.summary()
    assert sum("left out 1 topic" in note for note in report.notes) == 3
    stale = assay.gate(assay.read(qrels, runs), path, margins={"AP": "5%"}, min_coverage=0.9)
    assert (stale.verdict, stale.rows[0].finding) == ("undecided", "stale baseline")
    assert "write a new baseline with --save" in stale.summary()
    judged_again = assay.read({topic: {"a": 2} for topic in [*QRELS][:-1]} | {"q19": {"b": 0}}, {"new": NEW})
    make_baseline(assay.read({"q19": {"b": 0}}, {"old": OLD}), ["AP"]).write(path)
    assert assay.gate(judged_again, path, margins={"AP": "5%"}).rows[0].finding == "stale baseline"


def test_a_missing_topic_counts_as_an_empty_ranking(path):
    runs = {"new": {topic: ranking for topic, ranking in NEW.items() if topic != "q00"}}
    report = assay.gate(assay.read(QRELS, runs), path, margins={"AP": "5%"})
    assert report.rows[0].numbers["topics"] == 20
    assert report.aligned.results.values[0, 0, 0] == 0


def test_unjudged_documents_are_noted(path):
    runs = {"new": {topic: {"a": 3.0, "x": 2.0, "y": 1.0} for topic in QRELS}}
    report = assay.gate(assay.read(QRELS, runs), path, margins={"P@3": 0.1})
    [note] = [note for note in report.notes if "Judged@3" in note]
    assert "0.33 (baseline: 1.00)" in note
    assert "assay uncertainty bounds" in note


def test_other_policies_or_measures_are_refused(path):
    with pytest.raises(PolicyError, match=r"unjudged 'condensed': the values of .*baseline.json have unjudged 'nonrel"):
        assay.gate(assay.read(QRELS, {"new": NEW}, unjudged="condensed"), path, margins={"AP": 0.1})
    with pytest.raises(InputError, match=r"baseline.json: has no values of RR, only of AP, P@3; write it again"):
        assay.gate(assay.read(QRELS, {"new": NEW}), path, margins={"RR": 0.1})
    with pytest.raises(InputError, match="no topic is shared"):
        assay.gate(assay.read({"z": {"a": 1}}, {"new": {"z": {"a": 1.0}}}), path, margins={"AP": 0.1})
    everything = {topic: {"a": 2} for topic in QRELS}
    with pytest.raises(InputError, match="judgments of all shared topics changed"):
        assay.gate(assay.read(everything, {"new": NEW}), path, margins={"AP": 0.1})


def test_values_without_judgments_are_compared_with_a_note(path):
    report = assay.gate(assay.evaluate(QRELS, {"new": NEW}, "AP"), path, margins={"AP": 0.1})
    assert any("could not be compared, and are assumed equal" in note for note in report.notes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: "{", r"baseline.json:1: invalid JSON"),
        (lambda c: "[]", "is not a baseline"),
        (lambda c: {**c, "assay_baseline": 2}, "has version 2, this assay reads version 1"),
        (lambda c: {k: v for k, v in c.items() if k != "topics"}, "is damaged"),
        (lambda c: {**c, "topics": ["a", "a"]}, "a topic occurs twice"),
        (lambda c: {**c, "values": {"AP": [1], "P@3": [1]}}, "1 values of AP for 20 topics"),
        (lambda c: {**c, "values": {"AP": ["x"] * 20, "P@3": [1] * 20}}, "is damaged"),
        (lambda c: {**c, "values": {"AP": 1, "P@3": 2}}, "is damaged"),
        (lambda c: {**c, "judgments": ["a"]}, "1 digests of judgments for 20 topics"),
        (lambda c: {**c, "measures": [{"name": "AP"}]}, "is damaged"),
        (lambda c: {**c, "measures": [{**c["measures"][0], "lower_is_better": True}]}, "another direction"),
    ],
)
def test_damaged_baselines_are_refused(path, change, message):
    content = change(json.loads(path.read_text(encoding="utf-8")))
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match=message) as error:
        assay.gate(assay.read(QRELS, {"new": NEW}), read_baseline(path), margins={"AP": 0.1})
    assert "\n" not in str(error.value)


def test_a_baseline_needs_one_run():
    results = make_results(make_pair(20, 0, 0.1))
    assert isinstance(make_baseline(results, run="new"), Baseline)
    with pytest.raises(InputError, match="needs exactly one run, got 2"):
        make_baseline(results)


def test_many_topics_take_less_than_a_second():
    values = make_pair(20_000, 0.0, 0.2)
    report = assay.gate(
        make_results([values] * 3, ["AP", "RR", "P@10"]), "old", margins={"AP": 0.01, "RR": "2%", "P@10": 0.01}
    )
    assert report.verdict == "pass"
    assert isinstance(report.frame(), pl.DataFrame)

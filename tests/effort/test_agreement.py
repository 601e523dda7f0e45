"""Agreement of significant differences in gain and in effort."""

from collections import Counter

import numpy as np
import pytest

import assay
from assay.effort import agreement
from assay.effort._agreement import OUTCOMES, QUADRANTS
from assay.errors import AssayError
from real_data import real
from report_contract import check_report


def classify(gain, gain_p, twist, twist_p, alpha=0.05):
    """Return the outcome of a pair by the definition."""
    if gain_p < alpha and twist_p < alpha:
        return "both_same" if gain * twist > 0 else "both_opposite"
    return "gain_only" if gain_p < alpha else "effort_only" if twist_p < alpha else "neither"


@pytest.fixture(scope="module")
def campaign():
    rng = np.random.default_rng(3)
    qrels, runs = {}, {f"run{i}": {} for i in range(6)}
    for topic in map(str, range(20)):
        relevant = [f"d{i}" for i in range(rng.integers(2, 9))]
        qrels[topic] = {doc: int(rng.integers(1, 3)) for doc in relevant}
        for number, ranking in enumerate(runs.values()):
            pool = relevant + [f"n{i}" for i in range(10)]
            noise = rng.normal(size=len(pool)) * (number + 0.2)
            ranking[topic] = {doc: float(doc[0] == "d") + x for doc, x in zip(pool, noise, strict=True)}
    return assay.read(qrels, runs)


@pytest.mark.parametrize("options", [{}, {"test": "wilcoxon", "correction": "none"}, {"alpha": 0.2}])
def test_outcomes_and_quadrants_agree_with_the_definition(campaign, options):
    measures = ["AP", "P@5"]
    report = agreement(campaign, measures, **options)
    compared = assay.compare(campaign, ["Twist", *measures], **options).frame()
    means = {
        str(one): row
        for one, row in zip(
            ["Twist", *measures], assay.evaluate(campaign, ["Twist", *measures]).overall().T, strict=True
        )
    }
    for measure in measures:
        by_measure = compared.filter(measure=measure).to_dicts()
        by_twist = compared.filter(measure="Twist").to_dicts()
        expected = [
            classify(
                gain["difference"],
                gain["p_adjusted"],
                twist["difference"],
                twist["p_adjusted"],
                report.comparison.alpha,
            )
            for gain, twist in zip(by_measure, by_twist, strict=True)
        ]
        pairs = report.pairs().filter(measure=measure)
        assert pairs["outcome"].to_list() == expected
        quadrant = {
            run: f"{'high' if means[measure][i] >= np.median(means[measure]) else 'low'} gain, "
            f"{'low' if means['Twist'][i] >= np.median(means['Twist']) else 'high'} effort"
            for i, run in enumerate(campaign.runs)
        }
        assert pairs["quadrant"].to_list() == [quadrant[run] for run in pairs["run"]]
        assert pairs["other_quadrant"].to_list() == [quadrant[run] for run in pairs["other"]]
        same = pairs["quadrant"] == pairs["other_quadrant"]
        for name, mask in (("same quadrant", same), ("different quadrants", ~same), ("all", same | ~same)):
            row = report.frame().filter(measure=measure, quadrants=name).to_dicts()[0]
            counts = Counter(pairs.filter(mask)["outcome"])
            assert row["pairs"] == mask.sum()
            assert {outcome: row[outcome] for outcome in OUTCOMES} == {outcome: counts[outcome] for outcome in OUTCOMES}
        cells = report.by_quadrants().filter(measure=measure)
        assert cells["pairs"].sum() == len(pairs)
        expected_cells = Counter(
            tuple(sorted(pair, key=QUADRANTS.index)) for pair in pairs.select("quadrant", "other_quadrant").rows()
        )
        assert {
            row[:2]: row[2] for row in cells.select("quadrant", "other", "pairs").rows() if row[2]
        } == expected_cells


def test_opposite_directions():
    """One run has more gain at the top, but its curve never recovers; the curve of the other run recovers."""

    def rank(documents):
        return {document: -float(number) for number, document in enumerate(documents)}

    qrels = {str(t): {"a": 1, "b": 1, "c": 1} for t in range(8)}
    first = {str(t): rank("abxyzw") for t in range(8)}
    second = {str(t): rank("xabyzc" if t else "abxyzw") for t in range(8)}
    report = agreement(assay.read(qrels, {"first": first, "second": second}), "P@2")
    assert report.frame().filter(quadrants="all")["both_opposite"].item() == 1
    assert "1 in both P@2 and Twist (1 in opposite directions)" in report.summary()


def test_lower_is_better():
    campaign = assay.read(
        {str(t): {"a": 1} for t in range(8)},
        {
            "good": {str(t): {"a": 2.0, "b": 1.0} for t in range(8)},
            "bad": {str(t): {"b": 2.0 if t else 1.0, "a": 1.0 if t else 2.0} for t in range(8)},
        },
    )
    report = agreement(campaign, "BackwardSpace")
    assert report.frame().filter(quadrants="all")["both_same"].item() == 1
    assert report.by_run()["quadrant"].to_list() == ["high gain, low effort", "low gain, high effort"]


def test_the_report(campaign):
    report = agreement(campaign)
    assert check_report(report).name == "counts"
    assert report.by_run()["run"].to_list() == list(campaign.runs) * 2
    assert report.provenance.settings["test"] == "t"
    assert repr(report) == "Agreement(15 pairs of runs: AP, nDCG)"
    results = assay.evaluate(campaign, ["Twist", "AP", "nDCG"])
    assert agreement(results).frame().equals(report.frame())


def test_invalid_arguments_raise_an_error(campaign):
    for arguments, message in (
        ({"test": "x"}, "x"),
        ({"alpha": 2}, "alpha"),
        ({"correction": "x"}, "correction"),
        ({"twist": "AP"}, "not a measure of effort"),
    ):
        with pytest.raises(AssayError, match=message):
            agreement(campaign, **arguments)
    with pytest.raises(AssayError, match="need at least two runs"):
        agreement(campaign.select("run1"))


def test_trec8():
    folder = real("trec8-adhoc")
    report = agreement(assay.read(folder / "qrels.trec8.adhoc.txt.gz", folder / "runs"), "AP")
    counts = report.frame().filter(quadrants="all").select("pairs", *OUTCOMES).row(0)
    assert counts == (8256, 2764, 0, 321, 227, 4944)

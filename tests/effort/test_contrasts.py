"""Rankings with similar gain and different effort."""

import math
from itertools import permutations

import numpy as np
import pytest

import assay
from assay.effort import contrasts
from assay.errors import AssayError
from real_data import real
from report_contract import check_report

QRELS = {"1": {"a": 2, "b": 1, "c": 1}, "2": {"a": 1, "b": 1}, "3": {"a": 0}}
SCORES = {
    "ideal": {"1": "abc", "2": "ab"},
    "late": {"1": "xyabc", "2": "xyzab"},
    "early": {"1": "axyzvw", "2": "axyz"},
    "mixed": {"1": "cxbya", "2": "bxxya"},
    "short": {"1": "a"},
}
RUNS = {
    run: {topic: {doc: -float(rank) for rank, doc in enumerate(docs)} for topic, docs in topics.items()}
    for run, topics in SCORES.items()
}
CAMPAIGN = assay.read(QRELS, RUNS)


def list_contrasts(results, max_gain, min_effort):
    """Return the contrasts by the definition: all ordered pairs of runs on all topics."""
    rows = []
    for t, topic in enumerate(results.topics):
        for i, j in permutations(range(len(results.runs)), 2):
            (twist, other_twist), (gain, other_gain) = ((values[i][t], values[j][t]) for values in results.values)
            if math.isnan(twist + other_twist + gain + other_gain) or twist < other_twist:
                continue
            if twist == other_twist and i > j:
                continue
            if abs(gain - other_gain) <= max_gain + 1e-12 and twist - other_twist >= min_effort - 1e-12:
                rows.append((topic, results.runs[i], results.runs[j], gain, other_gain, twist, other_twist))
    return rows


COLUMNS = ("topic", "run", "other", "gain", "other_gain", "twist", "other_twist")


@pytest.mark.parametrize("undefined", ["zero", "exclude"])
@pytest.mark.parametrize(("max_gain", "min_effort"), [(0, 0), (0.1, 0.1), (0.3, 0.05), (1, 0), (0.05, 0.9), (2, 0.5)])
def test_all_pairs_of_the_definition_are_found(max_gain, min_effort, undefined):
    campaign = CAMPAIGN.with_policies(undefined=undefined)
    report = contrasts(campaign, "nDCG", max_gain=max_gain, min_effort=min_effort, most=None)
    expected = list_contrasts(assay.evaluate(campaign, ["Twist", "nDCG"]), max_gain, min_effort)
    assert sorted(report.frame().select(COLUMNS).rows()) == sorted(expected)
    difference = report.frame()["twist_difference"].to_list()
    assert difference == sorted(difference, reverse=True)
    assert report.by_topic()["contrasts"].sum() == len(expected)
    assert (
        contrasts(campaign, "nDCG", max_gain=max_gain, min_effort=min_effort, most=2)
        .frame()
        .equals(report.frame().head(2))
    )


def test_results_can_be_the_source():
    results = assay.evaluate(CAMPAIGN, ["AP", "Twist", "P@2"])
    assert (
        contrasts(results, max_gain=0.2, min_effort=0)
        .frame()
        .equals(contrasts(CAMPAIGN, max_gain=0.2, min_effort=0).frame())
    )
    with pytest.raises(AssayError, match="nDCG"):
        contrasts(results, "nDCG")


def test_the_report():
    report = contrasts(CAMPAIGN, max_gain=0.2, min_effort=0.1, most=1)
    assert check_report(report).name == "pairs"
    assert "have values of Twist at least 0.1 apart. Largest contrast, on topic" in report.summary()
    assert report.summary().endswith("The table shows the 1 largest.")
    assert report.provenance.settings["measure"] == "AP"
    none = contrasts(CAMPAIGN, max_gain=0, min_effort=0.9)
    assert check_report(none).frame.is_empty()
    assert none.summary().startswith("None of ")
    excluded = contrasts(CAMPAIGN.with_policies(undefined="exclude"), max_gain=0, min_effort=0.9)
    assert excluded.by_topic().row(2)[1:] == (0, 0, 0, None, None)
    two = assay.read({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}})
    assert contrasts(two).summary() == "There are no pairs of rankings of a topic with AP at most 0.01 apart."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_gain": -1}, "max_gain must be a number of at least 0, got -1"),
        ({"min_effort": math.nan}, "min_effort must be a number of at least 0"),
        ({"most": 0}, "most must be a whole number of at least 1"),
        ({"twist": "AP"}, "not a measure of effort"),
        ({"measure": "APP"}, "APP"),
    ],
)
def test_invalid_arguments_raise_an_error(arguments, message):
    with pytest.raises(AssayError, match=message):
        contrasts(CAMPAIGN, **arguments)


def test_two_runs_and_an_order_are_needed():
    with pytest.raises(AssayError, match="need at least two runs"):
        contrasts(CAMPAIGN.select("late"))
    with pytest.raises(AssayError, match="a curve needs an order"):
        contrasts(assay.read(QRELS, RUNS, ties="expected"))


def test_trec8():
    folder = real("trec8-adhoc")
    report = contrasts(assay.read(folder / "qrels.trec8.adhoc.txt.gz", folder / "runs"))
    assert (len(report.contrasts), report.by_topic()["similar"].sum()) == (92, 43132)
    assert report.frame().row(0)[:3] == ("444", "CL99XTopt", "CL99SDopt1")
    assert np.isclose(report.frame()["twist_difference"][0], 0.3863, atol=5e-5)

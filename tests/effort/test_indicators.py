"""Report on the indicators of effort."""

import json
import random
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import assay
from assay import effort, simulate
from assay.effort._indicators import MAIN, MORE
from assay.errors import AssayError, MeasureError, PolicyError
from assay.results.formats import TableLayout, render
from real_data import read_trec8, real

QRELS = {"301": {"a": 2, "b": 1, "c": 1, "d": 0}, "302": {"a": 1, "e": 2}, "303": {"a": 0}}
RUN = {"301": {"b": 9.0, "a": 8.0, "d": 7.0, "x": 6.0, "c": 5.0}, "302": {"y": 9.0, "e": 8.0, "z": 7.0, "a": 6.0}}
CAMPAIGN = assay.read(QRELS, RUN)


def test_columns_and_values():
    frame = effort.indicators(CAMPAIGN).frame()
    assert frame.columns == ["run", "topic", "r", "n", *MAIN, *MORE, "still_growing", "archetype"]
    assert frame.rows()[0][:4] == ("run1", "301", 3, 6)
    assert frame["twist"].to_list() == pytest.approx([0.8225806, 0.5333333, 0.0])
    assert frame["archetype"].to_list() == ["ups-and-downs", "typical A", None]


def test_values_equal_those_of_the_measures():
    report = effort.indicators(CAMPAIGN, depth=10, crossing="literal", endpoint="right", persistence=0.9, weights="exp")
    parameters = "crossing=literal, endpoint=right, persistence=0.9, weights=exp"
    assert str(report.results.measures[4]) == "Twist(weights=exp, persistence=0.9, crossing=literal, endpoint=right)@10"
    expected = assay.evaluate(CAMPAIGN, f"Twist({parameters})@10").values[0]
    assert np.array_equal(report.results.values[4], expected)


def test_indicators_of_one_ranking():
    frame = effort.indicators(CAMPAIGN).frame()
    row = frame.row(0, named=True)
    assert (row["balance_point"], row["loss_at_r"], row["turn_around"], row["still_growing"]) == (3.0, -1.0, 1.0, True)


def test_means_and_archetypes():
    report = effort.indicators(assay.read(QRELS, {"one": RUN, "none": {"301": {"x": 1.0}}}, undefined="exclude"))
    rows = {row["run"]: row for row in report.means().iter_rows(named=True)}
    assert list(rows) == ["one", "none", "all"]
    assert rows["one"]["twist"] == pytest.approx((0.8225806 + 0.5333333) / 2)
    assert rows["all"]["curves"] == 4
    counts = {(run, kind): n for run, kind, n in report.archetype_counts().drop("share").iter_rows()}
    assert (counts["one", "ups-and-downs"], counts["none", "worst"], counts["all", "worst"]) == (1, 2, 2)
    assert rows["none"]["b_ratio"] == 0.0  # The value of a topic is minus infinity; it is clipped to 0 in the mean.
    merged = replace(report, merge=True).archetype_counts().filter(archetype="excellent")
    assert merged.rows() == [("one", "excellent", 1, 0.5), ("none", "excellent", 0, 0.0), ("all", "excellent", 1, 0.25)]
    assert sum(report.census().values()) == sum(report.census(merge=True).values()) == pytest.approx(1)
    assert "2 runs x 3 topics" in repr(report)


def test_missing_topics_follow_the_policy():
    one_topic = {"301": RUN["301"]}
    assert effort.indicators(assay.read(QRELS, one_topic)).frame()["archetype"].to_list() == [
        "ups-and-downs",
        "worst",
        None,
    ]
    excluded = effort.indicators(assay.read(QRELS, one_topic, missing="exclude")).frame()
    assert excluded["archetype"].to_list() == ["ups-and-downs", None, None]
    assert excluded["twist"].to_list()[1] is None


def test_grades_can_be_replaced():
    binary = effort.indicators(assay.read(QRELS, RUN, grades={2: 1})).frame()
    assert binary["archetype"].to_list()[0] == "typical A"
    with pytest.raises(AssayError, match="has no grade 7; it has 0 1 2"):
        assay.read(QRELS, RUN, grades={7: 1})


def test_notes_are_not_repeated():
    notes = effort.indicators(CAMPAIGN).notes
    assert sum("without relevant documents" in note for note in notes) == 1


# Tables --------------------------------------------------------------------------------------------------------------


def simulated_campaign(systems=5):
    collection = simulate(systems=systems, topics=8, seed=3)
    return assay.read(collection.qrels, collection.runs)


@pytest.mark.parametrize(
    ("show", "frame", "compact"),
    [
        ("means", ["run", "curves", *MAIN], "run rankings recovery forward backward space Twist"),
        ("archetypes", ["run", "archetype", "curves", "share"], None),
        ("topics", None, "run topic R ranks recovery forward backward space Twist archetype"),
        ("indicators", ["run", "curves", *MAIN, *MORE], None),
    ],
)
def test_tables_fit_a_screen(show, frame, compact):
    report = effort.indicators(simulated_campaign())
    table = report.table(show)
    assert table.frame.columns == (report.frame().columns if frame is None else frame)
    assert compact is None or table.compact.columns == compact.split()
    lines = render(report, "table", show, TableLayout(width=80)).decode().splitlines()
    assert max(map(len, lines)) <= 80
    assert show == "topics" or len(table.compact) == 6


def test_the_table_shows_only_occurring_archetypes():
    report = effort.indicators(CAMPAIGN)
    assert report.table("archetypes").compact.columns == ["run", "typical A", "ups-and-downs"]
    merged = effort.indicators(CAMPAIGN, merge=True)
    assert merged.table("archetypes").compact.rows() == [("run1", 1, 1), ("all", 1, 1)]
    assert merged.table("archetypes").compact.columns == ["run", "typical A", "excellent"]
    assert merged.census() == report.census(merge=True)


def test_the_summary_names_the_least_effort_ties_and_common_archetypes():
    good, bad = {"301": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"301": {"x": 1.0}}
    qrels = {"301": QRELS["301"]}
    text = effort.indicators(assay.read(qrels, {"good": good, "bad": bad})).summary()
    assert text.startswith("Least effort by mean Twist over 1 topic: good (1.000); most effort: bad (0.000).")
    assert text.endswith("Most common archetypes: ideal and worst, with 1 of 2 curves each.")
    tied = effort.indicators(assay.read(qrels, {"one": good, "two": good, "bad": bad})).summary()
    assert "2 runs tied (1.000); most effort: bad" in tied
    assert (
        "All runs are tied: the mean Twist over 1 topic is 1.000"
        in effort.indicators(assay.read(qrels, {"a": good, "b": good})).summary()
    )
    assert effort.indicators(assay.read(qrels, good)).summary() == (
        "Mean Twist over 1 topic: 1.000 (1: ideal ranking, 0: no recovery). "
        "Most common archetype: ideal, 1 of 1 curve (every document is at an ideal rank)."
    )
    no_relevant = effort.indicators(assay.read({"q": {"a": 0}}, {"q": {"a": 1.0}}))
    assert no_relevant.summary() == "No topic has relevant documents, so effort cannot be measured."
    assert render(no_relevant, "json")


def test_provenance_serializes_to_json():
    report = effort.indicators(CAMPAIGN, depth=10, weights={1: 1, 2: 3})
    settings = json.loads(json.dumps(report.provenance.as_dict()))["settings"]
    assert settings == {
        "depth": 10, "length": "extend", "crossing": "strict", "endpoint": "left", "weights": "{1:1,2:3}",
        "persistence": 1, "rel": 1, "merge": False,
    }  # fmt: skip


def test_unsuitable_policies_and_settings_raise_an_error():
    with pytest.raises(PolicyError, match="a curve needs an order"):
        effort.indicators(assay.read(QRELS, RUN, ties="expected"))
    with pytest.raises(MeasureError, match="crossing must be one of strict, literal, matters"):
        effort.indicators(CAMPAIGN, crossing="never")


def shuffled_lines(text, rng):
    lines = text.splitlines(keepends=True)
    rng.shuffle(lines)
    return "".join(lines)


def test_order_of_files_lines_and_topics_does_not_matter(tmp_path):
    rng = random.Random(5)
    qrels = "".join(f"t{t} 0 d{d} {rng.choice([0, 0, 1, 2])}\n" for t in range(6) for d in range(12))
    runs = {
        name: "".join(
            f"t{t} Q0 d{rng.randrange(40) + 100 * i} 0 {rng.random()} {name}\n" for t in range(6) for i in range(9)
        )
        for name in ("b", "a")
    }
    runs = {name: text.replace(" d10", " d").replace(" d20", " d") for name, text in runs.items()}
    reports = []
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        rearrange = (lambda text: text) if number == 0 else (lambda text: shuffled_lines(text, rng))
        (folder / "qrels").write_text(rearrange(qrels))
        names = sorted(runs, reverse=bool(number))
        for name in names:
            (folder / name).write_text(rearrange(runs[name]))
        report = effort.indicators(assay.read(folder / "qrels", [folder / name for name in names], lenient=True))
        reports.append((report.frame().sort("run", "topic"), report.means().sort("run")))
    assert reports[0][0].equals(reports[1][0])
    assert reports[0][1].drop("run").equals(reports[1][1].drop("run"), null_equal=True)


def test_archetypes_of_trec_8():
    report = effort.indicators(read_trec8())
    shares = report.census(merge=True)
    assert shares["typical A"] + shares["typical B"] > 0.9
    assert shares["excellent"] == 0  # This is a theorem for binary relevance.
    assert len(report.frame()) == 129 * 50


def test_archetypes_of_robust_03():
    folder = real("robust03")
    report = effort.indicators(assay.read(folder / "qrels.robust03.txt.gz", folder / "runs"))
    shares = report.census(merge=True)
    assert shares["typical A"] + shares["typical B"] > 0.9
    assert shares["excellent"] > 0


# Ranges by archetype -------------------------------------------------------------------------------------------------


def lower_quantile(values, fraction):
    """Return the smallest value such that at least this fraction of the values is not above it."""
    ordered = sorted(values)
    return next(x for i, x in enumerate(ordered, 1) if i >= fraction * len(ordered) - 1e-9)


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("crossing", ["strict", "matters"])
def test_ranges_agree_with_the_definition(merge, crossing):
    rng = np.random.default_rng(5)
    qrels = {str(t): {f"d{i}": int(rng.integers(0, 3)) for i in range(5)} for t in range(6)}
    runs = {
        f"run{r}": {t: {f"d{i}": float(x) for i, x in enumerate(rng.normal(size=9))} for t in qrels} for r in range(20)
    }
    report = assay.effort.indicators(assay.read(qrels, runs), merge=merge, crossing=crossing)
    frame = report.frame().with_columns(crossing=pl.Series(report.curves.crossing_rank(crossing)))
    if merge:
        excellent = ["ups-and-downs", "excellent A", "excellent B"]
        frame = frame.with_columns(pl.col("archetype").replace(excellent, ["excellent"] * 3))
    ranges = report.ranges()
    assert ranges["rankings"].sum() == 7 * frame["archetype"].is_not_null().sum()
    for row in ranges.iter_rows(named=True):
        values = frame.filter(archetype=row["archetype"])[row["indicator"]].to_list()
        assert row["rankings"] == len(values)
        names = ("min", "q1", "median", "q3", "max")
        expected = [lower_quantile(values, i / 4) if values else None for i in range(5)]
        assert [row[name] for name in names] == expected
    assert all(name.endswith(")") for name in report.table("ranges").compact["archetype"])

"""Studies in steps: finished steps are reused, and the same inputs give the same bytes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import assay
from assay.errors import InputError
from assay.io.study_record import MANIFEST
from assay.meta._study import study
from assay.meta._study_index import INDEX, MAX_ROWS
from assay.meta.study_context import StudySettings
from assay.meta.study_figures import FIGURES
from assay.meta.study_steps import build_steps

SMALL = StudySettings(measures=("AP", "P@5", "RBP(p=0.8)"), ratios=(50,), seeds=2, depths=(2, 5), resamples=20)


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    folder = tmp_path_factory.mktemp("campaign")
    rng = np.random.default_rng(3)
    qrels = [f"{t} 0 d{d:02} {int(rng.random() < 0.3)}\n" for t in range(1, 7) for d in range(30)]
    (folder / "qrels.txt").write_text("".join(qrels))
    (folder / "runs").mkdir()
    for number in range(6):
        lines = []
        for topic in range(1, 7):
            order = rng.permutation(30)[:12]
            lines += [f"{topic} Q0 d{d:02} {i + 1} {20 - i} sys{number}\n" for i, d in enumerate(order)]
        (folder / "runs" / f"sys{number}.run").write_text("".join(lines))
    (folder / "groups").write_text("".join(f"sys{number} g{number % 3}\n" for number in range(6)))
    return folder


@pytest.fixture(scope="module")
def complete(campaign, tmp_path_factory):
    """A study that no test changes."""
    return run_study(campaign, tmp_path_factory.mktemp("complete") / "study")


@pytest.fixture(scope="module")
def illustrated(campaign, tmp_path_factory):
    """A study with groups and figures that no test changes."""
    settings = {**vars(SMALL), "groups": str(campaign / "groups")}
    return run_study(campaign, tmp_path_factory.mktemp("illustrated") / "study", settings, plot=assay.plot)


@pytest.fixture
def copied(complete, tmp_path):
    """The folder of a copy of the complete study."""
    return shutil.copytree(complete.folder, tmp_path / "study")


def run_study(campaign, folder, settings=SMALL, **options):
    source = assay.read(str(campaign / "qrels.txt"), str(campaign / "runs"), keep="judgments")
    return study(source, folder, settings, **options)


def read_contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_tables_agree_with_the_analyses(campaign, complete):
    report = complete
    assert report.resumed == ()
    results = assay.evaluate(str(campaign / "qrels.txt"), str(campaign / "runs"), SMALL.measures)
    assert report.table("scores").frame.equals(results.means())
    assert report.table("scores-topics").frame.equals(results.frame())
    assert set(report.table("pool-depth").frame["measure"]) == set(SMALL.measures)
    assert report.table("robustness-seeds").frame["seed"].unique().to_list() == [0, 1]
    # The best 5 of 6 runs have 10 pairs, tested by two tests.
    assert report.table("power").frame.filter(measure="AP")["pairs"].to_list() == [10, 10]
    assert report.table("power").frame["measure"].n_unique() == 3
    assert report.table("asl").frame.group_by("measure", "test").len()["len"].to_list() == [10] * 6
    counts = report.table("significance-counts").frame
    assert counts.filter(selection="all runs")["pairs"].unique().to_list() == [15]
    assert counts.filter(selection="best runs")["pairs"].unique().to_list() == [10]
    selections = ["all runs", "best runs", "pool of depth 2", "pool of depth 5"]
    assert report.table("correlation").frame["selection"].unique(maintain_order=True).to_list() == selections


def test_report(campaign, complete, copied):
    report = complete
    frame = report.frame()
    assert frame.columns == ["step", "table", "rows", "file"]
    assert frame["table"].to_list() == list(report.tables)[1:]
    for _, table, rows, file in frame.rows():
        assert len(pl.read_parquet(report.folder / file)) == len(report.table(table).frame) == rows
    assert report.table().compact.columns == ["step", "tables", "rows", "first file"]
    assert report.table().compact["step"].to_list() == [step.name for step in report.steps if step.part_of is None]
    assert report.table("scores").compact.columns == ["run", *SMALL.measures]
    assert report.table("power").heading == "test"
    assert report.summary().startswith(f"Studied 3 measures on 6 runs in {len(report.steps)} steps")
    assert str(report.folder) in report.summary()
    assert "before" not in report.summary()
    repeated = run_study(campaign, copied)
    assert f"{len(report.steps)} of {len(report.steps)} steps were already complete" in repeated.summary()
    assert json.loads(json.dumps(report.provenance.as_dict()))["settings"]["seeds"] == 2
    with pytest.raises(InputError, match=r"show scoers: choose one of .*did you mean scores"):
        report.table("scoers")


def test_tables_of_effort_theory_and_distance_agree_with_the_analyses(campaign, complete):
    source = assay.read(str(campaign / "qrels.txt"), str(campaign / "runs"), keep="judgments")
    report = complete
    effort = assay.effort.indicators(source, depth=1000)
    assert report.table("indicators").frame.equals(effort.frame())
    assert report.table("archetypes").frame.equals(effort.archetype_counts())
    classes = assay.effort.against_gain(source, SMALL.measures, twist="Twist@1000").classes()
    assert report.table("effort-gain").frame.equals(classes)
    assert report.table("residual").frame.equals(assay.uncertainty.residual(source, pools=2).frame())
    order = assay.theory.order(source, SMALL.measures, unequal="pad")
    assert report.table("order").frame.equals(order.by_run())
    assert report.table("order-measures").frame.equals(order.count_contradictions())
    assert report.table("axioms").frame.equals(assay.theory.axioms(SMALL.measures, length=6).frame())
    assert report.table("balance").frame.equals(assay.theory.balance(SMALL.measures).frame())
    best = report.table("scores").frame.filter(measure="AP").sort("value", descending=True)["run"].to_list()[:5]
    distances = assay.distance.med(source.select(best), "nDCG@20").frame()
    assert report.table("med").frame.filter(measure="nDCG@20").equals(distances)


def test_ranges_of_indicators_by_archetype(complete):
    values = complete.table("indicators").frame
    for row in complete.table("archetype-ranges").frame.to_dicts():
        group = values.filter(archetype=row["archetype"])[row["indicator"]]
        assert (row["curves"], row["min"], row["max"]) == (len(group), group.min(), group.max())
        assert row["median"] == group.median()


def test_the_effort_measure_of_the_settings_is_used(campaign, tmp_path):
    report = run_study(campaign, tmp_path / "study", {**vars(SMALL), "measures": ["AP", "Twist@12"]})
    assert report.table("indicators").frame["n"].max() < 1000
    assert report.table("effort-gain").frame["measure"].to_list() == ["AP"]


def test_index_page_shows_every_table(campaign, tmp_path):
    grouped = StudySettings(**{**vars(SMALL), "groups": str(campaign / "groups")})
    report = run_study(campaign, tmp_path / "study", grouped)
    text = (report.folder / INDEX).read_text()
    for name in set(report.tables) - {"overview"}:
        assert f'<a href="{name}.parquet">' in text, name
    assert "6 runs, seed 0. <em>The best runs</em> are the best 75% by MAP." in text
    assert '<th class="n">50 %</th>' in text
    assert "<img" not in text


def test_at_most_forty_files(illustrated):
    report = illustrated
    names = {path.name for path in report.folder.iterdir()}
    assert len(names) <= 40
    assert {f"{name}.png" for name in FIGURES} <= names
    assert report.figures == tuple(FIGURES)
    assert report.skipped == {}
    text = (report.folder / INDEX).read_text()
    assert all(f'<img src="{name}.png"' in text for name in FIGURES)
    assert "tables and 13 figures; index.html in the same folder shows them." in report.summary()


def test_figures_are_resumed_and_reproducible(campaign, illustrated, tmp_path):
    folder = shutil.copytree(illustrated.folder, tmp_path / "first")
    (folder / "boxes.png").unlink()
    settings = {**vars(SMALL), "groups": str(campaign / "groups")}
    again = run_study(campaign, folder, settings, plot=assay.plot)
    assert {step.name for step in again.steps} - set(again.resumed) == {"figure boxes"}
    second = run_study(campaign, tmp_path / "second", settings, plot=assay.plot)
    assert read_contents(again.folder) == read_contents(second.folder)


def test_steps_that_are_impossible_are_skipped_with_a_reason(campaign, tmp_path):
    source = assay.read(str(campaign / "qrels.txt"), str(campaign / "runs"), keep="judgments", ties="expected")
    report = study(source, tmp_path / "study", SMALL)
    assert set(report.skipped) == {"effort", "effort-gain", "residual", "order", "med"}
    assert "ties" in report.skipped["effort"]
    assert "Not computed: effort, effort-gain," in report.summary()
    assert "<p>Not computed: " in (report.folder / INDEX).read_text()
    again = study(source, tmp_path / "study", SMALL)
    assert len(again.resumed) == len(again.steps)
    assert again.skipped == report.skipped


def test_several_collections(campaign, tmp_path):
    source = assay.read(str(campaign / "qrels.txt"), str(campaign / "runs"), keep="judgments")
    files = [str(campaign / "runs" / f"sys{number}.run") for number in range(3)]
    other = assay.read(str(campaign / "qrels.txt"), files, keep="judgments")
    report = study({"all runs": source, "three": other}, tmp_path / "both", SMALL)
    single = study(other, tmp_path / "single", SMALL)
    assert read_contents(tmp_path / "both" / "three") == read_contents(single.folder)
    assert report.table("three/scores").frame.equals(single.table("scores").frame)
    assert "on 9 runs of 2 collections in" in report.summary()
    index = (tmp_path / "both" / INDEX).read_text()
    assert '<a href="all%20runs/index.html">all runs</a></td><td>6</td><td>6</td>' in index
    again = study({"all runs": source, "three": other}, tmp_path / "both", SMALL)
    assert len(again.resumed) == len(again.steps)
    with pytest.raises(InputError, match="'a/b' cannot be the name of a folder"):
        study({"a/b": source}, tmp_path / "other", SMALL)
    with pytest.raises(InputError, match="name at least one collection"):
        study({}, tmp_path / "other", SMALL)
    with pytest.raises(InputError, match="holds a study of one collection"):
        study({"one": source}, tmp_path / "single", SMALL)


def test_long_tables_are_truncated_on_the_index_page(tmp_path):
    rng = np.random.default_rng(0)
    count = MAX_ROWS + 1
    runs = {f"run{i}": {"q": {f"d{d}": float(rng.random()) for d in range(8)}} for i in range(count)}
    source = assay.read({"q": {f"d{d}": d % 2 for d in range(8)}}, runs)
    settings = {"measures": ["AP"], "ratios": [50], "seeds": 1, "depths": [2], "resamples": 2}
    report = study(source, tmp_path / "study", settings)
    text = (report.folder / INDEX).read_text()
    assert f"The table shows the first {MAX_ROWS} of {count} rows." in text


def test_settings_may_be_a_dict(campaign, complete, tmp_path):
    settings = {"measures": ["map", "P@5", "RBP(p=0.8)"], "ratios": [50], "seeds": 2, "depths": [2, 5], "resamples": 20}
    assert StudySettings.of(settings) == SMALL
    assert StudySettings.of(SMALL) is SMALL
    second = run_study(campaign, tmp_path / "second", settings)
    assert read_contents(complete.folder) == read_contents(second.folder)
    with pytest.raises(InputError, match="settings: unknown setting 'ratio'; did you mean ratios"):
        StudySettings.of({"ratio": 3})


def test_groups_may_be_a_dict(campaign, tmp_path):
    groups = {f"sys{number}": f"g{number % 3}" for number in range(6)}
    first = run_study(campaign, tmp_path / "first", {**vars(SMALL), "groups": groups})
    second = run_study(campaign, tmp_path / "second", {**vars(SMALL), "groups": str(campaign / "groups")})
    assert read_contents(first.folder) == read_contents(second.folder)


def test_the_record_lists_the_files_of_each_step(complete):
    recorded = json.loads((complete.folder / MANIFEST).read_text())["done"]
    assert list(recorded) == [step.name for step in build_steps(SMALL) if step.part_of is None]
    files = {name for tables in recorded.values() for name in tables}
    assert files | {MANIFEST, INDEX} == {path.name for path in complete.folder.iterdir()}


def test_groups_add_a_leave_one_out_step(campaign, tmp_path):
    grouped = StudySettings(**{**vars(SMALL), "groups": str(campaign / "groups")})
    report = run_study(campaign, tmp_path / "study", grouped)
    assert report.table("groups").frame["group"].unique().sort().to_list() == ["g0", "g1", "g2"]
    (campaign / "others").write_text("".join(f"sys{i} h{i}\n" for i in range(6)))
    other = StudySettings(**{**vars(SMALL), "groups": str(campaign / "others")})
    with pytest.raises(InputError, match=r"holds a study with other settings \(groups\)"):
        run_study(campaign, tmp_path / "study", other)


@pytest.mark.parametrize("stop_at", [0, 3, 6, 8, 12])
def test_an_interrupted_study_resumes(campaign, complete, tmp_path, monkeypatch, stop_at):
    started: list[str] = []

    def build_interrupted_steps(settings, plot):
        def wrap_step(step, number):
            def compute(context):
                started.append(step.name)
                if number == stop_at and started.count(step.name) == 1:
                    raise KeyboardInterrupt
                return step.compute(context)

            return step._replace(compute=compute)

        return tuple(wrap_step(step, number) for number, step in enumerate(build_steps(settings, plot)))

    monkeypatch.setattr("assay.meta._study.build_steps", build_interrupted_steps)
    with pytest.raises(KeyboardInterrupt):
        run_study(campaign, tmp_path / "study")
    report = run_study(campaign, tmp_path / "study")
    names = [step.name for step in build_steps(SMALL)]
    assert report.resumed == tuple(names[:stop_at])
    assert started == [*names[: stop_at + 1], *names[stop_at:]]
    assert read_contents(report.folder) == read_contents(complete.folder)


def test_changed_or_missing_files_are_written_again(campaign, copied):
    before = read_contents(copied)
    (copied / "scores.parquet").write_text("mine")
    (copied / "correlation.parquet").unlink()
    (copied / ".judgments.parquet.leftover").write_text("half")
    resumed = run_study(campaign, copied)
    assert {step.name for step in resumed.steps} - set(resumed.resumed) == {"scores", "correlation"}
    assert {name: data for name, data in read_contents(resumed.folder).items() if name in before} == before
    assert run_study(campaign, copied).resumed == tuple(step.name for step in resumed.steps)


def test_an_interrupted_study_has_no_index_page(campaign, copied, monkeypatch):
    (copied / "scores.parquet").unlink()

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.meta._study.Record.write", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run_study(campaign, copied)
    assert not (copied / INDEX).exists()


def test_temporary_files_of_a_killed_process_are_removed(campaign, copied):
    (copied / ".scores.parquet.x1y2").write_text("half")
    (copied / "scores.parquet").unlink()
    run_study(campaign, copied)
    assert not list(copied.glob(".scores*"))


def test_another_study_is_not_overwritten(campaign, copied, tmp_path):
    other = StudySettings(**{**vars(SMALL), "seed": 5})
    with pytest.raises(
        InputError, match=r"holds a study with other settings \(seed\); name another folder, or add --fr"
    ):
        run_study(campaign, copied, other)
    qrels, runs = str(campaign / "qrels.txt"), str(campaign / "runs")
    for part, source in (
        ("inputs", assay.read(qrels, [f"{runs}/sys0.run", f"{runs}/sys1.run"])),
        ("policies", assay.read(qrels, runs, ties="file")),
        ("derivations", assay.read(qrels, runs, grades={1: 2})),
    ):
        with pytest.raises(InputError, match=f"holds a study with other {part}; name another folder, or add --fresh"):
            study(source, copied, SMALL)
    assert run_study(campaign, copied, other, fresh=True).resumed == ()
    fewer = StudySettings(**{**vars(SMALL), "measures": ("AP",)})
    assert run_study(campaign, copied, fewer, fresh=True).table("power").frame["measure"].unique().to_list() == ["AP"]
    assert not list((copied).glob("*P@5*"))  # No file of the previous study remains.
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("x")
    for fresh in (False, True):
        with pytest.raises(InputError, match="holds other files; name an empty or new folder"):
            run_study(campaign, tmp_path / "mine", fresh=fresh)
    with pytest.raises(InputError, match="is a file; choose a folder"):
        run_study(campaign, tmp_path / "mine" / "notes.txt")
    with pytest.raises(InputError, match="cannot be created"):
        run_study(campaign, tmp_path / "mine" / "notes.txt" / "deeper")


@pytest.mark.parametrize("text", ["not json", "[]", '{"study": 1}'])
def test_an_invalid_record_raises(campaign, tmp_path, text):
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / MANIFEST).write_text(text)
    with pytest.raises(InputError, match="is not the record of a study; name another folder"):
        run_study(campaign, tmp_path / "study")


def test_the_location_of_the_inputs_does_not_matter(campaign, copied, monkeypatch):
    monkeypatch.chdir(campaign)
    again = study(assay.read("qrels.txt", "runs"), copied, SMALL)
    assert len(again.resumed) == len(again.steps)


def test_a_study_stopped_in_its_first_step_resumes(campaign, copied):
    record = json.loads((copied / MANIFEST).read_text())
    (copied / MANIFEST).write_text(json.dumps({**record, "done": {}}))
    assert run_study(campaign, copied).resumed == ()


def test_one_run_raises_before_anything_is_written(campaign, tmp_path):
    one_run = assay.read(str(campaign / "qrels.txt"), str(campaign / "runs" / "sys0.run"))
    with pytest.raises(InputError, match="runs: need at least two runs, got 1"):
        study(one_run, tmp_path / "study", SMALL)
    assert not (tmp_path / "study").exists()


def test_a_study_without_ap_raises(campaign, tmp_path):
    with pytest.raises(InputError, match="a study needs AP to select the best runs"):
        run_study(campaign, tmp_path / "study", StudySettings(measures=("P@5",)))


def test_progress_of_steps_is_reported(campaign, tmp_path):
    calls: list[tuple[str, int, int]] = []
    run_study(campaign, tmp_path / "study", watch=lambda *call: calls.append(call))
    names = [step.name for step in build_steps(SMALL)]
    assert calls == [(name, number, len(names)) for number, name in enumerate([*names, ""])]

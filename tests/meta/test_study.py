"""A study in steps: what is done is kept, and the same inputs give the same bytes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import assay
from assay.errors import InputError
from assay.io.study_record import MANIFEST
from assay.meta._study import study
from assay.meta._study_summary import SUMMARY
from assay.meta.study_steps import StudySettings, build_steps

SMALL = StudySettings(measures=("AP", "P@5", "RBP(p=0.8)"), ratios=(50,), seeds=2, depths=(2, 5), resamples=20)


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    folder = tmp_path_factory.mktemp("campaign")
    rng = np.random.default_rng(3)
    qrels = [f"{t} 0 d{d:02} {int(rng.random() < 0.3)}\n" for t in range(1, 7) for d in range(30)]
    (folder / "qrels.txt").write_text("".join(qrels))
    (folder / "runs").mkdir()
    for run in range(6):
        lines = []
        for topic in range(1, 7):
            order = rng.permutation(30)[:12]
            lines += [f"{topic} Q0 d{d:02} {i + 1} {20 - i} sys{run}\n" for i, d in enumerate(order)]
        (folder / "runs" / f"sys{run}.run").write_text("".join(lines))
    (folder / "groups").write_text("".join(f"sys{run} g{run % 3}\n" for run in range(6)))
    return folder


def run(campaign, folder, settings=SMALL, **given):
    read = assay.read(str(campaign / "qrels.txt"), str(campaign / "runs"), keep="judgments")
    return study(read, folder, settings, **given)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_tables_are_what_the_analyses_say(campaign, tmp_path):
    done = run(campaign, tmp_path / "study")
    assert done.resumed == ()
    results = assay.evaluate(str(campaign / "qrels.txt"), str(campaign / "runs"), SMALL.measures)
    assert done.table("scores").frame.equals(results.means())
    assert done.table("scores-topics").frame.equals(results.frame())
    assert set(done.table("pool-depth").frame["measure"]) == set(SMALL.measures)
    assert done.table("robustness-seeds").frame["seed"].unique().to_list() == [0, 1]
    assert done.table("power-RBP_p=0.8").frame["pairs"].to_list() == [10, 10]  # the best 5 of 6 runs, by two tests
    assert done.table("power").frame["measure"].n_unique() == 3
    assert done.table("significance-counts").frame["pairs"].unique().to_list() == [15]
    assert done.table("correlation-depth2").frame.columns == ["measure", "pool", *SMALL.measures]
    assert pl.read_csv(done.folder / "scores.csv", schema=done.table("scores").frame.schema).equals(
        done.table("scores").frame
    )


def test_a_report(campaign, tmp_path):
    done = run(campaign, tmp_path / "study")
    frame = done.frame()
    assert frame.columns == ["step", "table", "rows", "file"]
    assert frame["table"].to_list() == list(done.tables)[1:]
    for _, table, rows, file in frame.rows():
        assert len(pl.read_parquet(done.folder / file)) == len(done.table(table).frame) == rows
    assert done.table().compact.columns == ["step", "tables", "rows", "first file"]
    assert done.table().compact["step"].to_list() == [step.name for step in done.steps]
    assert done.table("scores").compact.columns == ["run", *SMALL.measures]
    assert done.table("power").heading == "test"
    assert done.summary().startswith(f"Studied 3 measures on 6 runs in {len(done.steps)} steps")
    assert str(done.folder) in done.summary()
    assert "before" not in done.summary()
    again = run(campaign, tmp_path / "study")
    assert f"{len(done.steps)} of {len(done.steps)} steps were already complete" in again.summary()
    assert json.loads(json.dumps(done.provenance.as_dict()))["settings"]["seeds"] == 2
    with pytest.raises(InputError, match=r"show scoers: choose one of .*did you mean scores"):
        done.table("scoers")


def test_the_summary_has_the_main_tables(campaign, tmp_path):
    grouped = StudySettings(**{**vars(SMALL), "groups": str(campaign / "groups")})
    text = (run(campaign, tmp_path / "study", grouped).folder / SUMMARY).read_text()
    assert text.count("## ") == 9
    assert "6 runs, seed 0; *the best runs* are the best 75% by MAP." in text
    assert "| measure | 50 % |" in text
    assert "| run | AP | P@5 | RBP(p=0.8) |" in text


def test_a_summary_of_many_runs_shows_the_best(tmp_path):
    rng = np.random.default_rng(0)
    runs = {f"run{i}": {"q": {f"d{d}": float(rng.random()) for d in range(8)}} for i in range(41)}
    read = assay.read({"q": {f"d{d}": d % 2 for d in range(8)}}, runs)
    settings = {"measures": ["AP"], "ratios": [50], "seeds": 1, "depths": [2], "resamples": 2}
    done = study(read, tmp_path / "study", settings)
    text = (done.folder / SUMMARY).read_text()
    assert "The first 40 of 41 runs." in text
    assert text.count("| run") == 41


def test_settings_may_be_given_by_name(campaign, tmp_path):
    given = {"measures": ["map", "P@5", "RBP(p=0.8)"], "ratios": [50], "seeds": 2, "depths": [2, 5], "resamples": 20}
    assert StudySettings.of(given) == SMALL
    assert StudySettings.of(SMALL) is SMALL
    first, second = run(campaign, tmp_path / "first"), run(campaign, tmp_path / "second", given)
    assert contents(first.folder) == contents(second.folder)
    with pytest.raises(InputError, match="settings: there is no 'ratio'; did you mean ratios"):
        StudySettings.of({"ratio": 3})


def test_groups_may_be_a_dict(campaign, tmp_path):
    groups = {f"sys{number}": f"g{number % 3}" for number in range(6)}
    first = run(campaign, tmp_path / "first", {**vars(SMALL), "groups": groups})
    second = run(campaign, tmp_path / "second", {**vars(SMALL), "groups": str(campaign / "groups")})
    assert contents(first.folder) == contents(second.folder)


def test_every_step_has_its_files_noted(campaign, tmp_path):
    done = run(campaign, tmp_path / "study")
    noted = json.loads((done.folder / MANIFEST).read_text())["done"]
    assert list(noted) == [step.name for step in build_steps(SMALL)]
    files = {name for tables in noted.values() for name in tables}
    assert files | {MANIFEST, SUMMARY} == {path.name for path in done.folder.iterdir()}


def test_groups_are_left_out_if_there_are_any(campaign, tmp_path):
    grouped = StudySettings(**{**vars(SMALL), "groups": str(campaign / "groups")})
    done = run(campaign, tmp_path / "study", grouped)
    assert done.table("groups").frame["group"].unique().sort().to_list() == ["g0", "g1", "g2"]
    (campaign / "others").write_text("".join(f"sys{i} h{i}\n" for i in range(6)))
    other = StudySettings(**{**vars(SMALL), "groups": str(campaign / "others")})
    with pytest.raises(InputError, match=r"holds a study with other settings \(groups\)"):
        run(campaign, tmp_path / "study", other)


@pytest.mark.parametrize("at", [0, 3, 6])
def test_an_interrupted_study_goes_on(campaign, tmp_path, monkeypatch, at):
    whole = run(campaign, tmp_path / "whole")
    begun: list[str] = []

    def stopping(settings):
        def make(step, number):
            def work(material):
                begun.append(step.name)
                if number == at and begun.count(step.name) == 1:
                    raise KeyboardInterrupt
                return step.compute(material)

            return step._replace(compute=work)

        return tuple(make(step, number) for number, step in enumerate(build_steps(settings)))

    monkeypatch.setattr("assay.meta._study.build_steps", stopping)
    with pytest.raises(KeyboardInterrupt):
        run(campaign, tmp_path / "study")
    done = run(campaign, tmp_path / "study")
    names = [step.name for step in build_steps(SMALL)]
    assert done.resumed == tuple(names[:at])
    assert begun == [*names[: at + 1], *names[at:]]
    assert contents(done.folder) == contents(whole.folder)


def test_files_that_were_changed_or_lost_are_made_again(campaign, tmp_path):
    first = run(campaign, tmp_path / "study")
    before = contents(first.folder)
    (first.folder / "scores.csv").write_text("mine")
    (first.folder / "correlation.parquet").unlink()
    (first.folder / ".judgments.csv.leftover").write_text("half")
    again = run(campaign, tmp_path / "study")
    assert {step.name for step in again.steps} - set(again.resumed) == {"scores", "correlation"}
    assert {name: data for name, data in contents(again.folder).items() if name in before} == before
    assert run(campaign, tmp_path / "study").resumed == tuple(step.name for step in again.steps)


def test_an_interrupted_study_has_no_summary(campaign, tmp_path, monkeypatch):
    done = run(campaign, tmp_path / "study")
    (done.folder / "scores.csv").unlink()

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.meta._study.Record.write", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(campaign, tmp_path / "study")
    assert not (done.folder / SUMMARY).exists()


def test_leftovers_of_a_killed_process_go(campaign, tmp_path):
    done = run(campaign, tmp_path / "study")
    (done.folder / ".scores.csv.x1y2").write_text("half")
    (done.folder / "scores.csv").unlink()
    run(campaign, tmp_path / "study")
    assert not list(done.folder.glob(".scores*"))


def test_another_study_is_not_written_over(campaign, tmp_path):
    run(campaign, tmp_path / "study")
    other = StudySettings(**{**vars(SMALL), "seed": 5})
    with pytest.raises(
        InputError, match=r"holds a study with other settings \(seed\); name another folder, or add --fr"
    ):
        run(campaign, tmp_path / "study", other)
    qrels, runs = str(campaign / "qrels.txt"), str(campaign / "runs")
    for what, read in (
        ("inputs", assay.read(qrels, [f"{runs}/sys0.run", f"{runs}/sys1.run"])),
        ("policies", assay.read(qrels, runs, ties="file")),
        ("derivations", assay.read(qrels, runs, grades={1: 2})),
    ):
        with pytest.raises(InputError, match=f"holds a study with other {what}; name another folder, or add --fresh"):
            study(read, tmp_path / "study", SMALL)
    assert run(campaign, tmp_path / "study", other, fresh=True).resumed == ()
    fewer = StudySettings(**{**vars(SMALL), "measures": ("AP",)})
    assert run(campaign, tmp_path / "study", fewer, fresh=True).table("power").frame["measure"].unique().to_list() == [
        "AP"
    ]
    assert not list((tmp_path / "study").glob("*P@5*"))  # nothing is left of the study before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("x")
    for fresh in (False, True):
        with pytest.raises(InputError, match="holds other files; name an empty or new folder"):
            run(campaign, tmp_path / "mine", fresh=fresh)
    with pytest.raises(InputError, match="is a file; name a folder"):
        run(campaign, tmp_path / "mine" / "notes.txt")
    with pytest.raises(InputError, match="cannot be created"):
        run(campaign, tmp_path / "mine" / "notes.txt" / "deeper")


@pytest.mark.parametrize("text", ["not json", "[]", '{"study": 1}'])
def test_a_spoilt_record_is_refused(campaign, tmp_path, text):
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / MANIFEST).write_text(text)
    with pytest.raises(InputError, match="is not the record of a study; name another folder"):
        run(campaign, tmp_path / "study")


def test_where_the_inputs_are_does_not_matter(campaign, tmp_path, monkeypatch):
    run(campaign, tmp_path / "study")
    monkeypatch.chdir(campaign)
    again = study(assay.read("qrels.txt", "runs"), tmp_path / "study", SMALL)
    assert len(again.resumed) == len(again.steps)


def test_a_study_that_stopped_in_its_first_step_goes_on(campaign, tmp_path):
    done = run(campaign, tmp_path / "study")
    record = json.loads((done.folder / MANIFEST).read_text())
    (done.folder / MANIFEST).write_text(json.dumps({**record, "done": {}}))
    assert run(campaign, tmp_path / "study").resumed == ()


def test_one_run_is_refused_before_anything_is_written(campaign, tmp_path):
    one = assay.read(str(campaign / "qrels.txt"), str(campaign / "runs" / "sys0.run"))
    with pytest.raises(InputError, match="runs: need at least two runs, got 1"):
        study(one, tmp_path / "study", SMALL)
    assert not (tmp_path / "study").exists()


def test_a_study_needs_map(campaign, tmp_path):
    with pytest.raises(InputError, match="a study needs AP to select the best runs"):
        run(campaign, tmp_path / "study", StudySettings(measures=("P@5",)))


def test_steps_are_watched(campaign, tmp_path):
    seen: list[tuple[str, int, int]] = []
    run(campaign, tmp_path / "study", watch=lambda *told: seen.append(told))
    names = [step.name for step in build_steps(SMALL)]
    assert seen == [(name, number, len(names)) for number, name in enumerate([*names, ""])]

"""The command that compares runs over several collections."""

import json
import shutil

import pytest

import assay
from assay.cli import main


@pytest.fixture(scope="module")
def beir(tmp_path_factory):
    """A directory with two collections in the layout of BEIR; the second lacks a run."""
    folder = tmp_path_factory.mktemp("beir")
    for seed, name in enumerate(("fiqa", "scifact")):
        assert main(["simulate", str(folder / name), "--systems", "3", "--topics", "12", "--seed", str(seed)]) == 0
        qrels = folder / name / "qrels"
        qrels.mkdir()
        rows = [line.split() for line in (folder / name / "qrels.txt").read_text().splitlines()]
        text = "".join(f"{topic}\t{doc}\t{grade}\n" for topic, _, doc, grade in rows)
        (qrels / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + text)
        (qrels / "train.tsv").write_text("query-id\tcorpus-id\tscore\nx\ty\t1\n")
        (folder / name / "qrels.txt").rename(folder / name / "judgments.txt")
        for run in (folder / name / "runs").iterdir():
            run.write_text(
                "".join(
                    f"{line.rsplit(maxsplit=1)[0]} {run.stem[0]}{run.stem[-1]}\n"
                    for line in run.read_text().splitlines()
                )
            )
    return folder


def run(capsys, *words):
    code = main(["collections", *map(str, words)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def names(folder):
    return sorted({line.split()[-1] for run in (folder / "runs").iterdir() for line in run.read_text().splitlines()})


def test_directories_toml_and_names_are_equivalent(beir, tmp_path, capsys):
    code, expected, _ = run(capsys, beir, "-m", "AP", "--format", "tsv")
    assert code == 0
    toml = beir / "list.toml"
    toml.write_text(
        '[fiqa]\nqrels = "fiqa/qrels/test.tsv"\nruns = "fiqa/runs"\n'
        '[scifact]\nqrels = "scifact/judgments.txt"\nruns = ["scifact/runs"]\n'
    )
    assert run(capsys, toml, "-m", "AP", "--format", "tsv")[1] == expected
    texts = [f"{name}:{beir / name / 'judgments.txt'}:{beir / name / 'runs'}" for name in ("fiqa", "scifact")]
    assert run(capsys, *texts, "-m", "AP", "--format", "tsv")[1] == expected
    assert run(capsys, beir / "fiqa", beir / "scifact", "-m", "AP", "--format", "tsv")[1] == expected


def test_values_are_those_of_evaluate(beir, capsys):
    _, out, _ = run(capsys, beir, "-m", "AP", "--format", "json")
    cells = {(row["collection"], row["run"]): row["value"] for row in json.loads(out)["rows"]}
    for name in ("fiqa", "scifact"):
        means = assay.evaluate(beir / name / "judgments.txt", beir / name / "runs", "AP").means()
        for one, value in means.select("run", "value").rows():
            assert cells[name, one] == value


def test_runs_by_name_in_toml(beir, tmp_path, capsys):
    files = sorted((beir / "fiqa" / "runs").iterdir())
    toml = tmp_path / "list.toml"
    toml.write_text(
        f'[fiqa]\nqrels = "{beir}/fiqa/judgments.txt"\nruns = {{ one = "{files[0]}", two = "{files[1]}" }}\n'
    )
    code, out, _ = run(capsys, toml, "-m", "AP", "--show", "ranks", "--format", "csv")
    assert code == 0
    assert {line.split(",")[0] for line in out.splitlines()[1:]} == {"one", "two"}


def test_a_run_that_lacks_a_collection(beir, tmp_path, capsys):
    copy = tmp_path / "beir"
    shutil.copytree(beir, copy)
    shared = set(names(copy / "fiqa")) & set(names(copy / "scifact"))
    lost = next(path for path in (copy / "scifact" / "runs").iterdir() if path.read_text().split()[5] in shared)
    name = lost.read_text().split()[5]
    lost.unlink()
    code, out, err = run(capsys, copy, "-m", "AP")
    assert code == 0
    assert f"{name} lacks scifact" in err
    assert any(line.split()[0] == name and line.split()[-1] == "-" for line in out.splitlines() if line)
    assert name not in run(capsys, copy, "-m", "AP", "--incomplete", "runs", "--format", "csv")[1]


def write_mteb(folder, model, task, score):
    path = folder / model.replace("/", "__") / "main" / f"{task}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    entry = {"hf_subset": "default", "languages": ["eng-Latn"], "main_score": score, "ndcg_at_10": score}
    path.write_text(json.dumps({"task_name": task, "mteb_version": "1.12.75", "scores": {"test": [entry]}}))
    return path


def test_results_of_mteb(tmp_path, capsys):
    scores = {
        "org/a": {"T1": 0.5, "T2": 0.4, "T3": 0.6},
        "org/b": {"T1": 0.55, "T2": 0.3},
        "org/c": {"T1": 0.4, "T2": 0.45, "T3": 0.5},
    }
    for model, tasks in scores.items():
        for task, score in tasks.items():
            write_mteb(tmp_path, model, task, score)
    code, out, _ = run(capsys, tmp_path, "--population", "collections", "--show", "ranks", "--format", "json")
    assert code == 0
    ranks = {row["run"]: (row["macro"], row["rank"]) for row in json.loads(out)["rows"]}
    assert ranks["org/a"] == (pytest.approx(0.5), 1.0)
    assert ranks["org/b"] == (None, None)
    code, out, _ = run(capsys, tmp_path)
    assert code == 0
    assert "could be tested" in out
    assert "main_score" in out


def test_values_fill_cells(beir, tmp_path, capsys):
    file = write_mteb(tmp_path, "org/e5", "FiQA2018", 0.75)
    toml = tmp_path / "list.toml"
    toml.write_text(f'[fiqa]\nqrels = "{beir}/fiqa/judgments.txt"\nruns = "{beir}/fiqa/runs"\nvalues = "{file}"\n')
    code, out, _ = run(capsys, toml, "-m", "nDCG@10", "--format", "json")
    assert code == 0
    cells = {row["run"]: row for row in json.loads(out)["rows"]}
    assert (cells["org/e5"]["value"], cells["org/e5"]["topics"], cells["org/e5"]["low"]) == (0.75, 1, None)
    own = next(iter(assay.evaluate(beir / "fiqa" / "judgments.txt", beir / "fiqa" / "runs", "nDCG@10").runs))
    assert cells[own]["topics"] == 12
    pairs = json.loads(run(capsys, toml, "-m", "nDCG@10", "--show", "pairs", "--format", "json")[1])["rows"]
    assert all(row["p"] is None for row in pairs if "org/e5" in (row["run_a"], row["run_b"]))


def test_values_of_a_run_that_is_already_there(beir, tmp_path, capsys):
    own = names(beir / "fiqa")[0]
    file = tmp_path / "values.tsv"
    file.write_text(f"run\ttopic\tmeasure\tvalue\n{own}\tx\tnDCG@10\t0.5\n")
    toml = tmp_path / "list.toml"
    toml.write_text(f'[fiqa]\nqrels = "{beir}/fiqa/judgments.txt"\nruns = "{beir}/fiqa/runs"\nvalues = "{file}"\n')
    code, out, err = run(capsys, toml)
    assert (code, out) == (2, "")
    assert own in err
    assert "rename" in err


@pytest.mark.parametrize("show", ["means", "ranks", "pairs", "tests"])
@pytest.mark.parametrize("form", ["table", "latex", "json"])
def test_every_table_and_format(beir, capsys, show, form):
    code, out, _ = run(capsys, beir, "-m", "AP", "RR", "--show", show, "--format", form)
    assert code == 0
    assert out


TOML = {
    "": "names no collection",
    "[a]\nqrels = 'q.txt'\n": "no runs",
    "[a]\nqrels = 'q.txt'\nrun = 'r'\n": "unknown key 'run'",
    "a = 3\n": "expected a table",
    "[a]\nqrels = 3\nruns = 'r'\n": "text",
    "[a\n": "line 1",
    "[a]\nqrels = 'missing.txt'\nruns = 'r'\n": "missing.txt",
}


@pytest.mark.parametrize("text", TOML, ids=repr)
def test_invalid_toml(tmp_path, capsys, text):
    path = tmp_path / "list.toml"
    path.write_text(text)
    code, out, err = run(capsys, path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert str(tmp_path) in err
    assert TOML[text] in err


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["nothing"], "NAME:QRELS:RUNS"),
        (["a:b"], "NAME:QRELS:RUNS"),
        (["missing.toml"], "missing.toml"),
        (["{beir}", "{beir}"], "second time"),
        (["{empty}"], "no collection"),
        (["{beir}", "--baseline", "nobody"], "nobody"),
        (["{beir}", "--test", "wilcoxon"], "--population"),
    ],
)
def test_invalid_arguments(beir, tmp_path, capsys, words, part):
    code, out, err = run(capsys, *(word.format(beir=beir, empty=tmp_path) for word in words))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert part in err


def test_several_splits_without_test(beir, tmp_path, capsys):
    copy = tmp_path / "beir"
    shutil.copytree(beir, copy)
    (copy / "fiqa" / "qrels" / "test.tsv").rename(copy / "fiqa" / "qrels" / "dev.tsv")
    code, _, err = run(capsys, copy)
    assert code == 2
    assert "dev.tsv" in err
    assert "train.tsv" in err

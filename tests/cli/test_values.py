"""The option --values of the commands that use results."""

import json
import re

import pytest

from assay.cli import list_commands, load_module, main
from assay.cli.plot import figure_command
from assay.views.plots._figures import figures

COMMANDS = {
    *(("eval",), ("compare",), ("leaderboard",), ("report",)),
    *(("meta", "correlate"), ("meta", "power"), ("meta", "significance-counts")),
    *(("effort", "against-gain"), ("effort", "agreement"), ("effort", "contrasts")),
}
FIGURES = {
    *("asl", "boxes", "correlation", "differences", "heatmap", "leaderboard", "significance", "topic-spread"),
}


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, values in (("a", (0.5, 0.25, 0.75)), ("b", (0.25, 0.5, 1.0)), ("c", (0.0, 0.0, 0.25))):
        lines = [f"map\tq{i}\t{value:.4f}\nP_5\tq{i}\t{value / 2:.4f}\n" for i, value in enumerate(values)]
        (tmp_path / f"{name}.eval").write_text("".join(lines))
    rows = [f"{run},q{i},latency,{i + j}.5\n" for j, run in enumerate("ab") for i in range(3)]
    (tmp_path / "latency.csv").write_text("run,topic,measure,value\n" + "".join(rows))
    (tmp_path / "qrels.txt").write_text("q1 0 x 1\n")
    (tmp_path / "a.run").write_text("q1 Q0 x 1 3 one\n")


def test_commands_that_accept_results_have_the_option():
    commands = {words for words in list_commands() if hasattr(load_module(*words), "COMMAND")}
    assert {words for words in commands if getattr(load_module(*words).COMMAND, "accepts_values", False)} >= COMMANDS
    assert {name for name, figure in figures().items() if figure_command(figure).accepts_values} >= FIGURES


TABLES = {words for words in COMMANDS if words[0] not in ("effort", "report")}


@pytest.mark.parametrize("words", sorted(TABLES), ids=" ".join)
def test_every_command_reads_values(words, capsys):
    assert main([*words, "--values", "a.eval", "b.eval", "c.eval", "--format", "json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["rows"]
    assert [entry["role"] for entry in content["provenance"]["inputs"]] == ["values"] * 3
    assert "policies" not in content["provenance"]


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_every_figure_reads_values(name, capsys):
    options = ["--share", "1"] if name == "asl" else []
    assert main(["plot", name, "--values", "a.eval", "b.eval", "c.eval", *options, "-o", "x.csv"]) == 0
    assert "wrote x.csv" in capsys.readouterr().err
    if name != "correlation":  # which needs two measures
        assert main(["plot", name, "--values", "latency.csv", "--lower", "latency", *options, "-o", "y.csv"]) == 0


def test_a_report_on_values(tmp_path, capsys):
    """Sections that need runs and judgments are omitted, also from links."""
    measures = ["--lower", "latency", "--higher", "quality"]
    rows = [f"{run},q{i},quality,{i + j}\n" for j, run in enumerate("ab") for i in range(3)]
    (tmp_path / "latency.csv").write_text((tmp_path / "latency.csv").read_text() + "".join(rows))
    assert main(["report", "--values", "latency.csv", *measures, "-o", "r.html"]) == 0
    assert "Effort and gain, " in capsys.readouterr().err
    page = (tmp_path / "r.html").read_text()
    assert "computed by other tools" in page
    assert "missing error" in page
    links = set(re.findall(r'href="#([^"]+)"', page))
    assert links <= set(re.findall(r'id="([^"]+)"', page))
    assert {"leaderboard", "significance", "agreement", "notes"} <= links
    assert main(["report", "--values", "latency.csv", "-m", "latency", "--lower", "latency", "-o", "r.html"]) == 0


def test_options_of_values(capsys):
    options = ["--values", "x=a.eval", "y=b.eval", "-m", "P_5", "--topics", "q0,q2", "--format", "csv", "--per-topic"]
    assert main(["eval", *options]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "run,measure,topic,value",
        *("x,P@5,q0,0.25", "x,P@5,q2,0.375", "x,P@5,all,0.3125"),
        *("y,P@5,q0,0.125", "y,P@5,q2,0.5", "y,P@5,all,0.3125"),
    ]
    assert main(["compare", "--values", "latency.csv", "--lower", "latency", "--baseline", "a"]) == 0
    assert "b is significantly" not in capsys.readouterr().err
    assert main(["eval", "--values", "a.eval", "b.eval", "--standardize", "z", "--reference", "c.eval", "a.eval"]) == 2


def test_converted_values_are_read_again(capsys):
    assert main(["eval", "--values", "a.eval", "b.eval", "--per-topic", "-o", "tidy.parquet"]) == 0
    tables = []
    for source in (["a.eval", "b.eval"], ["tidy.parquet"]):
        assert main(["compare", "--values", *source, "--format", "csv"]) == 0
        tables.append(capsys.readouterr().out)
    assert tables[0] == tables[1]


@pytest.mark.parametrize("column", ["run", "topic", "measure"])
def test_a_partitioned_dataset(column, capsys):
    assert main(["eval", "--values", "a.eval", "b.eval", "--per-topic", "--partition", column, "-o", "values"]) == 0
    outputs = []
    for source in (["a.eval", "b.eval"], ["values"]):
        assert main(["eval", "--values", *source, "-m", "AP", "P@5", "--format", "csv"]) == 0
        outputs.append(capsys.readouterr().out.splitlines())
    assert sorted(outputs[0]) == sorted(outputs[1])


@pytest.mark.parametrize("baseline", ["a", "a.eval", "./a.eval"])
def test_a_baseline_is_a_name_or_a_file(baseline, capsys):
    assert main(["compare", "--values", "a.eval", "b.eval", "-m", "AP", "--baseline", baseline]) == 0
    assert main(["compare", "--values", "x=a.eval", "b.eval", "-m", "AP", "--baseline", "a.eval"]) == 0
    assert "difference: from x" in capsys.readouterr().out


def test_standardized_values(capsys):
    command = ["eval", "--values", "a.eval", "-m", "AP", "--standardize", "z", "--reference", "b.eval", "--reference"]
    assert main([*command, "c.eval", "--format", "csv"]) == 0
    assert "z(AP)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["compare"], "the following arguments are required: QRELS, RUN"),
        (
            ["compare", "qrels.txt", "a.run", "--values", "a.eval"],
            "--values cannot be combined with judgments and runs",
        ),
        (["eval", "qrels.txt", "--values", "a.eval"], "omit qrels.txt or --values"),
        (["compare", "--values", "a.eval", "b.eval", "--ties", "rank"], "--ties applies to runs and judgments"),
        (["eval", "--values", "a.eval", "--grades", "1=2"], "--grades applies to runs and judgments"),
        (["eval", "--values", "a.eval", "--memory", "1G"], "--memory applies to runs and judgments"),
        (["eval", "--values", "a.eval", "--engine", "spark"], "--values cannot be combined with --engine spark"),
        (["uncertainty", "bounds", "--values", "a.eval"], "--values: values are not enough for this command"),
        (["plot", "crp", "--values", "a.eval"], "--values: values are not enough for this command"),
        (["eval", "--values", "a.eval", "--values-format", "x"], "--values-format x: choose one of trec_eval"),
        (["eval", "--values", "a.eval", "--missing", "empty"], "--missing empty: choose one of error, zero"),
        (["eval", "--values", "latency.csv", "--lower", "time"], "--lower time: no values of this measure"),
        (["eval", "--values", "a.eval", "a.eval"], "run a is in a.eval, too"),
        (
            ["gate", "--values", "latency.csv", "--baseline", "a", "--margins", "latency=5"],
            "latency: not a measure that assay knows; state whether lower or higher values are better",
        ),
        (["eval", "--values", "a.eval", "-m", "nDCG"], "measure 'nDCG' is not among these values"),
    ],
)
def test_invalid_options(args, message, capsys):
    assert main(args) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert (captured.out, captured.err.count("\n")) == ("", 1)

"""Tests of ``assay plot``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

from assay.cli import main
from assay.views.plots._figures import figures

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 2\n2 0 c 1\n"
RUN = "1 Q0 b 1 2.0 {tag}\n1 Q0 a 2 1.0 {tag}\n2 Q0 a 1 2.0 {tag}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text(QRELS)
    for tag in ("one", "two"):
        (tmp_path / f"{tag}.run").write_text(RUN.format(tag=tag))
    return tmp_path


def read_error(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert main(["plot", *args]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    [line] = captured.err.splitlines()
    return line


def test_list_names_every_figure(capsys: pytest.CaptureFixture[str]) -> None:
    for args in ((), ("--list",)):
        assert main(["plot", *args]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert [line.split()[0] for line in lines if re.match("  [a-z]", line)] == list(figures())
        assert max(map(len, lines)) <= 80


def test_default_output_is_a_png_named_after_the_figure(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plot", "leaderboard", "qrels.txt", "one.run", "two.run"]) == 0
    assert capsys.readouterr().err == "assay: wrote leaderboard.png\n"
    assert (folder / "leaderboard.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("name", "prefix"),
    [("x.svg", b"<svg"), ("x.pdf", b"%PDF"), ("x.html", b"<!doctype"), ("x.json", b"{"), ("x.CSV", b"place,run")],
)
def test_suffix_selects_the_format(folder: Path, name: str, prefix: bytes) -> None:
    assert main(["plot", "leaderboard", "qrels.txt", "one.run", "-o", name]) == 0
    assert (folder / name).read_bytes().startswith(prefix)


def test_figure_options_and_policies_are_applied(folder: Path) -> None:
    args = ["-m", "P@1", "--most", "1", "--confidence", "0.5", "--ties", "rank", "--unjudged", "condensed"]
    assert main(["plot", "leaderboard", "qrels.txt", "one.run", "two.run", *args, "-o", "x.json"]) == 0
    spec = json.loads((folder / "x.json").read_text())
    assert spec["usermeta"]["policies"]["ties"] == "rank"
    assert spec["usermeta"]["policies"]["unjudged"] == "condensed"
    [data] = (
        {json.dumps(rows) for rows in spec["datasets"].values()}
        if "datasets" in spec
        else {json.dumps(_read_rows(spec))}
    )
    [row] = json.loads(data)
    assert (row["run"], row["measure"], row["value"]) == ("one", "P@1", 0.5)


def _read_rows(spec: dict[str, object]) -> object:
    layers = spec["layer"]
    assert isinstance(layers, list)
    data = spec.get("data") or layers[0]["data"]
    assert isinstance(data, dict)
    return data["values"]


def test_standard_output(capfdbinary: pytest.CaptureFixture[bytes], folder: Path) -> None:
    assert main(["plot", "leaderboard", "qrels.txt", "one.run", "-o", "-", "--format", "csv"]) == 0
    frame = pl.read_csv(capfdbinary.readouterr().out)
    assert frame["run"].to_list() == ["one"]
    assert not (folder / "leaderboard.png").exists()
    assert main(["plot", "leaderboard", "qrels.txt", "one.run", "-o", "-"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"<svg"), "documented in the help"


def test_themes_palettes_and_sizes(folder: Path) -> None:
    args = ["plot", "leaderboard", "qrels.txt", "one.run", "--theme", "dark", "--palette", "papers", "--width", "600"]
    assert main([*args, "-o", "x.json"]) == 0
    text = (folder / "x.json").read_text()
    assert json.loads(text)["config"]["background"] == "#15181c"
    assert "#3567e8" in text
    assert main([*args, "-o", "big.png", "--scale", "4"]) == 0
    assert main([*args, "-o", "small.png", "--scale", "1"]) == 0
    assert _read_width(folder / "big.png") == 4 * _read_width(folder / "small.png")


def _read_width(png: Path) -> int:
    return int.from_bytes(png.read_bytes()[16:20], "big")


def test_options_may_precede_files(folder: Path) -> None:
    assert main(["plot", "leaderboard", "-o", "x.csv", "-m", "AP", "qrels.txt", "one.run", "--most", "3"]) == 0
    assert (folder / "x.csv").exists()


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["leaderbord"], "assay: there is no figure leaderbord; did you mean leaderboard?"),
        (["leaderboard"], "assay: figure leaderboard needs files; use assay plot leaderboard QRELS RUN..."),
        (["leaderboard", "q"], "assay: figure leaderboard needs files; use assay plot leaderboard QRELS RUN..."),
        (["leaderboard", "none.txt", "one.run"], "assay: none.txt: no such file"),
        (["leaderboard", "qrels.txt", "one.run", "-m", "APP"], "assay: measure 'APP': there is no measure APP"),
        (["leaderboard", "qrels.txt", "one.run", "--most", "x"], "assay: --most: write a whole number, not 'x'"),
        (
            ["leaderboard", "qrels.txt", "one.run", "-o", "x.gif"],
            "assay: -o x.gif: unknown file type; choose one",
        ),
        (["leaderboard", "qrels.txt", "one.run", "-o", "no/x.png"], "assay: -o no/x.png: directory no does not exist"),
        (["leaderboard", "qrels.txt", "one.run", "-o", ""], "assay: -o '': name a file to write"),
        (["leaderboard", "qrels.txt", "one.run", "--format", "jpg"], "assay: --format 'jpg': choose one of png, svg,"),
        (
            ["leaderboard", "qrels.txt", "one.run", "--theme", "drak"],
            "assay: --theme drak: choose one of light, dark; did",
        ),
        (["leaderboard", "qrels.txt", "one.run", "--palette", "x"], "assay: --palette x: choose one of safe, papers"),
        (
            ["leaderboard", "qrels.txt", "one.run", "--width", "3"],
            "assay: --width must be from 200 to 4000 pixels, got 3",
        ),
        (
            ["leaderboard", "qrels.txt", "one.run", "-o", "x.png", "--format", "svg"],
            "assay: -o x.png: the file name does not match --format svg; omit --format",
        ),
        (
            ["leaderboard", "qrels.txt", "one.run", "-m", "AP", "RR"],
            "assay: --measure: expected one value, got 2: AP, RR",
        ),
        (["asl", "qrels.txt", "one.run", "--share", "7"], "assay: --best 7: write a fraction of the runs, such as 75%"),
        (["leaderboard", "qrels.txt", "one.run", "--scale", "99"], "assay: --scale must be from 0.1 to 10, got 99"),
    ],
)
def test_invalid_arguments_print_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], args: list[str], line: str
) -> None:
    files = sorted(folder.iterdir())
    assert read_error(capsys, *args).startswith(line)
    assert sorted(folder.iterdir()) == files


@pytest.mark.parametrize(
    "args", [["leaderboard", "qrels.txt", "one.run", "--nonsense"], ["--width", "300", "leaderboard"]]
)
def test_usage_errors_print_one_line(capsys: pytest.CaptureFixture[str], args: list[str]) -> None:
    assert main(["plot", *args]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_input_is_not_overwritten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "qrels.svg").write_text(QRELS)
    args = ["leaderboard", "qrels.svg", "one.run", "-o", "qrels.svg", "--format", "svg"]
    assert "would overwrite an input" in read_error(capsys, *args)
    assert (folder / "qrels.svg").read_text() == QRELS


@pytest.mark.parametrize("name", figures())
def test_every_figure_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plot", name, "--help"]) == 0
    help_text = " ".join(capsys.readouterr().out.split())
    assert " ".join(figures()[name].title.split()) in help_text
    assert "- writes SVG to standard output" in help_text
    for choices in figures()[name].choices.values():
        help_text = help_text.replace("- ", "-")  # undo line breaks at hyphens
        assert ", ".join(choices) in help_text


def test_help_without_a_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plot", "--help"]) == 0
    assert "assay plot --list" in capsys.readouterr().out


def test_notes_are_printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "short.run").write_text("1 Q0 a 1 1.0 short\n")
    assert main(["plot", "leaderboard", "qrels.txt", "short.run", "-o", "x.csv"]) == 0
    assert "lacks 1 of the 2 topics" in capsys.readouterr().err


def test_figures_need_altair_but_csv_does_not(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "altair", None)
    line = read_error(capsys, "leaderboard", "qrels.txt", "one.run")
    assert line == "assay: figures need altair and vl-convert-python; pip install 'assay-ir[plots]'"
    assert main(["plot", "leaderboard", "qrels.txt", "one.run", "-o", "x.csv"]) == 0, "CSV needs no altair"


def test_fonts_sizes_and_titles_are_options(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = [
        "--width",
        "84mm",
        "--height",
        "3cm",
        "--font",
        "Courier Prime",
        "--font-size",
        "9pt",
        "--title",
        "A title",
    ]
    assert main(["plot", "leaderboard", "qrels.txt", "one.run", "-o", "-", "--palette", "grey", *sizes]) == 0
    svg = capsys.readouterr().out
    assert "Courier Prime" in svg
    assert 'font-size="12px"' in svg
    assert ">A title<" in svg
    for options, message in (
        (["--title", "A", "--no-title"], "--title cannot be combined with --no-title"),
        (["--width", "84km"], "--width 84km: expected pixels, or a length in mm, cm, in or pt"),
        (["--font-size", "20"], None),
        (["--font-size", "20", "--width", "300"], "--font-size must be at most 16.5 for a width of 300, got 20"),
        (["--font", "<b>"], "--font <b>: expected the name of a font"),
        (["--palette", "gray"], "--palette gray: choose one of safe, papers, grey; did you mean grey"),
    ):
        assert main(["plot", "leaderboard", "qrels.txt", "one.run", "-o", "-", *options]) == (2 if message else 0)
        assert (message or "") in capsys.readouterr().err

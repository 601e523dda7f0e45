"""Tests of the whole command line: help, errors, pipes and interrupts."""

from __future__ import annotations

import io
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay import __version__
from assay.cli import RENAMED, list_commands, list_names, load_module, main
from assay.cli._parse import repeat_measure_flag


def run_assay(*args: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "assay", *args], capture_output=True, text=True, check=False, **options
    )  # type: ignore[call-overload, no-any-return]


def test_python_m_assay_works() -> None:
    process = run_assay("--version")
    assert (process.returncode, process.stdout) == (0, f"assay {__version__}\n")


@pytest.mark.parametrize("args", list_commands(), ids=" ".join)
def test_every_command_has_help_with_examples(args: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*args, "--help"]) == 0
    help_text = capsys.readouterr().out
    assert "examples:" in help_text
    assert f"assay {' '.join(args)}" in help_text.split("examples:")[1]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "assay: name a command, such as demo or eval (see assay --help)\n"),
        (["evl"], "assay: unknown command evl; did you mean eval? (see assay --help)\n"),
        (["qrels.txt", "bm25.run"], "assay: unknown command qrels.txt (see assay --help)\n"),
        (["--hlp"], "assay: unknown option --hlp; did you mean --help? (see assay --help)\n"),
        (["meta"], "assay: name a command, such as correlate (see assay meta --help)\n"),
        (
            ["meta", "powr"],
            "assay: unknown command powr in assay meta; did you mean power? (see assay meta --help)\n",
        ),
        (["eval"], "assay: the following arguments are required: QRELS, RUN (see assay eval --help)\n"),
        (["eval", "q", "r", "--digits", "x"], "assay: --digits: write a whole number, not 'x'\n"),
        (["compare", "q", "r", "--alpha", "x"], "assay: --alpha: write a number, not 'x'\n"),
        (["theory", "balance", "q"], "assay: too many arguments: q (see assay theory balance --help)\n"),
        (["eval", "q", "r", "-x"], "assay: unknown option -x (see assay eval --help)\n"),
        (
            ["eval", "q", "r", "--per_topic"],
            "assay: unknown option --per_topic; did you mean --per-topic? (see assay eval --help)\n",
        ),
        (
            ["plot", "crp", "q", "r", "--tpic", "3"],
            "assay: unknown option --tpic; did you mean --topic? (see assay plot crp --help)\n",
        ),
    ],
)
def test_usage_errors_print_one_line(args: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(args) == 2
    assert capsys.readouterr().err == message


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_old_command_name_points_to_the_new_one(old: str, new: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([old, "qrels.txt"]) == 2
    assert capsys.readouterr().err == f"assay: {old} was renamed to assay {new}\n"
    assert tuple(new.split()) in list_commands()


def test_old_effort_command_points_to_the_new_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels.txt").touch()
    assert main(["effort", str(tmp_path / "qrels.txt"), "a.run"]) == 2
    assert "assay effort indicators" in capsys.readouterr().err


def test_missing_file_prints_one_line_and_exits_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "nowhere/qrels.txt", "nowhere/run.txt"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "assay: nowhere/qrels.txt: no such file\n"


def test_memory_error_prints_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def raise_memory_error(_: object) -> None:
        raise MemoryError("Unable to allocate 8 PiB")

    monkeypatch.setattr("assay.cli.meta.judgments.run", raise_memory_error, raising=False)
    assert main(["meta", "judgments", "qrels.txt"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("assay: not enough memory (Unable to allocate ")
    assert captured.err.count("\n") == 1


def test_several_measures_may_follow_one_m_flag(tmp_path: Path) -> None:
    qrels = tmp_path / "q"
    qrels.touch()
    args = ["eval", "-m", "AP", "P@5", str(qrels), "x.run"]
    assert repeat_measure_flag(args) == ["eval", "-m", "AP", "-m", "P@5", str(qrels), "x.run"]
    unchanged = ["eval", "q", "-m", "AP", "none.run", "*.gz", "irds:x", "a/b"]
    assert repeat_measure_flag(unchanged) == unchanged
    assert repeat_measure_flag(["eval", "-mAP", "P@5", "--measure=RR", "11pt_avg"]) == [
        "eval", "-mAP", "-m", "P@5", "--measure=RR", "-m", "11pt_avg"
    ]  # fmt: skip
    assert repeat_measure_flag(["eval", "--metrics", "AP,", "P.5,10", "RR,nDCG(base=2, gains=exp)@5"]) == [
        "eval", "--metrics", "AP", "-m", "P.5,10", "-m", "RR", "-m", "nDCG(base=2, gains=exp)@5"
    ]  # fmt: skip
    assert repeat_measure_flag(["eval", "-m", "Condensed(nDCG(base=2, gains=exp)),AP"])[2:] == [
        "Condensed(nDCG(base=2, gains=exp))", "-m", "AP"
    ]  # fmt: skip
    assert repeat_measure_flag(["eval", "-m", "AP", "-", "-m", "RR", "--digits", "3"]) == [
        "eval",
        "-m",
        "AP",
        "-",
        "-m",
        "RR",
        "--digits",
        "3",
    ]


@pytest.mark.posix
def test_closed_pipe_prints_nothing(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "assay", "measures"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    error = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 0
    assert error == b""


def count_waiting_bytes(pipe: int) -> int:
    """Return the number of bytes in a pipe that its reader has not read yet."""
    import fcntl
    import termios

    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


@pytest.mark.posix
@pytest.mark.parametrize(("signal_number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupt_while_waiting_for_standard_input_prints_nothing(
    tmp_path: Path, signal_number: int, code: int
) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("1 0 a 1\n")
    with subprocess.Popen(
        [sys.executable, "-m", "assay", "eval", "-", str(qrels)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b"1 0 a 1\n")
        process.stdin.flush()
        while count_waiting_bytes(process.stdin.fileno()):  # the command has not started to read yet
            time.sleep(0.05)
        process.send_signal(signal_number)
        assert process.wait(timeout=20) == code
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")


@pytest.mark.parametrize(
    "args",
    [
        ["measures"],
        ["measures", "-o", "/dev/full", "--format", "csv"],
        ["--help"],
        ["--version"],
        ["eval", "--help"],
        ["plot", "crp", "--help"],
        ["trec_eval", "-h"],
    ],
    ids=" ".join,
)
def test_full_disk_prints_one_line(args: list[str]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this machine")
    with open("/dev/full", "wb") as full:
        process = subprocess.run(
            [sys.executable, "-m", "assay", *args], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert process.returncode == 2
    assert process.stderr.count("\n") == 1
    assert "No space left on device" in process.stderr


@pytest.mark.posix
def test_closed_standard_output_prints_no_traceback() -> None:
    process = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m assay measures >&-"], capture_output=True, text=True, check=False
    )
    assert (process.returncode, process.stderr) == (0, "")


def test_help_fits_a_screen_and_lists_every_command_once(capsys: pytest.CaptureFixture[str]) -> None:
    for args in (["--help"], ["help"]):
        assert main(args) == 0
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) <= 42
        assert max(map(len, lines)) <= 80
        listed = [line.split()[0] for line in lines[: lines.index("examples:")] if re.match("  [a-z]", line)]
        assert sorted(listed) == sorted(list_names())


@pytest.mark.parametrize(
    "group", [name for name in list_names() if len(list_names(name) if hasattr(load_module(name), "__path__") else [])]
)
def test_group_help_lists_its_commands(group: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([group, "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    listed = [line.split()[0] for line in lines if re.match("  [a-z]", line)]
    assert listed == list_names(group)


def test_help_command_prints_the_help_of_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    for args in (["help", "eval"], ["help", "meta", "power"]):
        assert main(args) == 0
        assert capsys.readouterr().out.startswith(f"usage: assay {' '.join(args[1:])} ")


@pytest.mark.parametrize(
    ("args", "equivalent"),
    [
        (["eval", "q", "r", "--metrics", "AP"], ["eval", "q", "r", "-m", "AP"]),
        (["distance", "rbo", "a", "b", "--persistence", "0.8"], ["distance", "rbo", "a", "b", "-p", "0.8"]),
        (
            ["uncertainty", "residual", "q", "r", "--pools=10"],
            ["uncertainty", "residual", "q", "r", "--pool-depth=10"],
        ),
        (["meta", "correlate", "q", "r", "--depths", "10"], ["meta", "correlate", "q", "r", "--depth", "10"]),
        (["theory", "order", "q", "r", "-k", "10"], ["theory", "order", "q", "r", "--depth", "10"]),
        (["leaderboard", "q", "r", "--most", "3"], ["leaderboard", "q", "r", "--top", "3"]),
        (["report", "q", "r", "--top", "3"], ["report", "q", "r", "--most", "3"]),
        (["compare", "q", "r", "--matrix"], ["compare", "q", "r", "--show", "matrix"]),
        (["eval", "q", "r", "--per-topic"], ["eval", "q", "r", "--show", "topics"]),
    ],
)
def test_options_accept_synonyms_used_by_other_commands(args: list[str], equivalent: list[str]) -> None:
    parsed = []
    for command_line in (args, equivalent):
        name = tuple(command_line[:2]) if tuple(command_line[:2]) in list_commands() else (command_line[0],)
        parsed.append(vars(load_module(*name).COMMAND.parser("assay", "").parse(command_line[len(name) :])))
    assert parsed[0] == parsed[1]


HOSTILE = "\x1b[31m\u202e\n\x9b2J"


def test_control_characters_do_not_reach_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Control characters in tags, ids and paths are escaped."""
    (tmp_path / "q").write_text("1 0 a\x1b[31m 1\n2 0 b\u202e 1\n")
    (tmp_path / "r").write_text("1 Q0 a\x1b[31m 1 2 tag\x1b[5m\u202e\n9\x1b[7m Q0 x 1 1 tag\x1b[5m\u202e\n")
    (tmp_path / "bad").write_text("1 Q0 a\x1b[31m 1 x\x1b[1m tag\n")
    q, r, bad = (str(tmp_path / name) for name in ("q", "r", "bad"))
    commands = [
        ["eval", q, r, "-m", "AP"],
        ["eval", q, r, "-m", "AP", "--per-topic"],
        ["eval", q, r, "-m", "AP", "--format", "markdown"],
        ["leaderboard", q, r, "-m", "AP"],
        ["eval", q, bad],
        ["eval", q, f"nowhere{HOSTILE}"],
        ["eval", q, r, "-m", f"AP{HOSTILE}"],
        [f"command{HOSTILE}"],
        ["eval", q, r, f"--option{HOSTILE}"],
        ["plot", f"figure{HOSTILE}", q, r],
    ]
    for args in commands:
        main(args)
        captured = capsys.readouterr()
        text = captured.out + captured.err
        assert text
        assert not set("\x1b\u202e\x9b") & set(text), args


QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 c 0\n"
RUNS = {"a.run": "1 Q0 b 1 3 A\n1 Q0 a 2 2 A\n2 Q0 a 1 2 A\n", "b.run": "1 Q0 a 1 3 B\n1 Q0 b 2 2 B\n2 Q0 c 1 2 B\n"}


@pytest.fixture
def _small_campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {"q": QRELS, **RUNS}.items():
        Path(name).write_text(text)


@pytest.mark.usefixtures("_small_campaign")
@pytest.mark.parametrize(
    "command",
    [
        "eval q",
        "compare q",
        "leaderboard q",
        "uncertainty ties q",
        "meta correlate q",
        "distance med",
        "theory order q",
    ],
)
def test_runs_may_follow_an_option(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    measures = ["-m", "RBP(p=0.5)", *(["-m", "P@1"] if command == "meta correlate q" else [])]
    assert main([*command.split(), "a.run", "b.run", *measures]) == 0
    expected = capsys.readouterr().out
    assert main([*command.split(), "a.run", *measures, "b.run"]) == 0
    assert capsys.readouterr().out == expected


@pytest.mark.usefixtures("_small_campaign")
def test_missing_run_after_an_option_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "q", "a.run", "-m", "AP", "c.run"]) == 2
    assert "c.run: no such file" in capsys.readouterr().err


@pytest.mark.usefixtures("_small_campaign")
@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["eval", "q", "a.run", "-m", "AP"], "0.7500"),
        (["eval", "q", "a.run", "-m", "AP", "--format", "csv"], "A,AP,all,0.75\n"),
        (["trec_eval", "-m", "map", "q", "a.run"], "map                   \tall\t0.7500\n"),
        (["plot", "leaderboard", "q", "a.run", "b.run", "-m", "AP", "-o", "-", "--format", "csv"], "AP"),
        (["uncertainty", "judge-next", "q", "a.run", "--as-qrels"], ""),
        (["demo"], "AP"),
    ],
)
def test_commands_write_to_a_text_only_standard_output(
    args: list[str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout", stdout := io.StringIO())
    assert main(args) == 0
    assert expected in stdout.getvalue()


@pytest.mark.usefixtures("_small_campaign")
def test_binary_formats_need_a_file_if_standard_output_is_text_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert main(["eval", "q", "a.run", "--format", "parquet"]) == 2
    assert "-o FILE" in capsys.readouterr().err


def test_a_command_exits_with_the_code_of_its_report(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 x 1\n")
    monkeypatch.setattr("assay.results.report.Report.exit_code", 3)
    assert main(["meta", "judgments", str(tmp_path / "qrels.txt")]) == 3

"""The command as a whole: help, errors, pipes, interrupts."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay import __version__
from assay.cli import main, names, spread


def assay(*words: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "assay", *words], capture_output=True, text=True, check=False, **options
    )  # type: ignore[call-overload, no-any-return]


def test_python_m_assay_works() -> None:
    done = assay("--version")
    assert (done.returncode, done.stdout) == (0, f"assay {__version__}\n")


@pytest.mark.parametrize("name", names())
def test_every_command_has_help_with_examples(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code: object = main([name, "--help"])
    except SystemExit as stop:
        code = stop.code
    assert code == 0
    shown = capsys.readouterr().out
    assert "examples:" in shown
    assert f"assay {name}" in shown.split("examples:")[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "assay: the following arguments are required: COMMAND (see assay --help)\n"),
        (["eval"], "assay eval: the following arguments are required: QRELS, RUN (see assay eval --help)\n"),
        (
            ["eval", "q", "r", "--digits", "x"],
            "assay eval: argument --digits: invalid int value: 'x' (see assay eval --help)\n",
        ),
    ],
)
def test_wrong_words_get_one_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 2
    assert capsys.readouterr().err == message


def test_a_wrong_path_is_one_line_and_exit_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "nowhere/qrels.txt", "nowhere/run.txt"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == "assay: nowhere/qrels.txt: no such file\n"


def test_measures_may_follow_one_m(tmp_path: Path) -> None:
    qrels = tmp_path / "q"
    qrels.touch()
    words = ["eval", "-m", "AP", "P@5", str(qrels), "x.run"]
    assert spread(words) == ["eval", "-m", "AP", "-m", "P@5", str(qrels), "x.run"]
    files = ["eval", "q", "-m", "AP", "none.run", "*.gz", "irds:x", "a/b"]
    assert spread(files) == files
    assert spread(["eval", "-mAP", "P@5", "--measure=RR", "11pt_avg"]) == [
        "eval", "-mAP", "-m", "P@5", "--measure=RR", "-m", "11pt_avg"
    ]  # fmt: skip
    assert spread(["eval", "-m", "AP", "-", "-m", "RR", "--digits", "3"]) == [
        "eval",
        "-m",
        "AP",
        "-",
        "-m",
        "RR",
        "--digits",
        "3",
    ]


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
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


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_is_quiet_even_while_standard_input_is_awaited(tmp_path: Path, sent: int, code: int) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("1 0 a 1\n")
    with subprocess.Popen(
        [sys.executable, "-m", "assay", "eval", "-", str(qrels)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        time.sleep(1.5)  # it waits for standard input now, which stays open
        process.send_signal(sent)
        assert process.wait(timeout=20) == code
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")


@pytest.mark.parametrize("words", [["measures"], ["measures", "-o", "/dev/full", "--format", "csv"]])
def test_a_full_disk_is_one_line(words: list[str]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this machine")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "assay", *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "No space left on device" in done.stderr


def test_a_closed_standard_output_is_no_traceback() -> None:
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m assay measures >&-"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_unknown_options_point_to_the_help_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["eval", "q", "r", "--measures", "AP"])
    assert stop.value.code == 2
    assert capsys.readouterr().err == "assay eval: unrecognized arguments: --measures AP (see assay eval --help)\n"

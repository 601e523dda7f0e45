"""Tests of the command with limited address space: it works, or fails with a message of one line."""

import io
import signal
import subprocess
import sys
import time

import polars as pl
import pytest

pytest.importorskip("resource", reason="the address space cannot be limited here")

GIB = 1 << 30
COMMANDS = {
    "eval": "eval qrels.txt a.run b.run -m AP",
    "compare": "compare qrels.txt a.run b.run",
    "trec_eval": "trec_eval qrels.txt a.run",
    "plot png": "plot leaderboard qrels.txt a.run b.run -o figure.png",
    "plot html": "plot leaderboard qrels.txt a.run b.run -o figure.html",
    "plot json": "plot leaderboard qrels.txt a.run b.run -o figure.json",
    "report": "report qrels.txt a.run b.run -o report.html",
}
ABORT = "from assay.cli import _process; import os; _process.prepare(); os.{}"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "qrels.txt").write_text("1 0 x 1\n1 0 y 0\n2 0 x 1\n")
    (tmp_path / "a.run").write_text("1 Q0 x 1 3 one\n1 Q0 y 2 2 one\n2 Q0 x 1 1 one\n")
    (tmp_path / "b.run").write_text("1 Q0 y 1 3 two\n1 Q0 x 2 2 two\n2 Q0 x 1 1 two\n")
    return tmp_path


def start_limited(args, limit, folder):
    """Start Python with an address space of *limit* bytes, set by ``ulimit`` in a shell as users do."""
    command = f'ulimit -v {limit >> 10}; exec "$0" -P "$@"'
    pipe = subprocess.PIPE
    args = ["sh", "-c", command, sys.executable, *args]
    return subprocess.Popen(args, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def run_limited(args, limit, folder):
    """Run Python with an address space of *limit* bytes and wait for its end."""
    with start_limited(args, limit, folder) as process:
        out, err = process.communicate(timeout=120)
    return subprocess.CompletedProcess(args, process.returncode, out, err)


@pytest.mark.parametrize("limit", [1, 2, 4])
@pytest.mark.parametrize("command", COMMANDS)
def test_commands_work_or_print_one_line(command, limit, folder):
    process = run_limited(["-m", "assay", *COMMANDS[command].split()], limit * GIB, folder)
    draws = command in ("plot png", "plot html", "report")
    if draws:
        assert process.stderr.startswith(
            f"assay: figures need 72G of address space, ulimit -v allows {limit}G; raise the limit"
        )
    assert len(process.stderr.splitlines()) == (command.startswith("plot") or draws)
    assert process.returncode == (2 if draws else 0)


def test_address_space_too_small_for_any_command(folder):
    process = run_limited(["-m", "assay", *COMMANDS["eval"].split()], GIB // 2, folder)
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr == "assay: the address space is limited to 512M; assay needs 1G: raise ulimit -v\n"


def test_abort_prints_one_line(folder):
    abort = ABORT.format("write(2, b'memory allocation of 8 bytes failed'); os.abort()")
    process = run_limited(["-c", abort], 2 * GIB, folder)
    assert (process.returncode, process.stderr.count("\n")) == (2, 1)
    assert "not enough memory: the address space is limited to 2G; raise ulimit -v" in process.stderr


@pytest.mark.parametrize(("exit_call", "code"), [("_exit(7)", 7), ("kill(os.getpid(), 9)", 137)])
def test_other_exit_codes_are_passed_on(exit_call, code, folder):
    process = run_limited(["-c", ABORT.format(exit_call)], 2 * GIB, folder)
    assert (process.returncode, process.stderr) == (code, "")


def test_signals_are_forwarded_to_the_command(folder):
    with start_limited(["-m", "assay", "eval", "qrels.txt", "-"], 2 * GIB, folder) as process:
        time.sleep(2)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 143


def test_polars_panic_prints_only_the_message(folder):
    buffer = io.BytesIO()
    rows = 300
    frame = pl.DataFrame({"topic": ["1"] * rows, "doc": [f"d{row}" for row in range(rows)], "score": [1.0] * rows})
    frame.write_parquet(buffer, compression="uncompressed")
    # The definition levels of a column are one run of 300 ones, encoded in 3 bytes; a run of length 0 makes polars
    # panic.
    data = buffer.getvalue().replace(b"\x03\0\0\0\xd8\x04\x01", b"\x03\0\0\0\x00\x04\x01")
    (folder / "bad.parquet").write_bytes(data)
    args = [sys.executable, "-P", "-m", "assay", "eval", "qrels.txt", "bad.parquet"]
    process = subprocess.run(args, cwd=folder, capture_output=True, text=True, check=False)
    assert process.returncode == 2
    assert process.stderr.startswith("assay: bad.parquet: the Parquet data is damaged")
    assert process.stderr.count("\n") == 1

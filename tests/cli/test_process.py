"""The command under a limit on the address space: it works, or one line says that it cannot."""

import io
import signal
import subprocess
import sys
import time

import polars as pl
import pytest

pytest.importorskip("resource", reason="no limits on the address space here")

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


def start(words, limit, folder):
    """Start Python with a limit in bytes, set by a shell as users do."""
    command = f'ulimit -v {limit >> 10}; exec "$0" -P "$@"'
    pipe = subprocess.PIPE
    words = ["sh", "-c", command, sys.executable, *words]
    return subprocess.Popen(words, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def limited(words, limit, folder):
    """Run Python with a limit in bytes to its end."""
    with start(words, limit, folder) as process:
        out, err = process.communicate(timeout=120)
    return subprocess.CompletedProcess(words, process.returncode, out, err)


@pytest.mark.parametrize("limit", [1, 2, 4])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_works_or_says_in_one_line_that_it_cannot(command, limit, folder):
    done = limited(["-m", "assay", *COMMANDS[command].split()], limit * GIB, folder)
    draws = command in ("plot png", "plot html", "report")
    if draws:
        assert done.stderr.startswith(
            f"assay: figures need 72G of address space, ulimit -v allows {limit}G; raise the limit"
        )
    assert len(done.stderr.splitlines()) == (command.startswith("plot") or draws)
    assert done.returncode == (2 if draws else 0)


def test_too_little_for_any_command(folder):
    done = limited(["-m", "assay", *COMMANDS["eval"].split()], GIB // 2, folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "assay: the address space is limited to 512M; assay needs 1G: raise ulimit -v\n"


def test_an_abort_is_one_line(folder):
    abort = ABORT.format("write(2, b'memory allocation of 8 bytes failed'); os.abort()")
    done = limited(["-c", abort], 2 * GIB, folder)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "not enough memory: the address space is limited to 2G; raise ulimit -v" in done.stderr


@pytest.mark.parametrize(("end", "code"), [("_exit(7)", 7), ("kill(os.getpid(), 9)", 137)])
def test_other_ends_are_passed_on(end, code, folder):
    done = limited(["-c", ABORT.format(end)], 2 * GIB, folder)
    assert (done.returncode, done.stderr) == (code, "")


def test_a_signal_reaches_the_command(folder):
    with start(["-m", "assay", "eval", "qrels.txt", "-"], 2 * GIB, folder) as process:
        time.sleep(2)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 143


def test_nothing_stands_before_the_message_when_polars_panics(folder):
    buffer = io.BytesIO()
    rows = 300
    frame = pl.DataFrame({"topic": ["1"] * rows, "doc": [f"d{row}" for row in range(rows)], "score": [1.0] * rows})
    frame.write_parquet(buffer, compression="uncompressed")
    # The levels of a column are one run of 300 ones, written in 3 bytes; a run of 0 makes polars panic.
    data = buffer.getvalue().replace(b"\x03\0\0\0\xd8\x04\x01", b"\x03\0\0\0\x00\x04\x01")
    (folder / "bad.parquet").write_bytes(data)
    words = [sys.executable, "-P", "-m", "assay", "eval", "qrels.txt", "bad.parquet"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("assay: bad.parquet: the Parquet data is damaged")
    assert done.stderr.count("\n") == 1

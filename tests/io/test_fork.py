"""A process that was forked after an evaluation says so instead of waiting for ever."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")

# Forks in a process of its own, which has no threads of pytest; a child that hangs is ended by its alarm.
SCRIPT = """
import multiprocessing, os, signal, sys, warnings
import assay

warnings.simplefilter("ignore")
QRELS, RUN = {"1": {"a": 1}}, {"x": {"1": {"a": 1.0, "b": 0.5}}}


def child(work):
    number = os.fork()
    if number == 0:
        signal.alarm(30)
        try:
            print("value", work(), flush=True)
        except assay.AssayError as error:
            print("error", error, flush=True)
        os._exit(0)
    print("exit", os.waitpid(number, 0)[1], flush=True)


def value(_=None):
    return assay.evaluate(QRELS, RUN, "AP").overall().item()


if __name__ == "__main__":
    if sys.argv[1] == "before":
        child(value)
    elif sys.argv[1] == "spawn":
        value()
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            print("value", *pool.map(value, [0]))
    else:
        results = assay.evaluate(QRELS, {**RUN, "y": RUN["x"]}, "AP")
        for work in (
            value,
            results.means,
            results.frame,
            lambda: assay.compare(results),
            lambda: assay.model.Qrels.from_dict(QRELS),
            lambda: assay.plot("leaderboard", assay.read(QRELS, RUN)),
        ):
            child(work)
"""


def run(case: str, tmp_path: object) -> list[str]:
    script = f"{tmp_path}/forking.py"
    with open(script, "w") as file:
        file.write(SCRIPT)
    done = subprocess.run([sys.executable, script, case], capture_output=True, text=True, timeout=120, check=True)
    return done.stdout.splitlines()


def test_after_an_evaluation_every_child_is_told_what_to_do(tmp_path: object) -> None:
    lines = run("after", tmp_path)
    assert lines[1::2] == ["exit 0"] * 6
    assert all(line.startswith("error") and "spawn" in line for line in lines[::2])


def test_before_the_first_evaluation_forking_works(tmp_path: object) -> None:
    assert run("before", tmp_path) == ["value 1.0", "exit 0"]


def test_spawned_workers_evaluate(tmp_path: object) -> None:
    assert run("spawn", tmp_path) == ["value 1.0"]

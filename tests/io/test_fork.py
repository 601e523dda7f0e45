"""A process forked after an evaluation fails with an error instead of a deadlock."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")

# The script runs in a separate process, without the threads of pytest. An alarm ends a child that hangs.
SCRIPT = """
import multiprocessing, os, signal, sys, warnings
import assay

warnings.simplefilter("ignore")
QRELS, RUN = {"1": {"a": 1}}, {"x": {"1": {"a": 1.0, "b": 0.5}}}


def run_child(work):
    pid = os.fork()
    if pid == 0:
        signal.alarm(30)
        try:
            print("value", work(), flush=True)
        except assay.AssayError as error:
            print("error", error, flush=True)
        os._exit(0)
    print("exit", os.waitpid(pid, 0)[1], flush=True)


def compute_ap(_=None):
    return assay.evaluate(QRELS, RUN, "AP").overall().item()


if __name__ == "__main__":
    if sys.argv[1] == "before":
        run_child(compute_ap)
    elif sys.argv[1] == "spawn":
        compute_ap()
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            print("value", *pool.map(compute_ap, [0]))
    else:
        results = assay.evaluate(QRELS, {**RUN, "y": RUN["x"]}, "AP")
        for work in (
            compute_ap,
            results.means,
            results.frame,
            lambda: assay.compare(results),
            lambda: assay.model.Qrels.from_dict(QRELS),
            lambda: assay.plot("leaderboard", assay.read(QRELS, RUN)),
        ):
            run_child(work)
"""


def run_script(case: str, tmp_path: object) -> list[str]:
    script = f"{tmp_path}/forking.py"
    with open(script, "w") as file:
        file.write(SCRIPT)
    completed_process = subprocess.run(
        [sys.executable, script, case], capture_output=True, text=True, timeout=120, check=True
    )
    return completed_process.stdout.splitlines()


def test_child_forked_after_an_evaluation_fails_with_advice(tmp_path: object) -> None:
    lines = run_script("after", tmp_path)
    assert lines[1::2] == ["exit 0"] * 6
    assert all(line.startswith("error") and "spawn" in line for line in lines[::2])


def test_forking_before_the_first_evaluation_works(tmp_path: object) -> None:
    assert run_script("before", tmp_path) == ["value 1.0", "exit 0"]


def test_spawned_workers_evaluate(tmp_path: object) -> None:
    assert run_script("spawn", tmp_path) == ["value 1.0"]

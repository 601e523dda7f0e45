"""One piece of work with one tool, in a process of its own: ``python _tools.py TOOL CASE QRELS RUN...``.

Prints the seconds of the inner part (for cases that leave loading out) as JSON on standard output.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from time import perf_counter

ASSAY = ("AP", "nDCG", "Rprec", "bpref", "RR", "P@10")
TREC_EVAL = ("map", "ndcg", "Rprec", "bpref", "recip_rank", "P.10")


def open_text(path: str):
    return gzip.open(path, "rt") if path.endswith(".gz") else open(path)


def assay_files(qrels: str, runs: list[str]) -> int:
    import assay

    return len(assay.evaluate(qrels, runs, ASSAY).frame())


def assay_loaded(qrels: str, runs: list[str]) -> float:
    import assay

    judgments, loaded = assay.read_qrels(qrels), assay.read_runs(runs)
    return best_of(lambda: assay.evaluate(judgments, loaded, ASSAY))


def pytrec_eval_files(qrels: str, runs: list[str]) -> int:
    import pytrec_eval

    with open_text(qrels) as lines:
        judgments = pytrec_eval.parse_qrel(lines)
    values = 0
    for path in runs:
        with open_text(path) as lines:
            run = pytrec_eval.parse_run(lines)
        found = pytrec_eval.RelevanceEvaluator(judgments, {m.replace(".", "_") for m in TREC_EVAL}).evaluate(run)
        values += sum(map(len, found.values()))
    return values


def pytrec_eval_loaded(qrels: str, runs: list[str]) -> float:
    import pytrec_eval

    with open_text(qrels) as lines:
        judgments = pytrec_eval.parse_qrel(lines)
    with open_text(runs[0]) as lines:
        run = pytrec_eval.parse_run(lines)
    names = {m.replace(".", "_") for m in TREC_EVAL}
    return best_of(lambda: pytrec_eval.RelevanceEvaluator(judgments, names).evaluate(run))


def ir_measures_files(qrels: str, runs: list[str]) -> int:
    import ir_measures

    measures = [ir_measures.parse_measure(m) for m in ("AP", "nDCG", "Rprec", "Bpref", "RR", "P@10")]
    evaluator = ir_measures.evaluator(measures, list(ir_measures.read_trec_qrels(qrels)))
    return sum(len(list(evaluator.iter_calc(ir_measures.read_trec_run(path)))) for path in runs)


def ir_measures_loaded(qrels: str, runs: list[str]) -> float:
    import ir_measures

    measures = [ir_measures.parse_measure(m) for m in ("AP", "nDCG", "Rprec", "Bpref", "RR", "P@10")]
    judgments, run = list(ir_measures.read_trec_qrels(qrels)), list(ir_measures.read_trec_run(runs[0]))
    return best_of(lambda: list(ir_measures.iter_calc(measures, judgments, run)))


def trec_eval_files(qrels: str, runs: list[str]) -> int:
    import os

    flags = [word for measure in TREC_EVAL for word in ("-m", measure)]
    return sum(
        len(
            subprocess.run([os.environ["TREC_EVAL"], "-q", *flags, qrels, path], check=True, capture_output=True).stdout
        )
        for path in runs
    )


def best_of(work: Callable[[], object], repeats: int = 3) -> float:
    """The shortest of a few repeats within one process."""
    seconds = []
    for _ in range(repeats):
        start = perf_counter()
        work()
        seconds.append(perf_counter() - start)
    return min(seconds)


def main() -> None:
    tool, case, qrels, *runs = sys.argv[1:]
    result = globals()[f"{tool}_{case}"](qrels, runs)
    print(json.dumps({"inner": result if case == "loaded" else None, "values": result}))


if __name__ == "__main__":
    main()

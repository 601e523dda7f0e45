"""Time one case with one tool, in a separate process: ``python _tools.py TOOL CASE QRELS RUN...``.

Prints the seconds as JSON. They do not include the import of the tool, which is a case of its own, nor, for
``in_memory``, the reading of the files.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from time import perf_counter

ASSAY = ("AP", "nDCG", "Rprec", "bpref", "RR", "P@10")
IR_MEASURES = ("AP", "nDCG", "Rprec", "Bpref", "RR", "P@10")
TREC_EVAL = ("map", "ndcg", "Rprec", "bpref", "recip_rank", "P.10")


def open_text(path: str):
    return gzip.open(path, "rt") if path.endswith(".gz") else open(path)


def time_assay_files(qrels: str, runs: list[str]) -> float:
    import assay

    return measure_seconds(lambda evaluate=assay.evaluate: evaluate(qrels, runs, ASSAY).frame())


def time_assay_in_memory(qrels: str, runs: list[str]) -> float:
    import assay

    judgments, loaded_runs = assay.model.read_qrels(qrels), assay.model.read_runs(runs)
    return measure_shortest(lambda: assay.evaluate(judgments, loaded_runs, ASSAY))


def time_pytrec_eval_files(qrels: str, runs: list[str]) -> float:
    import pytrec_eval

    def work() -> None:
        with open_text(qrels) as lines:
            judgments = pytrec_eval.parse_qrel(lines)
        evaluator = pytrec_eval.RelevanceEvaluator(judgments, {m.replace(".", "_") for m in TREC_EVAL})
        for path in runs:
            with open_text(path) as lines:
                run = pytrec_eval.parse_run(lines)
            evaluator.evaluate(run)

    return measure_seconds(work)


def time_pytrec_eval_in_memory(qrels: str, runs: list[str]) -> float:
    import pytrec_eval

    with open_text(qrels) as lines:
        judgments = pytrec_eval.parse_qrel(lines)
    with open_text(runs[0]) as lines:
        run = pytrec_eval.parse_run(lines)
    names = {m.replace(".", "_") for m in TREC_EVAL}
    return measure_shortest(lambda: pytrec_eval.RelevanceEvaluator(judgments, names).evaluate(run))


def time_ir_measures_files(qrels: str, runs: list[str]) -> float:
    import ir_measures

    measures = [ir_measures.parse_measure(m) for m in IR_MEASURES]

    def work() -> None:
        evaluator = ir_measures.evaluator(measures, list(ir_measures.read_trec_qrels(qrels)))
        for path in runs:
            list(evaluator.iter_calc(ir_measures.read_trec_run(path)))

    return measure_seconds(work)


def time_ir_measures_in_memory(qrels: str, runs: list[str]) -> float:
    import ir_measures

    measures = [ir_measures.parse_measure(m) for m in IR_MEASURES]
    judgments, run = list(ir_measures.read_trec_qrels(qrels)), list(ir_measures.read_trec_run(runs[0]))
    return measure_shortest(lambda: list(ir_measures.iter_calc(measures, judgments, run)))


def time_trec_eval_files(qrels: str, runs: list[str]) -> float:
    flags = [word for measure in TREC_EVAL for word in ("-m", measure)]

    def work() -> None:
        for path in runs:
            command = [os.environ["TREC_EVAL"], "-q", *flags, qrels, path]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    return measure_seconds(work)


def time_assay_campaign(qrels: str, runs: list[str]) -> float:
    command = [os.path.join(os.path.dirname(sys.executable), "assay"), "trec_eval", "-q", "-m", "all_trec"]
    with tempfile.TemporaryDirectory() as folder:
        return measure_seconds(lambda: subprocess.run([*command, qrels, *runs, "-o", folder], check=True))


def time_pytrec_eval_campaign(qrels: str, runs: list[str]) -> float:
    import pytrec_eval

    def work() -> None:
        with open_text(qrels) as lines:
            evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(lines), pytrec_eval.supported_measures)
        for path in runs:
            with open_text(path) as lines:
                evaluator.evaluate(pytrec_eval.parse_run(lines))

    return measure_seconds(work)


def time_trec_eval_campaign(qrels: str, runs: list[str]) -> float:
    def work() -> None:
        for path in runs:
            command = [os.environ["TREC_EVAL"], "-q", "-m", "all_trec", qrels, path]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    return measure_seconds(work)


def time_assay_med100(_qrels: str, _runs: list[str]) -> float:
    return time_med_of_one_topic(100)


def time_assay_med1000(_qrels: str, _runs: list[str]) -> float:
    return time_med_of_one_topic(1000)


def time_med_of_one_topic(depth: int) -> float:
    """Time MED of two random rankings that share nine of ten documents, without judgments."""
    import numpy as np

    import assay

    rng = np.random.default_rng(1)
    documents = [f"d{number}" for number in range(depth + depth // 10)]
    orders = [rng.permutation(documents[:depth]), rng.permutation(documents[depth // 10 :])]
    runs = {
        name: {"q": {doc: -1.0 * i for i, doc in enumerate(order)}} for name, order in zip("yz", orders, strict=True)
    }
    return measure_shortest(lambda: assay.distance.med(assay.read(runs=runs), f"AP@{depth}"))


def time_assay_medtopics(qrels: str, runs: list[str]) -> float:
    import assay

    return measure_seconds(lambda: assay.distance.med(assay.read(qrels, [runs[9], runs[39]]), "AP@100"))


def time_assay_medmatrix(qrels: str, runs: list[str]) -> float:
    import assay

    return measure_seconds(lambda: assay.distance.med(assay.read(qrels, runs), "nDCG@10"))


def time_assay_bounds(qrels: str, runs: list[str]) -> float:
    import assay

    measures = ["AP", "nDCG", "RBP(p=0.8)", "P@10"]
    return measure_seconds(lambda: assay.uncertainty.bounds(assay.read(qrels, runs), measures))


def time_assay_overlap(_qrels: str, runs: list[str]) -> float:
    import assay

    return measure_seconds(lambda: assay.distance.rbo(assay.read(runs=runs), p=0.9))


def measure_seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def measure_shortest(work: Callable[[], object], repeats: int = 3) -> float:
    """Return the shortest time of a few repeats within one process."""
    return min(measure_seconds(work) for _ in range(repeats))


def main() -> None:
    tool, case, qrels, *runs = sys.argv[1:]
    print(json.dumps({"work": globals()[f"time_{tool}_{case}"](qrels, runs)}))


if __name__ == "__main__":
    main()

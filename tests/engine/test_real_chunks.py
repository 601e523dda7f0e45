"""Evaluation in chunks on compressed runs of TREC-8."""

from __future__ import annotations

import pytest

import engine_cases as cases
from real_data import real

MEASURES = ("AP", "nDCG@10", "RR", "bpref", "P@10", "BalancePoint")


@pytest.mark.parametrize("ties", ["trec_eval-10", "expected"])
def test_chunked_evaluation_of_trec_8(monkeypatch: pytest.MonkeyPatch, ties: str) -> None:
    monkeypatch.setattr("assay.engine.budget._MAX_CHUNK", 1 << 18)
    monkeypatch.setattr("assay.engine.budget._MIN_CHUNK", 1 << 18)
    runs = sorted(map(str, real("trec8-adhoc", "runs").iterdir()))[::20]
    qrels = str(real("trec8-adhoc", "qrels.trec8.adhoc.txt.gz"))
    assert not isinstance(cases.check_chunked_evaluation(qrels, runs, MEASURES, ties=ties, samples=10), str)

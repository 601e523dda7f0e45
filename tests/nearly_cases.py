"""What the four measures of the NERR family are held to alike."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from assay.errors import MeasureError
from assay.measures import Measure


def beside_cwl_eval(kind: type[Measure], case: Any, **given: float) -> tuple[float, float]:
    """Our value and that of cwl_eval, for the first ranking of a case."""
    ranking = pytest.importorskip("cwl.ruler.ranking")
    peer = pytest.importorskip("cwl.ruler.measures.cwl_nerr")
    collection = case.collection()
    gains = [(grade or 0) / 3 for grade in collection.rankings[0][1]]
    user = getattr(peer, f"NERReq{kind.name.removeprefix('NERR')}CWLMetric")(*given.values())
    theirs = user.measure(ranking.Ranking("t", gains, [1.0] * len(gains)))
    return float(kind(**given, max_rel=3).score(collection.judged())[0]), theirs


def agrees_on_a_long_ranking(kind: type[Measure], oracle: Callable[..., float], **given: float) -> None:
    rng = random.Random(8)
    ranking = [rng.choice([None, 0, 0, 0, 1, 2]) for _ in range(2000)]
    counts = {0: 2000, 1: 1000, 2: 1000, 50: 1}
    assert kind(**given).of(ranking, counts) == pytest.approx(oracle(ranking, counts, **given), rel=1e-10)


def refuses_gains_above_1(kind: type[Measure], **given: float) -> None:
    with pytest.raises(MeasureError, match=f"measure '{kind.name}': gains=exp are not all within 0 and 1"):
        kind(**given, gains="exp")

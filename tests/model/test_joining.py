"""One run joined with the qrels, as a whole and in pieces."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.model.joining import judge, merged
from assay.model.policies import Policies
from assay.model.qrels import Qrels
from assay.model.run import Run

QRELS = Qrels.from_tuples([(t, f"d{i}", (i + int(t)) % 3) for t in "123" for i in range(0, 12, 2)])


def run_of(rows: list[tuple[str, int, float]]) -> Run:
    return Run.from_tuples([(topic, f"d{doc}", score) for topic, doc, score in rows])


rows = st.lists(
    st.tuples(st.sampled_from("1239"), st.integers(0, 12), st.sampled_from([0.0, 1.0, 2.0])),
    unique_by=lambda row: row[:2],
    min_size=1,
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(rows, st.sampled_from(["trec_eval-10", "trec_eval-9", "file", "expected"]))
def test_pieces_of_whole_topics_give_what_the_run_gives(rows: list[tuple[str, int, float]], ties: str) -> None:
    by_topic = {topic: [row for row in rows if row[0] == topic] for topic, _, _ in rows}
    policies = Policies(ties=ties)
    whole = judge(QRELS, run_of([row for topic in by_topic.values() for row in topic]), policies)
    together = merged([judge(QRELS, run_of(topic), policies) for topic in by_topic.values()])
    assert together is not None
    for name in ("code", "length", "tied"):
        expected, got = getattr(whole, name), getattr(together, name)
        assert (expected is None) == (got is None)
        assert expected is None or np.array_equal(expected, got), name
    assert (together.foreign, together.foreign_rows) == (whole.foreign, whole.foreign_rows)


@pytest.mark.parametrize("topic", ["1", "9"])
def test_a_topic_in_two_pieces_cannot_be_merged(topic: str) -> None:
    policies = Policies()
    parts = [judge(QRELS, run_of([(topic, doc, 1.0)]), policies) for doc in (1, 2)]
    assert merged(parts) is None


def test_what_a_part_tells() -> None:
    part = judge(QRELS, run_of([("2", 0, 1.0), ("2", 1, 0.5), ("9", 5, 1.0)]), Policies())
    assert part.length.tolist() == [0, 2, 0]
    assert part.answered.tolist() == [False, True, False]
    assert part.foreign == {"9"}
    assert part.foreign_rows == 1

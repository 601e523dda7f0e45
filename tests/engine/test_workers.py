"""Thread pool: ordered results, bounded look-ahead, and an end at the first error."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from assay.engine.workers import count_bytes, map_in_threads, map_serially, thread_pool, track
from assay.errors import InputError


def test_results_keep_the_order_of_the_items() -> None:
    def task(number: int) -> int:
        time.sleep(0.02 * (3 - number))
        return number * 10

    expected = [(number, number * 10) for number in range(4)]
    with thread_pool(4) as executor:
        assert list(map_in_threads(executor, 3)(task, range(4))) == expected
    assert list(map_serially(task, range(4))) == expected


def test_the_number_of_items_in_progress_is_bounded() -> None:
    consumed: list[int] = []

    def items() -> Iterator[int]:
        for number in range(20):
            consumed.append(number)
            yield number

    with thread_pool(2) as executor:
        for item, _ in map_in_threads(executor, 3)(lambda number: number, items()):
            assert len(consumed) - item <= 4


def test_tasks_run_concurrently() -> None:
    barrier = threading.Barrier(2, timeout=20)
    with thread_pool(2) as executor:
        assert len(list(map_in_threads(executor, 2)(lambda _: barrier.wait(), range(2)))) == 2


def test_an_error_cancels_the_remaining_tasks() -> None:
    completed: list[int] = []

    def work(number: int) -> None:
        if not number:
            raise InputError("no")
        time.sleep(0.05)
        completed.append(number)

    with pytest.raises(InputError, match="no"), thread_pool(2) as executor:
        list(map_in_threads(executor, 50)(work, range(50)))
    assert len(completed) < 50


def test_progress_never_exceeds_the_total() -> None:
    steps: list[tuple[int, int]] = []
    report = count_bytes(lambda *step: steps.append(step), 10)
    report(4)
    report(4)
    report(4)
    assert steps == [(4, 10), (8, 10), (10, 10)]
    count_bytes(lambda *step: steps.append(step), 0)(5)
    assert len(steps) == 3


def test_an_item_is_reported_after_it_was_processed() -> None:
    events: list[object] = []
    for item in track("ab", lambda done, total: events.append((done, total))):
        events.append(item)
    assert events == ["a", (1, 2), "b", (2, 2)]
    assert list(track("ab", None)) == ["a", "b"]

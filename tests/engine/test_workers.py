"""Threads: results in order, several at work, an end at the first error."""

from __future__ import annotations

import threading
import time

import pytest

from assay.engine.workers import collect, thread_pool
from assay.errors import InputError


def test_results_keep_the_order_of_the_tasks() -> None:
    """Whichever is done first."""

    def task(number: int) -> int:
        time.sleep(0.02 * (3 - number))
        return number

    told: list[tuple[int, int]] = []
    with thread_pool(4) as executor:
        futures = [executor.submit(task, number) for number in range(4)]
        assert collect(futures, lambda done, total: told.append((done, total))) == [0, 1, 2, 3]
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_several_are_at_work_at_once() -> None:
    meet = threading.Barrier(2, timeout=20)
    with thread_pool(2) as executor:
        assert len(set(collect([executor.submit(meet.wait), executor.submit(meet.wait)]))) == 2


def test_an_error_ends_the_work() -> None:
    done: list[int] = []

    def fail() -> None:
        raise InputError("no")

    def work(number: int) -> None:
        time.sleep(0.05)
        done.append(number)

    with pytest.raises(InputError, match="no"), thread_pool(2) as executor:
        collect([executor.submit(fail), *(executor.submit(work, number) for number in range(50))])
    assert len(done) < 50

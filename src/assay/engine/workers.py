"""Thread pools and ordered parallel maps for reading and joining runs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Lock
from typing import Protocol, TypeVar

from assay.io.fork import refuse_fork
from assay.io.stream import ByteCallback

Progress = Callable[[int, int], None]
"""Callback with the amount done and the total."""
Item = TypeVar("Item")
Result = TypeVar("Result")


def track(items: Sequence[Item], progress: Progress | None) -> Iterator[Item]:
    """Yield the items; when the caller asks for the next item, report that the previous one is done."""
    for done, item in enumerate(items, start=1):
        yield item
        if progress is not None:
            progress(done, len(items))


class OrderedMap(Protocol):
    """Apply a function to items and yield each item with its result, in order."""

    def __call__(self, work: Callable[[Item], Result], items: Iterable[Item], /) -> Iterator[tuple[Item, Result]]:
        """Apply *work*."""


@contextmanager
def thread_pool(threads: int) -> Iterator[ThreadPoolExecutor]:
    """Open a pool of threads.

    After an error, the pool does not wait for its threads: a thread may wait for standard input forever.
    """
    refuse_fork()
    executor = ThreadPoolExecutor(threads)
    try:
        yield executor
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        raise
    executor.shutdown()


def await_result(future: Future[Result]) -> Result:
    """Wait for a future and return its result."""
    # A wait without a timeout cannot be interrupted by Ctrl-C, so wake up regularly.
    while not wait([future], timeout=0.1).done:
        pass
    return future.result()


def map_serially(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
    """Apply *work* to each item in this thread."""
    return ((item, work(item)) for item in items)


def map_in_threads(executor: ThreadPoolExecutor, limit: int) -> OrderedMap:
    """Return an ordered map in several threads with at most *limit* items in progress."""

    def mapping(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
        pending: deque[tuple[Item, Future[Result]]] = deque()
        for item in items:
            pending.append((item, executor.submit(work, item)))
            del item  # an item may be large; without this, it would stay in memory while the next item is read
            if len(pending) >= limit:
                yield _next_result(pending)
        while pending:
            yield _next_result(pending)

    return mapping


def _next_result(pending: deque[tuple[Item, Future[Result]]]) -> tuple[Item, Result]:
    """Wait for the first future, and return its item and result."""
    item, future = pending.popleft()
    return item, await_result(future)


def count_bytes(progress: Progress, total: int) -> ByteCallback:
    """Return a function that adds a number of bytes to the progress; several threads may call it."""
    done = 0
    lock = Lock()

    def report(size: int) -> None:
        nonlocal done
        with lock:
            done = min(done + size, total)  # a source that is read twice is counted once
            if total:  # 0 if no source is a file
                progress(done, total)

    return report

"""Threads that read and join runs side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TypeVar

from assay.io.fork import refuse_fork

Progress = Callable[[int, int], None]
"""Called with the number of steps done and their total."""
Result = TypeVar("Result")

# A few threads more than cores: reading, decompressing and parsing release the interpreter lock, and while one thread
# waits to get it back another can go on.
EXTRA_THREADS = 3


@contextmanager
def thread_pool(most: int) -> Iterator[ThreadPoolExecutor]:
    """Open a pool of threads; after an error nobody waits for them, as one may wait for standard input for ever."""
    refuse_fork()
    executor = ThreadPoolExecutor(min(most, (os.cpu_count() or 1) + EXTRA_THREADS))
    try:
        yield executor
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        raise
    executor.shutdown()


def collect(futures: Sequence[Future[Result]], progress: Progress | None = None) -> list[Result]:
    """Return the results of futures in their order, reporting each."""
    results: list[Result] = []
    for done, future in enumerate(futures, 1):
        results.append(await_result(future))
        if progress is not None:
            progress(done, len(futures))
    return results


def await_result(future: Future[Result]) -> Result:
    """Return the result of a future, waking up now and then: an interrupt does not end a wait without a limit."""
    while not wait([future], timeout=0.1).done:
        pass
    return future.result()

"""Worker threads with request coalescing and timeouts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from starlette.exceptions import HTTPException

Result = TypeVar("Result")

SLOW_THREADS = 2
TIMEOUT = 60.0
MAX_JOBS = 500
BUSY = "too many simultaneous requests; try again in a moment"
TOO_LONG = "this computation takes too long; use a smaller depth or fewer runs"
STILL_BUSY = "the explorer is busy with slow requests; try again in a moment, or use a smaller depth"
STOPPED = "the explorer is stopping"


def unavailable(message: str) -> HTTPException:
    """Return a 503 error that asks the client to try again."""
    return HTTPException(503, message, {"retry-after": "1"})


class _Job(Generic[Result]):
    """A computation in a thread, and the number of requests that wait for it."""

    def __init__(self, threads: ThreadPoolExecutor, compute: Callable[[], Result], slow: bool) -> None:
        self.slow = slow
        self.overdue = False
        self.waiting = 0
        self.future = threads.submit(compute)
        self.finished = asyncio.wrap_future(self.future)  # The same future, for the event loop.


class Workers(Generic[Result]):
    """Two thread pools, for quick and for slow computations; requests with the same key share one computation.

    A thread cannot be stopped from outside. Therefore a request that has waited for *timeout* seconds is answered with
    an error. While overdue computations occupy all threads of a pool, new computations are rejected immediately. A
    computation that has not started is dropped when no request waits for it. A computation that has started runs to
    its end, so that its result is cached for the next request.

    All methods must be called in the thread of one event loop.
    """

    def __init__(
        self, quick: int, slow: int = SLOW_THREADS, timeout: float = TIMEOUT, max_jobs: int = MAX_JOBS
    ) -> None:
        self._threads = {False: quick, True: slow}
        self._pools = {
            False: ThreadPoolExecutor(quick, "assay-explorer"),
            True: ThreadPoolExecutor(slow, "assay-explorer-slow"),
        }
        self._timeout = timeout
        self._max_jobs = max_jobs
        self._jobs: dict[Hashable, _Job[Result]] = {}
        self._closed = False

    def __len__(self) -> int:
        """Return the number of computations that are running or waiting for a thread."""
        return len(self._jobs)

    async def run(self, key: Hashable, compute: Callable[[], Result], slow: bool = False) -> Result:
        """Return the result of *compute*, or of a running computation with the same key."""
        job = self._jobs.get(key)
        self._check_load(job, slow)
        if job is None:
            job = self._start(key, compute, slow)
        job.waiting += 1
        try:
            await asyncio.wait((job.finished,), timeout=self._timeout)
        finally:
            job.waiting -= 1
            # cancel() returns False if the computation has started; then it runs to its end.
            if not job.waiting and job.future.cancel():
                self._forget(key, job)
        if job.future.done() and not job.future.cancelled():
            return job.future.result()
        if self._closed:
            raise unavailable(STOPPED)
        job.overdue = job.future.running()
        raise unavailable(TOO_LONG if job.overdue else BUSY)

    def _check_load(self, job: _Job[Result] | None, slow: bool) -> None:
        """Raise an error if the computation is overdue or cannot be started."""
        if self._closed:
            raise unavailable(STOPPED)
        if job is not None:
            if job.overdue:
                raise unavailable(TOO_LONG)
            return
        if len(self._jobs) >= self._max_jobs:
            raise unavailable(BUSY)
        if sum(other.overdue for other in self._jobs.values() if other.slow == slow) >= self._threads[slow]:
            raise unavailable(STILL_BUSY)

    def _start(self, key: Hashable, compute: Callable[[], Result], slow: bool) -> _Job[Result]:
        """Start a computation, and forget it when it is finished."""
        job = self._jobs[key] = _Job(self._pools[slow], compute, slow)

        def finish(finished: asyncio.Future[Result]) -> None:
            self._forget(key, job)
            if not finished.cancelled():
                # Retrieve the exception: asyncio logs unretrieved exceptions, such as those of overdue jobs.
                finished.exception()

        job.finished.add_done_callback(finish)
        return job

    def _forget(self, key: Hashable, job: _Job[Result]) -> None:
        if self._jobs.get(key) is job:
            del self._jobs[key]

    def close(self) -> None:
        """Answer all waiting requests with an error and stop; running computations are not awaited."""
        self._closed = True
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
        for job in list(self._jobs.values()):
            job.finished.cancel()

"""Work in threads: each thing only once at a time, and what takes long within limits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Lock
from typing import Generic, TypeVar, cast

Made = TypeVar("Made")

SLOW_THREADS = 2
LONGEST = 60.0
MOST_WAITING = 500
BUSY = "too much is asked for at once; try again in a moment"
TOO_LONG = "this takes too long; give a smaller depth, or fewer runs"
STILL_BUSY = "work that takes too long is still under way; try again in a moment, or give a smaller depth"
STOPPED = "the explorer is being stopped"


class Failure(Exception):  # noqa: N818 (what is told to a client, not a fault of the program)
    """An answer that is no success: a status and one clear line."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class _Job(Generic[Made]):
    """Something that is to be made, and who waits for it."""

    def __init__(self, slow: bool) -> None:
        self.slow = slow
        self.begun = False
        self.done = False
        self.overdue = False
        self.made: Made | None = None
        self.error: BaseException | None = None
        self.waiting: set[asyncio.Future[None]] = set()

    def result(self) -> Made:
        if self.error is not None:
            raise self.error
        return cast("Made", self.made)

    def wake(self) -> None:
        """Let everyone who waits look again; from any thread."""
        for waiter in list(self.waiting):
            with suppress(RuntimeError):  # the loop is closed: nobody is left to be told
                waiter.get_loop().call_soon_threadsafe(_tell, waiter)


def _tell(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)


class Work(Generic[Made]):
    """Makes things in a few threads; what may take long has threads of its own, and must not keep them for ever.

    A thread cannot be ended from outside. So who waits longer than *longest* seconds is told that it takes too long,
    and while such work occupies all threads of its kind, more of it is refused at once. What nobody waits for any
    more and has not begun is dropped; what has begun is finished, so that it is there when it is asked for again.
    """

    def __init__(self, quick: int, slow: int = SLOW_THREADS, longest: float = LONGEST, most: int = MOST_WAITING):
        self._quick = ThreadPoolExecutor(quick, "assay-explorer")
        self._slow = ThreadPoolExecutor(slow, "assay-explorer-slow")
        self._quick_threads = quick
        self._slow_threads = slow
        self._longest = longest
        self._most = most
        self._jobs: dict[Hashable, _Job[Made]] = {}
        self._closed = False
        self._lock = Lock()

    def __len__(self) -> int:
        """How much is under way or waits for its turn."""
        return len(self._jobs)

    async def do(self, key: Hashable, make: Callable[[], Made], slow: bool = False) -> Made:
        """What *make* returns, or returned to whoever asked for the same key before and still waits."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        job = self._joined(key, make, slow, waiter)
        try:
            await asyncio.wait((waiter,), timeout=self._longest)
        finally:
            self._leave(key, job, waiter)
        if job.done:
            return job.result()
        raise Failure(503, STOPPED) if self._closed else self._late(job)

    def _joined(self, key: Hashable, make: Callable[[], Made], slow: bool, waiter: asyncio.Future[None]) -> _Job[Made]:
        with self._lock:
            job = self._jobs.get(key)
            self._refuse(job, slow)
            if job is None:
                job = self._jobs[key] = _Job(slow)
                (self._slow if slow else self._quick).submit(self._work, key, job, make)
            job.waiting.add(waiter)
        return job

    def _refuse(self, job: _Job[Made] | None, slow: bool) -> None:
        if self._closed:
            raise Failure(503, STOPPED)
        if job is not None:
            if job.overdue:
                raise Failure(503, TOO_LONG)
            return
        if len(self._jobs) >= self._most:
            raise Failure(503, BUSY)
        threads = self._slow_threads if slow else self._quick_threads
        if sum(one.overdue for one in self._jobs.values() if one.slow == slow) >= threads:
            raise Failure(503, STILL_BUSY)

    def _leave(self, key: Hashable, job: _Job[Made], waiter: asyncio.Future[None]) -> None:
        with self._lock:
            job.waiting.discard(waiter)
            if not job.waiting and not job.begun and self._jobs.get(key) is job:
                del self._jobs[key]

    def _late(self, job: _Job[Made]) -> Failure:
        with self._lock:
            job.overdue = job.begun
        return Failure(503, TOO_LONG if job.begun else BUSY)

    def _work(self, key: Hashable, job: _Job[Made], make: Callable[[], Made]) -> None:
        with self._lock:
            if self._jobs.get(key) is not job:
                return  # dropped
            job.begun = True
        try:
            job.made = make()
        except BaseException as error:  # it is raised again where it is waited for
            job.error = error
        with self._lock:
            job.done = True
            del self._jobs[key]
            job.wake()

    def close(self) -> None:
        """Tell everyone who waits that it is over, and let the threads go; what has begun is not waited for."""
        with self._lock:
            self._closed = True
            for job in self._jobs.values():
                job.wake()
        for threads in (self._quick, self._slow):
            threads.shutdown(wait=False, cancel_futures=True)

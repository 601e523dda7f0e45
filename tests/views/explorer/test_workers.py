"""Tests of the worker threads: slow jobs do not delay quick ones, are limited, and are abandoned on shutdown."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Iterator

import pytest
from starlette.exceptions import HTTPException

from assay.views.explorer.workers import BUSY, STILL_BUSY, STOPPED, TOO_LONG, Workers


class BlockingJobs:
    """Jobs that block until they are released; started and finished jobs are counted."""

    def __init__(self) -> None:
        self.release = threading.Event()
        self.started = threading.Semaphore(0)
        self.finished: list[object] = []

    def job(self, name: object = "slow"):
        def run() -> str:
            self.started.release()
            self.release.wait(30)
            self.finished.append(name)
            return str(name)

        return run

    async def wait_until_started(self, count: int) -> None:
        for _ in range(count):
            assert await asyncio.to_thread(self.started.acquire, timeout=30)


@pytest.fixture
def blocking() -> Iterator[BlockingJobs]:
    jobs = BlockingJobs()
    yield jobs
    jobs.release.set()


async def wait_until(condition) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.005)


def test_slow_jobs_do_not_delay_quick_ones(blocking: BlockingJobs) -> None:
    async def run_jobs() -> None:
        workers: Workers[str] = Workers(1)
        tasks = [asyncio.create_task(workers.run(number, blocking.job(), slow=True)) for number in range(5)]
        await blocking.wait_until_started(2)
        assert await workers.run("quick", lambda: "quick") == "quick"
        assert not any(task.done() for task in tasks)
        blocking.release.set()
        assert await asyncio.gather(*tasks) == ["slow"] * 5
        workers.close()

    asyncio.run(run_jobs())


def test_two_slow_jobs_run_concurrently(blocking: BlockingJobs) -> None:
    async def run_jobs() -> None:
        workers: Workers[str] = Workers(1)
        task = asyncio.create_task(workers.run("blocked", blocking.job(), slow=True))
        await blocking.wait_until_started(1)
        assert await workers.run("another", lambda: "done", slow=True) == "done"
        assert not task.done()
        blocking.release.set()
        await task
        workers.close()

    asyncio.run(run_jobs())


def test_number_of_waiting_jobs_is_limited(blocking: BlockingJobs) -> None:
    async def run_jobs() -> None:
        workers: Workers[str] = Workers(1, max_jobs=3)
        tasks = [asyncio.create_task(workers.run(number, blocking.job())) for number in range(3)]
        await blocking.wait_until_started(1)
        with pytest.raises(HTTPException, match=BUSY) as failure:
            await workers.run("one more", blocking.job())
        assert failure.value.status_code == 503
        blocking.release.set()
        await asyncio.gather(*tasks)
        assert await workers.run("one more", blocking.job("more")) == "more"
        workers.close()

    asyncio.run(run_jobs())


def test_cancelled_jobs_are_not_started(blocking: BlockingJobs) -> None:
    async def run_jobs() -> None:
        workers: Workers[str] = Workers(1, slow=1)
        first = asyncio.create_task(workers.run("first", blocking.job("first"), slow=True))
        await blocking.wait_until_started(1)
        cancelled = asyncio.create_task(workers.run("cancelled", blocking.job("cancelled"), slow=True))
        shared = [asyncio.create_task(workers.run("shared", blocking.job("shared"), slow=True)) for _ in range(2)]
        await wait_until(lambda: len(workers) == 3)
        cancelled.cancel()
        shared[0].cancel()
        await asyncio.wait((cancelled, shared[0]))
        assert len(workers) == 2
        blocking.release.set()
        assert await asyncio.gather(first, shared[1]) == ["first", "shared"]
        workers.close()

    asyncio.run(run_jobs())
    assert blocking.finished == ["first", "shared"]


def test_overdue_slow_jobs_are_reported_and_finished(blocking: BlockingJobs) -> None:
    async def run_jobs() -> None:
        workers: Workers[str] = Workers(1, slow=2, timeout=0.05)
        for name in ("a", "b"):
            with pytest.raises(HTTPException, match=TOO_LONG) as failure:
                await workers.run(name, blocking.job(name), slow=True)
            assert failure.value.status_code == 503
        with pytest.raises(HTTPException, match=TOO_LONG):
            await workers.run("a", blocking.job("again"), slow=True)
        with pytest.raises(HTTPException, match=STILL_BUSY) as failure:
            await workers.run("c", blocking.job("c"), slow=True)
        assert failure.value.status_code == 503
        assert await workers.run("quick", lambda: "quick") == "quick"
        blocking.release.set()
        await wait_until(lambda: len(workers) == 0)
        assert await workers.run("c", lambda: "c", slow=True) == "c"
        workers.close()

    asyncio.run(run_jobs())
    assert sorted(map(str, blocking.finished)) == ["a", "b"]


def test_overdue_quick_jobs_are_reported_and_finished(blocking: BlockingJobs) -> None:
    async def run_jobs() -> None:
        workers: Workers[str] = Workers(1, slow=1, timeout=0.05)
        with pytest.raises(HTTPException, match=TOO_LONG) as failure:
            await workers.run("stuck", blocking.job("stuck"))
        assert failure.value.status_code == 503
        with pytest.raises(HTTPException, match=STILL_BUSY):
            await workers.run("next", lambda: "next")
        blocking.release.set()
        await wait_until(lambda: len(workers) == 0)
        assert await workers.run("next", lambda: "next") == "next"
        workers.close()

    asyncio.run(run_jobs())


def test_job_that_waits_too_long_to_start_is_rejected(blocking: BlockingJobs) -> None:
    async def run_jobs() -> None:
        workers: Workers[str] = Workers(1, slow=1, timeout=0.2)
        tasks = [asyncio.create_task(workers.run(name, blocking.job(name), slow=True)) for name in ("running", "waits")]
        errors = await asyncio.gather(*tasks, return_exceptions=True)
        assert [error.detail for error in errors] == [TOO_LONG, BUSY]
        assert len(workers) == 1
        blocking.release.set()
        await wait_until(lambda: len(workers) == 0)
        workers.close()

    asyncio.run(run_jobs())
    assert blocking.finished == ["running"]


def test_closing_cancels_waiting_jobs(blocking: BlockingJobs) -> None:
    async def run_jobs() -> None:
        workers: Workers[str] = Workers(1, slow=1)
        tasks = [asyncio.create_task(workers.run(number, blocking.job(number), slow=True)) for number in range(3)]
        await blocking.wait_until_started(1)
        workers.close()
        assert {error.detail for error in await asyncio.gather(*tasks, return_exceptions=True)} == {STOPPED}
        with pytest.raises(HTTPException, match=STOPPED):
            await workers.run("new", blocking.job("new"))
        blocking.release.set()

    asyncio.run(run_jobs())


def test_job_may_finish_after_the_event_loop(blocking: BlockingJobs, caplog: pytest.LogCaptureFixture) -> None:
    threads = set(threading.enumerate())

    async def run_jobs() -> None:
        workers: Workers[str] = Workers(1)
        asyncio.create_task(workers.run("key", blocking.job(), slow=True)).cancel()
        task = asyncio.create_task(workers.run("other", blocking.job(), slow=True))
        await blocking.wait_until_started(1)
        task.cancel()
        await asyncio.wait((task,))
        workers.close()

    asyncio.run(run_jobs())
    blocking.release.set()
    for thread in set(threading.enumerate()) - threads:
        thread.join(30)
    assert blocking.finished == ["slow"]
    assert caplog.records == []


def test_overdue_error_is_not_logged(blocking: BlockingJobs, caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> str:
        blocking.release.wait(30)
        raise ValueError

    async def run_jobs() -> None:
        workers: Workers[str] = Workers(1, timeout=0.05)
        with pytest.raises(HTTPException, match=TOO_LONG):
            await workers.run("key", fail)
        blocking.release.set()
        await wait_until(lambda: len(workers) == 0)
        workers.close()

    asyncio.run(run_jobs())
    gc.collect()
    assert caplog.records == []

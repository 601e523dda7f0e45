"""Worker threads: slow computations do not delay quick ones, are limited, and are abandoned on shutdown."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Iterator

import pytest
from starlette.exceptions import HTTPException

from assay.views.explorer.workers import BUSY, STILL_BUSY, STOPPED, TOO_LONG, Workers


class Slow:
    """Jobs that go on until they are let go, and how many have begun."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.begun = threading.Semaphore(0)
        self.made: list[object] = []

    def job(self, name: object = "slow"):
        def make() -> str:
            self.begun.release()
            self.go.wait(30)
            self.made.append(name)
            return str(name)

        return make

    async def under_way(self, many: int) -> None:
        for _ in range(many):
            assert await asyncio.to_thread(self.begun.acquire, timeout=30)


@pytest.fixture
def slow() -> Iterator[Slow]:
    found = Slow()
    yield found
    found.go.set()


async def until(holds) -> None:
    async with asyncio.timeout(30):
        while not holds():
            await asyncio.sleep(0.005)


def test_what_is_slow_does_not_hold_up_what_is_quick(slow: Slow) -> None:
    async def ask() -> None:
        workers: Workers[str] = Workers(1)
        waiting = [asyncio.create_task(workers.run(number, slow.job(), slow=True)) for number in range(5)]
        await slow.under_way(2)
        assert await workers.run("quick", lambda: "quick") == "quick"
        assert not any(task.done() for task in waiting)
        slow.go.set()
        assert await asyncio.gather(*waiting) == ["slow"] * 5
        workers.close()

    asyncio.run(ask())


def test_one_slow_job_leaves_room_for_another(slow: Slow) -> None:
    async def ask() -> None:
        workers: Workers[str] = Workers(1)
        endless = asyncio.create_task(workers.run("endless", slow.job(), slow=True))
        await slow.under_way(1)
        assert await workers.run("another", lambda: "done", slow=True) == "done"
        assert not endless.done()
        slow.go.set()
        await endless
        workers.close()

    asyncio.run(ask())


def test_never_more_than_so_many_wait(slow: Slow) -> None:
    async def ask() -> None:
        workers: Workers[str] = Workers(1, max_jobs=3)
        waiting = [asyncio.create_task(workers.run(number, slow.job())) for number in range(3)]
        await slow.under_way(1)
        with pytest.raises(HTTPException, match=BUSY) as failure:
            await workers.run("one more", slow.job())
        assert failure.value.status_code == 503
        slow.go.set()
        await asyncio.gather(*waiting)
        assert await workers.run("one more", slow.job("more")) == "more"
        workers.close()

    asyncio.run(ask())


def test_what_nobody_waits_for_is_not_begun(slow: Slow) -> None:
    async def ask() -> None:
        workers: Workers[str] = Workers(1, slow=1)
        first = asyncio.create_task(workers.run("first", slow.job("first"), slow=True))
        await slow.under_way(1)
        left = asyncio.create_task(workers.run("left", slow.job("left"), slow=True))
        shared = [asyncio.create_task(workers.run("shared", slow.job("shared"), slow=True)) for _ in range(2)]
        await until(lambda: len(workers) == 3)
        left.cancel()
        shared[0].cancel()
        await asyncio.wait((left, shared[0]))
        assert len(workers) == 2
        slow.go.set()
        assert await asyncio.gather(first, shared[1]) == ["first", "shared"]
        workers.close()

    asyncio.run(ask())
    assert slow.made == ["first", "shared"]


def test_what_takes_too_long_is_told_so_and_finished_all_the_same(slow: Slow) -> None:
    async def ask() -> None:
        workers: Workers[str] = Workers(1, slow=2, timeout=0.05)
        for name in ("a", "b"):
            with pytest.raises(HTTPException, match=TOO_LONG) as failure:
                await workers.run(name, slow.job(name), slow=True)
            assert failure.value.status_code == 503
        with pytest.raises(HTTPException, match=TOO_LONG):
            await workers.run("a", slow.job("again"), slow=True)
        with pytest.raises(HTTPException, match=STILL_BUSY) as failure:
            await workers.run("c", slow.job("c"), slow=True)
        assert failure.value.status_code == 503
        assert await workers.run("quick", lambda: "quick") == "quick"
        slow.go.set()
        await until(lambda: len(workers) == 0)
        assert await workers.run("c", lambda: "c", slow=True) == "c"
        workers.close()

    asyncio.run(ask())
    assert sorted(map(str, slow.made)) == ["a", "b"]


def test_what_should_be_quick_is_not_waited_for_longer_than_that_either(slow: Slow) -> None:
    async def ask() -> None:
        workers: Workers[str] = Workers(1, slow=1, timeout=0.05)
        with pytest.raises(HTTPException, match=TOO_LONG) as failure:
            await workers.run("stuck", slow.job("stuck"))
        assert failure.value.status_code == 503
        with pytest.raises(HTTPException, match=STILL_BUSY):
            await workers.run("next", lambda: "next")
        slow.go.set()
        await until(lambda: len(workers) == 0)
        assert await workers.run("next", lambda: "next") == "next"
        workers.close()

    asyncio.run(ask())


def test_who_has_waited_for_a_turn_too_long_is_told_to_come_again(slow: Slow) -> None:
    async def ask() -> None:
        workers: Workers[str] = Workers(1, slow=1, timeout=0.2)
        late = [asyncio.create_task(workers.run(name, slow.job(name), slow=True)) for name in ("under way", "waits")]
        told = await asyncio.gather(*late, return_exceptions=True)
        assert [one.detail for one in told] == [TOO_LONG, BUSY]
        assert len(workers) == 1
        slow.go.set()
        await until(lambda: len(workers) == 0)
        workers.close()

    asyncio.run(ask())
    assert slow.made == ["under way"]


def test_when_all_ends_nobody_is_waited_for(slow: Slow) -> None:
    async def ask() -> None:
        workers: Workers[str] = Workers(1, slow=1)
        waiting = [asyncio.create_task(workers.run(number, slow.job(number), slow=True)) for number in range(3)]
        await slow.under_way(1)
        workers.close()
        assert {one.detail for one in await asyncio.gather(*waiting, return_exceptions=True)} == {STOPPED}
        with pytest.raises(HTTPException, match=STOPPED):
            await workers.run("new", slow.job("new"))
        slow.go.set()

    asyncio.run(ask())


def test_work_may_end_when_nothing_is_left_to_hear_of_it(slow: Slow, caplog: pytest.LogCaptureFixture) -> None:
    before = set(threading.enumerate())

    async def ask() -> None:
        workers: Workers[str] = Workers(1)
        asyncio.create_task(workers.run("key", slow.job(), slow=True)).cancel()
        waiting = asyncio.create_task(workers.run("other", slow.job(), slow=True))
        await slow.under_way(1)
        waiting.cancel()
        await asyncio.wait((waiting,))
        workers.close()

    asyncio.run(ask())
    slow.go.set()
    for thread in set(threading.enumerate()) - before:
        thread.join(30)
    assert slow.made == ["slow"]
    assert caplog.records == []


def test_an_overdue_error_is_not_logged(slow: Slow, caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> str:
        slow.go.wait(30)
        raise ValueError

    async def ask() -> None:
        workers: Workers[str] = Workers(1, timeout=0.05)
        with pytest.raises(HTTPException, match=TOO_LONG):
            await workers.run("key", fail)
        slow.go.set()
        await until(lambda: len(workers) == 0)
        workers.close()

    asyncio.run(ask())
    gc.collect()
    assert caplog.records == []

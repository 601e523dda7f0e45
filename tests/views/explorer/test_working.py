"""Work in threads: what is slow does not hold up the rest, is bounded, and is left at once when all ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from assay.views.explorer.working import BUSY, STILL_BUSY, STOPPED, TOO_LONG, Failure, Work


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
        work: Work[str] = Work(1)
        waiting = [asyncio.create_task(work.do(number, slow.job(), slow=True)) for number in range(5)]
        await slow.under_way(2)
        assert await work.do("quick", lambda: "quick") == "quick"
        assert not any(task.done() for task in waiting)
        slow.go.set()
        assert await asyncio.gather(*waiting) == ["slow"] * 5
        work.close()

    asyncio.run(ask())


def test_one_slow_job_leaves_room_for_another(slow: Slow) -> None:
    async def ask() -> None:
        work: Work[str] = Work(1)
        endless = asyncio.create_task(work.do("endless", slow.job(), slow=True))
        await slow.under_way(1)
        assert await work.do("another", lambda: "done", slow=True) == "done"
        assert not endless.done()
        slow.go.set()
        await endless
        work.close()

    asyncio.run(ask())


def test_never_more_than_so_many_wait(slow: Slow) -> None:
    async def ask() -> None:
        work: Work[str] = Work(1, most=3)
        waiting = [asyncio.create_task(work.do(number, slow.job())) for number in range(3)]
        await slow.under_way(1)
        with pytest.raises(Failure, match=BUSY) as failure:
            await work.do("one more", slow.job())
        assert failure.value.status == 503
        slow.go.set()
        await asyncio.gather(*waiting)
        assert await work.do("one more", slow.job("more")) == "more"
        work.close()

    asyncio.run(ask())


def test_what_nobody_waits_for_is_not_begun(slow: Slow) -> None:
    async def ask() -> None:
        work: Work[str] = Work(1, slow=1)
        first = asyncio.create_task(work.do("first", slow.job("first"), slow=True))
        await slow.under_way(1)
        left = asyncio.create_task(work.do("left", slow.job("left"), slow=True))
        shared = [asyncio.create_task(work.do("shared", slow.job("shared"), slow=True)) for _ in range(2)]
        await until(lambda: len(work) == 3)
        left.cancel()
        shared[0].cancel()
        await asyncio.wait((left, shared[0]))
        assert len(work) == 2
        slow.go.set()
        assert await asyncio.gather(first, shared[1]) == ["first", "shared"]
        work.close()

    asyncio.run(ask())
    assert slow.made == ["first", "shared"]


def test_what_takes_too_long_is_told_so_and_finished_all_the_same(slow: Slow) -> None:
    async def ask() -> None:
        work: Work[str] = Work(1, slow=2, longest=0.05)
        for name in ("a", "b"):
            with pytest.raises(Failure, match=TOO_LONG) as failure:
                await work.do(name, slow.job(name), slow=True)
            assert failure.value.status == 503
        with pytest.raises(Failure, match=TOO_LONG):
            await work.do("a", slow.job("again"), slow=True)
        with pytest.raises(Failure, match=STILL_BUSY) as failure:
            await work.do("c", slow.job("c"), slow=True)
        assert failure.value.status == 503
        assert await work.do("quick", lambda: "quick") == "quick"
        slow.go.set()
        await until(lambda: len(work) == 0)
        assert await work.do("c", lambda: "c", slow=True) == "c"
        work.close()

    asyncio.run(ask())
    assert sorted(map(str, slow.made)) == ["a", "b"]


def test_what_should_be_quick_is_not_waited_for_longer_than_that_either(slow: Slow) -> None:
    async def ask() -> None:
        work: Work[str] = Work(1, slow=1, longest=0.05)
        with pytest.raises(Failure, match=TOO_LONG) as failure:
            await work.do("stuck", slow.job("stuck"))
        assert failure.value.status == 503
        with pytest.raises(Failure, match=STILL_BUSY):
            await work.do("next", lambda: "next")
        slow.go.set()
        await until(lambda: len(work) == 0)
        assert await work.do("next", lambda: "next") == "next"
        work.close()

    asyncio.run(ask())


def test_who_has_waited_for_a_turn_too_long_is_told_to_come_again(slow: Slow) -> None:
    async def ask() -> None:
        work: Work[str] = Work(1, slow=1, longest=0.2)
        late = [asyncio.create_task(work.do(name, slow.job(name), slow=True)) for name in ("under way", "waits")]
        told = await asyncio.gather(*late, return_exceptions=True)
        assert [str(one) for one in told] == [TOO_LONG, BUSY]
        assert len(work) == 1
        slow.go.set()
        await until(lambda: len(work) == 0)
        work.close()

    asyncio.run(ask())
    assert slow.made == ["under way"]


def test_when_all_ends_nobody_is_waited_for(slow: Slow) -> None:
    async def ask() -> None:
        work: Work[str] = Work(1, slow=1)
        waiting = [asyncio.create_task(work.do(number, slow.job(number), slow=True)) for number in range(3)]
        await slow.under_way(1)
        work.close()
        assert {str(one) for one in await asyncio.gather(*waiting, return_exceptions=True)} == {STOPPED}
        with pytest.raises(Failure, match=STOPPED):
            await work.do("new", slow.job("new"))
        slow.go.set()

    asyncio.run(ask())


def test_work_may_end_when_nothing_is_left_to_hear_of_it(slow: Slow) -> None:
    before = set(threading.enumerate())
    work: Work[str] = Work(1)

    async def ask() -> None:
        asyncio.create_task(work.do("key", slow.job(), slow=True)).cancel()
        waiting = asyncio.create_task(work.do("other", slow.job(), slow=True))
        await slow.under_way(1)
        waiting.cancel()
        await asyncio.wait((waiting,))

    asyncio.run(ask())
    slow.go.set()
    work.close()
    for thread in set(threading.enumerate()) - before:
        thread.join(30)
    assert len(work) == 0

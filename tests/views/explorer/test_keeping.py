"""What is kept is bounded."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from assay.views.explorer.keeping import Kept


def test_the_least_used_goes_first() -> None:
    kept: Kept[int] = Kept(3)
    for name in "abc":
        kept.put(name, 1)
    assert kept.find("a") == 1
    kept.put("d", 1)
    assert list(kept) == ["c", "a", "d"]
    assert kept.find("b") is None


def test_made_once() -> None:
    made = []
    kept: Kept[int] = Kept(3)
    assert [kept.get("a", lambda: made.append(1) or 7) for _ in range(3)] == [7, 7, 7]
    assert len(made) == 1


def test_never_larger_than_it_may_be() -> None:
    kept: Kept[bytes] = Kept(100, len)
    for number in range(50):
        kept.put(number, bytes(number))
        assert kept.total <= 100
    assert kept.total == sum(len(kept.find(key) or b"") for key in kept)
    kept.put("large", bytes(101))
    assert kept.find("large") is None
    assert len(kept) > 0


def test_put_again() -> None:
    kept: Kept[bytes] = Kept(10, len)
    kept.put("a", b"12345")
    kept.put("a", b"123")
    assert kept.total == 3
    assert len(kept) == 1


def test_from_many_threads() -> None:
    kept: Kept[int] = Kept(20)
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda i: kept.get(i % 40, lambda: i % 40), range(4000)))
    assert found == [i % 40 for i in range(4000)]
    assert len(kept) == kept.total == 20

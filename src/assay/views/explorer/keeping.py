"""What was made and may be asked for again: the last used things, never more than a given amount."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Thing = TypeVar("Thing")


class Kept(Generic[Thing]):
    """The last used things, at most *most* of them together; *size* says how much one counts (default: 1).

    Any number of threads may use it. Two that ask for the same thing at once may both make it.

    >>> kept = Kept(2)
    >>> [kept.get(word, lambda: len(word)) for word in ("a", "bc", "a", "def")], list(kept)
    ([1, 2, 1, 3], ['a', 'def'])
    """

    def __init__(self, most: int, size: Callable[[Thing], int] = lambda thing: 1) -> None:
        self._most = most
        self._size = size
        self._things: OrderedDict[Hashable, Thing] = OrderedDict()
        self._total = 0
        self._lock = Lock()

    def __iter__(self) -> object:
        with self._lock:
            return iter(list(self._things))

    def __len__(self) -> int:
        return len(self._things)

    @property
    def total(self) -> int:
        """How much the things count together."""
        return self._total

    def find(self, key: Hashable) -> Thing | None:
        """The thing of a key, if it is there."""
        with self._lock:
            if key not in self._things:
                return None
            self._things.move_to_end(key)
            return self._things[key]

    def put(self, key: Hashable, thing: Thing) -> None:
        """Keep a thing; what was not used for longest goes. What is larger than everything may be is not kept."""
        size = self._size(thing)
        if size > self._most:
            return
        with self._lock:
            if key in self._things:
                self._total -= self._size(self._things.pop(key))
            self._things[key] = thing
            self._total += size
            while self._total > self._most:
                self._total -= self._size(self._things.popitem(last=False)[1])

    def get(self, key: Hashable, make: Callable[[], Thing]) -> Thing:
        """The thing of a key, made if it is not there."""
        found = self.find(key)
        if found is None:
            found = make()
            self.put(key, found)
        return found

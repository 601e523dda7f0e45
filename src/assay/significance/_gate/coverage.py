"""Topics that a candidate and its baseline share, and topics that changed since the baseline was written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Coverage(NamedTuple):
    """Topics by their state.

    *used* topics are in both, with the same judgments. The judgments of *changed* topics differ, so that the old values
    no longer apply. *added* topics are new, and *removed* topics are only in the baseline.
    """

    used: tuple[str, ...]
    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """Share of the used topics among all topics."""
        total = sum(map(len, self))
        return len(self.used) / total if total else 0.0

    def describe(self) -> str:
        """Return the numbers of topics, such as ``412 topics (3 added, 5 with new judgments left aside)``."""
        counts = [
            (self.added, "added"),
            (self.removed, "removed"),
            (self.changed, "with new judgments left aside"),
        ]
        parts = ", ".join(f"{len(topics):,} {text}" for topics, text in counts if topics)
        used = f"{len(self.used):,} topic{'s' * (len(self.used) != 1)}"
        return f"{used} ({parts})" if parts else used


def compare_topics(baseline: Mapping[str, str | None], current: Mapping[str, str | None]) -> Coverage:
    """Compare the topics of a baseline with the current topics; the values are digests of judgments, None if unknown.

    >>> compare_topics({"1": "aa", "2": "bb", "3": None}, {"2": "b9", "3": "cc", "4": "dd"})
    Coverage(used=('3',), changed=('2',), added=('4',), removed=('1',))
    """
    shared = [topic for topic in current if topic in baseline]
    changed = [
        topic for topic in shared if None not in (pair := (baseline[topic], current[topic])) and len({*pair}) > 1
    ]
    different = set(changed)
    return Coverage(
        used=tuple(topic for topic in shared if topic not in different),
        changed=tuple(changed),
        added=tuple(topic for topic in current if topic not in baseline),
        removed=tuple(topic for topic in baseline if topic not in current),
    )

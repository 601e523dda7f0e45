"""Short forms of long names, for axes, tables and sentences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count

ELLIPSIS = "…"


def shorten(name: str, most: int = 24) -> str:
    """Return a name of at most *most* characters; a longer one loses its middle.

    >>> shorten("a-very-long-name-of-a-retrieval-system", 16)
    'a-very-l…-system'
    """
    if len(name) <= most:
        return name
    tail = (most - 1) // 2
    return f"{name[: most - 1 - tail]}{ELLIPSIS}{name[len(name) - tail :]}"


def shorten_names(names: Iterable[str], most: int = 24) -> dict[str, str]:
    """Return a short form of each name, different for different names.

    Names that would look alike without their middle keep the part in which they differ instead; what still looks alike
    is numbered.

    >>> names = [f"splade-v3-distilled-seed{seed}-msmarco-passage-dev" for seed in (1, 2)]
    >>> list(shorten_names(names, 16).values())
    ['spla…-seed1-msm…', 'spla…-seed2-msm…']
    """
    short = {name: shorten(name, most) for name in names}
    for group in _alike(short):
        short.update(_around_difference(group, most))
    taken = set(short.values())
    for group in _alike(short):
        for name in group[1:]:
            short[name] = next(form for form in _numbered(name, most) if form not in taken)
            taken.add(short[name])
    return short


def _alike(short: dict[str, str]) -> list[list[str]]:
    """Groups of names that share a short form."""
    groups = defaultdict(list)
    for name, form in short.items():
        groups[form].append(name)
    return [group for group in groups.values() if len(group) > 1]


def _around_difference(group: Sequence[str], most: int) -> dict[str, str]:
    """The beginning of each name, and what surrounds the first place where it differs from its nearest neighbour."""
    head = max(1, (most - 2) // 3)
    width = max(1, most - 2 - head)
    ordered = sorted(group)  # so that the nearest neighbour is the one before or behind
    forms = {}
    for at, name in enumerate(ordered):
        neighbours = ordered[max(at - 1, 0) : at] + ordered[at + 1 : at + 2]
        differs = max(_first_difference(name, other) for other in neighbours)
        start = min(max(differs - width // 2, head), max(len(name) - width - 1, head))
        stop = start + width
        forms[name] = f"{name[:head]}{ELLIPSIS}{name[start:stop]}{ELLIPSIS if stop < len(name) else ''}"
    return forms


def _first_difference(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _numbered(name: str, most: int) -> Iterable[str]:
    for number in count(2):
        tag = f"#{number}"
        yield f"{shorten(name, max(most - len(tag), 1))}{tag}"

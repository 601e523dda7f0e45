"""Shortening of long names, for axes, tables and sentences."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count

ELLIPSIS = "…"
_SEPARATOR = re.compile(r"[-_./:+ ]")


def shorten(name: str, max_length: int = 24) -> str:
    """Return a name of at most *max_length* characters; an ellipsis replaces the middle of a longer name.

    >>> shorten("a-very-long-name-of-a-retrieval-system", 16)
    'a-very-l…-system'
    """
    if len(name) <= max_length:
        return name
    tail = (max_length - 1) // 2
    return f"{name[: max_length - 1 - tail]}{ELLIPSIS}{name[len(name) - tail :]}"


def shorten_names(names: Iterable[str], max_length: int = 24) -> dict[str, str]:
    """Return a short form of each name; different names get different short forms.

    If a name is too long, an ellipsis replaces the words with which all names begin, and then the middle of the names
    that are still too long. If several names would have the same short form, their short forms contain the part in
    which the names differ instead. Short forms that are still equal are numbered.

    >>> list(shorten_names(["splade-v3-distilled-seed1", "splade-v3-distilled-seed2"], 16).values())
    ['…seed1', '…seed2']
    >>> names = [f"splade-v3-distilled-seed{seed}-msmarco-passage-dev" for seed in (1, 2)]
    >>> list(shorten_names(names, 16).values())
    ['…seed1-m…age-dev', '…seed2-m…age-dev']
    """
    names = list(dict.fromkeys(names))
    prefix = _find_common_words(names) if any(len(name) > max_length for name in names) else 0
    rests = {name: f"{ELLIPSIS}{name[prefix:]}" if prefix else name for name in names}
    short = {name: shorten(rest, max_length) for name, rest in rests.items()}
    for group in _group_collisions(short):
        forms = _shorten_around_difference([rests[name] for name in group], max_length)
        short.update((name, forms[rests[name]]) for name in group)
    taken = set(short.values())
    for group in _group_collisions(short):
        for name in group[1:]:
            short[name] = next(form for form in _generate_numbered_forms(name, max_length) if form not in taken)
            taken.add(short[name])
    return short


def _find_common_words(names: Sequence[str]) -> int:
    """Return the length of the whole words with which all names begin, or 0 if an ellipsis would not be shorter.

    >>> _find_common_words(["run-seed1", "run-seed10"]), _find_common_words(["run-a", "run-"])
    (4, 0)
    """
    if len(names) < 2:
        return 0
    # Without its last character, no name consists of the common words only.
    first, last = min(names)[:-1], max(names)[:-1]  # all other names are between them
    common = first[: _find_first_difference(first, last)]
    length = max((match.end() for match in _SEPARATOR.finditer(common)), default=0)
    return length if length > len(ELLIPSIS) else 0


def _group_collisions(short: dict[str, str]) -> list[list[str]]:
    """Return the groups of names that have the same short form."""
    groups = defaultdict(list)
    for name, form in short.items():
        groups[form].append(name)
    return [group for group in groups.values() if len(group) > 1]


def _shorten_around_difference(group: Sequence[str], max_length: int) -> dict[str, str]:
    """Shorten each name to its beginning and the text around the first difference from the most similar name."""
    head = max(1, (max_length - 2) // 3)
    width = max(1, max_length - 2 - head)
    # The name with the longest common prefix is adjacent in sorted order.
    ordered = sorted(group)
    forms = {}
    for i, name in enumerate(ordered):
        neighbours = ordered[max(i - 1, 0) : i] + ordered[i + 1 : i + 2]
        difference = max(_find_first_difference(name, other) for other in neighbours)
        start = min(max(difference - width // 2, head), max(len(name) - width - 1, head))
        stop = start + width
        forms[name] = f"{name[:head]}{ELLIPSIS}{name[start:stop]}{ELLIPSIS if stop < len(name) else ''}"
    return forms


def _find_first_difference(one: str, other: str) -> int:
    """Return the index of the first different character, or the length of the shorter text if it is a prefix."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def _generate_numbered_forms(name: str, max_length: int) -> Iterable[str]:
    """Yield short forms that end in #2, #3, …, without end."""
    for number in count(2):
        tag = f"#{number}"
        yield f"{shorten(name, max(max_length - len(tag), 1))}{tag}"

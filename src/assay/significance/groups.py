"""Groups of runs that cannot be told apart, as letters: runs that share one do not differ significantly.

Not being told apart does not carry over from pair to pair (a may pass for b, and b for c, although a and c differ), so
that a run can be in several groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase

import numpy as np

from assay.model.arrays import Bools, Ints

_MOST = 2_000  # groups: insert-and-absorb may need exponentially many; those of 129 runs of TREC-8 are some hundreds


def find_groups(different: Bools, order: Sequence[int] | Ints | None = None) -> Bools:
    """Groups x runs: which run is in which group.

    Two runs are in one group together if and only if they are not significantly different. Each group is as large as
    can be, and none can be left away. The groups come from insert-and-absorb: at first all runs are one group; each
    pair that differs splits every group that has both into one without the first and one without the second; a group
    that lies within another is absorbed. What is left are all groups that cannot be enlarged; those whose pairs are in
    other groups anyway are dropped, small ones first. To have the fewest letters is a hard problem, so a second way is
    tried, in which groups grow from pairs, and the one with fewer groups is taken.

    Parameters
    ----------
    different
        Runs x runs, symmetric: whether two runs differ significantly.
    order
        The runs from the best to the worst: the first group is the one of the best run, and so on.

    References
    ----------
    Piepho, *An algorithm for a letter-based representation of all-pairwise comparisons*, Journal of Computational and
    Graphical Statistics 13, 2004.

    Gramm, Guo, Hüffner, Niedermeier, Piepho and Schmid, *Algorithms for compact letter displays: comparison and
    evaluation*, Computational Statistics & Data Analysis 52, 2007.
    """
    runs = len(different)
    if not runs:
        return np.zeros((0, 0), dtype=bool)
    place = np.arange(runs) if order is None else np.asarray(order, dtype=np.int64)
    sorted_runs = different[np.ix_(place, place)]
    ways = [made for made in (_inserted(sorted_runs), _grown(sorted_runs)) if made is not None]
    found = min(map(_needed, ways), key=len)
    # The group of the best run comes first; of two that begin alike, the one that goes on with the better run.
    ranks = [tuple(np.flatnonzero(row)) for row in found]
    found = found[sorted(range(len(found)), key=ranks.__getitem__)]
    back = np.empty(runs, dtype=np.int64)
    back[place] = np.arange(runs)
    return np.asarray(found[:, back])


def assign_letters(different: Bools, order: Sequence[int] | Ints | None = None) -> list[str]:
    """The letters of each run: ``a`` for the group of the best run, and so on; see :func:`find_groups`.

    Of more than 26 groups the letters go on with ``aa``, and stand apart.

    >>> different = np.zeros((3, 3), dtype=bool)
    >>> different[0, 2] = different[2, 0] = True
    >>> assign_letters(different)
    ['a', 'ab', 'b']
    """
    found = find_groups(different, order)
    between = "" if len(found) <= len(ascii_lowercase) else " "
    return [between.join(_letter(number) for number in np.flatnonzero(member).tolist()) for member in found.T]


def _letter(number: int) -> str:
    """``a`` to ``z``, then ``aa``, ``ab``, as the columns of a sheet."""
    more, last = divmod(number, len(ascii_lowercase))
    return (_letter(more - 1) if more else "") + ascii_lowercase[last]


def _inserted(different: Bools) -> Bools | None:
    """All groups that cannot be enlarged; None if they are too many.

    The pairs of a run are inserted together: splitting a group by them one after the other leaves, after absorption,
    the group without the run and the group without all that differ from it.
    """
    found = [(1 << len(different)) - 1]  # groups as sets of bits
    for run in range(len(different)):
        own = 1 << run
        apart = sum(1 << other for other in range(run + 1, len(different)) if different[run, other])
        split = [group for group in found if group & own and group & apart]
        parts = {group & ~own for group in split} | {group & ~apart for group in split}
        found = [group for group in found if not (group & own and group & apart)]
        for part in sorted(parts, key=lambda part: (-part.bit_count(), part)):
            if not any(part | group == group for group in found):
                found.append(part)
        if len(found) > _MOST:
            return None
    return np.array([[group >> run & 1 for run in range(len(different))] for group in found], dtype=bool)


def _grown(different: Bools) -> Bools:
    """Groups for every pair that does not differ: each is grown from a pair that none has yet, run by run."""
    alike = ~different
    np.fill_diagonal(alike, True)
    waiting = alike.copy()
    found = []
    for run in range(len(different)):
        while waiting[run].any():
            other = int(np.argmax(waiting[run]))
            member, may_join = np.zeros(len(different), dtype=bool), alike[run] & alike[other]
            member[[run, other]] = True
            while (left := np.flatnonzero(may_join & ~member)).size:
                member[left[0]] = True
                may_join &= alike[left[0]]
            found.append(member)
            waiting &= ~(member[:, None] & member)
    return np.array(found, dtype=bool)


def _needed(found: Bools) -> Bools:
    """The groups without those whose pairs are all in other groups too."""
    together = found.T.astype(np.int64) @ found.astype(np.int64)
    keep = np.ones(len(found), dtype=bool)
    for number in np.argsort(found.sum(axis=1), kind="stable"):
        members = np.ix_(found[number], found[number])
        if (together[members] > 1).all():
            keep[number] = False
            together[members] -= 1
    return np.asarray(found[keep])

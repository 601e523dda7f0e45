"""Groups of runs that are not significantly different, as a compact letter display: runs that share a letter.

The relation is not transitive: a and b may not be significantly different, nor b and c, although a and c are. So a run
can be in several groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase

import numpy as np

from assay.model.arrays import Bools, Ints

_MAX_GROUPS = 2_000  # insert-and-absorb may need exponentially many; 129 runs of TREC-8 have some hundreds


def find_groups(different: Bools, order: Sequence[int] | Ints | None = None) -> Bools:
    """Return the groups as a boolean matrix, groups x runs.

    Two runs share a group if and only if they are not significantly different. No group can be enlarged, and none is
    redundant. The groups come from the insert-and-absorb algorithm: initially all runs form one group. Each pair that
    differs splits every group that contains both into one without the first and one without the second run; a group
    that is a subset of another is absorbed. The result is the set of all groups that cannot be enlarged. Groups whose
    pairs are all in other groups are dropped, small ones first. Minimizing the number of groups is NP-hard, so a second
    heuristic, which grows groups from pairs, is tried as well, and the result with fewer groups is returned.

    Parameters
    ----------
    different
        Runs x runs, symmetric: True if two runs differ significantly.
    order
        Indices of the runs from best to worst: the first group contains the best run, and so on.

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
    best_first = np.arange(runs) if order is None else np.asarray(order, dtype=np.int64)
    ordered = different[np.ix_(best_first, best_first)]
    solutions = [groups for groups in (_insert_and_absorb(ordered), _grow_groups(ordered)) if groups is not None]
    groups = min(map(_drop_redundant, solutions), key=len)
    # Sort groups lexicographically by the ranks of their members: the group of the best run comes first.
    members = [tuple(np.flatnonzero(row)) for row in groups]
    groups = groups[sorted(range(len(groups)), key=members.__getitem__)]
    rank = np.empty(runs, dtype=np.int64)
    rank[best_first] = np.arange(runs)
    return np.asarray(groups[:, rank])


def assign_letters(different: Bools, order: Sequence[int] | Ints | None = None) -> list[str]:
    """Return the letters of each run: ``a`` for the group of the best run, and so on; see :func:`find_groups`.

    With more than 26 groups the letters continue with ``aa`` and are separated by spaces.

    >>> different = np.zeros((3, 3), dtype=bool)
    >>> different[0, 2] = different[2, 0] = True
    >>> assign_letters(different)
    ['a', 'ab', 'b']
    """
    groups = find_groups(different, order)
    separator = "" if len(groups) <= len(ascii_lowercase) else " "
    return [separator.join(_format_letter(index) for index in np.flatnonzero(column).tolist()) for column in groups.T]


def _format_letter(index: int) -> str:
    """Return ``a`` to ``z``, then ``aa``, ``ab``, …, like the columns of a spreadsheet."""
    prefix, last = divmod(index, len(ascii_lowercase))
    return (_format_letter(prefix - 1) if prefix else "") + ascii_lowercase[last]


def _insert_and_absorb(different: Bools) -> Bools | None:
    """Return all groups that cannot be enlarged; None if there are too many.

    All pairs of a run are inserted at once: splitting a group by them one after the other leaves, after absorption, the
    group without the run and the group without all runs that differ from it.
    """
    groups = [(1 << len(different)) - 1]  # each group is an integer, with a bit for each member
    for run in range(len(different)):
        own = 1 << run
        differing = sum(1 << other for other in range(run + 1, len(different)) if different[run, other])
        split = [group for group in groups if group & own and group & differing]
        parts = {group & ~own for group in split} | {group & ~differing for group in split}
        groups = [group for group in groups if not (group & own and group & differing)]
        # Large parts first, so that every part is compared with all groups that can absorb it.
        for part in sorted(parts, key=lambda part: (-part.bit_count(), part)):
            if not any(part | group == group for group in groups):
                groups.append(part)
        if len(groups) > _MAX_GROUPS:
            return None
    return np.array([[group >> run & 1 for run in range(len(different))] for group in groups], dtype=bool)


def _grow_groups(different: Bools) -> Bools:
    """Return groups that cover all pairs that do not differ, each grown from a pair that is not yet covered."""
    compatible = ~different
    np.fill_diagonal(compatible, True)
    uncovered = compatible.copy()
    groups = []
    for run in range(len(different)):
        while uncovered[run].any():
            other = int(np.argmax(uncovered[run]))
            member, can_join = np.zeros(len(different), dtype=bool), compatible[run] & compatible[other]
            member[[run, other]] = True
            while (candidates := np.flatnonzero(can_join & ~member)).size:
                member[candidates[0]] = True
                can_join &= compatible[candidates[0]]
            groups.append(member)
            uncovered &= ~(member[:, None] & member)
    return np.array(groups, dtype=bool)


def _drop_redundant(groups: Bools) -> Bools:
    """Drop groups whose pairs are all in other groups as well, small groups first."""
    shared = groups.T.astype(np.int64) @ groups.astype(np.int64)  # number of groups that contain both runs
    keep = np.ones(len(groups), dtype=bool)
    for index in np.argsort(groups.sum(axis=1), kind="stable"):
        members = np.ix_(groups[index], groups[index])
        if (shared[members] > 1).all():
            keep[index] = False
            shared[members] -= 1
    return np.asarray(groups[keep])

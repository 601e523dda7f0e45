"""Groups of runs that are not significantly different, as a compact letter display: runs that share a letter.

The relation is not transitive: a may not be significantly different from b, and b not from c, although a is
significantly different from c. So a run can be in several groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase

import numpy as np

from assay.model.arrays import Bools, Ints

_MAX_GROUPS = 2_000  # insert-and-absorb may need exponentially many groups; 129 runs of TREC-8 need some hundreds


def find_groups(different: Bools, order: Sequence[int] | Ints | None = None) -> Bools:
    """Return the groups as a boolean matrix, groups x runs.

    Two runs share a group if and only if they are not significantly different. No group can be enlarged, and no group
    is redundant.

    The insert-and-absorb algorithm finds the groups. Initially all runs form one group. For each pair of significantly
    different runs, every group that contains both is split into a group without the first run and one without the
    second.
    A group that is a subset of another group is absorbed. The result is the set of all groups that cannot be enlarged.
    A group is dropped if all its pairs are also in other groups; small groups are dropped first. Minimizing the number
    of groups is NP-hard, so a second heuristic, which grows groups from pairs, is tried as well. The result with fewer
    groups is returned.

    Parameters
    ----------
    different
        Runs x runs, symmetric: True if two runs differ significantly.
    order
        Indices of the runs from best to worst, which determine the order of the groups: the first group contains the
        best run.

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
    """Return the letters of each run, one for each of its groups; ``a`` is the group of the best run.

    See :func:`find_groups`. With more than 26 groups, the letters continue with ``aa`` and are separated by spaces.

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
    """Return all groups that cannot be enlarged; None if there are too many groups.

    All pairs of a run are inserted together. Splitting a group by one pair after another gives, after absorption, the
    same two groups: the group without the run, and the group without all runs that differ from it.
    """
    groups = [(1 << len(different)) - 1]  # each group is an integer, with a bit for each member
    for run in range(len(different)):
        run_bit = 1 << run
        differing_bits = sum(1 << other for other in range(run + 1, len(different)) if different[run, other])
        to_split = [group for group in groups if group & run_bit and group & differing_bits]
        parts = {group & ~run_bit for group in to_split} | {group & ~differing_bits for group in to_split}
        groups = [group for group in groups if not (group & run_bit and group & differing_bits)]
        # Large parts first, so that every part is compared with all groups that can absorb it.
        for part in sorted(parts, key=lambda part: (-part.bit_count(), part)):
            if not any(part | group == group for group in groups):
                groups.append(part)
        if len(groups) > _MAX_GROUPS:
            return None
    return np.array([[group >> run & 1 for run in range(len(different))] for group in groups], dtype=bool)


def _grow_groups(different: Bools) -> Bools:
    """Return groups that cover all pairs of runs that do not differ.

    Each group is grown from a pair that no earlier group covers.
    """
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
    """Drop groups whose pairs are all in other groups as well, starting with small groups."""
    # For each pair of runs, the number of groups that contain both.
    group_counts = groups.T.astype(np.int64) @ groups.astype(np.int64)
    keep = np.ones(len(groups), dtype=bool)
    for index in np.argsort(groups.sum(axis=1), kind="stable"):
        members = np.ix_(groups[index], groups[index])
        if (group_counts[members] > 1).all():
            keep[index] = False
            group_counts[members] -= 1
    return np.asarray(groups[keep])

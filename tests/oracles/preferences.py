"""Preference measures (assay.compat.trec_eval.judgment_groups) by enumerating pairs of documents.

A topic is ``{group: {subgroup: {document: level}}}``, a ranking a list of documents.
"""

from itertools import combinations


def preference_pairs(subgroups):
    """Return the pairs (a, b) where the group prefers a to b, including transitive ones across subgroups."""
    pairs = set()
    for levels in subgroups.values():
        pairs |= {(a, b) for a in levels for b in levels if levels[a] > levels[b]}
    while implied := {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs:
        pairs |= implied
    return pairs


def is_contradictory(subgroups):
    """Return whether a document is preferred to itself, or is relevant in one subgroup and not in another."""
    levels = {}
    for subgroup in subgroups.values():
        for document, level in subgroup.items():
            levels.setdefault(document, set()).add(level)
    both = any(0 in several and max(several) > 0 for several in levels.values())
    return both or any(a == b for a, b in preference_pairs(subgroups))


def is_fulfilled(pair, ranking):
    """Return whether the first document is ranked above the second; retrieved ones are above all others."""
    first, second = pair
    if first not in ranking:
        return False
    return second not in ranking or ranking.index(first) < ranking.index(second)


def count_retrieved(pair, ranking):
    """Return the number of retrieved documents of a pair."""
    return sum(document in ranking for document in pair)


def count_fulfilled(pairs, ranking, least=0):
    """Return the numbers of fulfilled and of all pairs with at least *least* retrieved documents."""
    counted = [pair for pair in pairs if count_retrieved(pair, ranking) >= least]
    return sum(is_fulfilled(pair, ranking) for pair in counted), len(counted)


def ratio(numerator, denominator):
    return numerator / denominator if denominator else 0


def mean(ratios):
    """Return the mean over groups; 0 if one of them is undefined (None)."""
    return 0 if None in ratios else sum(ratios) / len(ratios)


def pair_fraction(groups, ranking, least):
    """Return the mean over pairs of documents of the fraction of fulfilled preferences among groups that have one."""
    preferences = [pair for subgroups in groups.values() for pair in preference_pairs(subgroups)]
    fractions = []
    for a, b in combinations(sorted({document for pair in preferences for document in pair}), 2):
        stated = [pair for pair in preferences if set(pair) == {a, b}]
        if stated and count_retrieved((a, b), ranking) >= least:
            fractions.append(sum(is_fulfilled(pair, ranking) for pair in stated) / len(stated))
    return ratio(sum(fractions), len(fractions))


def rnonrel_ratio(subgroups, ranking, only_retrieved):
    """Return f' / p' of Rnonrel, or None if p' is 0."""
    levels = {}
    for name in sorted(subgroups):
        levels |= subgroups[name]
    order = [document for document in ranking if document in levels]
    order += sorted(set(levels) - set(ranking))
    visible = [document for document in order if document in ranking or not only_retrieved]
    least = 2 if only_retrieved else 0
    complete = len(subgroups) == 1
    relevant = [document for document in levels if levels[document] > 0]
    counted = [document for document in relevant if document in visible]
    other = [document for document in visible if levels[document] == 0 or (complete and levels[document] < 0)]
    pairs = preference_pairs(subgroups)
    surplus = len(counted) - len(other)
    if surplus >= 0:
        met, possible = count_fulfilled(pairs, ranking, least)
        met += len([document for document in relevant if document in ranking]) * surplus
        possible += len(relevant) * surplus
    elif complete:
        lowest = [document for document in order if levels[document] == min(levels.values())]
        met, possible = count_fulfilled([(a, b) for a, b in pairs if b not in lowest], ranking, least)
        sampled = [document for document in lowest[: len(counted)] if document in visible]
        extra_pairs = [(a, b) for a in visible for b in sampled]
        met += sum(a in ranking and order.index(a) < order.index(b) for a, b in extra_pairs)
        possible += len(extra_pairs)
    else:
        dropped = [document for document in order if levels[document] == 0][len(relevant) :]
        met, possible = count_fulfilled([pair for pair in pairs if not set(pair) & set(dropped)], ranking, least)
    return met / possible if possible else None


def preference_measures(groups, ranking):
    """Return the values of all preference measures for a topic."""
    values = {
        "prefs_avgjg_Rnonrel": mean([rnonrel_ratio(groups[name], ranking, False) for name in sorted(groups)]),
        "prefs_avgjg_Rnonrel_ret": mean([rnonrel_ratio(groups[name], ranking, True) for name in sorted(groups)]),
    }
    for ending, least in (("", 0), ("_ret", 2), ("_imp", 1)):
        fractions = [count_fulfilled(preference_pairs(groups[name]), ranking, least) for name in sorted(groups)]
        met, possible = (sum(numbers) for numbers in zip(*fractions, strict=True))
        values[f"prefs_simp{ending}"] = ratio(met, possible)
        values[f"prefs_avgjg{ending}"] = mean([ratio(*counts) for counts in fractions])
        values[f"prefs_pair{ending}"] = pair_fraction(groups, ranking, least)
        values |= {"prefs_num_prefs_ful_ret": met} if ending == "_ret" else {}
        values |= {"prefs_num_prefs_ful": met, "prefs_num_prefs_poss": possible} if ending == "" else {}
    return values

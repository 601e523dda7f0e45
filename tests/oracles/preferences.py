"""Preferences (assay.compat.trec_eval.judgment_groups): every pair of documents by itself, in plain Python.

A topic is ``{group: {subgroup: {document: level}}}``, a ranking a list of documents.
"""

from itertools import combinations


def preference_pairs(subgroups):
    """The pairs (a, b) where the group prefers a to b, with what follows from several subgroups."""
    pairs = set()
    for levels in subgroups.values():
        pairs |= {(a, b) for a in levels for b in levels if levels[a] > levels[b]}
    while more := {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs:
        pairs |= more
    return pairs


def is_contradictory(subgroups):
    """Whether a document is preferred to itself, or is relevant in one subgroup and not relevant in another."""
    levels = {}
    for subgroup in subgroups.values():
        for document, level in subgroup.items():
            levels.setdefault(document, set()).add(level)
    both = any(0 in found and max(found) > 0 for found in levels.values())
    return both or any(a == b for a, b in preference_pairs(subgroups))


def is_fulfilled(pair, ranking):
    """Whether the first document of a pair stands before the second; a retrieved one before all others."""
    first, second = pair
    if first not in ranking:
        return False
    return second not in ranking or ranking.index(first) < ranking.index(second)


def count_retrieved(pair, ranking):
    """How many documents of a pair were retrieved."""
    return sum(document in ranking for document in pair)


def count_fulfilled(pairs, ranking, least=0):
    """Fulfilled and possible among the pairs of which at least so many documents were retrieved."""
    counted = [pair for pair in pairs if count_retrieved(pair, ranking) >= least]
    return sum(is_fulfilled(pair, ranking) for pair in counted), len(counted)


def ratio(above, below):
    return above / below if below else 0


def mean(ratios):
    """The mean over groups: 0 if one of them is undefined (None)."""
    return 0 if None in ratios else sum(ratios) / len(ratios)


def pair_fraction(groups, ranking, least):
    """The mean over pairs of documents of the share of groups with a preference on them whose preference is met."""
    preferences = [pair for subgroups in groups.values() for pair in preference_pairs(subgroups)]
    shares = []
    for a, b in combinations(sorted({document for pair in preferences for document in pair}), 2):
        said = [pair for pair in preferences if set(pair) == {a, b}]
        if said and count_retrieved((a, b), ranking) >= least:
            shares.append(sum(is_fulfilled(pair, ranking) for pair in said) / len(said))
    return ratio(sum(shares), len(shares))


def rnonrel_ratio(subgroups, ranking, only_retrieved):
    """f' / p' of Rnonrel, or None if p' is 0."""
    levels = {}
    for name in sorted(subgroups):
        levels |= subgroups[name]
    order = [document for document in ranking if document in levels]
    order += sorted(set(levels) - set(ranking))
    seen = [document for document in order if document in ranking or not only_retrieved]
    least = 2 if only_retrieved else 0
    complete = len(subgroups) == 1
    relevant = [document for document in levels if levels[document] > 0]
    counted = [document for document in relevant if document in seen]
    other = [document for document in seen if levels[document] == 0 or (complete and levels[document] < 0)]
    pairs = preference_pairs(subgroups)
    more = len(counted) - len(other)
    if more >= 0:
        met, possible = count_fulfilled(pairs, ranking, least)
        met += len([document for document in relevant if document in ranking]) * more
        possible += len(relevant) * more
    elif complete:
        lowest = [document for document in order if levels[document] == min(levels.values())]
        met, possible = count_fulfilled([(a, b) for a, b in pairs if b not in lowest], ranking, least)
        kept = [document for document in lowest[: len(counted)] if document in seen]
        again = [(a, b) for a in seen for b in kept]
        met += sum(a in ranking and order.index(a) < order.index(b) for a, b in again)
        possible += len(again)
    else:
        dropped = [document for document in order if levels[document] == 0][len(relevant) :]
        met, possible = count_fulfilled([pair for pair in pairs if not set(pair) & set(dropped)], ranking, least)
    return met / possible if possible else None


def preference_measures(groups, ranking):
    """Every measure of a topic."""
    values = {
        "prefs_avgjg_Rnonrel": mean([rnonrel_ratio(groups[name], ranking, False) for name in sorted(groups)]),
        "prefs_avgjg_Rnonrel_ret": mean([rnonrel_ratio(groups[name], ranking, True) for name in sorted(groups)]),
    }
    for ending, least in (("", 0), ("_ret", 2), ("_imp", 1)):
        shares = [count_fulfilled(preference_pairs(groups[name]), ranking, least) for name in sorted(groups)]
        met, possible = (sum(numbers) for numbers in zip(*shares, strict=True))
        values[f"prefs_simp{ending}"] = ratio(met, possible)
        values[f"prefs_avgjg{ending}"] = mean([ratio(*found) for found in shares])
        values[f"prefs_pair{ending}"] = pair_fraction(groups, ranking, least)
        values |= {"prefs_num_prefs_ful_ret": met} if ending == "_ret" else {}
        values |= {"prefs_num_prefs_ful": met, "prefs_num_prefs_poss": possible} if ending == "" else {}
    return values

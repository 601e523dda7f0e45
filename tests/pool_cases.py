"""Small campaigns for pools: a few topics and runs, with ties, negative grades, unjudged and missing topics."""

from __future__ import annotations

from hypothesis import strategies as st

DOCS = "abcdefgh"
GRADES = st.sampled_from([-1, 0, 0, 1, 1, 2, 0.5])
TOPIC = st.dictionaries(st.sampled_from(DOCS), GRADES, min_size=1, max_size=8)
SCORES = st.dictionaries(st.sampled_from(DOCS + "xyz"), st.sampled_from([1.0, 2.0, 3.0]), min_size=1, max_size=9)
QRELS = st.fixed_dictionaries({"t1": TOPIC, "t2": TOPIC})


def highest(qrels: dict[str, dict[str, float]]) -> float:
    """Return the highest grade; measures with a higher threshold raise an error."""
    return max(grade for judged in qrels.values() for grade in judged.values())


def runs(least: int) -> st.SearchStrategy[dict[str, dict[str, dict[str, float]]]]:
    """Return a strategy of at least *least* runs, which may lack the second topic."""
    run = st.fixed_dictionaries({"t1": SCORES}, optional={"t2": SCORES})
    return st.lists(run, min_size=least, max_size=4).map(
        lambda several: {f"r{i}": one for i, one in enumerate(several)}
    )

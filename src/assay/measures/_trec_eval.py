"""Names in trec_eval that stand for several measures: sets such as ``official``, and names such as ``P``.

The command ``assay trec_eval`` and the parser of measures share these tables. Names are in the order in which trec_eval
prints them.
"""

from __future__ import annotations

from assay.errors import MeasureError

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
RECALL_LEVELS = tuple(i / 10 for i in range(11))
MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
PARAMETERS: dict[str, tuple[float, ...]] = {
    "iprec_at_recall": RECALL_LEVELS,
    "P": CUTOFFS,
    "recall": CUTOFFS,
    "Rprec_mult": MULTIPLES,
    "ndcg_cut": CUTOFFS,
    "map_cut": CUTOFFS,
    "relative_P": CUTOFFS,
    "success": (1, 5, 10),
    "unj": (5, 10, 20),
}
"""Default cutoffs, recall levels or multiples of R, for the measures that trec_eval prints at several of them."""
SETS = {
    "official": "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P",
    "set": "runid num_q num_ret num_rel num_rel_ret utility set_P set_relative_P set_recall set_map set_F",
    "all_trec": "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P relstring "
    "recall infAP gm_bpref Rprec_mult utility 11pt_avg binG G ndcg ndcg_rel Rndcg ndcg_cut map_cut relative_P success "
    "set_P set_relative_P set_recall set_map set_F num_nonrel_judged_ret rbp rbp_resid unj",
}
TEXTS = {"relstring": "the grades of the first documents", "runid": "the tag of the run"}
"""Names that trec_eval lists among its measures although their values are texts, with their meaning."""
SEVERAL_MEASURES = "this name stands for several measures; name a single measure"


def expand_name(text: str) -> list[str] | None:
    """Return the measures that a name stands for, except ``TEXTS``; None if *text* is not such a name.

    >>> expand_name("success"), expand_name("map")
    (['success_1', 'success_5', 'success_10'], None)
    """
    if text not in SETS and text not in PARAMETERS:
        return None
    names = [name for name in SETS.get(text, text).split() if name not in TEXTS]
    return [label for name in names for label in _labels(name)]


def refuse_measure_sets(text: str) -> None:
    """Raise ``MeasureError`` if *text* stands for several measures."""
    if text in SETS:
        raise MeasureError(SEVERAL_MEASURES)
    if text in PARAMETERS:
        example = 10 if 10 in PARAMETERS[text] else PARAMETERS[text][1]
        raise MeasureError(f"{text} needs a number, such as {text}_{example}")


def refuse_preferences_and_judges(name: str) -> None:
    """Raise ``MeasureError`` for measures that need preferences, or judgments by several judges.

    Only the command ``assay trec_eval`` reads such judgments.
    """
    if name.startswith(("prefs", "all_prefs")):
        raise MeasureError(f"{name} needs preference judgments; use assay trec_eval -R prefs -m {name}")
    if name.endswith(("_avgjg", "qrels_jg")):
        raise MeasureError(f"{name} needs judgments by several judges; use assay trec_eval -R qrels_jg -m {name}")


def _labels(name: str) -> list[str]:
    """Return a name for each parameter, such as P_5 and P_10 for P."""
    return [f"{name}_{value:g}" for value in PARAMETERS[name]] if name in PARAMETERS else [name]

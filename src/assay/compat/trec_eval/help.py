"""Help of ``-h``: the options, the file formats and the requested measures."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from assay.compat.trec_eval.selection import Item

OPTIONS = """\
usage: assay trec_eval [OPTIONS] QRELS RUN

Takes the arguments of trec_eval and prints the same output. RUN may be - (standard input); files may be compressed.

 -q            print the values of each topic, not only the summary
 -n            print no summary
 -m MEASURE    a measure, optionally with parameters after a point (P.5,10  ndcg.1=3,2=9  rbp.p=0.8), or a set:
               official (default), set, all_trec, all_prefs, prefs, qrels_jg, all (every measure that QRELS allows);
               may be repeated
 -c            average over all topics of the qrels; topics missing from the run count as 0
 -l GRADE      lowest relevant grade (default: 1)
 -M NUMBER     maximum number of documents per topic
 -J            remove unjudged documents from the rankings first
 -N NUMBER     number of documents in the collection, for utility
 -R FORMAT     format of QRELS: qrels (default), qrels_jg, prefs, qrels_prefs
 -T FORMAT     format of RUN: trec_results
 -Z FILE       print z-scores; FILE has lines: topic measure mean deviation
 -D LEVEL[.TOPIC]  evaluate only this topic (trec_eval's intermediate results are not printed)
 -h            show this help, with the formats of -R and the measures of -m
 -v            show the version
 Long names are those of trec_eval: --query_eval_wanted, --level_for_rel=2 and so on.

beyond trec_eval:
 --profile VERSION   10.0 (default) or 9.0.8: scores are read as 32-bit numbers, recall levels are rounded up, topics
                     missing from the run are omitted, and there is no rbp, rbp_resid or unj
 QRELS RUN RUN ...   several runs, directories or patterns, one after the other
 -o DIR              write a separate file for each run: DIR/NAME.eval

exit codes: 0 success, 1 wrong arguments, 2 a file, format or parameter that cannot be read, 4 a run that lacks topics
(without -c), a first topic without a grade of at least 0, or a measure that does not fit -R, 7 no shared topics.
"""
FORMATS = {
    "qrels": "topic iteration document grade: the iteration is ignored; a negative grade means that the document was "
    "pooled but not judged.",
    "qrels_jg": "topic judge document grade: qrels of several judges; values are averaged over the judges of the "
    "topic.",
    "prefs": "topic group subgroup document level: within a subgroup a document of a higher level is preferred to one "
    "of a lower level; the preferences of all subgroups of a group are combined and must not contradict each other; "
    "the groups of a topic represent different users.",
    "qrels_prefs": "topic group document level: as prefs, with one subgroup for each group; also reads qrels.",
}
RESULTS = (
    "topic Q0 document rank score tag: sorted by descending score, ties by descending document id; the rank and "
    "anything after the tag are ignored."
)
MEASURES = {
    "runid": "The tag of the run, from its last line.",
    "num_q": "The number of topics.",
    "num_ret": "Documents retrieved; summed over topics.",
    "num_rel": "Relevant documents; summed over topics.",
    "num_rel_ret": "Relevant documents retrieved; summed over topics.",
    "map": "Average precision: the mean, over all relevant documents, of the precision at the rank of each.",
    "gm_map": "The geometric mean of average precision over topics; values below 0.00001 count as 0.00001.",
    "Rprec": "Precision after R documents, where R is the number of relevant documents.",
    "bpref": "How often relevant documents are ranked above judged non-relevant ones; ignores unjudged documents.",
    "recip_rank": "1 over the rank of the first relevant document.",
    "iprec_at_recall": "Interpolated precision: the highest precision at or after a recall level; parameters are the "
    "levels.",
    "P": "Precision after k documents; parameters are the cutoffs k.",
    "relstring": "The grades of the first documents (parameter: their number), one character each: - unjudged, . "
    "pooled but not judged, > above 9. Printed for topics only.",
    "recall": "The fraction of the relevant documents among the first k; parameters are the cutoffs k.",
    "infAP": "Average precision estimated from a pool of which a random sample was judged.",
    "gm_bpref": "The geometric mean of bpref over topics; values below 0.00001 count as 0.00001.",
    "Rprec_mult": "Precision after x R documents; parameters are the multiples x.",
    "utility": "A weighted sum of relevant retrieved, non-relevant retrieved, relevant missed and non-relevant missed "
    "documents; parameters are the four weights. The last one needs -N.",
    "11pt_avg": "The mean of interpolated precision over 11 recall levels, or over the levels given as parameters.",
    "binG": "The sum over relevant documents of 1 / log2(2 + non-relevant documents above), divided by R.",
    "G": "As binG with gains (parameters: grade=gain): a gain is discounted by the lag behind the ideal ranking.",
    "dcg": "Discounted cumulated gain, discount log2(1 + rank); parameters: grade=gain.",
    "ideal_dcg": "Discounted cumulated gain of the ideal ranking; parameters: grade=gain.",
    "ndcg": "Discounted cumulated gain divided by that of the ideal ranking; parameters: grade=gain. Ignores -l.",
    "ndcg_rel": "The mean of nDCG at the ranks of the relevant documents; parameters: grade=gain.",
    "Rndcg": "The mean of nDCG at the ranks where the ideal gain changes; parameters: grade=gain.",
    "ndcg_cut": "nDCG of the first k documents, with the grade as gain; parameters are the cutoffs k. Ignores -l.",
    "map_cut": "Average precision of the first k documents, divided by R; parameters are the cutoffs k.",
    "relative_P": "Precision after k documents divided by the highest possible one; parameters are the cutoffs k.",
    "success": "1 if there is a relevant document among the first k; parameters are the cutoffs k.",
    "set_P": "The fraction of the retrieved documents that are relevant.",
    "set_relative_P": "set_P divided by the highest value possible for that number of retrieved documents.",
    "set_recall": "The fraction of the relevant documents that were retrieved.",
    "set_map": "set_P times set_recall.",
    "set_F": "(x + 1) P R / (x P + R) of set_P and set_recall; the parameter is x, 1 by default.",
    "num_nonrel_judged_ret": "Judged non-relevant documents retrieved; summed over topics.",
    "prefs_num_prefs_poss": "The number of preferences; summed over topics.",
    "prefs_num_prefs_ful": "Preferences that the ranking fulfills; summed over topics.",
    "prefs_num_prefs_ful_ret": "Fulfilled preferences between two retrieved documents; summed over topics.",
    "prefs_simp": "The fraction of preferences fulfilled.",
    "prefs_pair": "The fraction of preferences fulfilled, averaged over pairs of documents.",
    "prefs_avgjg": "The fraction of preferences fulfilled, averaged over groups.",
    "prefs_avgjg_Rnonrel": "As prefs_avgjg, with no more non-relevant documents than relevant ones in each group.",
    "prefs_simp_ret": "As prefs_simp, over preferences between retrieved documents.",
    "prefs_pair_ret": "As prefs_pair, over pairs of retrieved documents.",
    "prefs_avgjg_ret": "As prefs_avgjg, over preferences between retrieved documents.",
    "prefs_avgjg_Rnonrel_ret": "As prefs_avgjg_Rnonrel, over preferences between retrieved documents.",
    "prefs_simp_imp": "As prefs_simp; a preference for the one retrieved document of a pair counts as fulfilled.",
    "prefs_pair_imp": "As prefs_pair, over pairs with at least one retrieved document.",
    "prefs_avgjg_imp": "As prefs_avgjg, over preferences with at least one retrieved document.",
    "map_avgjg": "Average precision, averaged over the judges of a topic.",
    "P_avgjg": "Precision after k documents, averaged over judges; parameters are the cutoffs k.",
    "Rprec_mult_avgjg": "Precision after x R documents, averaged over judges; parameters are the multiples x.",
    "yaap": "log((1 + s) / (1 + R - s)), where s is the sum of precisions that map averages.",
    "rbp": "Rank-biased precision; parameters: p (0.9 by default) and grade=gain. Gains are scaled by the largest "
    "grade of the topic.",
    "rbp_resid": "The largest amount that unjudged documents could add to rbp; the parameter is p (0.9 by default). 0 "
    "if no unjudged document was retrieved.",
    "unj": "The fraction of unjudged documents among the first k; parameters are the cutoffs k.",
}


def render_help(layout: str, items: Sequence[Item], examples: str) -> str:
    """Return the full help, with descriptions of the requested measures (*items*)."""
    descriptions = [_indent(MEASURES[item.spec.name], f"{item.spec.name:<24}") for item in items]
    measures = "".join(descriptions) or _indent("add -m all_trec (or another measure or set) for descriptions")
    formats = f"QRELS ({layout})\n{_indent(FORMATS[layout])}\nRUN (trec_results)\n{_indent(RESULTS)}"
    return f"{OPTIONS}\nexamples:\n{examples}\n{formats}\nMEASURES\n{measures}"


def _indent(description: str, name: str = "") -> str:
    """Wrap a description and indent it by two columns, with *name* before the first line."""
    lines = wrap(description, 110 - len(name), break_on_hyphens=False)
    rest = "".join(f"  {' ' * len(name)}{line}\n" for line in lines[1:])
    return f"  {name}{lines[0]}\n{rest}"

"""``-h``: the options, the formats and the measures that were asked for, in words of our own."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from assay.compat.trec_eval.selection import Item

OPTIONS = """\
usage: assay trec_eval [OPTIONS] QRELS RUN

Takes the arguments of trec_eval and prints what it prints. A run of - is standard input; files may be compressed.

 -q            values of each topic too, not only the summary
 -n            no summary
 -m MEASURE    a measure, perhaps with parameters behind a point (P.5,10  ndcg.1=3,2=9  rbp.p=0.8), or a set:
               official (default), set, all_trec, all_prefs, prefs, qrels_jg, all (every one that QRELS allows);
               may be repeated
 -c            average over all topics of the qrels; those that the run lacks count 0
 -l GRADE      the lowest relevant grade (default: 1)
 -M NUMBER     look at no more than that many documents of each topic
 -J            take unjudged documents out of the rankings first
 -N NUMBER     documents in the collection, for utility
 -R FORMAT     of QRELS: qrels (default), qrels_jg, prefs, qrels_prefs
 -T FORMAT     of RUN: trec_results
 -Z FILE       print z-scores; FILE has lines: topic measure mean deviation
 -D LEVEL[.TOPIC]  only this topic (the intermediate results of trec_eval are not printed)
 -h            this help, with the formats of -R and the measures of -m
 -v            the version
 Long names are trec_eval's: --query_eval_wanted, --level_for_rel=2 and so on.

beyond trec_eval:
 --profile VERSION   10.0 (default) or 9.0.8: scores read as 32-bit numbers, recall levels rounded up, topics that
                     the run lacks left out, no rbp, rbp_resid and unj
 QRELS RUN RUN ...   several runs, directories or patterns, one after the other
 -o DIR              a file of its own for each run: DIR/NAME.eval

exit codes: 0, 1 wrong arguments, 2 a file, format or parameter that cannot be read, 4 a run that lacks topics (without
-c), a first topic without a grade of 0 or more, or a measure that does not fit -R, 7 no topics in common.
"""
FORMATS = {
    "qrels": "topic iteration document grade: the iteration is not looked at; a negative grade means that the document "
    "was pooled but not judged.",
    "qrels_jg": "topic judge document grade: qrels of several judges; values are averaged over those who judged the "
    "topic.",
    "prefs": "topic group subgroup document level: within a subgroup a document of a higher level is preferred to one "
    "of a lower level; preferences of the subgroups of a group are combined and must not contradict each other; the "
    "groups of a topic stand for different users.",
    "qrels_prefs": "topic group document level: as prefs, with one subgroup for each group; qrels can be read so.",
}
RESULTS = (
    "topic Q0 document rank score tag: ordered by score, ties by document id, both descending; the rank is not "
    "looked at, nor is anything behind the tag."
)
MEASURES = {
    "runid": "The tag of the run, from its last line.",
    "num_q": "The number of topics.",
    "num_ret": "Documents retrieved; summed over topics.",
    "num_rel": "Relevant documents; summed over topics.",
    "num_rel_ret": "Relevant documents retrieved; summed over topics.",
    "map": "Average precision: the mean, over all relevant documents, of the precision where each is found.",
    "gm_map": "The geometric mean of average precision over topics, each counting at least 0.00001.",
    "Rprec": "Precision after R documents, where R is the number of relevant ones.",
    "bpref": "How often relevant documents stand above judged non-relevant ones; unjudged ones are passed over.",
    "recip_rank": "1 over the rank of the first relevant document.",
    "iprec_at_recall": "The best precision at a recall level or beyond; parameters are the levels.",
    "P": "Precision after k documents; parameters are the cutoffs k.",
    "relstring": "The grades of the first documents (parameter: how many), one character each: - unjudged, . pooled "
    "but not judged, > above 9. For topics only.",
    "recall": "The share of the relevant documents among the first k; parameters are the cutoffs k.",
    "infAP": "Average precision estimated from a pool of which a random part was judged.",
    "gm_bpref": "The geometric mean of bpref over topics, each counting at least 0.00001.",
    "Rprec_mult": "Precision after x R documents; parameters are the multiples x.",
    "utility": "A weighted sum of relevant retrieved, other retrieved, relevant missed and other missed documents; "
    "parameters are the four weights. The last one needs -N.",
    "11pt_avg": "The mean of interpolated precision over 11 recall levels, or over the levels given.",
    "binG": "The sum over relevant documents of 1 / log2(2 + non-relevant documents above), over R.",
    "G": "As binG with gains (parameters: grade=gain): each counts less the further the ranking is behind the ideal.",
    "dcg": "Discounted cumulated gain, discount log2(1 + rank); parameters: grade=gain.",
    "ideal_dcg": "Discounted cumulated gain of the ideal ranking; parameters: grade=gain.",
    "ndcg": "Discounted cumulated gain over that of the ideal ranking; parameters: grade=gain. -l has no effect.",
    "ndcg_rel": "The mean of nDCG at the ranks of the relevant documents; parameters: grade=gain.",
    "Rndcg": "The mean of nDCG at the ranks where the ideal gain changes; parameters: grade=gain.",
    "ndcg_cut": "nDCG of the first k documents, the grade as gain; parameters are the cutoffs k. -l has no effect.",
    "map_cut": "Average precision of the first k documents, over R; parameters are the cutoffs k.",
    "relative_P": "Precision after k documents over the best that is possible there; parameters are the cutoffs k.",
    "success": "1 if there is a relevant document among the first k; parameters are the cutoffs k.",
    "set_P": "The share of relevant documents among all that were retrieved.",
    "set_relative_P": "set_P over the best that is possible with so many documents.",
    "set_recall": "The share of the relevant documents that were retrieved.",
    "set_map": "set_P times set_recall.",
    "set_F": "(x + 1) P R / (x P + R) of set_P and set_recall; the parameter is x, 1 by default.",
    "num_nonrel_judged_ret": "Judged non-relevant documents retrieved; summed over topics.",
    "prefs_num_prefs_poss": "The number of preferences; summed over topics.",
    "prefs_num_prefs_ful": "Preferences that the ranking fulfills; summed over topics.",
    "prefs_num_prefs_ful_ret": "Those of them whose documents were both retrieved; summed over topics.",
    "prefs_simp": "Preferences fulfilled over all preferences.",
    "prefs_pair": "The share fulfilled, averaged over pairs of documents.",
    "prefs_avgjg": "The share fulfilled, averaged over groups.",
    "prefs_avgjg_Rnonrel": "As prefs_avgjg, with no more non-relevant documents than relevant ones in each group.",
    "prefs_simp_ret": "As prefs_simp, over preferences between retrieved documents.",
    "prefs_pair_ret": "As prefs_pair, over pairs of retrieved documents.",
    "prefs_avgjg_ret": "As prefs_avgjg, over preferences between retrieved documents.",
    "prefs_avgjg_Rnonrel_ret": "As prefs_avgjg_Rnonrel, over preferences between retrieved documents.",
    "prefs_simp_imp": "As prefs_simp; a preference for the one retrieved document of a pair counts as fulfilled.",
    "prefs_pair_imp": "As prefs_pair, over pairs of which at least one document was retrieved.",
    "prefs_avgjg_imp": "As prefs_avgjg, over preferences of which at least one document was retrieved.",
    "map_avgjg": "Average precision, averaged over the judges of a topic.",
    "P_avgjg": "Precision after k documents, averaged over judges; parameters are the cutoffs k.",
    "Rprec_mult_avgjg": "Precision after x R documents, averaged over judges; parameters are the multiples x.",
    "yaap": "log((1 + s) / (1 + R - s)), where s is the sum of precisions that map averages.",
    "rbp": "Rank-biased precision; parameters: p (0.9 by default) and grade=gain. Gains are scaled by the largest "
    "grade of the topic.",
    "rbp_resid": "What unjudged documents could add to rbp; the parameter is p (0.9 by default). 0 if no unjudged "
    "document was retrieved.",
    "unj": "The share of unjudged documents among the first k; parameters are the cutoffs k.",
}


def text(layout: str, items: Sequence[Item], examples: str) -> str:
    """All of the help; measures only if some were asked for."""
    measures = [_indented(MEASURES[item.spec.name], f"{item.spec.name:<24}") for item in items]
    asked = "".join(measures) or _indented("add -m all_trec (or another) to have them explained")
    formats = f"QRELS ({layout})\n{_indented(FORMATS[layout])}\nRUN (trec_results)\n{_indented(RESULTS)}"
    return f"{OPTIONS}\nexamples:\n{examples}\n{formats}\nMEASURES\n{asked}"


def _indented(words: str, before: str = "") -> str:
    lines = wrap(words, 110 - len(before), break_on_hyphens=False)
    rest = "".join(f"  {' ' * len(before)}{line}\n" for line in lines[1:])
    return f"  {before}{lines[0]}\n{rest}"

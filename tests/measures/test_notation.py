"""Measures as text: notation of assay, trec_eval and ir_measures, and messages for mistakes."""

import subprocess
import sys

import pytest

from assay.errors import MeasureError
from assay.measures import catalogue, measure, measures
from assay.measures._base import Measure
from assay.measures._notation import measure_class
from assay.measures.average_precision import AP, APStar, infAP
from assay.measures.counts import NumQ, NumRel, NumRelRet, NumRet
from assay.measures.dcg import DCG, SDCG, nDCG
from assay.measures.precision import IPrec, IPrecAvg, P, Rprec
from assay.measures.preferences import Bpref
from assay.measures.rank_biased import RBP
from assay.measures.reciprocal_rank import RR, Success
from assay.measures.sets import F, R
from assay.measures.wrappers import GM, Condensed
from assay.model.gains import NAMED_GAINS, Gains

TREC_EVAL = {
    "map": AP(),
    "map_cut_100": AP(cutoff=100),
    "P_10": P(cutoff=10),
    "recall_100": R(cutoff=100),
    "set_recall": R(),
    "ndcg": nDCG(),
    "ndcg_cut_10": nDCG(cutoff=10),
    "recip_rank": RR(),
    "Rprec": Rprec(),
    "bpref": Bpref(),
    "infAP": infAP(),
    "success_5": Success(cutoff=5),
    "set_F": F(),
    "gm_map": GM(of_measure=AP()),
    "gm_bpref": GM(of_measure=Bpref()),
    "11pt_avg": IPrecAvg(points=11, rounding="trec_eval-10"),
    "iprec_at_recall_0.10": IPrec(recall=0.1, rounding="trec_eval-10"),
    "iprec_at_recall_1.00": IPrec(recall=1, rounding="trec_eval-10"),
    "num_q": NumQ(),
    "num_ret": NumRet(),
    "num_rel": NumRel(),
    "num_rel_ret": NumRelRet(),
}
# Arguments of the option -m of trec_eval.
DOTTED = {
    "P.10": P(cutoff=10),
    "ndcg_cut.10": nDCG(cutoff=10),
    "map_cut.100": AP(cutoff=100),
    "recall.5": R(cutoff=5),
    "success.1": Success(cutoff=1),
    "iprec_at_recall.0.1": IPrec(recall=0.1, rounding="trec_eval-10"),
    "iprec_at_recall..25": IPrec(recall=0.25, rounding="trec_eval-10"),
    "set_F.4": F(beta=2),
    "set_F_0.25": F(beta=0.5),
    "GM(P.10)": GM(of_measure=P(cutoff=10)),
}
WRITTEN = {
    "nDCG@10": nDCG(cutoff=10),
    "ndcg@10": nDCG(cutoff=10),
    " nDCG @ 10 ": nDCG(cutoff=10),
    "nDCG(cutoff=10)": nDCG(cutoff=10),
    "AP(rel=2)@100": AP(rel=2, cutoff=100),
    "AP( rel = 2 )@100": AP(rel=2, cutoff=100),
    "AP()": AP(),
    "P@1e1": P(cutoff=10),
    "RBP(p=.8)": RBP(p=0.8),
    "RBP(p=0.80)": RBP(p=0.8),
    "R(capped=True)@5": R(capped=True, cutoff=5),
    "nDCG(gains='exp')@5": nDCG(gains="exp", cutoff=5),
    "nDCG(gains={1:3, 2:9})@5": nDCG(gains={1: 3, 2: 9}, cutoff=5),
    "nDCG(gains={-1:0.125,2:1e9})": nDCG(gains={-1: 0.125, 2: 1e9}),
    "AP*": APStar(),
    "GM(AP(rel=2))": GM(of_measure=AP(rel=2)),
    "GM(of_measure=AP)": GM(of_measure=AP()),
    "GM(nDCG(gains=exp)@10)": GM(of_measure=nDCG(gains="exp", cutoff=10)),
    "GM(P_10)": GM(of_measure=P(cutoff=10)),
    "IPrec@.5": IPrec(recall=0.5),
}
# Parameters of ir_measures, also for measures that it does not have; see test_ir_measures.py for its own measures.
IR_MEASURES = {
    "nDCG(dcg='exp-log2')@20": nDCG(gains="exp", cutoff=20),
    "nDCG(dcg='log2')@20": nDCG(cutoff=20),
    "nDCG(dcg=exp-log2)": nDCG(gains="exp"),
    "nDCG(dcg=log2, gains={1:3})": nDCG(gains={1: 3}),
    'DCG( dcg = "exp-log2" )@3': DCG(gains="exp", cutoff=3),
    "ap(judged_only=true)@5": Condensed(of_measure=AP(cutoff=5)),
    "AP(judged_only=False)": AP(),
    "bpref(judged_only=True)": Condensed(of_measure=Bpref()),
    "GM(AP(judged_only=True))": GM(of_measure=Condensed(of_measure=AP())),
    "GM(AP, judged_only=True)": Condensed(of_measure=GM(of_measure=AP())),
    "Condensed(P_10)": Condensed(of_measure=P(cutoff=10)),
    "Condensed(of_measure=AP)": Condensed(of_measure=AP()),
    "numret(rel=2)": NumRelRet(rel=2),
    "SetF(beta=2)": F(beta=2**0.5),
    "F(beta=2)": F(beta=2),
    "SetF(beta=4, rel=2)@5": F(beta=2, rel=2, cutoff=5),
    "SDCG(min_rel=1, max_rel=3)@5": SDCG(gains={1: 0, 2: 0.5, 3: 1}, max_rel=3, cutoff=5),
    "SDCG(min_rel=0)@5": SDCG(cutoff=5),
}
ALIASES = {
    "MAP": AP(),
    "MRR@10": RR(cutoff=10),
    "Recall@5": R(cutoff=5),
    "Precision@5": P(cutoff=5),
    "HitRate@5": Success(cutoff=5),
    "R-precision": Rprec(),
    "F1": F(),
    "GMAP": GM(of_measure=AP()),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [*TREC_EVAL.items(), *DOTTED.items(), *WRITTEN.items(), *IR_MEASURES.items(), *ALIASES.items()],
)
def test_texts_are_read_as_measures(text, expected):
    assert measure(text) == expected


def test_every_name_and_alias_of_every_measure_is_read():
    for cls in catalogue().values():
        parameters_text = cls.examples[0].removeprefix(cls.name)
        for name in (cls.name, *cls.aliases):
            assert measure(name + parameters_text) == measure(cls.examples[0])
            assert measure(name.upper() + parameters_text) == measure(cls.examples[0])


def test_every_trec_eval_name_of_every_measure_is_read():
    for cls in catalogue().values():
        for name in cls.trec_eval:
            pattern = name.partition("=")[0]
            assert type(measure(pattern.replace("*", "1"))) is cls


def test_the_catalogue_is_sorted_and_holds_each_measure_once():
    names = list(catalogue())
    assert names == sorted(names, key=str.lower)
    assert len(set(catalogue().values())) == len(names)
    assert all(cls.name == name for name, cls in catalogue().items())


def test_printed_numbers_can_be_read_back():
    for text in ("RBP(p=0.1)", "RBP(p=1e-07)", "RBP(p=0.30000000000000004)", "AP(rel=0.5)", "AP(rel=1234567.5)"):
        assert measure(str(measure(text))) == measure(text)
    for gains in ({1: 1 / 3}, {1: 1234567.0}, {0.5: 1e-9}, {1: 3, 2: 9}, {2: 1e9}):
        assert measure(str(nDCG(gains=gains))) == nDCG(gains=gains)


def test_whole_numbers_print_without_a_point():
    assert str(RBP(p=0, rel=2.0)) == "RBP(p=0, rel=2)"
    assert str(P(cutoff=10.0)) == "P@10"
    assert str(nDCG(gains=Gains({1: 3.0, 2: 0.5}))) == "nDCG(gains={1:3,2:0.5})"


_LINEAR_GAINS = "min_rel must be a whole number below max_rel, and max_rel a whole number of at most 1000"

MISTAKES = {
    "nDCG@0": "cutoff must be at least 1, got 0",
    "ndgc@10": "there is no measure ndgc; did you mean nDCG?",
    "Presicion@5": "there is no measure Presicion; did you mean Precision?",
    "zzzzzz": "there is no measure zzzzzz",
    "P(cutof=3)": "P has no parameter cutof; it has cutoff, rel; did you mean cutoff?",
    "NumQ(rel=1)": "NumQ has no parameter rel; it has none",
    "RBP": "RBP needs p (persistence: probability of continuing to the next document)",
    "RBP@10": "RBP needs p (persistence: probability of continuing to the next document)",
    "P": "P needs a number, such as P_10",
    "recall": "recall needs a number, such as recall_10",
    "Rprec_mult": "Rprec_mult needs a number, such as Rprec_mult_0.4",
    "official": "this name stands for several measures; name a single measure",
    "GM(all_trec)": "this name stands for several measures; name a single measure",
    "prefs": "prefs needs preference judgments; use assay trec_eval -R prefs -m prefs",
    "P_avgjg": "P_avgjg needs judgments by several judges; use assay trec_eval -R qrels_jg -m P_avgjg",
    "offical": "there is no measure offical; did you mean official?",
    "DampedRR@10": "DampedRR needs k (constant added to the rank)",
    "GM": "GM needs of_measure (measure to average)",
    "P@ten": "the cutoff after @ must be a number, got ten",
    "P@true": "the cutoff after @ must be a number, got true",
    "P@2.5": "cutoff must be a whole number, got 2.5",
    "bpref@10": "bpref takes no cutoff",
    "P(cutoff=3)@5": "cutoff is given twice",
    "AP(rel=1, rel=2)": "rel is given twice",
    "AP(2)": "write parameters as name=value, got '2'",
    "AP(rel=0)": "rel must be above 0, got 0",
    "AP(rel=high)": "rel must be a number, got 'high'",
    "AP(norm=x)@3": "norm must be one of R, min, k, got x",
    "RBP(p=1)": "p must be below 1, got 1",
    "IPrec@1.5": "recall must be at most 1, got 1.5",
    "IPrecAvg(points=5)": "points must be one of 3, 11, got 5",
    "R(capped=2)@3": "capped must be true or false, got 2",
    "nDCG(gains=exponential)": f"unknown gains exponential; choose from {', '.join(NAMED_GAINS)}",
    "nDCG(gains=expp)": f"unknown gains expp; choose from {', '.join(NAMED_GAINS)}; did you mean exp?",
    "nDCG(gains={1-3})": "write gains as {grade:gain,...}, such as {1:3,2:9}, got {1-3}",
    "nDCG(gains={})": "write gains as {grade:gain,...}, such as {1:3,2:9}, got {}",
    "GM(AP@0)": "cutoff must be at least 1, got 0",
    "GM(ndgc)": "there is no measure ndgc; did you mean nDCG?",
    "AP@5@6": "expected a name with optional parameters and cutoff, such as nDCG(gains=exp)@10",
    "": "expected a name with optional parameters and cutoff, such as nDCG(gains=exp)@10",
    "P_0": "cutoff must be at least 1, got 0",
    "nDCG(dcg=log3)": "dcg must be log2 or exp-log2, got log3",
    "nDCG(dcg=exp-log2, gains={1:3})": "gains is given twice",
    "nDCG(dcg=log2, dcg=log2)": "dcg is given twice",
    "P(dcg=log2)@5": "P has no parameter dcg; it has cutoff, rel",
    "nDCG(min_rel=1)": "nDCG has no parameter min_rel; it has cutoff, base, gains, rel, max_rel; did you mean max_rel?",
    "AP(judged_only=1)": "judged_only must be true or false, got 1",
    "SetP(relative=no)": "relative must be true or false, got no",
    "SetF(beta=-1)": "beta must be above 0, got -1",
    "SetF(beta=true)": "beta must be a number, got True",
    "NumRet(rel=0)": "rel must be above 0, got 0",
    "SDCG(min_rel=1)@5": f"{_LINEAR_GAINS}, got min_rel=1 and max_rel=none",
    "SDCG(min_rel=1, max_rel=1000000)@5": f"{_LINEAR_GAINS}, got min_rel=1 and max_rel=1000000",
    "SDCG(min_rel=-1, max_rel=3)@5": f"{_LINEAR_GAINS}, got min_rel=-1 and max_rel=3",
    "SDCG(min_rel=3, max_rel=3)@5": f"{_LINEAR_GAINS}, got min_rel=3 and max_rel=3",
    "SDCG(min_rel=true, max_rel=3)@5": f"{_LINEAR_GAINS}, got min_rel=True and max_rel=3",
    "SDCG(min_rel=1, max_rel=3, gains=unit)@5": "gains is given twice",
    "GM(nDCG(dcg='log3'))": "dcg must be log2 or exp-log2, got log3",
    "P_IA@10": "P_IA is written IA(M) with any measure M, such as IA(P@10)",
    "IA(StRecall@5)": "StRecall@5 has no mean over subtopics; use a measure of plain grades that is averaged over "
    "topics",
    "P.5,10": "this name stands for several measures; name a single measure",
    "GM(P_5,10)": "of_measure is given twice",
    "P.0": "cutoff must be at least 1, got 0",
    "P.1.2.3": "the cutoff after @ must be a number, got 1.2.3",
    "ndcg_cut": "ndcg_cut needs a number, such as ndcg_cut_10",
    "iprec_at_recall": "iprec_at_recall needs a number, such as iprec_at_recall_0.1",
    "ndcg.10": "there is no measure ndcg.10; did you mean nDCG?",
    "P@" + "9" * 400: "cutoff must be at most 1,000,000,000,000,000, got inf",
}


@pytest.mark.parametrize(("text", "problem"), MISTAKES.items(), ids=[text[:40] for text in MISTAKES])
def test_messages_for_mistakes(text, problem):
    with pytest.raises(MeasureError) as error:
        measure(text)
    assert str(error.value) == f"measure '{text}': {problem}"
    assert error.value.__suppress_context__


@pytest.mark.parametrize("value", [None, 3, ["AP"]])
def test_other_types_raise_an_error(value):
    with pytest.raises(MeasureError, match="a measure is written as text such as 'nDCG@10', got "):
        measure(value)


def test_measures_removes_duplicates():
    assert measures(["AP", "map", AP(), "P@5"]) == (AP(), P(cutoff=5))
    assert measures("AP") == (AP(),)
    assert measures(AP) == (AP(),)
    assert measures(iter([AP, "P_5"])) == (AP(), P(cutoff=5))
    with pytest.raises(MeasureError, match="name at least one measure, such as AP or nDCG@10"):
        measures([])


def test_lists_of_cutoffs_of_trec_eval():
    assert measures("P.5,10") == (P(cutoff=5), P(cutoff=10))
    assert measures(["map", " P_5,10,5 ", "P@10", "map_cut.5,100"]) == (
        *(AP(), P(cutoff=5), P(cutoff=10)),
        *(AP(cutoff=5), AP(cutoff=100)),
    )
    assert measures("iprec_at_recall.0,.1,0.25") == tuple(
        IPrec(recall=level, rounding="trec_eval-10") for level in (0, 0.1, 0.25)
    )
    with pytest.raises(MeasureError, match="measure 'P_0': cutoff must be at least 1, got 0"):
        measures("P.5,0")
    with pytest.raises(MeasureError, match="measure 'nDGC_5': there is no measure nDGC_5"):
        measures("nDGC.5,10")


def test_names_of_trec_eval_that_stand_for_several_measures():
    assert measures("P") == tuple(P(cutoff=cut) for cut in (5, 10, 15, 20, 30, 100, 200, 500, 1000))
    assert measures(["success", "Success@5", "recall.7"]) == measures(["success_1,5,10", "recall_7"])
    assert [str(one) for one in measures(" Rprec_mult ")][:2] == ["RprecMult@0.2", "RprecMult@0.4"]
    counts = ["num_q", "num_ret", "num_rel", "num_rel_ret"]
    assert measures("set") == measures(
        [*counts, "utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"]
    )
    assert measures(["official", "AP"]) == measures("official")
    assert measures(R) == measures("Recall") == (R(),)


def test_reading_a_name_loads_only_its_module():
    script = "from assay.measures import measure; import sys; [measure(m) for m in sys.argv[1:]]; print(*sys.modules)"
    texts = ["AP", "nDCG@10", "RBP(p=0.8)", "NumRet(rel=1)", "P(judged_only=True)@5"]
    output = subprocess.run([sys.executable, "-c", script, *texts], check=True, capture_output=True, text=True).stdout
    loaded = {name.removeprefix("assay.measures.") for name in output.split() if name.startswith("assay.measures.")}
    assert {name for name in loaded if not name.startswith("_")} == {
        *("average_precision", "dcg", "rank_biased", "counts", "precision", "wrappers")
    }


@pytest.mark.parametrize("text", ["nDCG@10", "nDCG", "ndcg_cut_10", " ndcg ", "nDCG(gains=exp)", "ndcg_cut.5"])
def test_measure_class_of_a_text(text):
    assert measure_class(text) is nDCG


def test_measure_class_does_not_need_parameters():
    assert measure_class("RBP") is RBP
    assert measure_class("P") is P
    assert measure_class("ndcg_cut") is nDCG
    with pytest.raises(MeasureError, match="measure 'set': this name stands for several measures; name a single mea"):
        measure_class("set")
    with pytest.raises(MeasureError) as error:
        measure_class("ndgc")
    assert str(error.value) == "measure 'ndgc': there is no measure ndgc; did you mean nDCG?"
    with pytest.raises(MeasureError) as error:
        measure_class("P.5,10")
    assert str(error.value) == "measure 'P.5,10': this name stands for several measures; name a single measure"


def test_a_duplicate_name_raises_an_error():
    with pytest.raises(TypeError, match="map is already the name of AP"):
        type("Another", (Measure,), {"name": "map"})
    with pytest.raises(TypeError, match="MRR is already the name of RR"):
        type("Another", (Measure,), {"name": "Another", "aliases": ("MRR",)})


def test_the_operator_at_sets_the_cutoff():
    assert nDCG @ 10 == nDCG(cutoff=10)
    assert DCG(base=2) @ 10 == DCG(base=2, cutoff=10)
    assert IPrec @ 0.25 == IPrec(recall=0.25)
    with pytest.raises(MeasureError, match="measure 'nDCG': cutoff must be at least 1, got 0"):
        nDCG @ 0
    with pytest.raises(MeasureError, match="measure 'bpref@ten': bpref takes no cutoff"):
        Bpref() @ "ten"


@pytest.mark.parametrize(
    "text",
    [
        "GM(" * 500 + "AP" + ")" * 500,
        "GM(" * 8 + "AP" + ")" * 8,
        "nDCG@١٢",
        "P_١٢",
        "P.٥,١٠",
        "RBP(p=٠.٥)",
        "SDCG@9007199254740993",
        "F(beta=1e300)",
        "nDCG(base=1e300)@10",
        "INSQ(T=1e20)",
        "INSQ(T=1e-300)",
        f"AP@{'9' * 5000}",
        f"AP(rel={'9' * 5000})",
        "nDCG(gains={1:1e300})@10",
        "Utility(rel_ret=1e300)",
    ],
    ids=lambda text: text[:30],
)
def test_texts_beyond_the_limits_raise_an_error(text):
    with pytest.raises(MeasureError) as error:
        measure(text)
    assert len(str(error.value)) < 1500


def test_nesting_is_limited_in_python_as_well():
    nested = measure("Condensed(" * 7 + "AP" + ")" * 7)
    assert nested.of([1, 0]) == 1
    with pytest.raises(MeasureError, match="nest at most 7"):
        type(nested)(of_measure=nested)


@pytest.mark.parametrize("invalid", [10**5000, [10**5000], 3.5, None], ids=["int", "list", "float", "None"])
def test_the_error_names_the_type_of_the_argument(invalid):
    with pytest.raises(MeasureError, match=r"nDCG@10', got (int|list|float|NoneType)"):
        measure(invalid)

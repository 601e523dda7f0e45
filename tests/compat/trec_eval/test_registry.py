"""The measures of trec_eval are measures of the catalogue."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.compat.trec_eval.evaluation import QrelsValues
from assay.compat.trec_eval.measure_spec import MeasureSettings
from assay.compat.trec_eval.options import TrecEvalOptions
from assay.compat.trec_eval.selection import select_measures
from assay.measures import measures
from assay.measures._trec_eval import PARAMETERS
from assay.model.joined import join_run
from assay.model.judged import Judged

ITEMS, _ = select_measures(("all",), "qrels", MeasureSettings())
LABELS = [column.label for item in ITEMS for column in item.columns]
DIFFERENT = {"rbp_resid", "gm_map", "gm_bpref", "num_q"}  # no residual after the end; logarithms; 1 for each topic
DOCUMENTS = [f"d{i}" for i in range(9)]


@pytest.mark.parametrize("label", LABELS)
def test_names_are_accepted_as_measures(label):
    assert isinstance(assay.measure(label), assay.measures.Measure)


@pytest.mark.parametrize("name", ["official", "set", "all_trec", *PARAMETERS])
def test_sets_of_measures_agree(name):
    items, _ = select_measures((name,), "qrels", MeasureSettings())
    assert measures(name) == measures([column.label for item in items for column in item.columns])


@pytest.mark.parametrize("text", ["relstring", "runid"])
def test_texts_are_rejected_with_advice(text):
    with pytest.raises(assay.AssayError, match=f"not a value; use assay trec_eval -q -m {text}"):
        assay.measure(text)


@settings(max_examples=100)
@given(
    grades=st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, 4), min_size=1),
    scores=st.dictionaries(st.sampled_from([*DOCUMENTS, "x", "y"]), st.sampled_from([0.0, 0.5, 1.0]), min_size=1),
)
def test_values_match_the_catalogue(grades, scores):
    qrels, run = assay.model.Qrels.from_dict({"q": grades}), assay.model.Run.from_dict({"q": scores})
    joined, judged = join_run(qrels, run.table, "trec_eval-10"), Judged.join(qrels, [run])
    [block] = QrelsValues(qrels, [joined], judged, ITEMS, TrecEvalOptions()).blocks(0)
    shared = [label for label in LABELS if label not in DIFFERENT]
    expected = assay.evaluate(qrels, run, shared)
    for label, measure in zip(shared, expected.measures, strict=True):
        value = block.values[LABELS.index(label), 0]
        assert value == pytest.approx(expected.matrix(measure)[0, 0], abs=1e-12), label

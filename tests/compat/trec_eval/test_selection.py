"""Selection of measures by -m."""

import pytest

from assay.compat.trec_eval import help as help_texts
from assay.compat.trec_eval import registry
from assay.compat.trec_eval.measure_spec import MeasureSettings
from assay.compat.trec_eval.options import FORMATS, PROFILES
from assay.compat.trec_eval.parameters import RefusedError
from assay.compat.trec_eval.selection import check_judgments, select_measures


def select_labels(*measures, profile="10.0", layout="qrels"):
    items, _ = select_measures(measures, layout, MeasureSettings(profile))
    return [column.label for item in items for column in item.columns]


def test_measures_are_in_the_order_of_trec_eval():
    assert select_labels("P.10,5", "map", "num_ret") == ["num_ret", "map", "P_5", "P_10"]


def test_official_is_the_default():
    assert select_labels() == select_labels("official")
    assert select_labels()[:3] == ["num_q", "num_ret", "num_rel"]


def test_first_parameters_take_precedence():
    assert select_labels("P.7", "P.5") == ["P_7"]
    assert select_labels("official", "P.7")[-1] == "P_7"


def test_labels_contain_parameters():
    assert select_labels("utility.2,-1,0,0", "ndcg.1=3", "11pt_avg..5", "set_F.2", "rbp.p=0.8", "rbp_resid.p=0.5") == [
        "utility_2,-1,0,0",
        "11pt_avg_.5",
        "ndcg_1=3",
        "set_F_2",
        "rbp_p=0.8",
        "rbp_resid_p=0.5",
    ]
    assert select_labels("iprec_at_recall.0.123") == ["iprec_at_recall_0.12"]
    assert select_labels("Rprec_mult.12345678") == ["Rprec_mult_12345678"]  # trec_eval reserves eight characters


def test_ignored_parameters_are_noted():
    items, notes = select_measures(("map.5",), "qrels", MeasureSettings())
    assert [item.label for item in items] == ["map"]
    assert notes == ["-m map.5: map takes no parameters; ignored"]
    _, notes = select_measures(("rbp.p=0.8,x=1", "rbp_resid.p=0.8,1=2"), "qrels", MeasureSettings())
    assert notes == [
        "-m rbp.p=0.8,x=1: x is not a grade; ignored",
        "-m rbp_resid.p=0.8,1=2: 1 is not the parameter p; ignored",
    ]


def test_versions_differ_in_their_measures():
    assert set(registry.known_names("10.0")) - set(registry.known_names("9.0.8")) == {
        "rbp",
        "rbp_resid",
        "unj",
        "dcg",
        "ideal_dcg",
    }
    assert "unj_5" not in select_labels("all_trec", profile="9.0.8")
    with pytest.raises(RefusedError, match="-m rbp: trec_eval has no such measure in this version"):
        select_measures(("rbp",), "qrels", MeasureSettings("9.0.8"))


@pytest.mark.parametrize("layout", FORMATS)
def test_all_selects_the_measures_of_the_format(layout):
    items, _ = select_measures(("all",), layout, MeasureSettings())
    check_judgments(items, layout)
    assert len(items) > 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ndgc", "-m ndgc: trec_eval has no such measure; did you mean ndcg?"),
        ("P.", "-m P.: write parameters after the point, such as P.5,10"),
        ("", "-m : trec_eval has no such measure"),
    ],
)
def test_invalid_measures_are_rejected(text, message):
    with pytest.raises(RefusedError) as error:
        select_measures((text,), "qrels", MeasureSettings())
    assert message in str(error.value)
    assert error.value.exit_code == 1


def test_measures_of_another_format_are_rejected():
    items, _ = select_measures(("map", "prefs_simp"), "qrels", MeasureSettings())
    with pytest.raises(RefusedError, match=r"-m prefs_simp: needs -R prefs or -R qrels_prefs, not -R qrels") as error:
        check_judgments(items, "qrels")
    assert error.value.exit_code == 4


def test_utility_needs_four_weights():
    with pytest.raises(RefusedError, match="expected 4 parameters"):
        select_measures(("utility.1,2",), "qrels", MeasureSettings())


def test_every_measure_has_a_help_text():
    assert set(help_texts.MEASURES) == set(registry.specs())
    assert set(help_texts.FORMATS) == set(FORMATS)
    assert all(set(names.split()) <= set(registry.specs()) for names in registry.SETS.values())


def test_help_describes_the_selected_measures():
    items, _ = select_measures(("P", "prefs"), "prefs", MeasureSettings())
    text = help_texts.render_help("prefs", items, "  example\n")
    assert "Precision after k documents" in text
    assert "prefs_simp " in text
    assert "subgroup" in text
    assert max(map(len, text.splitlines())) <= 120
    assert PROFILES[1] in text

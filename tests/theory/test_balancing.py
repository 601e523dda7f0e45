"""Balancing index, compared with the definition, the closed forms and the values of the paper."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import theory
from assay.errors import InputError, MeasureError
from assay.measures import Measure, catalogue, measure
from assay.measures._base import CATALOGUE
from assay.results.formats import FORMATS, TableLayout, render
from assay.theory import _balance as module
from assay.theory._balance import LENGTHS, MEASURES, is_at_most
from oracles import balancing as oracle

VECTORS = [
    vector
    for vector in json.loads((Path(__file__).parents[1] / "vectors.json").read_text(encoding="utf-8"))["vectors"]
    if vector["inputs"].get("op", "").startswith("balancing")
]
NS = [5, 10, 20, 50, 100, 200]


def balancing_series(tested_measure: str | Measure, lengths: Any, **scale: Any) -> list[float]:
    return theory.balance(tested_measure, lengths, **scale).values[0].tolist()


def balancing(tested_measure: str | Measure, n: int, **scale: Any) -> float:
    return balancing_series(tested_measure, [n], **scale)[0]


# Published values ------------------------------------------------------------------------------------------------


def parse_measure(inputs: dict[str, Any]) -> tuple[str, dict[str, float]]:
    """Return the measure of a vector and its grade options."""
    name, params = inputs["measure"], inputs["params"] or {}
    if name == "ERR":
        # The vectors specify the stopping probabilities, which are the gains of grades 1 and 2.
        return f"ERR(gains={{1:{params['xmin']},2:{params['xmax']}}})", {"qmax": inputs.get("qmax", 1)}
    options = ", ".join(f"{key}={value}" for key, value in params.items())
    return f"{name}({options})" if options else name, {}


def compute_vector(inputs: dict[str, Any]) -> object:
    text, grades = parse_measure(inputs)
    if inputs["op"] == "balancing":
        index = balancing(text, inputs["n"], **grades)
        return None if index == -math.inf else index
    series = balancing_series(text, inputs["ns"], **grades)
    if inputs["op"] == "balancing_series":
        return series
    published = inputs.get("variant") == "published"
    closed_forms = {
        "AP": oracle.ap,
        "RBP": lambda n, p=None: oracle.rbp(n, str(p)),
        "DCG": lambda n, base=None: oracle.dcg(n, base),
        "ERR": lambda n, xmin=None, xmax=None: oracle.err(n, xmin, xmax, published),
    }
    closed_form = closed_forms[inputs["measure"]]
    return series == [closed_form(n, **(inputs["params"] or {})) for n in inputs["ns"]]


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["id"] for vector in VECTORS])
def test_agrees_with_the_vectors(vector: dict[str, Any]) -> None:
    expected = vector["computed"] if vector.get("erratum") else vector["expected"]
    actual = compute_vector(vector["inputs"])
    if isinstance(expected, list):
        assert actual == pytest.approx(expected, abs=vector["tolerance"])
    else:
        assert actual == expected


def test_all_vectors_are_present() -> None:
    assert len(VECTORS) == 14


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AP", [3, 7, 15, 41, 87, 181]),
        ("DCG(base=2)", [3, 7, 16, 45, 94, 193]),
        ("nDCG(base=2)", [3, 7, 16, 45, 94, 193]),
        ("DCG(base=10)", [5, 10, 19, 49, 99, 198]),
        ("nDCG(base=10)", [5, 10, 19, 49, 99, 198]),
        ("P@10", [5, 10, 10, 10, 10, 10]),
        ("ERR", [1, 1, 1, 1, 1, 1]),
    ],
)
def test_values_of_the_paper(text: str, expected: list[int]) -> None:
    assert balancing_series(text, NS) == expected


def test_rbp_reaches_a_constant_index() -> None:
    assert balancing_series("RBP(p=0.8)", range(1, 26))[18:] == [7, 7, 8, 8, 8, 8, 8]
    assert balancing_series("RBP(p=0.95)", [133, 134, 135, 300]) == [58, 59, 59, 59]


@pytest.mark.parametrize("n", [1, 2, 20, 40, 41, 53, 54, 100, 1100])
def test_geometric_weights_never_reach_their_limit(n: int) -> None:
    """With p = 0.5, the weights of ranks 2 to n sum to 0.5 - 0.5^n, which rounding hides from n = 41 on."""
    for text in ("RBP(p=0.5)", "RBPnorm(p=0.5)", "RBP(p1=0.5, p2=0.5)", f"RBP(p=0.5)@{n}"):
        assert balancing(text, n) == 1
    assert balancing("RBP(p=0.8, gains=unit)", n, qmax=4) == oracle.rbp(n, "0.8", 4)


@given(
    st.integers(1, 99),
    st.integers(1, 99),
    st.sampled_from([1, 2, 5, 41, 60, 120]),
    st.sampled_from([(1, None), (1, 2), (1, 3), (1, 4), (2, 3)]),
)
@settings(max_examples=100, deadline=None)
def test_rank_biased_measures_agree_with_rational_arithmetic(
    p: int, q: int, n: int, grades: tuple[int, int | None]
) -> None:
    qmin, qmax = grades
    expected = oracle.rbp(n, f"{p}/100", f"{qmax or qmin}/{qmin}")
    text = f"RBP(p={p / 100}, gains=unit, max_rel=4)"
    assert balancing(text, n, qmin=qmin, qmax=qmax) == expected
    assert balancing(f"RBPnorm(p={p / 100})", n, qmin=qmin, qmax=qmax) == expected
    assert balancing(f"RBP(p1={p / 100}, p2={q / 100})", n) == oracle.rbp_by_looks(n, f"{p}/100", f"{q}/100")


def test_the_printed_closed_form_of_err_is_wrong() -> None:
    assert (oracle.err(20, 0.1, 0.1, published=True), oracle.err(20, 0.1, 0.1)) == (3, 4)
    assert balancing("ERR(gains={1:0.1})", 20) == 4


# Against the definition ------------------------------------------------------------------------------------------


def balancing_by_definition(tested_measure: Measure, n: int, qmin: float = 1, qmax: float | None = None) -> float:
    return oracle.balancing(tested_measure.of, n, qmin, qmax)


EXAMPLES = [text for cls in catalogue().values() for text in cls.examples]


@pytest.mark.parametrize("text", EXAMPLES)
def test_every_measure_agrees_with_the_definition(text: str) -> None:
    tested_measure = measure(text)
    for n in (1, 2, 7, 12):
        assert balancing(tested_measure, n, qmin=2, qmax=3) == balancing_by_definition(tested_measure, n, 2, 3)
        assert balancing(tested_measure, n, qmin=2) == balancing_by_definition(tested_measure, n, 2)


PARAMETERS = st.one_of(
    st.sampled_from(["AP", "AP@4", "AP(rel=2)", "ERR", "ERR@3", "ERR(max_rel=9)", "P@1", "P@10", "P(rel=2)@5"]),
    st.sampled_from(["nDCG", "nDCG@3", "DCG(gains=exp)", "DCG(base=1.5)", "nDCG(base=10, gains=exp12)@20"]),
    st.sampled_from(["RBP(p=0)", "RBP(p=0.5)@3", "RBP(p=0.5)", "RBP(p=0.8, rel=2)"]),
    st.floats(0.01, 0.99).map(lambda p: f"RBP(p={p!r})"),
    st.floats(0.01, 0.99).map(lambda p: f"RBP(p={p!r}, gains=unit)"),
    st.floats(1.1, 20).map(lambda base: f"DCG(base={base!r})"),
)


@given(PARAMETERS, st.integers(1, 40), st.sampled_from([(1, None), (1, 2), (1, 3), (2, 3), (2, None)]))
@settings(max_examples=200, deadline=None)
def test_parameters_of_measures_agree_with_the_definition(text: str, n: int, grades: tuple[int, int | None]) -> None:
    tested_measure, (qmin, qmax) = measure(text), grades
    if "rel=2" in text and tested_measure.uses_recall_base and (qmax or qmin) < 2:
        return
    expected = balancing_by_definition(tested_measure, n, qmin, qmax)
    assert balancing(tested_measure, n, qmin=qmin, qmax=qmax) == expected


@pytest.mark.parametrize("n", [*range(1, 30), 77])
def test_closed_forms_of_the_paper(n: int) -> None:
    assert balancing("AP", n) == oracle.ap(n)
    for base in (2, 3, 10):
        for qmax in (1, 2, 3):
            assert balancing(f"DCG(base={base})", n, qmax=qmax) == oracle.dcg(n, base, 1, qmax)
    for xmin, xmax in ((0.1, 0.1), (0.5, 0.5), (0.1, 0.3), (0.125, 0.875)):
        assert balancing(f"ERR(gains={{1:{xmin},2:{xmax}}})", n, qmax=2) == oracle.err(n, xmin, xmax)


def test_zero_gains() -> None:
    assert balancing("P(rel=2)@5", 8) == 8  # The value 0 is at most 0.
    for text in ("P(rel=2)@5", "AP(rel=2)", "RBP(p=0.5, rel=2)", "DCG(rel=2)", "ERR(rel=2)"):
        assert balancing(text, 8, qmax=2) == -math.inf


def test_the_largest_b_counts_even_if_smaller_ones_do_not_balance() -> None:
    """For a measure that increases with the first relevant rank, only the last b balances."""

    class Late(Measure):
        name = "Late"

        def score(self, judged: Any) -> Any:
            rows = judged.rows(judged.relevance(1))
            first = np.zeros(len(judged))
            first[rows.ranking[::-1]] = rows.rank[::-1]
            return np.where(first == 1, 5.0, np.where(first == 9, 6.0, 0.0))

    try:
        assert balancing(Late(), 12) == 9 == balancing_by_definition(Late(), 12)
    finally:
        del CATALOGUE["late"]


def test_block_size_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = {text: balancing_series(text, NS[:4]) for text in ("AP", "ERR", "RBP(p=0.8)", "bpref", "Twist")}
    for documents in (1, 70, 130):
        monkeypatch.setattr(module, "_DOCUMENTS", documents)
        assert {text: balancing_series(text, NS[:4]) for text in expected} == expected


# Topics ----------------------------------------------------------------------------------------------------------


def test_the_recall_base_cancels_out_in_ap_and_ndcg() -> None:
    for text in ("AP", "nDCG", "nDCG(base=10)"):
        assert balancing_series(text, NS[:4], recall_base=500) == balancing_series(text, NS[:4])
        assert balancing_series(text, NS[:4], counts={1: 500, 0: 9000}) == balancing_series(text, NS[:4])


def test_the_recall_base_matters_elsewhere() -> None:
    assert (balancing("RprecMult@0.5", 20), balancing("RprecMult@0.5", 20, recall_base=30)) == (10, 15)
    judged = {0: 19, 1: 30}
    assert balancing("RprecMult@0.5", 20, recall_base=30) == oracle.balancing(
        measure("RprecMult@0.5").of, 20, judged=judged
    )
    assert balancing("bpref", 20, counts={1: 20, 0: 500}) == oracle.balancing(
        measure("bpref").of, 20, judged={1: 20, 0: 500}
    )
    assert balancing("bpref", 20, counts={1: 200, 0: 500}) != balancing("bpref", 20)


def test_provenance_and_notes_describe_the_topic() -> None:
    report = theory.balance(["AP", "ERR", "bpref"], [5], qmax=3)
    assert json.loads(json.dumps(report.provenance.as_dict()))["settings"] == {
        "measures": ["AP", "ERR", "bpref"],
        "n": [5],
        "qmin": 1,
        "qmax": 3,
        "recall_base": None,
        "counts": None,
        "grades": None,
        "topic": "n documents of grade 1, one of grade 3 and n - 1 of grade 0",
    }
    assert theory.balance("AP", 5, counts={1: 9}).provenance.settings["counts"] == {"1": 9}
    assert report.notes == (
        "AP, bpref: computed for a topic with n documents of grade 1, one of grade 3 and n - 1 of grade 0",
        (
            "ERR: no index for some lengths, because even a ranking with grade 1 at all ranks has a lower value than a "
            "single document of grade 3 at rank 1"
        ),
    )
    assert theory.balance("RBP(p=0.8)", [5]).notes == ()
    [note] = theory.balance("AP", [5], recall_base=9).notes
    assert note == "AP: computed for a topic with 9 documents of grade 1 and n - 1 of grade 0"
    [note] = theory.balance("AP", [5], counts={1: 9}).notes
    assert note == "AP: computed for a topic with 9 documents of grade 1"


def test_columns_of_the_frame_and_progress() -> None:
    calls = []
    report = theory.balance(
        ["P@10", "ERR"], [5, 20], qmin=1, qmax=3, progress=lambda done, total: calls.append((done, total))
    )
    assert report.frame().columns == ["measure", "qmin", "qmax", "n", "balance"]
    assert report.frame().rows() == [
        ("P@10", 1.0, 3.0, 5, 5),
        ("P@10", 1.0, 3.0, 20, 10),
        ("ERR", 1.0, 3.0, 5, None),
        ("ERR", 1.0, 3.0, 20, None),
    ]
    assert calls == [(1, 4), (2, 4), (3, 4), (4, 4)]


# All pairs of grades -------------------------------------------------------------------------------------------------

PAIRS = [(1.0, 1.0), (1.0, 2.0), (1.0, 3.0), (2.0, 2.0), (2.0, 3.0), (3.0, 3.0)]


@pytest.mark.parametrize(
    "text", ["AP", "nDCG", "DCG(gains=exp)", "ERR", "RBP(p=0.8, gains=unit)", "Q", "CG", "P(rel=2)@5"]
)
def test_all_pairs_of_grades_agree_with_the_definition(text: str) -> None:
    frame = theory.balance(text, [1, 7, 12], grades=[0, 1, 2, 3]).frame()
    assert frame.select("qmin", "qmax").unique(maintain_order=True).rows() == PAIRS
    for _, qmin, qmax, n, index in frame.iter_rows():
        # The highest grade of the scale belongs to the topic, because the gains of ERR depend on it.
        judged = {3: 0, 0: n - 1, qmax: 1, qmin: n}
        expected = oracle.balancing(measure(text).of, n, qmin, qmax, judged)
        assert index == (None if math.isinf(expected) else expected)


def test_pairs_of_the_highest_grades_agree_with_qmin_and_qmax() -> None:
    pairs = theory.balance(["ERR", "nDCG"], [20], grades=[0, 1, 3]).frame()
    for qmin, qmax in ((1, 3), (3, 3)):
        single = theory.balance(["ERR", "nDCG"], [20], qmin=qmin, qmax=qmax).frame()
        assert pairs.filter(qmin=float(qmin), qmax=float(qmax)).equals(single)


def test_report_on_pairs_of_grades() -> None:
    report = theory.balance(["nDCG", "ERR"], [20, 50], grades=[0, 1, 2])
    table = report.table()
    assert table.compact.columns == ["measure", "qmin", "qmax", "n=20", "n=50"]
    assert [(row[1].strip(), row[2].strip()) for row in table.compact.rows()] == [
        ("1", "1"),
        ("1", "2"),
        ("2", "2"),
    ] * 2
    assert "qmax: grade of the document at rank 1; qmin: grade of the documents at ranks b to n" in table.caption
    assert report.values.shape == (6, 2)
    assert report.summary() == (
        "The balancing index of nDCG for n = 50, grades 1 and 2 is 39 (values near 1 mean top-heavy). ERR has no index."
    )
    assert report.notes == (
        "nDCG: computed for a topic with n documents of grade qmin, one of grade qmax and n - 1 of grade 0",
        (
            "ERR: no index for some lengths and grades, because even a ranking with grade qmin at all ranks has a "
            "lower value than a single document of grade qmax at rank 1"
        ),
    )
    assert report.provenance.settings["grades"] == [0.0, 1.0, 2.0]
    counts = {0: 9, 1: 9, 2: 9}
    assert (
        theory.balance("AP", 5, grades=[0, 1, 2], counts=counts)
        .notes[0]
        .startswith("AP: computed for a topic with 9 documents of grade 0, 9 documents")
    )
    binary = theory.balance(["AP", "ERR"], 10, grades=[0, 1])
    assert binary.frame().equals(theory.balance(["AP", "ERR"], 10).frame())
    assert binary.table().compact.columns == ["measure", "n=10"]
    for show in render(report, "table", None, TableLayout(width=80)).decode().splitlines():
        assert len(show) <= 80


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grades": [1, 2]}, "grades must begin with 0 and ascend"),
        ({"grades": [0]}, "grades must begin with 0 and ascend"),
        ({"grades": [0, 1, 2], "qmax": 2}, "grades cannot be combined with qmin or qmax"),
        ({"grades": [0, 1, 2], "qmin": 2}, "grades cannot be combined with qmin or qmax"),
        ({"grades": [0, 1, 2], "recall_base": 50}, "grades cannot be combined with recall_base; use counts"),
        (
            {"grades": [0, 1, 2], "counts": {1: 50}},
            "rankings of 5 documents need 1 document of grade 2; the topic has 0",
        ),
    ],
)
def test_invalid_grades_raise(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        theory.balance("AP", 5, **options)


# Tables ----------------------------------------------------------------------------------------------------------


def test_compact_table_has_measures_as_rows_and_lengths_as_columns() -> None:
    report = theory.balance()
    assert (tuple(map(str, report.measures)), report.n) == (MEASURES, LENGTHS)
    table = report.table()
    assert table.frame.equals(report.frame())
    assert table.compact.columns == ["measure", *(f"n={n}" for n in LENGTHS)]
    assert table.compact.row(0) == ("AP", 3, 7, 15, 41, 87, 181)
    assert repr(theory.balance(["AP", "RR"], 5)) == "Balance(AP, RR; n = 5)"


def test_missing_indices_in_every_format() -> None:
    report = theory.balance(["ERR", "CG"], [5, 200], qmax=3)
    lines = render(report, "table").decode().splitlines()
    assert lines[2:4] == ["ERR      none   none", "CG          3    198"]
    rows = [line.replace(",1.0,3.0,", ",") for line in render(report, "csv").decode().splitlines()[1:]]
    assert rows == ["ERR,5,", "ERR,200,", "CG,5,3", "CG,200,198"]
    assert '"balance": null' in render(report, "json").decode()
    assert all(render(report, format_name) for format_name in FORMATS)


def test_compact_table_of_many_lengths_fits_80_columns() -> None:
    report = theory.balance(["RBP(p=0.8)", "nDCG(base=10)"], range(1, 121))
    columns = report.table().compact.columns
    assert (columns[1], columns[-1]) == ("n=1", "n=120")
    assert "lengths are not shown" in report.table().caption
    lines = render(report, "table", None, TableLayout(width=80)).decode().splitlines()
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith("measure") for line in lines) == 1, "no panels"


@pytest.mark.parametrize(
    ("measures", "options", "summary"),
    [
        (["AP", "ERR", "P@200"], {}, "Most top-heavy for n = 20: ERR (1). Least top-heavy: P@200 (20)."),
        (["RR", "ERR", "AP"], {}, "Most top-heavy for n = 20: RR and ERR (1). Least top-heavy: AP (15)."),
        (
            ["ERR", "CG"],
            {"qmax": 3},
            "The balancing index of CG for n = 20 is 18 (values near 1 mean top-heavy). ERR has no index.",
        ),
        (["P@30", "CG"], {}, "All measures are tied for n = 20: the balancing index is 20."),
        ("AP", {}, "The balancing index of AP for n = 20 is 15 (values near 1 mean top-heavy)."),
        ("ERR", {"qmax": 3}, "The balancing index of ERR for n = 20 is none (values near 1 mean top-heavy)."),
    ],
)
def test_summary(measures: Any, options: dict[str, Any], summary: str) -> None:
    assert theory.balance(measures, [5, 20, 10], **options).summary() == summary


# Invalid arguments -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "options", "message"),
    [
        (0, {}, "n must be a whole number of at least 1, got 0"),
        (2.5, {}, "n must be a whole number of at least 1, got 2.5"),
        (True, {}, "n must be a whole number of at least 1, got True"),
        (5, {"qmin": 0}, "qmin must be a grade above 0, got 0"),
        (5, {"qmin": math.nan}, "qmin must be a grade above 0, got nan"),
        (5, {"qmin": 2, "qmax": 1}, "qmax must be a grade of at least qmin=2, got 1"),
        (5, {"qmax": math.inf}, "qmax must be a grade of at least qmin=1, got inf"),
        (5, {"recall_base": 4}, "rankings of 5 documents need 5 documents of grade 1; the topic has 4"),
        (5, {"recall_base": 5, "qmax": 2}, "rankings of 5 documents need 5 documents of grade 1; the topic has 4"),
        (5, {"counts": {1: 5}, "qmax": 2}, "rankings of 5 documents need 1 document of grade 2; the topic has 0"),
        (5, {"counts": {1: 5, 0: 3}}, "rankings of 5 documents need 4 documents of grade 0; the topic has 3"),
        (5, {"counts": {1: 9}, "recall_base": 9}, "recall_base cannot be combined with counts"),
    ],
)
def test_invalid_arguments_raise(n: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        balancing("AP", n, **options)
    assert str(error.value) == message


def test_invalid_measures_raise() -> None:
    with pytest.raises(MeasureError, match=r"measure 'AP\(rel=2\)': undefined for a topic with the grades 0 1"):
        balancing("AP(rel=2)", 5)
    with pytest.raises(MeasureError, match="there is no measure APP"):
        balancing("APP", 5)


def test_is_at_most_tolerates_rounding() -> None:
    assert is_at_most(1.0, np.array([1 - 1e-13, 1 - 1e-11, 1, 2])).tolist() == [True, False, True, True]
    assert is_at_most(1e-20, np.array([1e-20 * (1 - 1e-13), 0.0, -1.0])).tolist() == [True, False, False]
    assert is_at_most(math.inf, np.array([math.inf, 1.0])).tolist() == [True, False]
    assert is_at_most(1.0, np.array([math.inf, -math.inf, math.nan])).tolist() == [True, False, False]

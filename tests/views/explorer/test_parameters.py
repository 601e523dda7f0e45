"""Tests of request parameters: accepted values, rejected values and error messages."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from assay.errors import AssayError, InputError
from assay.measures import measures
from assay.views.explorer.parameters import MAX_MEASURES, MAX_NAME_LENGTH, MAX_PARAMETERS, MAX_TEXT_LENGTH, Query
from explorer_cases import HOSTILE, hostile_state, read_state, small_state

STATE = small_state()


def parse_query(**parameters: object) -> Query:
    pairs = [
        (name, item) for name, value in parameters.items() for item in (value if isinstance(value, list) else [value])
    ]
    return Query(urlencode(pairs).encode(), STATE)


def error_message(call, *args: object) -> str:
    with pytest.raises(AssayError) as error:
        call(*args)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_defaults_of_missing_parameters() -> None:
    query = parse_query()
    assert query.text("filter") == ""
    assert query.integer("most", 5, 1, 9) == 5
    assert query.optional_integer("depth", 1, 9) is None
    assert query.fraction("confidence", 0.95) == 0.95
    assert query.choice("test", ["t", "sign"], "t") == "t"
    assert query.choices("archetype", ["ideal"]) == []
    assert not query.flag("merge")
    assert query.flag("points", True)
    assert query.runs() == query.topics() == []
    assert str(query.measure("AP")) == "AP"
    query.reject_unknown_parameters()


def test_empty_parameters() -> None:
    assert parse_query(most="").integer("most", 5, 1, 9) == 5
    assert parse_query(confidence="").fraction("confidence", 0.9) == 0.9
    assert error_message(parse_query(test="").choice, "test", ["t"], "t") == "test '': choose one of t"
    assert "there is no run ''" in error_message(parse_query(run="").run)
    assert "measure ''" in error_message(parse_query(measure="").measure, "AP")


@pytest.mark.parametrize(
    "text",
    ["0", "11", "-1", "1.0", "1e1", "nan", "inf", "٣", "1_0", "0x1", " 1", "9" * 40, "\x00", "1;2", "one", "1,2"],
)
def test_invalid_whole_numbers_are_rejected(text: str) -> None:
    message = error_message(parse_query(most=text).integer, "most", 5, 1, 10)
    assert message.startswith("most must be a whole number from 1 to 10, got ")


def test_whole_numbers() -> None:
    assert [parse_query(most=text).integer("most", 5, 1, 10) for text in ("1", "10", "+7", "007")] == [1, 10, 7, 7]


@pytest.mark.parametrize(
    "text", ["0", "1", "-0.5", "1.5", "nan", "NaN", "inf", "-inf", "1e9", "1e-9999", "0,5", "95%", "\x00", "٠.٥", "0_1"]
)
def test_invalid_fractions_are_rejected(text: str) -> None:
    assert "confidence must lie between 0 and 1, such as 0.95, got " in error_message(
        parse_query(confidence=text).fraction, "confidence", 0.95
    )


def test_fractions() -> None:
    assert [parse_query(c=text).fraction("c", 0.5) for text in ("0.9", ".9", "9e-1", "+0.9")] == [0.9] * 4


def test_choices_and_flags() -> None:
    tests = ["t", "wilcoxon", "sign"]
    assert parse_query(test="sign").choice("test", tests, "t") == "sign"
    message = error_message(parse_query(test="wilcoxen").choice, "test", tests, "t")
    assert message == "test 'wilcoxen': choose one of t, wilcoxon, sign; did you mean wilcoxon?"
    assert parse_query(archetype=["a", "b", "a"]).choices("archetype", ["a", "b", "c"]) == ["a", "b"]
    assert "choose some of typical A; did you mean typical A?" in error_message(
        parse_query(archetype="typical").choices, "archetype", ["typical A"]
    )
    assert "choose one of 0, 1" in error_message(parse_query(merge="yes").flag, "merge")


def test_repeated_parameters() -> None:
    assert (
        error_message(parse_query(most=["1", "2"]).integer, "most", 5, 1, 9)
        == "most is given 2 times; the maximum is 1"
    )
    assert error_message(parse_query(run=["x", "y"]).run) == "run is given 2 times; the maximum is 1"
    assert parse_query(run=["x", "y", "x"]).runs() == ["x", "y"]
    assert "run is given 101 times; the maximum is 100" in error_message(parse_query(run=["x"] * 101).runs)


def test_long_parameters_are_rejected() -> None:
    assert parse_query(filter="a" * MAX_TEXT_LENGTH).text("filter") == "a" * MAX_TEXT_LENGTH
    message = error_message(parse_query(filter="a" * (MAX_TEXT_LENGTH + 1)).text, "filter")
    assert message == f"filter has {MAX_TEXT_LENGTH + 1} characters; the maximum is {MAX_TEXT_LENGTH}"
    assert f"the maximum is {MAX_NAME_LENGTH}" in error_message(parse_query(run="a" * (MAX_NAME_LENGTH + 1)).run)
    assert "the maximum is 300" in error_message(parse_query(measure="P@" + "1" * 400).measure, "AP")


def test_too_many_parameters_are_rejected() -> None:
    with pytest.raises(InputError, match=f"more than {MAX_PARAMETERS} parameters"):
        parse_query(run=["x"] * (MAX_PARAMETERS + 1))


def test_invalid_utf8_is_rejected() -> None:
    for query in (b"run=%ff%fe", b"run=\xff", b"\xc3=1"):
        with pytest.raises(InputError, match="the query is not UTF-8"):
            Query(query, STATE)
    assert "there is no run 'é'" in error_message(Query("run=é".encode(), STATE).run)


def test_names_of_runs_and_topics() -> None:
    assert parse_query(run="x").run() == "x"
    assert parse_query(topic="2").topic() == "2"
    assert error_message(parse_query(run="w").run) == "there is no run 'w'; there are x, y, z"
    assert error_message(parse_query(topic="9").topic) == "there is no topic '9'; there are 1, 2, 3"
    assert error_message(parse_query().run) == "run is missing; write run=..."
    assert error_message(parse_query().run, "a") == "a is missing; write a=..."
    assert error_message(parse_query(run="x\x00").run).startswith("there is no run 'x\\x00'")
    assert error_message(parse_query(run="\u202ex").run).startswith("there is no run '\\u202ex'")


def test_long_names_are_shortened_in_messages() -> None:
    assert len(error_message(parse_query(run="r" * 1000).run)) < 200


def test_similar_names_are_suggested() -> None:
    state = read_state({"401": {"a": 1}}, {"bm25": {"401": {"a": 1.0}}})
    assert error_message(Query(b"run=bm52", state).run) == "there is no run 'bm52'; did you mean bm25?"
    assert error_message(Query(b"topic=410", state).topic) == "there is no topic '410'; did you mean 401?"


def test_hostile_names_are_accepted() -> None:
    state = hostile_state()
    for run in state.campaign.runs:
        assert Query(urlencode({"run": run}).encode(), state).run() == run
    assert Query(urlencode({"topic": HOSTILE}).encode(), state).topic() == HOSTILE


def test_measures() -> None:
    assert parse_query(measure=["AP", "map", "P.5,10"]).measures(()) == measures(["AP", "P@5", "P@10"])
    assert parse_query().measures(("AP", "RR")) == measures(["AP", "RR"])
    assert parse_query(measure="ndcg_cut_10").measure("AP") == measures("nDCG@10")[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ndgc@10", "there is no measure ndgc; did you mean nDCG?"),
        ("nDCG@0", "cutoff must be at least 1, got 0"),
        ("nDCG@-5", "cutoff must be at least 1, got -5"),
        ("nDCG@nan", "the cutoff after @ must be a number"),
        ("RBP(p=1.5)", "p must be below 1, got 1.5"),
        ("RBP(p=nan)", "p must be a number"),
        ("RBP", "needs p"),
        ("P.5,10", "expected one measure, got 2"),
        ("nDCG@1000000", "cutoff can be at most 100000 here"),
        ("GM(P@1000000)", "cutoff can be at most 100000 here"),
        ("nDCG@99999999999999999999", "cutoff must be at most"),
        ("AP\x00", "there is no measure AP"),
        ("<script>", "there is no measure"),
        ("((((", "expected a name"),
        ("nDCG(gains={1:inf})@5", "write gains as"),
        ("nDCG(gains=exp,gains=exp)", "gains is given twice"),
    ],
)
def test_invalid_measures_are_rejected(text: str, message: str) -> None:
    assert message in error_message(parse_query(measure=text).measure, "AP")


def test_number_of_measures_is_limited() -> None:
    allowed = [f"P@{k}" for k in range(1, MAX_MEASURES + 1)]
    assert len(parse_query(measure=allowed).measures(())) == MAX_MEASURES
    assert "measure is given 41 times; the maximum is 40" in error_message(
        parse_query(measure=[*allowed, "AP"]).measures, ()
    )
    family = "P." + ",".join(map(str, range(1, 61)))
    assert "got 60 measures; the maximum is 40" in error_message(parse_query(measure=family).measures, ())


def test_unused_parameters_are_rejected() -> None:
    misspelled = parse_query(mesure="AP")
    misspelled.measure("AP")
    misspelled.flag("merge")
    assert (
        error_message(misspelled.reject_unknown_parameters) == "there is no parameter 'mesure'; did you mean measure?"
    )
    unknown = parse_query(zzz="1")
    assert error_message(unknown.reject_unknown_parameters) == "there is no parameter 'zzz'"
    unknown_among_choices = parse_query(zzz="1")
    unknown_among_choices.flag("merge")
    assert (
        error_message(unknown_among_choices.reject_unknown_parameters)
        == "there is no parameter 'zzz'; choose from merge"
    )

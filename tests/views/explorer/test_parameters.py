"""Parameters of requests: what can be, and what is refused, and how."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from assay.errors import AssayError, InputError
from assay.measures import measures
from assay.views.explorer.parameters import LONGEST_NAME, LONGEST_TEXT, MOST_FIELDS, MOST_MEASURES, Query
from explorer_cases import HOSTILE, hostile_state, read_state, small_state

CAMPAIGN = small_state()


def query(**given: object) -> Query:
    pairs = [(k, one) for k, v in given.items() for one in (v if isinstance(v, list) else [v])]
    return Query(urlencode(pairs).encode(), CAMPAIGN)


def refused(call, *args: object) -> str:
    with pytest.raises(AssayError) as error:
        call(*args)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_what_is_not_given() -> None:
    none = query()
    assert none.text("filter") == ""
    assert none.whole("most", 5, 1, 9) == 5
    assert none.maybe_whole("depth", 1, 9) is None
    assert none.share("confidence", 0.95) == 0.95
    assert none.choice("test", ["t", "sign"], "t") == "t"
    assert none.some("archetype", ["ideal"]) == []
    assert not none.flag("merge")
    assert none.flag("points", True)
    assert none.runs() == none.topics() == []
    assert str(none.measure("AP")) == "AP"
    none.end()


def test_given_with_nothing_behind_it() -> None:
    assert query(most="").whole("most", 5, 1, 9) == 5
    assert query(confidence="").share("confidence", 0.9) == 0.9
    assert refused(query(test="").choice, "test", ["t"], "t") == "test '': choose one of t"
    assert "there is no run ''" in refused(query(run="").run)
    assert "measure ''" in refused(query(measure="").measure, "AP")


@pytest.mark.parametrize(
    "text",
    ["0", "11", "-1", "1.0", "1e1", "nan", "inf", "٣", "1_0", "0x1", " 1", "9" * 40, "\x00", "1;2", "one", "1,2"],
)
def test_whole_numbers_that_are_none(text: str) -> None:
    message = refused(query(most=text).whole, "most", 5, 1, 10)
    assert message.startswith("most must be a whole number from 1 to 10, got ")


def test_whole_numbers() -> None:
    assert [query(most=text).whole("most", 5, 1, 10) for text in ("1", "10", "+7", "007")] == [1, 10, 7, 7]


@pytest.mark.parametrize(
    "text", ["0", "1", "-0.5", "1.5", "nan", "NaN", "inf", "-inf", "1e9", "1e-9999", "0,5", "95%", "\x00", "٠.٥", "0_1"]
)
def test_shares_that_are_none(text: str) -> None:
    assert "confidence must lie between 0 and 1, such as 0.95, got " in refused(
        query(confidence=text).share, "confidence", 0.95
    )


def test_shares() -> None:
    assert [query(c=text).share("c", 0.5) for text in ("0.9", ".9", "9e-1", "+0.9")] == [0.9] * 4


def test_words() -> None:
    tests = ["t", "wilcoxon", "sign"]
    assert query(test="sign").choice("test", tests, "t") == "sign"
    message = refused(query(test="wilcoxen").choice, "test", tests, "t")
    assert message == "test 'wilcoxen': choose one of t, wilcoxon, sign; did you mean wilcoxon?"
    assert query(archetype=["a", "b", "a"]).some("archetype", ["a", "b", "c"]) == ["a", "b"]
    assert "choose some of typical A; did you mean typical A?" in refused(
        query(archetype="typical").some, "archetype", ["typical A"]
    )
    assert "choose one of 0, 1" in refused(query(merge="yes").flag, "merge")


def test_repeated() -> None:
    assert refused(query(most=["1", "2"]).whole, "most", 5, 1, 9) == "most is given 2 times; the maximum is 1"
    assert refused(query(run=["x", "y"]).run) == "run is given 2 times; the maximum is 1"
    assert query(run=["x", "y", "x"]).runs() == ["x", "y"]
    assert "run is given 101 times; the maximum is 100" in refused(query(run=["x"] * 101).runs)


def test_too_long() -> None:
    assert query(filter="a" * LONGEST_TEXT).text("filter") == "a" * LONGEST_TEXT
    message = refused(query(filter="a" * (LONGEST_TEXT + 1)).text, "filter")
    assert message == f"filter has {LONGEST_TEXT + 1} characters; the maximum is {LONGEST_TEXT}"
    assert f"the maximum is {LONGEST_NAME}" in refused(query(run="a" * (LONGEST_NAME + 1)).run)
    assert "the maximum is 300" in refused(query(measure="P@" + "1" * 400).measure, "AP")


def test_too_many() -> None:
    with pytest.raises(InputError, match=f"more than {MOST_FIELDS} parameters"):
        query(run=["x"] * (MOST_FIELDS + 1))


def test_not_text() -> None:
    for given in (b"run=%ff%fe", b"run=\xff", b"\xc3=1"):
        with pytest.raises(InputError, match="the query is not UTF-8"):
            Query(given, CAMPAIGN)
    assert "there is no run 'é'" in refused(Query("run=é".encode(), CAMPAIGN).run)


def test_names() -> None:
    assert query(run="x").run() == "x"
    assert query(topic="2").topic() == "2"
    assert refused(query(run="w").run) == "there is no run 'w'; there are x, y, z"
    assert refused(query(topic="9").topic) == "there is no topic '9'; there are 1, 2, 3"
    assert refused(query().run) == "run is missing; write run=..."
    assert refused(query().run, "a") == "a is missing; write a=..."
    assert refused(query(run="x\x00").run).startswith("there is no run 'x\\x00'")
    assert refused(query(run="\u202ex").run).startswith("there is no run '\\u202ex'")


def test_a_long_name_is_cut_in_the_message() -> None:
    assert len(refused(query(run="r" * 1000).run)) < 200


def test_nearly_a_name() -> None:
    state = read_state({"401": {"a": 1}}, {"bm25": {"401": {"a": 1.0}}})
    assert refused(Query(b"run=bm52", state).run) == "there is no run 'bm52'; did you mean bm25?"
    assert refused(Query(b"topic=410", state).topic) == "there is no topic '410'; did you mean 401?"


def test_any_name_can_be_asked_for() -> None:
    state = hostile_state()
    for run in state.campaign.runs:
        assert Query(urlencode({"run": run}).encode(), state).run() == run
    assert Query(urlencode({"topic": HOSTILE}).encode(), state).topic() == HOSTILE


def test_measures() -> None:
    assert query(measure=["AP", "map", "P.5,10"]).measures(()) == measures(["AP", "P@5", "P@10"])
    assert query().measures(("AP", "RR")) == measures(["AP", "RR"])
    assert query(measure="ndcg_cut_10").measure("AP") == measures("nDCG@10")[0]


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
def test_measures_that_are_none(text: str, message: str) -> None:
    assert message in refused(query(measure=text).measure, "AP")


def test_many_measures() -> None:
    most = [f"P@{k}" for k in range(1, MOST_MEASURES + 1)]
    assert len(query(measure=most).measures(())) == MOST_MEASURES
    assert "measure is given 41 times; the maximum is 40" in refused(query(measure=[*most, "AP"]).measures, ())
    many = "P." + ",".join(map(str, range(1, 61)))
    assert "got 60 measures; the maximum is 40" in refused(query(measure=many).measures, ())


def test_what_nobody_asked_for() -> None:
    given = query(mesure="AP")
    given.measure("AP")
    given.flag("merge")
    assert refused(given.end) == "there is no parameter 'mesure'; did you mean measure?"
    other = query(zzz="1")
    assert refused(other.end) == "there is no parameter 'zzz'"
    third = query(zzz="1")
    third.flag("merge")
    assert refused(third.end) == "there is no parameter 'zzz'; choose from merge"

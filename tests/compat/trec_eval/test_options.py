"""Command-line options of trec_eval."""

import pytest

from assay.compat.trec_eval.options import TrecEvalOptions, parse_options
from assay.compat.trec_eval.parameters import RefusedError


def test_flags_may_be_combined_and_follow_files():
    options = parse_options(["-qnc", "-l2", "qrels", "-mmap", "-m", "P.5", "run", "-M", "100", "-J", "-N9"])
    assert options == TrecEvalOptions(
        qrels="qrels",
        runs=("run",),
        measures=("map", "P.5"),
        per_topic=True,
        summary=False,
        complete=True,
        level=2,
        judged_only=True,
        docs=9,
        max_documents=100,
    )


def test_long_names_may_be_abbreviated():
    long = ["--query_eval_wanted", "--measure=map", "--level_for_rel", "3", "--Max=5", "--Zscore=z", "--prof=9.0.8"]
    options = parse_options([*long, "q", "r"])
    assert (options.per_topic, options.measures, options.level, options.max_documents) == (True, ("map",), 3, 5)
    assert (options.zscores, options.profile) == ("z", "9.0.8")


def test_other_options():
    options = parse_options(["-D", "2.401", "-R", "prefs", "-T", "trec_results", "-o", "dir", "q", "a", "-"])
    assert (options.debug, options.topic, options.layout, options.output) == (2, "401", "prefs", "dir")
    assert options.runs == ("a", "-")
    assert parse_options(["-D1", "q", "r"]).topic is None


def test_help_and_version_need_no_files():
    assert parse_options(["-h", "-m", "map"]).requested == {"h"}
    assert parse_options(["--version"]).requested == {"v"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "missing QRELS and RUN"),
        (["qrels"], "missing RUN"),
        (["-x", "q", "r"], "option -x not recognized"),
        (["q", "r", "-m"], "option -m requires argument"),
        (["-l", "two", "q", "r"], "-l must be a whole number of at least 0, got 'two'"),
        (["-M", "-5", "q", "r"], "-M must be a whole number of at least 0, got '-5'"),
        (["-R", "pref", "q", "r"], "-R pref: choose one of qrels, prefs, qrels_prefs, qrels_jg; did you mean prefs?"),
        (["-T", "csv", "q", "r"], "-T csv: choose one of trec_results"),
        (["--profile", "9", "q", "r"], "--profile 9: choose one of 10.0, 9.0.8"),
        (["-", "-"], "standard input (-) can be read only once"),
        (["-o", "-c", "q", "r"], "-o '-c': name a directory after -o; trec_eval's old output format is gone"),
        (["-o", "", "q", "r"], "-o '': name a directory after -o"),
    ],
)
def test_invalid_arguments_are_rejected(arguments, message):
    with pytest.raises(RefusedError) as error:
        parse_options(arguments)
    assert message in str(error.value)
    assert error.value.exit_code == (2 if arguments[:1] in (["-R"], ["-T"]) else 1)


def test_huge_numbers_are_capped():
    assert parse_options(["-M", "99999999999999999999", "q", "r"]).max_documents == 10**15

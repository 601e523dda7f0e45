"""Tests of ``assay trec_eval`` on the command line."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from assay.cli import main
from assay.cli.trec_eval import EXAMPLES
from assay.engine import joining
from assay.errors import InputError

QRELS = """\
q1 0 a 1
q1 0 b 0
q1 0 c 2
q2 0 a 1
q2 0 d -1
"""
RUN = """\
q1 Q0 x 1 9 tag
q1 Q0 a 2 8 tag
q1 Q0 c 3 7 tag
q2 Q0 b 1 5 tag
q2 Q0 a 2 4 tag
"""


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("run").write_text(RUN)
    Path("short").write_text("\n".join(RUN.splitlines()[:3]) + "\n")


@pytest.fixture
def run_trec_eval(capsys):
    def run_command(*args, code=0):
        assert main(["trec_eval", *args]) == code
        captured = capsys.readouterr()
        assert captured.err == "" or code or "note" in captured.err
        return captured.out if code == 0 else captured.err

    return run_command


def parse_values(text):
    return {tuple(line.split("\t")[:2]): line.split("\t")[2] for line in re.sub(" *\t", "\t", text).splitlines()}


def test_official(run_trec_eval):
    lines = run_trec_eval("qrels", "run").splitlines()
    assert [line.replace(" ", "") for line in lines[:3]] == ["runid\tall\ttag", "num_q\tall\t2", "num_ret\tall\t5"]
    assert lines[5] == "map                   \tall\t0.5417"


def test_topic_values_without_summary(run_trec_eval):
    values = parse_values(
        run_trec_eval("-q", "-n", "-m", "map", "-m", "relstring", "-m", "gm_map", "-m", "num_q", "qrels", "run")
    )
    assert values == {
        ("map", "q1"): "0.5833",
        ("relstring", "q1"): "'-12'",
        ("map", "q2"): "0.5000",
        ("relstring", "q2"): "'-1'",
    }


def test_negative_grade_means_pooled_but_unjudged(run_trec_eval):
    Path("run").write_text("q2 Q0 d 1 9 tag\nq2 Q0 e 2 8 tag\nq1 Q0 b 1 1 tag\n")
    values = parse_values(run_trec_eval("-q", "-m", "relstring", "-m", "unj.2", "-m", "rbp_resid", "qrels", "run"))
    assert values["relstring", "q2"] == "'.-'"
    assert values["unj_2", "q2"] == "1.0000"
    assert values["rbp_resid", "q1"] == "0.0000"  # no tail, as no unjudged document was retrieved
    assert values["rbp_resid", "q2"] == "1.0000"


def test_missing_topic(run_trec_eval):
    error = run_trec_eval("qrels", "short", code=4)
    assert error == (
        "assay: short: lacks 1 topic of the qrels (q2), and trec_eval 10.0 would stop; "
        "add -c to count them as 0, or --profile 9.0.8 to omit them\n"
    )
    values = parse_values(
        run_trec_eval("-c", "-q", "-m", "map", "-m", "num_rel", "-m", "num_q", "-m", "utility", "qrels", "short")
    )
    assert values["map", "q2"] == "0.0000"
    assert (values["num_rel", "all"], values["num_q", "all"], values["map", "all"]) == ("3", "2", "0.2917")
    assert values["utility", "q2"] == "0.0000"


def test_missing_topic_counts_as_one_unjudged_document(run_trec_eval):
    # For this topic trec_eval 10 resets the values of measures with default parameters, but not of those with explicit
    # parameters.
    measures = ["utility", "relstring", "rbp_resid", "unj", "num_ret"]
    values = parse_values(
        run_trec_eval("-c", "-q", "-n", *(word for name in measures for word in ("-m", name)), "qrels", "short")
    )
    expected = {"utility": "0.0000", "relstring": "''", "rbp_resid": "0.0000", "unj_5": "0.0000", "num_ret": "0"}
    assert {name: values[name, "q2"] for name in expected} == expected
    measures = ["utility.2,-1,0,0", "relstring.5", "rbp_resid.p=0.5", "unj.1", "dcg.-1=3", "rbp.-1=0.5"]
    args = ["-c", "-q", "-n", *(word for name in measures for word in ("-m", name)), "qrels", "short"]
    values = parse_values(run_trec_eval(*args))
    expected = {"utility_2,-1,0,0": "-1.0000", "relstring_5": "'-'", "rbp_resid_p=0.5": "1.0000", "unj_1": "0.0000"}
    expected |= {"dcg_-1=3": "3.0000", "rbp_-1=0.5": "0.0500"}
    assert {name: values[name, "q2"] for name in expected} == expected
    for flags in (["-J"], ["-M0"]):  # both remove the unjudged document
        values = parse_values(run_trec_eval(*flags, *args))
        expected = {
            "utility_2,-1,0,0": "0.0000",
            "relstring_5": "''",
            "rbp_resid_p=0.5": "0.0000",
            "dcg_-1=3": "0.0000",
        }
        assert {name: values[name, "q2"] for name in expected} == expected


def test_residual_of_rbp_accepts_a_persistence(run_trec_eval):
    values = parse_values(run_trec_eval("-q", "-m", "rbp_resid.p=0.5", "qrels", "run"))
    assert values["rbp_resid_p=0.5", "q1"] == "0.6250"  # x is unjudged: 0.5, and the tail 0.125
    assert ("rbp_resid", "q1") not in values
    assert "write pairs such as rbp_resid.1=3" in run_trec_eval("-m", "rbp_resid.0.5", "qrels", "run", code=2)


def test_residual_of_rbp_is_summed_in_the_order_of_trec_eval(run_trec_eval):
    # The mean differs from 0.87305 only in the last bit. Summing in another order prints 0.8730.
    Path("qrels").write_text("q1 0 a 1\nq2 0 a 1\nq2 0 b 0\nq2 0 c 0\n")
    Path("run").write_text("q1 Q0 x 1 9 t\nq2 Q0 a 1 9 t\nq2 Q0 x 2 8 t\nq2 Q0 b 3 7 t\nq2 Q0 c 4 6 t\n")
    assert parse_values(run_trec_eval("-m", "rbp_resid", "qrels", "run"))["rbp_resid", "all"] == "0.8731"


def test_missing_topic_in_version_9(run_trec_eval):
    args = ("--profile", "9.0.8", "-q", "-m", "map", "-m", "gm_map", "-m", "num_rel", "-m", "num_q", "qrels", "short")
    values = parse_values(run_trec_eval(*args))
    assert ("map", "q2") not in values
    assert (values["map", "all"], values["num_rel", "all"], values["num_q", "all"]) == ("0.5833", "2", "1")
    complete_values = parse_values(run_trec_eval("-c", *args))
    assert ("map", "q2") not in complete_values
    assert (complete_values["map", "all"], complete_values["num_rel", "all"], complete_values["num_q", "all"]) == (
        "0.2917",
        "3",
        "2",
    )
    assert complete_values["gm_map", "all"] == "0.0024"


def test_relevance_levels(run_trec_eval):
    values = parse_values(run_trec_eval("-q", "-l2", "-m", "map", "-m", "ndcg", "-m", "Rndcg", "qrels", "run"))
    assert values["map", "q1"] == "0.3333"
    assert values["Rndcg", "q2"] == "0.0000"  # no document reaches level 2, but ndcg uses all grades
    assert values["ndcg", "q2"] == "0.6309"
    assert parse_values(run_trec_eval("-l2", "-m", "num_rel", "qrels", "run"))["num_rel", "all"] == "1"
    assert (
        parse_values(run_trec_eval("-l2", "-c", "-m", "num_rel", "qrels", "run"))["num_rel", "all"] == "3"
    )  # -c ignores -l
    values_at_level_0 = parse_values(
        run_trec_eval("-q", "-l0", "-m", "map", "-m", "num_rel", "-m", "bpref", "-m", "ndcg", "qrels", "run")
    )
    assert values_at_level_0["num_rel", "q1"] == "3"
    assert values_at_level_0["map", "q1"] == "0.3889"
    assert values_at_level_0["bpref", "q1"] == "0.6667"
    assert values_at_level_0["ndcg", "q2"] == "0.6309"


def test_condensed_and_truncated_rankings(run_trec_eval):
    assert parse_values(run_trec_eval("-q", "-J", "-m", "map", "qrels", "run"))["map", "q1"] == "1.0000"
    assert parse_values(run_trec_eval("-q", "-M1", "-m", "map", "qrels", "run"))["map", "q1"] == "0.0000"
    assert (
        parse_values(run_trec_eval("-q", "-M2", "-J", "-m", "map", "-m", "num_ret", "qrels", "run"))["num_ret", "q1"]
        == "1"
    )


def test_empty_condensed_ranking_gives_nan_as_in_c(run_trec_eval):
    Path("run").write_text("q1 Q0 x 1 9 tag\nq2 Q0 x 1 8 tag\n")
    values = parse_values(
        run_trec_eval("-q", "-J", "-m", "iprec_at_recall.0,1", "-m", "11pt_avg", "-m", "map", "qrels", "run")
    )
    assert values["iprec_at_recall_0.00", "q1"] == "  -nan"
    assert values["iprec_at_recall_1.00", "q1"] == "0.0000"
    assert values["11pt_avg", "all"] == "  -nan"
    assert values["map", "q1"] == "0.0000"


def test_unsorted_recall_levels(run_trec_eval):
    # trec_eval expects ascending levels: 0.2 is above the next level and therefore counts as level 0, and so does 0.1.
    Path("qrels").write_text("".join(f"q 0 d{i} 1\n" for i in range(10)))
    ranking = ["x", *(f"d{i}" for i in range(10))]
    Path("run").write_text("".join(f"q Q0 {doc} 0 {-i} tag\n" for i, doc in enumerate(ranking)))
    values = parse_values(run_trec_eval("-q", "-m", "11pt_avg.0.1,0.2,0", "qrels", "run"))
    assert values["11pt_avg_0.1,0.2,0", "q"] == "0.9091"
    Path("run").write_text("".join(f"q Q0 {doc} 0 {-i} tag\n" for i, doc in enumerate(["d0", "x", "y", "d1"])))
    assert parse_values(run_trec_eval("-m", "11pt_avg.0.1,0.2", "qrels", "run"))["11pt_avg_0.1,0.2", "all"] == "0.7500"
    assert parse_values(run_trec_eval("-m", "11pt_avg.0.2,0.1", "qrels", "run"))["11pt_avg_0.2,0.1", "all"] == "1.0000"
    assert parse_values(run_trec_eval("-m", "11pt_avg.0.1,0.9", "qrels", "run"))["11pt_avg_0.1,0.9", "all"] == "0.5000"


def test_versions_round_recall_levels_and_scores_differently(run_trec_eval):
    Path("qrels").write_text("q 0 a 1\nq 0 b 1\nq 0 c 1\n")
    Path("run").write_text("q Q0 a 1 0.100000001 t\nq Q0 x 2 0.1000000001 t\nq Q0 y 3 0 t\nq Q0 b 4 -1 t\n")
    new_values = parse_values(run_trec_eval("-m", "recip_rank", "-m", "iprec_at_recall.0.4", "qrels", "run"))
    old_values = parse_values(
        run_trec_eval("--profile", "9.0.8", "-m", "recip_rank", "-m", "iprec_at_recall.0.4", "qrels", "run")
    )
    assert (new_values["recip_rank", "all"], old_values["recip_rank", "all"]) == ("1.0000", "0.5000")
    assert (new_values["iprec_at_recall_0.40", "all"], old_values["iprec_at_recall_0.40", "all"]) == (
        "1.0000",
        "0.5000",
    )


def test_debug_flag_selects_one_topic(run_trec_eval, capsys):
    values = parse_values(run_trec_eval("-D", "0.q2", "-q", "-m", "map", "-m", "num_q", "qrels", "run"))
    assert values == {("map", "q2"): "0.5000", ("num_q", "all"): "1", ("map", "all"): "0.5000"}
    assert "-D: the qrels have no topic q9; they have q1, q2" in run_trec_eval("-D", "0.q9", "qrels", "run", code=7)
    assert main(["trec_eval", "-D1", "qrels", "run"]) == 0
    assert "-D: trec_eval's intermediate results are not printed" in capsys.readouterr().err


def test_utility_with_the_collection_size(run_trec_eval):
    values = parse_values(run_trec_eval("-q", "-N10", "-m", "utility.0,0,-1,1", "qrels", "run"))
    assert values["utility_0,0,-1,1", "q2"] == "8.0000"


def test_columns_after_the_tag_are_ignored(run_trec_eval):
    Path("run").write_text(RUN.replace("tag\n", "tag more columns\n", 2))
    assert parse_values(run_trec_eval("qrels", "run"))["runid", "all"] == "tag"


def test_run_is_named_by_the_tag_of_the_last_line(run_trec_eval):
    Path("run").write_text(RUN.removesuffix("tag\n") + "last\n")
    assert parse_values(run_trec_eval("qrels", "run"))["runid", "all"] == "last"


def test_grades_with_decimals_are_truncated(run_trec_eval, capsys):
    Path("qrels").write_text(QRELS.replace("a 1", "a 1.9", 1))
    assert main(["trec_eval", "-q", "-m", "ndcg", "qrels", "run"]) == 0
    captured = capsys.readouterr()
    assert "qrels: truncated 1 grade with decimals to integers" in captured.err
    Path("qrels").write_text(QRELS)
    assert run_trec_eval("-q", "-m", "ndcg", "qrels", "run") == captured.out


def test_zscores(run_trec_eval):
    Path("z").write_text("# comment\nq1 map 0.5 0.1\nq1 num_ret 3 0\n\nq2 map 0.25 0.5\nq2 num_ret 1 0\n")
    values = parse_values(
        run_trec_eval("-q", "-Z", "z", "-m", "map", "-m", "num_ret", "-m", "P.5", "-m", "relstring", "qrels", "run")
    )
    assert values["Zmap", "q1"] == "0.8333"
    assert values["Zmap", "all"] == "0.6667"
    assert values["Znum_ret", "q1"] == "0.0000"
    assert values["Znum_ret", "q2"] == "-1000000.0000"  # a deviation of 0, and the value differs from the mean
    assert values["ZP_5", "q1"] == "-1000000.0000"  # not in the file
    assert values["relstring", "q1"] == "'-12'"
    Path("z").write_text("q1 map 0.5\n")
    assert "z:1: expected 4 columns (topic measure mean deviation), found 3" in run_trec_eval(
        "-Z", "z", "qrels", "run", code=2
    )
    Path("z").write_text("q1 map high 1\n")
    assert "z:1: the number must be a finite number, found 'high'" in run_trec_eval("-Z", "z", "qrels", "run", code=2)
    Path("z").write_text("q1 map 0.5 1\nq1 map 0.6 1\n")
    assert "z:2: duplicate line for map of topic q1; remove one" in run_trec_eval("-Z", "z", "qrels", "run", code=2)
    Path("z").write_text("")
    assert "z: the file is empty" in run_trec_eval("-Z", "z", "qrels", "run", code=2)


def test_several_runs(run_trec_eval):
    text = run_trec_eval("-m", "runid", "-m", "map", "qrels", "run", "-c", "short")
    assert [line.split("\t")[2] for line in text.splitlines()] == ["tag", "0.5417", "tag", "0.2917"]


def test_one_output_file_per_run(run_trec_eval, capsys):
    Path("runs").mkdir()
    Path("run").rename("runs/a.run")
    Path("short").rename("runs/b.run")
    assert main(["trec_eval", "-c", "-q", "-m", "map", "qrels", "runs", "-o", "new/evals"]) == 0
    assert capsys.readouterr().out == ""
    for name in ("a", "b"):
        assert (
            run_trec_eval("-c", "-q", "-m", "map", "qrels", f"runs/{name}.run")
            == Path(f"new/evals/{name}.run.eval").read_text()
        )


def test_invalid_output_directories_are_rejected(run_trec_eval):
    Path("more").mkdir()
    Path("more/run").write_text(RUN)
    assert "two runs would be written to run.eval" in run_trec_eval("qrels", "run", "more/run", "-o", "dir", code=2)
    assert "-o run: is a file; choose a directory" in run_trec_eval("qrels", "run", "-o", "run", code=2)
    Path("run.eval").write_text(QRELS)
    assert "-o .: would overwrite the input run.eval; choose another directory" in run_trec_eval(
        "run.eval", "run", "-o", ".", code=2
    )
    assert Path("run.eval").read_text() == QRELS


def test_standard_input(run_trec_eval, monkeypatch):
    import io

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(RUN.encode())))
    expected = run_trec_eval("qrels", "run")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(RUN.encode())))
    assert run_trec_eval("qrels", "-") == expected


@pytest.mark.parametrize(
    ("run", "code", "message"),
    [
        ("q1 Q0 a 1\n", 2, "run:1: expected 6 columns (topic Q0 doc rank score tag), found 4"),
        ("q1 Q0 a 1 x tag\n", 2, "run:1: the score must be a finite number, found 'x'"),
        ("q1 Q0 a 1 2 t\nq1 Q0 a 2 1 t\n", 2, "run:2: document a was already retrieved for topic q1"),
        ("", 2, "run: the file is empty"),
        ("q9 Q0 a 1 2 t\n", 4, "run: shares no topic with the qrels (the run has q9; the qrels have q1, q2)"),
    ],
)
def test_invalid_runs_are_rejected(run_trec_eval, run, code, message):
    Path("run").write_text(run)
    assert message in run_trec_eval("qrels", "run", code=code)


IGNORED_DUPLICATE = "ignored duplicate documents in rows that are not evaluated: 1"


def test_duplicates_are_rejected_only_where_trec_eval_detects_them(capsys):
    expected = {}
    for args in (["-q", "-m", "map"], ["-q", "-M3", "-m", "map"], ["-M1", "-m", "map"], ["-m", "num_q"]):
        assert main(["trec_eval", *args, "qrels", "run"]) == 0
        expected[" ".join(args)] = capsys.readouterr().out
    cases = {
        "q9 Q0 a 1 2 tag\nq9 Q0 a 2 1 tag\n": expected,  # an unjudged topic
        "q1 Q0 a 9 1 tag\n": ["-q -M3 -m map", "-M1 -m map", "-m num_q"],  # rank 4 of topic q1
        "q1 Q0 a 9 8 tag\n": ["-M1 -m map", "-m num_q"],  # rank 3, tied with the first
        "q1 Q0 x 1 9 tag\n": ["-M1 -m map", "-m num_q"],  # rank 2, tied with the first
    }
    for lines, accepted_options in cases.items():
        Path("again").write_text(RUN + lines)
        for args, printed in expected.items():
            code = 0 if args in accepted_options else 2
            assert main(["trec_eval", *args.split(), "qrels", "again"]) == code, (args, lines)
            captured = capsys.readouterr()
            assert captured.out == (printed if code == 0 else "")
            assert ("again: " + IGNORED_DUPLICATE if code == 0 else "again:6: document") in captured.err


def test_duplicates_in_unevaluated_topics_are_ignored(capsys):
    Path("again").write_text(RUN + "q2 Q0 a 9 4 tag\n")
    assert main(["trec_eval", "-D", "0.q1", "-m", "map", "qrels", "again"]) == 0
    assert IGNORED_DUPLICATE in capsys.readouterr().err
    assert main(["trec_eval", "-m", "map", "qrels", "again"]) == 2
    for layout in ("qrels_jg", "qrels_prefs"):
        assert main(["trec_eval", "-R", layout, "-m", "all", "-M1", "qrels", "run"]) == 0
        printed = capsys.readouterr().out
        assert main(["trec_eval", "-R", layout, "-m", "all", "-M1", "qrels", "again"]) == 0
        assert capsys.readouterr().out == printed
        assert main(["trec_eval", "-R", layout, "-m", "all", "-M3", "qrels", "again"]) == 2
        assert "again:6: document a was already retrieved for topic q2" in capsys.readouterr().err


def test_scores_tied_in_single_precision_decide_the_documents_above_the_cutoff(run_trec_eval):
    Path("qrels").write_text("q 0 a 1\n")
    Path("run").write_text("q Q0 b 1 0.100000001 t\nq Q0 b 2 0.1 t\nq Q0 a 3 0.1000000001 t\n")
    assert parse_values(run_trec_eval("-M2", "-m", "recip_rank", "qrels", "run"))["recip_rank", "all"] == "0.5000"
    assert "run:2: document b" in run_trec_eval("--profile", "9.0.8", "-M2", "-m", "recip_rank", "qrels", "run", code=2)


@pytest.mark.parametrize("order", ["sorted", "scattered"])
def test_reading_in_chunks_gives_the_same_output(run_trec_eval, monkeypatch, order):
    rows = [f"{topic} Q0 d{doc} 1 {doc * 7 % 11} x" for topic in range(8) for doc in range(30)]
    rows += ["left-out Q0 d1 1 2 x", "left-out Q0 d1 1 2 x"]  # a duplicate that trec_eval does not detect
    rows = rows if order == "sorted" else rows[::3] + rows[1::3] + rows[2::3]
    Path("qrels").write_text("".join(f"{topic} 0 d{doc} {doc % 3}\n" for topic in range(8) for doc in range(20)))
    Path("run").write_text("".join(f"{row} more columns\n" if len(row) % 2 else f"{row}\n" for row in rows))
    Path("plain").write_text("".join(f"{row}\n" for row in rows))
    expected = [run_trec_eval("-q", "qrels", name) for name in ("run", "plain")]
    default_budget = joining.default_budget
    monkeypatch.setattr(joining, "default_budget", lambda directory: replace(default_budget(directory), chunk=300))
    assert [run_trec_eval("-q", "qrels", name) for name in ("run", "plain")] == expected


def test_eval_rejects_every_duplicate(capsys):
    Path("again").write_text(RUN + "q9 Q0 a 1 2 tag\nq9 Q0 a 2 1 tag\n")
    assert main(["eval", "qrels", "again", "-m", "AP"]) == 2
    assert "again:7: document a was already retrieved for topic q9 (first: line 6)" in capsys.readouterr().err
    assert main(["eval", "qrels", "again", "-m", "AP", "--lenient"]) == 0
    assert "skipped duplicate documents, keeping the first: 1" in capsys.readouterr().err


def test_exponents_of_grades_are_ignored(run_trec_eval, capsys):
    Path("qrels").write_text(QRELS)
    expected = run_trec_eval("-q", "-m", "all_trec", "qrels", "run")
    judges = run_trec_eval("-q", "-R", "qrels_jg", "-m", "qrels_jg", "qrels", "run")
    Path("qrels").write_text(QRELS.replace("q1 0 a 1", "q1 0 a 1e2").replace("c 2\n", "c 2E-1 \r\n"))
    for args, printed in (["-m", "all_trec"], expected), (["-R", "qrels_jg", "-m", "qrels_jg"], judges):
        assert main(["trec_eval", "-q", *args, "qrels", "run"]) == 0
        captured = capsys.readouterr()
        assert captured.out == printed
        assert "qrels: ignored the exponent of 2 grades (1e2 is read as 1), as trec_eval does" in captured.err
    Path("qrels").write_text("q1e5 0 d1e3 1\nq1 0 a e5\n")
    assert "qrels:2: the grade must be a finite number, found 'e5'" in run_trec_eval("qrels", "run", code=2)


def test_byte_order_mark_is_ignored_with_a_note(capsys):
    assert main(["trec_eval", "-q", "qrels", "run"]) == 0
    expected = capsys.readouterr().out
    Path("marked").write_bytes(b"\xef\xbb\xbf" + RUN.encode())
    Path("marked.qrels").write_bytes(b"\xef\xbb\xbf" + QRELS.encode())
    assert main(["trec_eval", "-q", "marked.qrels", "marked"]) == 0
    captured = capsys.readouterr()
    assert captured.out == expected
    assert "marked: ignored a byte order mark, which trec_eval would read as part of the first topic" in captured.err
    assert "marked.qrels: ignored a byte order mark" in captured.err


def test_no_common_topic_in_version_9(run_trec_eval):
    Path("run").write_text("q9 Q0 a 1 2 t\n")
    assert "run: shares no topic with the qrels" in run_trec_eval("--profile", "9.0.8", "qrels", "run", code=7)


def test_topic_with_only_negative_grades(run_trec_eval):
    Path("qrels").write_text(QRELS.replace("q2 0 a 1\n", ""))
    values = parse_values(run_trec_eval("-q", "-m", "all_trec", "qrels", "run"))
    topic_values = {name: value for (name, topic), value in values.items() if topic == "q2"}
    expected = {"num_ret": "2", "relstring": "'--'", "utility": "-2.0000", "rbp_resid": "1.0000", "unj_5": "0.4000"}
    expected |= {"unj_10": "0.2000", "unj_20": "0.1000"}
    assert {name: value for name, value in topic_values.items() if value not in ("0", "0.0000")} == expected
    assert values["map", "all"] == "0.2917"


def test_first_topic_with_only_negative_grades(run_trec_eval):
    # trec_eval stops because it has not allocated memory for grades yet.
    Path("qrels").write_text(QRELS.replace("q1 0 a 1\nq1 0 b 0\nq1 0 c 2\n", "q1 0 a -1\n"))
    message = "qrels: topic q1, the first to be evaluated, has only negative grades, and trec_eval would stop"
    assert message in run_trec_eval("qrels", "run", code=4)
    assert parse_values(run_trec_eval("-m", "num_q", "qrels", "run"))["num_q", "all"] == "2"
    assert parse_values(run_trec_eval("-D", "0.q2", "-m", "map", "qrels", "run"))["map", "all"] == "0.5000"
    Path("run").write_text(RUN.replace("q1", "q9"))
    assert parse_values(run_trec_eval("--profile", "9.0.8", "-m", "map", "qrels", "run"))["map", "all"] == "0.5000"


def test_missing_files(run_trec_eval):
    assert "nothing: no such file" in run_trec_eval("qrels", "nothing", code=2)
    assert "nothing: no such file" in run_trec_eval("nothing", "run", code=2)


def test_version_and_help(capsys):
    assert main(["trec_eval", "-v"]) == 0
    assert re.fullmatch(r"trec_eval version 10.0 \(assay .*\)\n", capsys.readouterr().err)
    for flag in ("-h", "--help"):
        assert main(["trec_eval", flag, "-m", "set"]) == 0
        help_text = capsys.readouterr().out
        assert EXAMPLES in help_text
        assert "set_F " in help_text
    assert main(["trec_eval", "-h"]) == 0
    assert "add -m all_trec" in capsys.readouterr().out


def test_options_are_in_the_completion_script(capsys):
    assert main(["completion", "bash"]) == 0
    assert "--level_for_rel" in capsys.readouterr().out


def test_unicode_ids_are_sorted_by_bytes(run_trec_eval):
    Path("qrels").write_text("é 0 日本 1\nz 0 ü 1\n10 0 a 1\n9 0 a 1\n")
    Path("run").write_text(
        "é Q0 日本 1 1 t\né Q0 abc 2 1 t\nz Q0 zz 1 1 t\nz Q0 ü 2 1 t\n9 Q0 a 1 1 t\n10 Q0 a 1 1 t\n"
    )
    values = parse_values(run_trec_eval("-q", "-n", "-m", "recip_rank", "qrels", "run"))
    assert [topic for _, topic in values] == ["10", "9", "z", "é"]
    assert values["recip_rank", "é"] == "1.0000"  # the scores are equal: larger bytes first
    assert values["recip_rank", "z"] == "1.0000"


def test_very_large_numbers(run_trec_eval):
    values = parse_values(
        run_trec_eval("-q", "-M", "9" * 20, "-m", f"map_cut.{'9' * 20}", "-m", "relstring.1e30", "qrels", "run")
    )
    assert values[f"map_cut_{10**15}", "q1"] == "0.5833"
    assert values["relstring_1e30", "q1"] == "'-12'"
    assert (
        parse_values(run_trec_eval("-m", "iprec_at_recall.1e300", "qrels", "run"))[("iprec_at_recall_10000000", "all")]
        == "0.0000"
    )
    assert parse_values(run_trec_eval("-m", "11pt_avg.1e300", "qrels", "run"))["11pt_avg_1e300", "all"] == "0.0000"
    assert "-m set_F: expected a number as parameter, found '1e400'" in run_trec_eval(
        "-m", "set_F.1e400", "qrels", "run", code=2
    )


def test_relevant_documents_without_gain(run_trec_eval):
    Path("qrels").write_text("q 0 a 0\n")
    Path("run").write_text("q Q0 a 1 1 t\n")
    assert parse_values(run_trec_eval("-l0", "-m", "Rndcg", "qrels", "run"))["Rndcg", "all"] == "  -nan"
    assert parse_values(run_trec_eval("-l1", "-m", "Rndcg", "qrels", "run"))["Rndcg", "all"] == "0.0000"


def test_gains_for_invalid_grades_are_ignored(run_trec_eval, capsys):
    args = ["-q", "-n", "-m", "ndcg.1.5=9,a=3", "qrels", "run"]
    old_values = parse_values(run_trec_eval("--profile", "9.0.8", *args))
    assert (
        old_values["ndcg_1.5=9,a=3", "q1"]
        == parse_values(run_trec_eval("-q", "-n", "-m", "ndcg.1=9,0=3", "qrels", "run"))["ndcg_1=9,0=3", "q1"]
    )
    assert main(["trec_eval", *args]) == 0
    captured = capsys.readouterr()
    assert "-m ndcg.1.5=9,a=3: 1.5 is not a grade; ignored" in captured.err
    assert (
        parse_values(captured.out)["ndcg_1.5=9,a=3", "q1"]
        == parse_values(run_trec_eval("-q", "-m", "ndcg", "qrels", "run"))["ndcg", "q1"]
    )


@pytest.mark.parametrize(
    ("args", "note"),
    [
        (["-m", "P.5", "-m", "P.10", "qrels", "run"], "-m P.10: ignored; the first parameters of P apply (5)"),
        (["-c", "-m", "map", "qrels", "run", "short"], "several runs; add -m runid to distinguish them"),
        (["-c", "-R", "qrels_jg", "-m", "qrels_jg", "qrels", "short"], "short: lacks 1 of the 2 topics of the qrels"),
        (["-R", "qrels_jg", "-m", "qrels_jg", "fraction", "run"], "fraction: truncated 1 grade with decimals"),
        (["-R", "qrels_prefs", "-m", "prefs", "qrels", "foreign"], "foreign: ignored 1 topic without judgments"),
    ],
)
def test_notes(args, note, capsys):
    Path("fraction").write_text(QRELS.replace("c 2", "c 1.9"))
    Path("foreign").write_text(RUN + "q9 Q0 a 1 1 tag\n")
    assert main(["trec_eval", *args]) == 0
    assert note in capsys.readouterr().err


@pytest.mark.parametrize(("name", "hint"), [("ndcg_cut_10", "ndcg_cut.10"), ("P@5", "P.5")])
def test_printed_measure_names_get_a_hint(run_trec_eval, name, hint):
    assert f"-m {name}: trec_eval has no such measure; write {hint}" in run_trec_eval(
        "-m", name, "qrels", "run", code=1
    )


def test_closed_standard_input(run_trec_eval, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    assert "standard input: is closed" in run_trec_eval("qrels", "-", code=2)


def test_huge_grades(run_trec_eval):
    Path("qrels").write_text("q 0 a 100000000\nq 0 b 1\nq 0 c 0\n")
    Path("run").write_text("q Q0 b 1 3 t\nq Q0 a 2 2 t\nq Q0 c 3 1 t\n")
    values = parse_values(run_trec_eval("-q", "-m", "all_trec", "qrels", "run"))
    assert values["ndcg", "q"] == "0.6309"
    assert values["relstring", "q"] == "'1>0'"
    assert values["rbp", "q"] == "0.0900"


def test_evaluating_in_blocks_gives_the_same_output(run_trec_eval, monkeypatch):
    Path("qrels").write_text("".join(f"t{i:02} 0 d{j} {(i * j) % 3}\n" for i in range(23) for j in range(5)))
    Path("run").write_text("".join(f"t{i:02} Q0 d{(i + j) % 7} 0 {-j} tag\n" for i in range(23) for j in range(4)))
    Path("more").write_text("".join(f"t{i:02} Q0 d{j} 0 {j} more\n" for i in range(23) for j in range(5)))
    expected = run_trec_eval("-q", "-m", "all_trec", "qrels", "run", "more")
    for size in (1, 5, 22, 23, 24, 46):
        monkeypatch.setattr("assay.compat.trec_eval.evaluation._BLOCK", size)
        assert run_trec_eval("-q", "-m", "all_trec", "qrels", "run", "more") == expected


def test_judges_and_preferences(run_trec_eval):
    Path("qrels").write_text("q 1 a 1\nq 1 b 0\nq 2 a 0\nq 2 b 1\nr 1 a 1\n")
    Path("run").write_text("q Q0 a 1 2 tag\nq Q0 b 2 1 tag\n")
    values = parse_values(
        run_trec_eval("-c", "-q", "-R", "qrels_jg", "-m", "map_avgjg", "-m", "P_avgjg.1", "-m", "num_q", "qrels", "run")
    )
    assert values["map_avgjg", "q"] == "0.7500"
    assert (values["P_avgjg_1", "q"], values["P_avgjg_1", "all"], values["num_q", "all"]) == ("0.5000", "0.2500", "2")
    assert "lacks 1 topic" in run_trec_eval("-R", "qrels_jg", "-m", "qrels_jg", "qrels", "run", code=4)
    old_values = parse_values(run_trec_eval("--profile", "9.0.8", "-R", "qrels_prefs", "-m", "prefs", "qrels", "run"))
    assert (old_values["num_q", "all"], old_values["prefs_simp", "all"]) == ("1", "0.5000")
    Path("z").write_text("q map_avgjg 0.5 0.5\n")
    assert (
        parse_values(run_trec_eval("-c", "-q", "-Z", "z", "-R", "qrels_jg", "-m", "map_avgjg", "qrels", "run"))[
            "Zmap_avgjg", "q"
        ]
        == "0.5000"
    )
    assert "-m map: needs -R qrels, not -R prefs" in run_trec_eval("-R", "prefs", "-m", "map", "qrels", "run", code=4)
    assert "qrels:1: expected 5 columns" in run_trec_eval("-R", "prefs", "-m", "prefs", "qrels", "run", code=2)


def test_no_directory_is_left_after_an_error(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q").write_text("1 0 a 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 1 x\n")
    assert main(["trec_eval", "q", "nowhere", "-o", "new/evals"]) != 0
    assert not (tmp_path / "new").exists()

    def raise_disk_full(*_args):
        raise InputError("evals/r.eval: cannot be written (No space left on device)")

    monkeypatch.setattr("assay.cli.trec_eval.write_file", raise_disk_full)
    assert main(["trec_eval", "q", "r", "-o", "new/evals"]) == 2
    assert not (tmp_path / "new").exists()
    (tmp_path / "old").mkdir()
    assert main(["trec_eval", "q", "r", "-o", "old"]) == 2
    assert (tmp_path / "old").exists()

"""assay trec_eval, as a user runs it."""

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
def out(capsys):
    def run(*words, code=0):
        assert main(["trec_eval", *words]) == code
        captured = capsys.readouterr()
        assert captured.err == "" or code or "note" in captured.err
        return captured.out if code == 0 else captured.err

    return run


def values(text):
    return {tuple(line.split("\t")[:2]): line.split("\t")[2] for line in re.sub(" *\t", "\t", text).splitlines()}


def test_official(out):
    lines = out("qrels", "run").splitlines()
    assert [line.replace(" ", "") for line in lines[:3]] == ["runid\tall\ttag", "num_q\tall\t2", "num_ret\tall\t5"]
    assert lines[5] == "map                   \tall\t0.5417"


def test_topics_and_no_summary(out):
    found = values(out("-q", "-n", "-m", "map", "-m", "relstring", "-m", "gm_map", "-m", "num_q", "qrels", "run"))
    assert found == {
        ("map", "q1"): "0.5833",
        ("relstring", "q1"): "'-12'",
        ("map", "q2"): "0.5000",
        ("relstring", "q2"): "'-1'",
    }


def test_a_document_that_was_pooled_but_not_judged(out):
    Path("run").write_text("q2 Q0 d 1 9 tag\nq2 Q0 e 2 8 tag\nq1 Q0 b 1 1 tag\n")
    found = values(out("-q", "-m", "relstring", "-m", "unj.2", "-m", "rbp_resid", "qrels", "run"))
    assert found["relstring", "q2"] == "'.-'"
    assert found["unj_2", "q2"] == "1.0000"
    assert found["rbp_resid", "q1"] == "0.0000"  # no tail, as no unjudged document was retrieved
    assert found["rbp_resid", "q2"] == "1.0000"


def test_a_run_that_lacks_a_topic(out):
    error = out("qrels", "short", code=4)
    assert error == (
        "assay: short: lacks 1 topic of the qrels (q2), where trec_eval 10.0 stops; "
        "add -c to count them as 0, or --profile 9.0.8 to omit them\n"
    )
    complete = values(out("-c", "-q", "-m", "map", "-m", "num_rel", "-m", "num_q", "-m", "utility", "qrels", "short"))
    assert complete["map", "q2"] == "0.0000"
    assert (complete["num_rel", "all"], complete["num_q", "all"], complete["map", "all"]) == ("3", "2", "0.2917")
    assert complete["utility", "q2"] == "0.0000"


def test_a_topic_that_the_run_lacks_has_one_unjudged_document(out):
    # trec_eval 10 resets what this document changes, but not under a name with parameters.
    measures = ["utility", "relstring", "rbp_resid", "unj", "num_ret"]
    found = values(out("-c", "-q", "-n", *(word for name in measures for word in ("-m", name)), "qrels", "short"))
    expected = {"utility": "0.0000", "relstring": "''", "rbp_resid": "0.0000", "unj_5": "0.0000", "num_ret": "0"}
    assert {name: found[name, "q2"] for name in expected} == expected
    measures = ["utility.2,-1,0,0", "relstring.5", "rbp_resid.p=0.5", "unj.1", "dcg.-1=3", "rbp.-1=0.5"]
    words = ["-c", "-q", "-n", *(word for name in measures for word in ("-m", name)), "qrels", "short"]
    found = values(out(*words))
    expected = {"utility_2,-1,0,0": "-1.0000", "relstring_5": "'-'", "rbp_resid_p=0.5": "1.0000", "unj_1": "0.0000"}
    expected |= {"dcg_-1=3": "3.0000", "rbp_-1=0.5": "0.0500"}
    assert {name: found[name, "q2"] for name in expected} == expected
    for flags in (["-J"], ["-M0"]):  # which leave nothing of it
        found = values(out(*flags, *words))
        expected = {
            "utility_2,-1,0,0": "0.0000",
            "relstring_5": "''",
            "rbp_resid_p=0.5": "0.0000",
            "dcg_-1=3": "0.0000",
        }
        assert {name: found[name, "q2"] for name in expected} == expected


def test_the_persistence_of_the_residual_of_rbp(out):
    found = values(out("-q", "-m", "rbp_resid.p=0.5", "qrels", "run"))
    assert found["rbp_resid_p=0.5", "q1"] == "0.6250"  # x is unjudged: 0.5, and the tail 0.125
    assert ("rbp_resid", "q1") not in found
    assert "write pairs such as rbp_resid.1=3" in out("-m", "rbp_resid.0.5", "qrels", "run", code=2)


def test_the_residual_of_rbp_is_added_up_as_in_trec_eval(out):
    # The mean is 0.87305 but for the last bit: another order of the same sum prints 0.8730.
    Path("qrels").write_text("q1 0 a 1\nq2 0 a 1\nq2 0 b 0\nq2 0 c 0\n")
    Path("run").write_text("q1 Q0 x 1 9 t\nq2 Q0 a 1 9 t\nq2 Q0 x 2 8 t\nq2 Q0 b 3 7 t\nq2 Q0 c 4 6 t\n")
    assert values(out("-m", "rbp_resid", "qrels", "run"))["rbp_resid", "all"] == "0.8731"


def test_a_run_that_lacks_a_topic_in_version_9(out):
    old = ("--profile", "9.0.8", "-q", "-m", "map", "-m", "gm_map", "-m", "num_rel", "-m", "num_q", "qrels", "short")
    found = values(out(*old))
    assert ("map", "q2") not in found
    assert (found["map", "all"], found["num_rel", "all"], found["num_q", "all"]) == ("0.5833", "2", "1")
    complete = values(out("-c", *old))
    assert ("map", "q2") not in complete
    assert (complete["map", "all"], complete["num_rel", "all"], complete["num_q", "all"]) == ("0.2917", "3", "2")
    assert complete["gm_map", "all"] == "0.0024"


def test_levels_of_relevance(out):
    found = values(out("-q", "-l2", "-m", "map", "-m", "ndcg", "-m", "Rndcg", "qrels", "run"))
    assert found["map", "q1"] == "0.3333"
    assert found["Rndcg", "q2"] == "0.0000"  # no document of that grade, though ndcg looks at all grades
    assert found["ndcg", "q2"] == "0.6309"
    assert values(out("-l2", "-m", "num_rel", "qrels", "run"))["num_rel", "all"] == "1"
    assert values(out("-l2", "-c", "-m", "num_rel", "qrels", "run"))["num_rel", "all"] == "3"  # -c forgets -l
    everything = values(out("-q", "-l0", "-m", "map", "-m", "num_rel", "-m", "bpref", "-m", "ndcg", "qrels", "run"))
    assert everything["num_rel", "q1"] == "3"
    assert everything["map", "q1"] == "0.3889"
    assert everything["bpref", "q1"] == "0.6667"
    assert everything["ndcg", "q2"] == "0.6309"


def test_judged_documents_only_and_the_top_only(out):
    assert values(out("-q", "-J", "-m", "map", "qrels", "run"))["map", "q1"] == "1.0000"
    assert values(out("-q", "-M1", "-m", "map", "qrels", "run"))["map", "q1"] == "0.0000"
    assert values(out("-q", "-M2", "-J", "-m", "map", "-m", "num_ret", "qrels", "run"))["num_ret", "q1"] == "1"


def test_nothing_left_is_not_a_number_as_in_c(out):
    Path("run").write_text("q1 Q0 x 1 9 tag\nq2 Q0 x 1 8 tag\n")
    found = values(out("-q", "-J", "-m", "iprec_at_recall.0,1", "-m", "11pt_avg", "-m", "map", "qrels", "run"))
    assert found["iprec_at_recall_0.00", "q1"] == "  -nan"
    assert found["iprec_at_recall_1.00", "q1"] == "0.0000"
    assert found["11pt_avg", "all"] == "  -nan"
    assert found["map", "q1"] == "0.0000"


def test_recall_levels_out_of_order(out):
    # trec_eval expects them ascending: 0.2 is above the level behind it and so counts as level 0, as does 0.1.
    Path("qrels").write_text("".join(f"q 0 d{i} 1\n" for i in range(10)))
    ranking = ["x", *(f"d{i}" for i in range(10))]
    Path("run").write_text("".join(f"q Q0 {doc} 0 {-i} tag\n" for i, doc in enumerate(ranking)))
    found = values(out("-q", "-m", "11pt_avg.0.1,0.2,0", "qrels", "run"))
    assert found["11pt_avg_0.1,0.2,0", "q"] == "0.9091"
    Path("run").write_text("".join(f"q Q0 {doc} 0 {-i} tag\n" for i, doc in enumerate(["d0", "x", "y", "d1"])))
    assert values(out("-m", "11pt_avg.0.1,0.2", "qrels", "run"))["11pt_avg_0.1,0.2", "all"] == "0.7500"
    assert values(out("-m", "11pt_avg.0.2,0.1", "qrels", "run"))["11pt_avg_0.2,0.1", "all"] == "1.0000"
    assert values(out("-m", "11pt_avg.0.1,0.9", "qrels", "run"))["11pt_avg_0.1,0.9", "all"] == "0.5000"


def test_versions_round_recall_levels_and_scores_in_their_own_way(out):
    Path("qrels").write_text("q 0 a 1\nq 0 b 1\nq 0 c 1\n")
    Path("run").write_text("q Q0 a 1 0.100000001 t\nq Q0 x 2 0.1000000001 t\nq Q0 y 3 0 t\nq Q0 b 4 -1 t\n")
    new = values(out("-m", "recip_rank", "-m", "iprec_at_recall.0.4", "qrels", "run"))
    old = values(out("--profile", "9.0.8", "-m", "recip_rank", "-m", "iprec_at_recall.0.4", "qrels", "run"))
    assert (new["recip_rank", "all"], old["recip_rank", "all"]) == ("1.0000", "0.5000")
    assert (new["iprec_at_recall_0.40", "all"], old["iprec_at_recall_0.40", "all"]) == ("1.0000", "0.5000")


def test_one_topic_of_the_debug_flag(out, capsys):
    found = values(out("-D", "0.q2", "-q", "-m", "map", "-m", "num_q", "qrels", "run"))
    assert found == {("map", "q2"): "0.5000", ("num_q", "all"): "1", ("map", "all"): "0.5000"}
    assert "-D: the qrels have no topic q9; they have q1, q2" in out("-D", "0.q9", "qrels", "run", code=7)
    assert main(["trec_eval", "-D1", "qrels", "run"]) == 0
    assert "-D: trec_eval's intermediate results are not printed" in capsys.readouterr().err


def test_utility_of_a_collection(out):
    found = values(out("-q", "-N10", "-m", "utility.0,0,-1,1", "qrels", "run"))
    assert found["utility_0,0,-1,1", "q2"] == "8.0000"


def test_what_follows_the_tag_is_passed_over(out):
    Path("run").write_text(RUN.replace("tag\n", "tag more columns\n", 2))
    assert values(out("qrels", "run"))["runid", "all"] == "tag"


def test_the_tag_of_the_last_line_names_the_run(out):
    Path("run").write_text(RUN.removesuffix("tag\n") + "last\n")
    assert values(out("qrels", "run"))["runid", "all"] == "last"


def test_grades_with_digits_behind_the_point_are_cut(out, capsys):
    Path("qrels").write_text(QRELS.replace("a 1", "a 1.9", 1))
    assert main(["trec_eval", "-q", "-m", "ndcg", "qrels", "run"]) == 0
    captured = capsys.readouterr()
    assert "qrels: 1 grade with decimals truncated to integers" in captured.err
    Path("qrels").write_text(QRELS)
    assert out("-q", "-m", "ndcg", "qrels", "run") == captured.out


def test_zscores(out):
    Path("z").write_text("# comment\nq1 map 0.5 0.1\nq1 num_ret 3 0\n\nq2 map 0.25 0.5\nq2 num_ret 1 0\n")
    found = values(out("-q", "-Z", "z", "-m", "map", "-m", "num_ret", "-m", "P.5", "-m", "relstring", "qrels", "run"))
    assert found["Zmap", "q1"] == "0.8333"
    assert found["Zmap", "all"] == "0.6667"
    assert found["Znum_ret", "q1"] == "0.0000"
    assert found["Znum_ret", "q2"] == "-1000000.0000"  # all runs had another value
    assert found["ZP_5", "q1"] == "-1000000.0000"  # not in the file
    assert found["relstring", "q1"] == "'-12'"
    Path("z").write_text("q1 map 0.5\n")
    assert "z:1: expected 4 columns (topic measure mean deviation), found 3" in out("-Z", "z", "qrels", "run", code=2)
    Path("z").write_text("q1 map high 1\n")
    assert "z:1: the number must be a finite number, found 'high'" in out("-Z", "z", "qrels", "run", code=2)
    Path("z").write_text("q1 map 0.5 1\nq1 map 0.6 1\n")
    assert "z:2: duplicate line for map of topic q1; remove one" in out("-Z", "z", "qrels", "run", code=2)
    Path("z").write_text("")
    assert "z: the file is empty" in out("-Z", "z", "qrels", "run", code=2)


def test_several_runs(out):
    text = out("-m", "runid", "-m", "map", "qrels", "run", "-c", "short")
    assert [line.split("\t")[2] for line in text.splitlines()] == ["tag", "0.5417", "tag", "0.2917"]


def test_a_file_for_each_run(out, capsys):
    Path("runs").mkdir()
    Path("run").rename("runs/a.run")
    Path("short").rename("runs/b.run")
    assert main(["trec_eval", "-c", "-q", "-m", "map", "qrels", "runs", "-o", "new/evals"]) == 0
    assert capsys.readouterr().out == ""
    for name in ("a", "b"):
        assert (
            out("-c", "-q", "-m", "map", "qrels", f"runs/{name}.run") == Path(f"new/evals/{name}.run.eval").read_text()
        )


def test_files_for_runs_that_cannot_be(out):
    Path("more").mkdir()
    Path("more/run").write_text(RUN)
    assert "two runs would be written to run.eval" in out("qrels", "run", "more/run", "-o", "dir", code=2)
    assert "-o run: is a file; name a directory" in out("qrels", "run", "-o", "run", code=2)
    Path("run.eval").write_text(QRELS)
    assert "-o .: run.eval is there and is read; name another directory" in out("run.eval", "run", "-o", ".", code=2)
    assert Path("run.eval").read_text() == QRELS


def test_standard_input(out, monkeypatch):
    import io

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(RUN.encode())))
    expected = out("qrels", "run")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(RUN.encode())))
    assert out("qrels", "-") == expected


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
def test_bad_runs(out, run, code, message):
    Path("run").write_text(run)
    assert message in out("qrels", "run", code=code)


UNSEEN = "duplicate documents in rows that are not evaluated: 1; ignored"


def test_a_duplicate_is_refused_only_where_trec_eval_looks(capsys):
    expected = {}
    for words in (["-q", "-m", "map"], ["-q", "-M3", "-m", "map"], ["-M1", "-m", "map"], ["-m", "num_q"]):
        assert main(["trec_eval", *words, "qrels", "run"]) == 0
        expected[" ".join(words)] = capsys.readouterr().out
    cases = {
        "q9 Q0 a 1 2 tag\nq9 Q0 a 2 1 tag\n": expected,  # a topic without judgments
        "q1 Q0 a 9 1 tag\n": ["-q -M3 -m map", "-M1 -m map", "-m num_q"],  # rank 4 of topic q1
        "q1 Q0 a 9 8 tag\n": ["-M1 -m map", "-m num_q"],  # rank 3, tied with the first
        "q1 Q0 x 1 9 tag\n": ["-M1 -m map", "-m num_q"],  # rank 2, tied with the first
    }
    for lines, accepted in cases.items():
        Path("again").write_text(RUN + lines)
        for words, printed in expected.items():
            code = 0 if words in accepted else 2
            assert main(["trec_eval", *words.split(), "qrels", "again"]) == code, (words, lines)
            captured = capsys.readouterr()
            assert captured.out == (printed if code == 0 else "")
            assert ("again: " + UNSEEN if code == 0 else "again:6: document") in captured.err


def test_duplicates_of_topics_that_are_left_out(capsys):
    Path("again").write_text(RUN + "q2 Q0 a 9 4 tag\n")
    assert main(["trec_eval", "-D", "0.q1", "-m", "map", "qrels", "again"]) == 0
    assert UNSEEN in capsys.readouterr().err
    assert main(["trec_eval", "-m", "map", "qrels", "again"]) == 2
    for layout in ("qrels_jg", "qrels_prefs"):
        assert main(["trec_eval", "-R", layout, "-m", "all", "-M1", "qrels", "run"]) == 0
        printed = capsys.readouterr().out
        assert main(["trec_eval", "-R", layout, "-m", "all", "-M1", "qrels", "again"]) == 0
        assert capsys.readouterr().out == printed
        assert main(["trec_eval", "-R", layout, "-m", "all", "-M3", "qrels", "again"]) == 2
        assert "again:6: document a was already retrieved for topic q2" in capsys.readouterr().err


def test_scores_that_are_tied_as_32_bit_numbers_decide_what_is_below_the_cutoff(out):
    Path("qrels").write_text("q 0 a 1\n")
    Path("run").write_text("q Q0 b 1 0.100000001 t\nq Q0 b 2 0.1 t\nq Q0 a 3 0.1000000001 t\n")
    assert values(out("-M2", "-m", "recip_rank", "qrels", "run"))["recip_rank", "all"] == "0.5000"
    assert "run:2: document b" in out("--profile", "9.0.8", "-M2", "-m", "recip_rank", "qrels", "run", code=2)


@pytest.mark.parametrize("order", ["sorted", "scattered"])
def test_a_large_run_is_read_in_chunks_with_the_same_output(out, monkeypatch, order):
    rows = [f"{topic} Q0 d{doc} 1 {doc * 7 % 11} x" for topic in range(8) for doc in range(30)]
    rows += ["left-out Q0 d1 1 2 x", "left-out Q0 d1 1 2 x"]  # a duplicate where trec_eval does not look
    rows = rows if order == "sorted" else rows[::3] + rows[1::3] + rows[2::3]
    Path("qrels").write_text("".join(f"{topic} 0 d{doc} {doc % 3}\n" for topic in range(8) for doc in range(20)))
    Path("run").write_text("".join(f"{row} more columns\n" if len(row) % 2 else f"{row}\n" for row in rows))
    Path("plain").write_text("".join(f"{row}\n" for row in rows))
    whole = [out("-q", "qrels", name) for name in ("run", "plain")]
    default = joining.default_budget
    monkeypatch.setattr(joining, "default_budget", lambda directory: replace(default(directory), chunk=300))
    assert [out("-q", "qrels", name) for name in ("run", "plain")] == whole


def test_eval_refuses_every_duplicate(capsys):
    Path("again").write_text(RUN + "q9 Q0 a 1 2 tag\nq9 Q0 a 2 1 tag\n")
    assert main(["eval", "qrels", "again", "-m", "AP"]) == 2
    assert "again:7: document a was already retrieved for topic q9 (first: line 6)" in capsys.readouterr().err
    assert main(["eval", "qrels", "again", "-m", "AP", "--lenient"]) == 0
    assert "duplicate documents, first kept: 1" in capsys.readouterr().err


def test_a_grade_is_read_up_to_its_exponent(out, capsys):
    Path("qrels").write_text(QRELS)
    expected = out("-q", "-m", "all_trec", "qrels", "run")
    judges = out("-q", "-R", "qrels_jg", "-m", "qrels_jg", "qrels", "run")
    Path("qrels").write_text(QRELS.replace("q1 0 a 1", "q1 0 a 1e2").replace("c 2\n", "c 2E-1 \r\n"))
    for words, printed in (["-m", "all_trec"], expected), (["-R", "qrels_jg", "-m", "qrels_jg"], judges):
        assert main(["trec_eval", "-q", *words, "qrels", "run"]) == 0
        captured = capsys.readouterr()
        assert captured.out == printed
        assert "qrels: exponent of 2 grades ignored (1e2 is read as 1), as trec_eval does" in captured.err
    Path("qrels").write_text("q1e5 0 d1e3 1\nq1 0 a e5\n")
    assert "qrels:2: the grade must be a finite number, found 'e5'" in out("qrels", "run", code=2)


def test_a_byte_order_mark_is_ignored_with_a_note(capsys):
    assert main(["trec_eval", "-q", "qrels", "run"]) == 0
    expected = capsys.readouterr().out
    Path("marked").write_bytes(b"\xef\xbb\xbf" + RUN.encode())
    Path("marked.qrels").write_bytes(b"\xef\xbb\xbf" + QRELS.encode())
    assert main(["trec_eval", "-q", "marked.qrels", "marked"]) == 0
    captured = capsys.readouterr()
    assert captured.out == expected
    assert "marked: byte order mark ignored; trec_eval would read it as part of the first topic" in captured.err
    assert "marked.qrels: byte order mark ignored" in captured.err


def test_nothing_in_common_in_version_9(out):
    Path("run").write_text("q9 Q0 a 1 2 t\n")
    assert "run: shares no topic with the qrels" in out("--profile", "9.0.8", "qrels", "run", code=7)


def test_a_topic_with_negative_grades_only(out):
    Path("qrels").write_text(QRELS.replace("q2 0 a 1\n", ""))
    found = values(out("-q", "-m", "all_trec", "qrels", "run"))
    of_topic = {name: value for (name, topic), value in found.items() if topic == "q2"}
    others = {"num_ret": "2", "relstring": "'--'", "utility": "-2.0000", "rbp_resid": "1.0000", "unj_5": "0.4000"}
    others |= {"unj_10": "0.2000", "unj_20": "0.1000"}
    assert {name: value for name, value in of_topic.items() if value not in ("0", "0.0000")} == others
    assert found["map", "all"] == "0.2917"


def test_a_first_topic_with_negative_grades_only(out):
    # trec_eval stops: it has no memory for grades yet.
    Path("qrels").write_text(QRELS.replace("q1 0 a 1\nq1 0 b 0\nq1 0 c 2\n", "q1 0 a -1\n"))
    message = "qrels: topic q1, the first to be evaluated, has only negative grades, where trec_eval stops"
    assert message in out("qrels", "run", code=4)
    assert values(out("-m", "num_q", "qrels", "run"))["num_q", "all"] == "2"
    assert values(out("-D", "0.q2", "-m", "map", "qrels", "run"))["map", "all"] == "0.5000"
    Path("run").write_text(RUN.replace("q1", "q9"))
    assert values(out("--profile", "9.0.8", "-m", "map", "qrels", "run"))["map", "all"] == "0.5000"


def test_missing_files(out):
    assert "nothing: no such file" in out("qrels", "nothing", code=2)
    assert "nothing: no such file" in out("nothing", "run", code=2)


def test_the_version_and_the_help(capsys):
    assert main(["trec_eval", "-v"]) == 0
    assert re.fullmatch(r"trec_eval version 10.0 \(assay .*\)\n", capsys.readouterr().err)
    for flag in ("-h", "--help"):
        assert main(["trec_eval", flag, "-m", "set"]) == 0
        help_text = capsys.readouterr().out
        assert EXAMPLES in help_text
        assert "set_F " in help_text
    assert main(["trec_eval", "-h"]) == 0
    assert "add -m all_trec" in capsys.readouterr().out


def test_options_are_completed(capsys):
    assert main(["completion", "bash"]) == 0
    assert "--level_for_rel" in capsys.readouterr().out


def test_unicode_ids_are_ordered_by_their_bytes(out):
    Path("qrels").write_text("é 0 日本 1\nz 0 ü 1\n10 0 a 1\n9 0 a 1\n")
    Path("run").write_text(
        "é Q0 日本 1 1 t\né Q0 abc 2 1 t\nz Q0 zz 1 1 t\nz Q0 ü 2 1 t\n9 Q0 a 1 1 t\n10 Q0 a 1 1 t\n"
    )
    found = values(out("-q", "-n", "-m", "recip_rank", "qrels", "run"))
    assert [topic for _, topic in found] == ["10", "9", "z", "é"]
    assert found["recip_rank", "é"] == "1.0000"  # larger bytes first, as both scores are equal
    assert found["recip_rank", "z"] == "1.0000"


def test_numbers_out_of_proportion(out):
    found = values(out("-q", "-M", "9" * 20, "-m", f"map_cut.{'9' * 20}", "-m", "relstring.1e30", "qrels", "run"))
    assert found[f"map_cut_{10**15}", "q1"] == "0.5833"
    assert found["relstring_1e30", "q1"] == "'-12'"
    assert values(out("-m", "iprec_at_recall.1e300", "qrels", "run"))[("iprec_at_recall_10000000", "all")] == "0.0000"
    assert values(out("-m", "11pt_avg.1e300", "qrels", "run"))["11pt_avg_1e300", "all"] == "0.0000"
    assert "-m set_F: expected a number as parameter, found '1e400'" in out("-m", "set_F.1e400", "qrels", "run", code=2)


def test_every_document_relevant_and_none_with_a_gain(out):
    Path("qrels").write_text("q 0 a 0\n")
    Path("run").write_text("q Q0 a 1 1 t\n")
    assert values(out("-l0", "-m", "Rndcg", "qrels", "run"))["Rndcg", "all"] == "  -nan"
    assert values(out("-l1", "-m", "Rndcg", "qrels", "run"))["Rndcg", "all"] == "0.0000"


def test_names_of_gains_that_are_no_grades(out, capsys):
    words = ["-q", "-n", "-m", "ndcg.1.5=9,a=3", "qrels", "run"]
    old = values(out("--profile", "9.0.8", *words))
    assert (
        old["ndcg_1.5=9,a=3", "q1"]
        == values(out("-q", "-n", "-m", "ndcg.1=9,0=3", "qrels", "run"))["ndcg_1=9,0=3", "q1"]
    )
    assert main(["trec_eval", *words]) == 0
    captured = capsys.readouterr()
    assert "-m ndcg.1.5=9,a=3: 1.5 is not a grade; ignored" in captured.err
    assert values(captured.out)["ndcg_1.5=9,a=3", "q1"] == values(out("-q", "-m", "ndcg", "qrels", "run"))["ndcg", "q1"]


@pytest.mark.parametrize(
    ("words", "note"),
    [
        (["-m", "P.5", "-m", "P.10", "qrels", "run"], "-m P.10: ignored; the first parameters of P apply (5)"),
        (["-c", "-m", "map", "qrels", "run", "short"], "several runs: add -m runid to tell them apart"),
        (["-c", "-R", "qrels_jg", "-m", "qrels_jg", "qrels", "short"], "short: lacks 1 of the 2 topics of the qrels"),
        (["-R", "qrels_jg", "-m", "qrels_jg", "fraction", "run"], "fraction: 1 grade with decimals truncated"),
        (["-R", "qrels_prefs", "-m", "prefs", "qrels", "foreign"], "foreign: 1 topic without judgments ignored"),
    ],
)
def test_notes(words, note, capsys):
    Path("fraction").write_text(QRELS.replace("c 2", "c 1.9"))
    Path("foreign").write_text(RUN + "q9 Q0 a 1 1 tag\n")
    assert main(["trec_eval", *words]) == 0
    assert note in capsys.readouterr().err


@pytest.mark.parametrize(("written", "hint"), [("ndcg_cut_10", "ndcg_cut.10"), ("P@5", "P.5")])
def test_names_as_they_are_printed(out, written, hint):
    assert f"-m {written}: trec_eval has no such measure; write {hint}" in out("-m", written, "qrels", "run", code=1)


def test_closed_standard_input(out, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    assert "standard input: is closed" in out("qrels", "-", code=2)


def test_huge_grades(out):
    Path("qrels").write_text("q 0 a 100000000\nq 0 b 1\nq 0 c 0\n")
    Path("run").write_text("q Q0 b 1 3 t\nq Q0 a 2 2 t\nq Q0 c 3 1 t\n")
    found = values(out("-q", "-m", "all_trec", "qrels", "run"))
    assert found["ndcg", "q"] == "0.6309"
    assert found["relstring", "q"] == "'1>0'"
    assert found["rbp", "q"] == "0.0900"


def test_topics_are_evaluated_in_blocks_without_a_difference(out, monkeypatch):
    Path("qrels").write_text("".join(f"t{i:02} 0 d{j} {(i * j) % 3}\n" for i in range(23) for j in range(5)))
    Path("run").write_text("".join(f"t{i:02} Q0 d{(i + j) % 7} 0 {-j} tag\n" for i in range(23) for j in range(4)))
    Path("more").write_text("".join(f"t{i:02} Q0 d{j} 0 {j} more\n" for i in range(23) for j in range(5)))
    whole = out("-q", "-m", "all_trec", "qrels", "run", "more")
    for size in (1, 5, 22, 23, 24, 46):
        monkeypatch.setattr("assay.compat.trec_eval.evaluation._BLOCK", size)
        assert out("-q", "-m", "all_trec", "qrels", "run", "more") == whole


def test_judges_and_preferences(out):
    Path("qrels").write_text("q 1 a 1\nq 1 b 0\nq 2 a 0\nq 2 b 1\nr 1 a 1\n")
    Path("run").write_text("q Q0 a 1 2 tag\nq Q0 b 2 1 tag\n")
    found = values(
        out("-c", "-q", "-R", "qrels_jg", "-m", "map_avgjg", "-m", "P_avgjg.1", "-m", "num_q", "qrels", "run")
    )
    assert found["map_avgjg", "q"] == "0.7500"
    assert (found["P_avgjg_1", "q"], found["P_avgjg_1", "all"], found["num_q", "all"]) == ("0.5000", "0.2500", "2")
    assert "lacks 1 topic" in out("-R", "qrels_jg", "-m", "qrels_jg", "qrels", "run", code=4)
    old = values(out("--profile", "9.0.8", "-R", "qrels_prefs", "-m", "prefs", "qrels", "run"))
    assert (old["num_q", "all"], old["prefs_simp", "all"]) == ("1", "0.5000")
    Path("z").write_text("q map_avgjg 0.5 0.5\n")
    assert (
        values(out("-c", "-q", "-Z", "z", "-R", "qrels_jg", "-m", "map_avgjg", "qrels", "run"))["Zmap_avgjg", "q"]
        == "0.5000"
    )
    assert "-m map: needs -R qrels, not -R prefs" in out("-R", "prefs", "-m", "map", "qrels", "run", code=4)
    assert "qrels:1: expected 5 columns" in out("-R", "prefs", "-m", "prefs", "qrels", "run", code=2)


def test_no_directory_is_left_when_nothing_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q").write_text("1 0 a 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 1 x\n")
    assert main(["trec_eval", "q", "nowhere", "-o", "new/evals"]) != 0
    assert not (tmp_path / "new").exists()

    def full(*_words):
        raise InputError("evals/r.eval: cannot be written (No space left on device)")

    monkeypatch.setattr("assay.cli.trec_eval.write_file", full)
    assert main(["trec_eval", "q", "r", "-o", "new/evals"]) == 2
    assert not (tmp_path / "new").exists()
    (tmp_path / "old").mkdir()
    assert main(["trec_eval", "q", "r", "-o", "old"]) == 2
    assert (tmp_path / "old").exists()

"""Byte for byte what trec_eval prints: its own tests, and all runs of a campaign."""

import gzip
import shlex
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

from assay.cli import main
from real_data import real

# Arguments of trec_eval's own tests, and the file that holds what it prints.
COMMANDS = """\
qrels.test results.test -> out.test
qrels.test.with-comments results.test -> out.test
qrels.comment.test results.comment.test -> out.comment.test
-m all_trec qrels.test results.test -> out.test.a
-m all_trec -q qrels.test results.test -> out.test.aq
-m all_trec -q -c qrels.test results.trunc -> out.test.aqc
-m all_trec -q -c -M100 qrels.test results.trunc -> out.test.aqcM
-m all_trec -mrelstring.20 -q -l2 qrels.rel_level results.test -> out.test.aql
-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 -m Rprec_mult.5.0,0.2,0.35 -mutility.2,-1,0,0 \
-m 11pt_avg..25,.5,.75 -mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4 -msuccess.2,5,20 qrels.test results.test \
-> out.test.meas_params
-q -m all_trec -Z zscores_file qrels.test results.test -> out.test.aqZ
-m all_prefs -q -R prefs prefs.test prefs.results.test -> out.test.prefs
-m all_prefs -q -R prefs prefs.comment.test prefs.results.test -> out.test.prefs
-m all_prefs -q -R qrels_prefs qrels.test results.test -> out.test.qrels_prefs
-m qrels_jg -q -R qrels_jg qrels.123 results.test -> out.test.qrels_jg
-m qrels_jg -q -R qrels_jg qrels.comments.123 results.test -> out.test.qrels_jg
""".splitlines()


@pytest.mark.parametrize("command", COMMANDS)
def test_its_own_tests(command, capsys, monkeypatch):
    words, expected = command.split("->")
    monkeypatch.chdir(real("trec_eval-test"))
    assert main(["trec_eval", *shlex.split(words)]) == 0
    assert capsys.readouterr().out.encode() == Path(expected.strip()).read_bytes()


def test_all_runs_of_trec_8(tmp_path):
    campaign = real("trec8-adhoc")
    published = sorted((campaign / "published-trec_eval").glob("eval.*.gz"))
    words = ["-q", "-m", "all_trec", str(campaign / "qrels.trec8.adhoc.txt.gz"), str(campaign / "runs")]
    assert main(["trec_eval", *words, "-o", str(tmp_path)]) == 0
    others = []
    for path in published:
        name = path.name.removeprefix("eval.").removesuffix(".gz")
        ours = (tmp_path / f"input.{name}.eval").read_bytes()
        others += [name] if ours != gzip.decompress(path.read_bytes()) else []
    assert (len(published), others) == (129, [])


def printed_by_pytrec_eval(qrels: Path, run: Path) -> dict[tuple[str, str], str]:
    """What trec_eval 9 would print: values per topic, and their summary."""
    with gzip.open(qrels, "rt") as judgments, gzip.open(run, "rt") as results:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(judgments), pytrec_eval.supported_measures)
        found = evaluator.evaluate(pytrec_eval.parse_run(results))
    lines = {}
    for name in next(iter(found.values())):
        whole = name.startswith("num_")
        # Added one by one in the order of the topics, as trec_eval does: where the mean is half a digit, it matters.
        total = np.cumsum([found[topic][name] for topic in sorted(found)])[-1]
        mean = total / len(found)
        together = total if whole else np.exp(mean) if name.startswith("gm_") else mean
        for topic, value in [*((topic, found[topic][name]) for topic in found), ("all", together)]:
            lines[name, topic] = f"{value:.0f}" if whole else f"{value:.4f}"
    return lines


def runs_of_version_9():
    folders = [("robust03", "qrels.robust03.txt.gz", "*"), ("trec8-adhoc", "qrels.trec8.adhoc.txt.gz", "*uwmt8a0*")]
    try:
        return [
            pytest.param(real(folder, qrels), path, id=path.name)
            for folder, qrels, runs in folders
            for path in sorted(real(folder, "runs").glob(runs))
        ]
    except pytest.skip.Exception as absent:
        return [pytest.param(None, None, marks=pytest.mark.skip(reason=str(absent)))]


@pytest.mark.parametrize(("qrels", "run"), runs_of_version_9())
def test_version_9_is_pytrec_eval(qrels, run, capsys):
    assert main(["trec_eval", "--profile", "9.0.8", "-q", "-m", "all_trec", str(qrels), str(run)]) == 0
    ours = {
        (name.strip(), topic): value
        for name, topic, value in (line.split("\t") for line in capsys.readouterr().out.splitlines())
    }
    expected = printed_by_pytrec_eval(qrels, run)
    not_printed = {"runid", "relstring"}  # texts, which pytrec_eval has as 0
    only_summary = {"num_q", "gm_map", "gm_bpref"}
    others = [
        (key, value, ours.get(key))
        for key, value in expected.items()
        if key[0] not in not_printed and (key[1] == "all" or key[0] not in only_summary) and ours.get(key) != value
    ]
    assert others == []


def test_the_same_bytes_each_time(capsys):
    folder = real("trec_eval-test")
    words = ["-q", "-m", "all", str(folder / "qrels.rel_level"), str(folder / "results.test")]
    texts = set()
    for _ in range(5):
        assert main(["trec_eval", *words]) == 0
        texts.add(capsys.readouterr().out)
    assert len(texts) == 1

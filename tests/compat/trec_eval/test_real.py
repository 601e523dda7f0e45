"""Byte-for-byte comparison with trec_eval: its own tests, and all runs of TREC-8."""

import gzip
import shlex
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

from assay.cli import main
from real_data import real

# Arguments of trec_eval's own tests, and the file with the expected output.
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
def test_tests_of_trec_eval(command, capsys, monkeypatch):
    arguments, expected = command.split("->")
    monkeypatch.chdir(real("trec_eval-test"))
    assert main(["trec_eval", *shlex.split(arguments)]) == 0
    assert capsys.readouterr().out.encode() == Path(expected.strip()).read_bytes()


def test_all_runs_of_trec_8(tmp_path):
    campaign = real("trec8-adhoc")
    published = sorted((campaign / "published-trec_eval").glob("eval.*.gz"))
    arguments = ["-q", "-m", "all_trec", str(campaign / "qrels.trec8.adhoc.txt.gz"), str(campaign / "runs")]
    assert main(["trec_eval", *arguments, "-o", str(tmp_path)]) == 0
    different = []
    for path in published:
        name = path.name.removeprefix("eval.").removesuffix(".gz")
        ours = (tmp_path / f"input.{name}.eval").read_bytes()
        different += [name] if ours != gzip.decompress(path.read_bytes()) else []
    assert (len(published), different) == (129, [])


def render_with_pytrec_eval(qrels: Path, run: Path) -> dict[tuple[str, str], str]:
    """Render the values per topic and the summary as trec_eval 9 prints them."""
    with gzip.open(qrels, "rt") as judgments, gzip.open(run, "rt") as results:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(judgments), pytrec_eval.supported_measures)
        values = evaluator.evaluate(pytrec_eval.parse_run(results))
    lines = {}
    for name in next(iter(values.values())):
        is_count = name.startswith("num_")
        # Values are added in the order of topics, as in trec_eval: the order can change the last printed digit.
        total = np.cumsum([values[topic][name] for topic in sorted(values)])[-1]
        mean = total / len(values)
        summary = total if is_count else np.exp(mean) if name.startswith("gm_") else mean
        for topic, value in [*((topic, values[topic][name]) for topic in values), ("all", summary)]:
            lines[name, topic] = f"{value:.0f}" if is_count else f"{value:.4f}"
    return lines


def list_runs_of_version_9():
    folders = [("robust03", "qrels.robust03.txt.gz", "*"), ("trec8-adhoc", "qrels.trec8.adhoc.txt.gz", "*uwmt8a0*")]
    try:
        return [
            pytest.param(real(folder, qrels), path, id=path.name)
            for folder, qrels, runs in folders
            for path in sorted(real(folder, "runs").glob(runs))
        ]
    except pytest.skip.Exception as error:
        return [pytest.param(None, None, marks=pytest.mark.skip(reason=str(error)))]


@pytest.mark.parametrize(("qrels", "run"), list_runs_of_version_9())
def test_profile_9_matches_pytrec_eval(qrels, run, capsys):
    assert main(["trec_eval", "--profile", "9.0.8", "-q", "-m", "all_trec", str(qrels), str(run)]) == 0
    ours = {
        (name.strip(), topic): value
        for name, topic, value in (line.split("\t") for line in capsys.readouterr().out.splitlines())
    }
    expected = render_with_pytrec_eval(qrels, run)
    texts = {"runid", "relstring"}  # pytrec_eval reports these texts as 0
    summary_only = {"num_q", "gm_map", "gm_bpref"}
    different = [
        (key, value, ours.get(key))
        for key, value in expected.items()
        if key[0] not in texts and (key[1] == "all" or key[0] not in summary_only) and ours.get(key) != value
    ]
    assert different == []


def test_output_is_deterministic(capsys):
    folder = real("trec_eval-test")
    arguments = ["-q", "-m", "all", str(folder / "qrels.rel_level"), str(folder / "results.test")]
    outputs = set()
    for _ in range(5):
        assert main(["trec_eval", *arguments]) == 0
        outputs.add(capsys.readouterr().out)
    assert len(outputs) == 1

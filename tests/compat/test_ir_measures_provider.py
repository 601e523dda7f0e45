"""The provider of assay for ir_measures and PyTerrier."""

import doctest
import importlib
import io
import subprocess
import sys
from contextlib import redirect_stdout

import ir_measures
import pandas as pd
import pytest
from ir_measures import AP, ERR, RR, NumRet, P, alpha_nDCG, nDCG

import assay
from assay.errors import InputError, MeasureError

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 0, "d": 1}, "q3": {"e": 2}}
RUN = {"q1": {"b": 3.0, "a": 2.0, "x": 2.0, "c": 1.0}, "q2": {"d": 1.0, "a": 1.0}, "q9": {"z": 1.0}}
MEASURES = [AP, nDCG @ 10, P(rel=2) @ 2, RR, RR @ 10, ERR @ 20, NumRet, AP(judged_only=True)]


@pytest.fixture
def compat():
    """The module with the provider registered; afterwards the providers of ir_measures are as before."""
    module = importlib.import_module("assay.compat.ir_measures")
    module.register()
    yield module
    module.unregister()


@pytest.fixture
def values(compat):
    return {(metric.query_id, metric.measure): metric.value for metric in ir_measures.iter_calc(MEASURES, QRELS, RUN)}


def tabulate(table, value):
    rows = [(topic, doc, number) for topic, docs in table.items() for doc, number in docs.items()]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", value])


def test_values_are_those_of_assay(values):
    results = assay.evaluate(QRELS, RUN, MEASURES)
    rows = zip(MEASURES, results.measures, strict=True)
    expected = {
        (row["topic"], theirs): row["value"]
        for theirs, ours in rows
        for row in results.select(measures=ours).frame().to_dicts()
    }
    assert values == expected


@pytest.mark.parametrize("form", ["frame", "tuples", "generator"])
def test_types_of_input(values, form):
    qrels, run = tabulate(QRELS, "relevance"), tabulate(RUN, "score")
    if form != "frame":
        qrels = [ir_measures.Qrel(*row) for row in qrels.itertuples(index=False)]
        run = [ir_measures.ScoredDoc(*row) for row in run.itertuples(index=False)]
    if form == "generator":
        qrels, run = iter(qrels), iter(run)
    again = {(metric.query_id, metric.measure): metric.value for metric in ir_measures.iter_calc(MEASURES, qrels, run)}
    assert again == values


def test_one_order_of_ties_for_all_measures(compat):
    tied = {"q2": {"a": 1.0, "d": 1.0}}
    judged = {"q2": QRELS["q2"]}
    assert ir_measures.calc_aggregate([RR, RR @ 10], judged, tied) == {RR: 1.0, RR @ 10: 1.0}
    compat.register(ties="expected")
    assert ir_measures.calc_aggregate([RR, RR @ 10], judged, tied) == {RR: 0.75, RR @ 10: 0.75}
    compat.unregister()
    assert ir_measures.calc_aggregate([RR, RR @ 10], judged, tied) == {RR: 1.0, RR @ 10: 0.5}


def test_unregister_restores_the_providers():
    module = importlib.import_module("assay.compat.ir_measures")
    module.unregister()
    before, names = ir_measures.DefaultPipeline.providers, set(ir_measures.providers.registry)
    module.register()
    module.register(ties="expected")
    assert [one.NAME for one in ir_measures.DefaultPipeline.providers].count("assay") == 1
    module.unregister()
    assert ir_measures.DefaultPipeline.providers == before
    assert set(ir_measures.providers.registry) == names


def test_other_measures_go_to_other_providers(compat):
    own = ir_measures.define_byquery(lambda qrels, run: 7.0, name="AP")
    assert {metric.query_id: metric.value for metric in ir_measures.iter_calc([own], QRELS, RUN)}["q1"] == 7.0
    provider = ir_measures.providers.registry["assay"]
    assert not provider.supports(alpha_nDCG @ 10)
    assert provider.supports(AP @ 5)
    with pytest.raises(MeasureError):
        provider.calc_aggregate([alpha_nDCG @ 10], QRELS, RUN)


def test_measures_of_assay(compat):
    twist, count = compat.define("Twist"), compat.define("NumRelRet")
    values = ir_measures.calc_aggregate([twist, count, AP], QRELS, RUN)
    means = dict(assay.evaluate(QRELS, RUN, ["Twist", "NumRelRet", "AP"]).means().select("measure", "value").rows())
    assert {str(name): value for name, value in values.items()} == pytest.approx(means)
    with pytest.raises(MeasureError, match=r"GM\(AP\).*evaluate"):
        compat.define("GM(AP)")


def test_a_run_without_documents_has_the_default_values(compat):
    run = tabulate({}, "score")
    assert ir_measures.calc_aggregate([AP, NumRet], QRELS, run) == {AP: 0.0, NumRet: 0}


@pytest.mark.parametrize(
    ("qrels", "run", "problem"),
    [
        (QRELS, {"x": {"a": 1.0}}, "shares no topic"),
        (QRELS, [ir_measures.ScoredDoc("q1", "a", 1.0), ir_measures.ScoredDoc("q1", "a", 2.0)], "a.*q1|q1.*a"),
        (QRELS, pd.DataFrame({"query_id": ["q1"], "doc_id": ["a"]}), "score"),
        (QRELS, {"q1": {"a": float("nan")}}, "nan"),
    ],
)
def test_bad_input(compat, qrels, run, problem):
    with pytest.raises(InputError, match=problem):
        ir_measures.calc_aggregate([AP], qrels, run)


def test_examples(compat):
    output = io.StringIO()
    with redirect_stdout(output):
        failed, attempted = doctest.testmod(compat)
    assert attempted
    assert not failed, output.getvalue()


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="ir_measures uses ast.Num, which Python 3.14 lacks")
def test_the_command(tmp_path):
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\n")
    (tmp_path / "tied.run").write_text("q1 Q0 a 1 1.0 r\nq1 Q0 b 2 1.0 r\n")
    command = [sys.executable, "-m", "assay.compat.ir_measures", "qrels.txt", "tied.run", "RR@10", "RR"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "RR@10\t0.5000\nRR\t0.5000\n"


def test_import_without_ir_measures():
    code = "import sys; sys.modules['ir_measures'] = None; import assay.compat.ir_measures"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "DependencyError" in done.stderr
    assert "ir-measures" in done.stderr

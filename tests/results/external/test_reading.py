"""Reading values: formats, names, directions, missing and repeated values, hostile input."""

import gzip
import json
import sys

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pytest
import pytrec_eval

import assay
from assay.errors import AssayError, InputError
from assay.results.external.measures import ExternalMeasure, is_known_name

read = assay.Results.read
TREC_EVAL = "map\tq1\t0.5000\nP_5\tq1\t0.2000\nmap\tq2\t0.3000\nP_5\tq2\t0.4000\nrunid\tall\tbm25\nmap\tall\t0.4000\n"
TIDY = "run,topic,measure,value\na,q1,AP,0.5\na,q2,AP,0.25\nb,q1,AP,0.75\nb,q2,AP,0.5\n"
DICT = {"q1": {"map": 0.5, "P_5": 0.2}, "q2": {"map": 0.3, "P_5": 0.4}}


def write(folder, name, text):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def values(results, measure="AP"):
    return {run: results.matrix(measure)[i].tolist() for i, run in enumerate(results.runs)}


# Formats --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        TREC_EVAL,
        TREC_EVAL.replace("\n", "\r\n"),
        TREC_EVAL.replace("\n", "\r\n", 2),
        "\ufeff" + TREC_EVAL,
        TREC_EVAL.replace("\t", "   "),
        TREC_EVAL.replace("map", "map                   ") + "\n\n",
    ],
)
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_text_of_trec_eval(tmp_path, text, compress):
    name = "x.eval" if compress is bytes else "x.eval.gz"
    results = read(write(tmp_path, name, compress(text.encode())))
    assert (results.runs, results.topics, list(map(str, results.measures))) == (
        ("bm25",),
        ("q1", "q2"),
        ["AP", "P@5"],
    )
    assert values(results) == {"bm25": [0.5, 0.3]}
    [note] = results.notes
    assert note.startswith("values are rounded to multiples of 0.0001, which changes a difference")


def test_provenance_has_no_policies(tmp_path):
    path = write(tmp_path, "x.eval", TREC_EVAL)
    provenance = read(path).provenance.as_dict()
    [entry] = provenance["inputs"]
    assert entry["sha256"] is not None
    del entry["sha256"]
    expected = {"role": "values", "name": "bm25", "source": str(path), "format": "trec_eval", "resolution": 0.0001}
    assert entry == expected
    assert "policies" not in provenance
    assert provenance["settings"] == {"missing": "error"}


def test_a_different_mean_in_the_file_is_noted(tmp_path):
    text = TREC_EVAL.replace("all\t0.4000", "all\t0.3500") + "num_ret\tq1\t10\nnum_ret\tq2\t10\nnum_ret\tall\t30\n"
    notes = read(write(tmp_path, "x.eval", text)).notes
    note = "map: the file's own mean is 0.35, that of its 2 topics 0.4: topics may be missing (also 1 other measures)"
    assert any(note in one for one in notes)
    assert not any("topics may be missing" in one for one in read(tmp_path / "x.eval", measures="P@5").notes)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.tsv", "AP\t0.4\nP@5\t0.3\n"),
        ("x.eval", "map\tall\t0.4\n"),
        ("x.jsonl", '{"measure": "AP", "value": 0.4}\n{"measure": "P@5", "value": 0.3}\n'),
        ("x.csv", "run,measure,topic,value\na,AP,all,0.4\n"),
    ],
)
def test_means_only_are_refused(tmp_path, name, text):
    with pytest.raises(InputError, match=f"{name}.*(means only|usually is a mean)"):
        read(write(tmp_path, name, text))


def test_wide_tables(tmp_path):
    text = "system\tqid\tAP\tlatency ms\nx\t1\t0.5\t31\nx\t01\t0.25\t\ny\t1\t1\t20\ny\t01\t0\t30\n"
    results = read(write(tmp_path, "w.tsv", text), lower="latency ms", missing="common")
    assert values(results) == {"x": [0.25, 0.5], "y": [0.0, 1.0]}
    assert results.find_measure("latency ms") == ExternalMeasure(label="latency ms", direction="lower")
    assert np.isnan(results.matrix("latency ms")[:, 0]).all()
    with pytest.raises(InputError, match=r"w2\.tsv: column 'category' contains text, such as 'news'.*remove it"):
        read(write(tmp_path, "w2.tsv", "topic\tAP\tcategory\n1\t0.5\tnews\n"))


@pytest.mark.parametrize("convert", [pl.DataFrame, pd.DataFrame, lambda rows: pl.DataFrame(rows).to_arrow()])
def test_frames(convert):
    rows = {"model": ["a", "b"], "query_id": [7, 7], "metric": ["AP", "AP"], "score": [0.5, 0.25]}
    results = read(convert(rows))
    assert (results.topics, values(results)) == (("7",), {"a": [0.5], "b": [0.25]})


def test_fractional_ids_are_refused():
    with pytest.raises(InputError, match=r"column 'topic' \(topic\) is Float64; write text"):
        read(pl.DataFrame({"run": ["a"], "topic": [1.0], "measure": ["AP"], "value": [0.5]}))


def test_dicts_of_pytrec_eval_and_ranx(tmp_path):
    ranx = {"map": {"q1": 0.5, "q2": 0.3}, "precision@5": {"q1": 0.2, "q2": 0.4}}
    results = [read(DICT), read({"run": DICT}), read(ranx), read({"run": ranx})]
    for content in (DICT, {"run": ranx}):
        results.append(read(write(tmp_path, "run.json", json.dumps(content))))
    for one in results:
        assert (one.runs, values(one), values(one, "P@5")) == (("run",), {"run": [0.5, 0.3]}, {"run": [0.2, 0.4]})
    assert read({"a": DICT, "b": DICT}).runs == ("a", "b")
    assert read([{"a": DICT}, {"b": DICT}]).runs == ("a", "b")


def test_a_topic_without_values_in_a_dict():
    results = read({"a": {"q1": {}, "q2": {"map": 0.5}}, "b": {"q2": {"map": 0.25}}})
    assert (results.topics, values(results)) == (("q2",), {"a": [0.5], "b": [0.25]})


def test_geometric_means_of_pytrec_eval_are_logarithms():
    results = read({"q1": {"gm_map": np.log(0.5)}, "q2": {"gm_map": np.log(0.125)}})
    assert results.overall() == pytest.approx(np.array([[0.25]]))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({}, "levels"),
        ({"q1": 0.5}, "got a dict of 1 level"),
        ({"a": {}, "b": {"q1": {"map": 0.5}}}, "run 'a' has no values; remove it"),
        ({"map": np.array([0.5, 0.25])}, r"arrays without topic ids; use .*run\.scores"),
        ({"metrics": ["map"], "model_names": ["a"], "a": {"scores": {"map": 0.5}}}, "means only"),
        ({"q1": {"x": 0.5}}, "neither level .* choose format 'pytrec_eval'"),
        ({"map": {"map": 0.5}}, "both levels"),
        ({"q1": {"map": "high"}}, "'q1', 'map': the value must be a number, got 'high'"),
        ({"q1": {"map": True}}, "must be a number"),
        ({"q1": {"map": np.inf}}, "must be a finite number"),
        ({1.0: {"map": 0.5}}, "topic ids must be text"),
        ({"q1": {"map": 0.5}, "q2": 3}, "expected a dict, got 3"),
        (7, "expected files, tables or dicts"),
        ([], "at least one"),
        (b"x", "expected files"),
    ],
)
def test_invalid_objects(source, message):
    with pytest.raises(AssayError, match=message):
        read(source)


@pytest.mark.parametrize("ending", ["tsv", "csv", "json", "parquet"])
@pytest.mark.parametrize("options", [{}, {"undefined": "exclude"}, {"missing": "exclude"}])
def test_output_of_assay_is_read_exactly(tmp_path, ending, options):
    campaign = assay.read(
        {"q1": {"a": 1, "b": 1}, "q2": {"a": 0}, "q3": {"c": 2}},
        {"x": {"q1": {"c": 3.0, "a": 2.0, "b": 1.0}, "q3": {"c": 1.0}}, "y": {"q1": {"b": 1.0}, "q2": {"a": 1.0}}},
        **options,
    )
    results = assay.evaluate(campaign, ["nDCG@10", "GM(AP)", "NumRet", "RBP(p=0.8)"])
    for one in (results, results.standardize("z")):
        path = tmp_path / f"values.{ending}"
        one.write(path, show="topics")
        again = read(path, missing="pairwise")
        assert (again.runs, again.topics, again.measures) == (one.runs, one.topics, one.measures)
        np.testing.assert_array_equal(again.values, one.values)
        assert again.provenance.inputs[0].format == "assay"
        again.write(tmp_path / f"again.{ending}", show="topics")
        again_twice = read(tmp_path / f"again.{ending}", missing="pairwise")
        np.testing.assert_array_equal(again_twice.values, one.values)


def test_means_of_assay_are_refused(tmp_path):
    assay.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP").write(tmp_path / "means.json")
    with pytest.raises(InputError, match=r"means\.json: contains means only.*--per-topic"):
        read(tmp_path / "means.json")


# Output of the tools themselves ---------------------------------------------------------------------------------

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1, "d": 1}}
RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"b": 2.0, "a": 1.0}}


def check_values(results):
    computed = assay.evaluate(QRELS, RUN, results.measures)
    assert results.topics == computed.topics
    np.testing.assert_allclose(results.values[:, 0], computed.values[:, 0], atol=1e-12)
    np.testing.assert_allclose(results.overall(), computed.overall(), atol=1e-12)


def test_values_of_pytrec_eval():
    names = {"map", "ndcg_cut", "P", "gm_map", "num_rel_ret", "runid", "relstring", "recip_rank", "bpref", "set_F"}
    results = read(pytrec_eval.RelevanceEvaluator(QRELS, names).evaluate(RUN))
    assert len(results.measures) == 7 + 2 * 9 - 1
    check_values(results)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="ir_measures uses ast.Num, which Python 3.14 lacks")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_values_of_ir_measures():
    measures = list(map(ir_measures.parse_measure, ("AP", "nDCG@10", "P(rel=2)@2", "SetF(beta=2.0)", "NumRet")))
    metrics = list(ir_measures.iter_calc(measures, QRELS, RUN))
    for source in (metrics, iter(metrics), pd.DataFrame(metrics)):
        results = read(source)
        assert results.provenance.inputs[0].format == "ir_measures"
        assert len(results.measures) == len(measures)
        check_values(results)


# Names and directions -------------------------------------------------------------------------------------------


def test_names_of_other_tools_keep_their_meaning():
    """In a table, ``accuracy`` need not be the measure of rankings that assay calls so."""
    rows = {"topic": ["1"], "accuracy": [0.5], "map": [0.5], "nDCG@10": [0.5], "ndcg@10": [0.5]}
    kinds = {str(one): isinstance(one, ExternalMeasure) for one in read(pl.DataFrame(rows)).measures}
    assert kinds == {"accuracy": True, "map": True, "nDCG@10": False, "ndcg@10": True}


def test_directions():
    table = pl.DataFrame({"run": ["a", "b"], "topic": ["1", "1"], "latency": [1.0, 2.0], "quality": [1.0, 2.0]})
    results = read(table, lower=["latency"])
    assert (results.best("latency"), results.best("quality")) == (["a", "b"], ["b", "a"])
    [note] = results.notes
    assert note.startswith("quality: not a measure that assay knows, so higher values count as better; state lower 'q")
    assert results.select(measures="latency").notes == ()
    assert not read(table, lower="latency", higher="quality").notes
    with pytest.raises(InputError, match="lower 'latencies': no values of this measure; did you mean latency"):
        read(table, lower="latencies")
    with pytest.raises(InputError, match="lower 'latency': is among the measures of higher"):
        read(table, lower="latency", higher="latency")
    with pytest.raises(InputError, match="lower 'AP': is the measure AP of assay, for which higher values are better"):
        read({"q1": {"map": 0.5}}, lower="AP")


def test_an_external_measure_cannot_be_computed():
    results = read(pl.DataFrame({"topic": ["1"], "quality": [1.0]}))
    with pytest.raises(AssayError, match="cannot compute it"):
        assay.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, results.measures)


@pytest.mark.parametrize("text", [f"q{i}" for i in range(30)] + ["301", "all", "p", "x@", "(", "P_x", "a" * 10_000])
def test_topics_are_not_names_of_measures(text):
    assert not is_known_name(text)


def test_two_names_of_one_measure(tmp_path):
    same = "P_5\tq1\t0.2000\nP.5\tq1\t0.2000\n"
    assert values(read(write(tmp_path, "x.eval", same)), "P@5") == {"x": [0.2]}
    with pytest.raises(InputError, match=r"P_5 and P\.5 are the same measure \(P@5\), but have different values"):
        read(write(tmp_path, "x.eval", same.replace("P.5\tq1\t0.2", "P.5\tq1\t0.3")))


def test_measures_select_and_order(tmp_path):
    path = write(tmp_path, "x.eval", TREC_EVAL)
    assert list(map(str, read(path, measures=["P@5", "map"]).measures)) == ["P@5", "AP"]
    for measures in ("nDCG", ["AP", "nDCG"]):
        with pytest.raises(InputError, match="measure 'nDCG' is not among these values; available measures: AP, P@5"):
            read(path, measures=measures)
    assert list(map(str, read(path, measures="official").measures)) == ["AP", "P@5"]


# Several sources ------------------------------------------------------------------------------------------------


def test_one_origin_for_each_measure(tmp_path):
    paths = [write(tmp_path, "a.eval", "map\t1\t0.5\n"), write(tmp_path, "b.tsv", "1\tAP\t0.25\n")]
    with pytest.raises(InputError, match=r"AP: .*a\.eval is of format trec_eval, .*b\.tsv of format ir_measures"):
        read(paths)
    results = read(paths, mix=True)
    assert values(results) == {"a": [0.5], "b": [0.25]}
    assert results.provenance.settings["mix"] is True


def test_one_name_in_two_files(tmp_path):
    paths = [write(tmp_path, "a.eval", TREC_EVAL), write(tmp_path, "b.eval", TREC_EVAL)]
    with pytest.raises(InputError, match=r"b\.eval: run bm25 is in .*a\.eval, too; name the runs"):
        read(paths)
    assert read({"one": paths[0], "two": paths[1]}).runs == ("one", "two")
    with pytest.raises(InputError, match="run 'x': the values are those of 2 sources"):
        read(paths, run="x")
    assert read(paths[0], run="x").runs == ("x",)


def test_a_directory_of_files(tmp_path):
    write(tmp_path, "a.tsv", "1\tAP\t0.5\n")
    write(tmp_path, "b.tsv", "1\tAP\t0.25\n")
    assert values(read(tmp_path)) == {"a": [0.5], "b": [0.25]}


def write_mteb(folder, model, task, **scores):
    path = folder / model / "rev" / f"{task}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"task_name": task, "mteb_version": "1.12.75", "scores": scores}))
    return path


def test_a_directory_of_mteb(tmp_path):
    for model, add in (("org__a", 0.0), ("org__b", 0.1)):
        for task in ("T1", "T2"):
            entry = {"hf_subset": "default", "main_score": 0.5 + add, "ndcg_at_10": 0.4 + add, "languages": ["eng"]}
            write_mteb(tmp_path, model, task, test=[entry], dev=[{**entry, "main_score": 0.0}])
    (tmp_path / "org__a" / "rev" / "model_meta.json").write_text('{"name": "org/named"}')
    results = read(tmp_path, unit="task", higher="main_score")
    assert (results.runs, results.topics) == (("org/named", "org/b"), ("T1", "T2"))
    assert values(results, "main_score")["org/b"] == [0.6, 0.6]
    assert read(tmp_path, unit="task", split="dev").overall().tolist() == [[0.0], [0.0]]
    assert list(map(str, read(tmp_path, unit="task", measures="ndcg_at_10").measures)) == ["nDCG@10"]
    with pytest.raises(InputError, match="there is no split train; split must be one of test, dev"):
        read(tmp_path, unit="task", split="train")
    write_mteb(tmp_path / "other", "org__a", "T1", test=[{"main_score": 0.1}])
    write_mteb(tmp_path / "other", "org__a", "T3", a=[{"main_score": 0.1}], b=[{"main_score": 0.1}])
    with pytest.raises(InputError, match=r"T3\.json: choose a split; split must be one of a, b"):
        read(tmp_path / "other", unit="task")


# Missing and repeated values ------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "NA", "nan", "NaN", "null", "None"])
def test_missing_values(tmp_path, text):
    path = write(tmp_path, "v.csv", TIDY.replace("a,q2,AP,0.25", f"a,q2,AP,{text}"))
    with pytest.raises(InputError, match=r"a lacks AP on 1 of 2 topics \(q2\); use missing 'zero'"):
        read(path)
    assert values(read(path, missing="zero"))["a"] == [0.5, 0.0]
    common = read(path, missing="common")
    np.testing.assert_array_equal(common.matrix("AP"), [[0.5, np.nan], [0.75, np.nan]])
    assert any("excluded 1 topic without values of all runs: q2 (a)" in note for note in common.notes)
    pairwise = read(path, missing="pairwise")
    np.testing.assert_array_equal(pairwise.matrix("AP"), [[0.5, np.nan], [0.75, 0.5]])
    assert assay.compare(pairwise).frame()["topics"].to_list() == [1]
    with pytest.raises(InputError, match="missing 'pairwise': the means of the runs are over different topics"):
        assay.leaderboard(pairwise)
    with pytest.raises(InputError, match="missing 'drop': choose one of"):
        read(path, missing="drop")


def test_a_run_without_a_measure(tmp_path):
    text = TIDY + "a,q1,P@5,0.2\na,q2,P@5,0.4\n"
    path = write(tmp_path, "v.csv", text)
    with pytest.raises(InputError, match="b lacks P@5 on all 2 topics"):
        read(path)
    assert values(read(path, measures="AP")) == values(read(write(tmp_path, "w.csv", TIDY)))
    with pytest.raises(InputError, match="P@5: no topic has a value of every run"):
        read(path, missing="common")


def test_topics_that_no_run_has_are_not_missing(tmp_path):
    path = write(tmp_path, "x.eval", "map\tq1\t0.5\nmap\tq2\t0.3\nP_5\tq1\t0.2\n")
    results = read(path)
    assert np.isnan(results.matrix("P@5")).tolist() == [[False, True]]
    assert "P@5: has values on 1 of 2 topics" in results.notes


def test_zero_needs_a_known_direction():
    table = pl.DataFrame({"run": ["a", "a", "b"], "topic": ["1", "2", "1"], "quality": [1.0, 2.0, 3.0]})
    with pytest.raises(InputError, match="whether 0 is a bad value of quality is unknown"):
        read(table, missing="zero")
    assert read(table, missing="zero", higher="quality").matrix("quality").tolist() == [[1.0, 2.0], [3.0, 0.0]]


def test_repeated_values(tmp_path):
    path = write(tmp_path, "v.csv", TIDY + "b,q2,AP,0.5\n")
    with pytest.raises(InputError, match=r"v\.csv:6: a second value of AP for run b and topic q2"):
        read(path)
    results = read(path, lenient=True)
    assert values(results) == {"a": [0.5, 0.25], "b": [0.75, 0.5]}
    assert any("skipped 1 repeated value (first: " in note for note in results.notes)


def test_the_topic_all(tmp_path):
    path = write(tmp_path, "v.csv", TIDY.replace("q2", "all"))
    with pytest.raises(InputError, match=r"v\.csv:3: topic 'all' usually is a mean"):
        read(path)
    assert read(path, keep_all=True).topics == ("all", "q1")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("v.csv", "", "v.csv: .*empty"),
        ("v.csv", "run,topic,measure,value\n", "v.csv: contains no values"),
        ("v.csv", TIDY.replace("0.25", "inf"), r"v\.csv:3: the value must be a finite number"),
        ("v.csv", TIDY.replace("0.25", "1e999"), r"v\.csv:3: the value must be a finite number"),
        ("v.csv", TIDY.replace("0.25", '"0,25"'), r"v\.csv:3: the value 0,25 contains a comma"),
        ("v.csv", TIDY.replace("0.25", '"1,234.5"'), r"v\.csv:3: the value 1,234\.5 contains a comma"),
        ("v.csv", TIDY.replace("0.25", "good"), r"v\.csv:3: the value 'good' is not a number"),
        ("v.csv", TIDY.replace("q2,AP,0.25", ",AP,0.25"), r"v\.csv:3: the topic is missing"),
        ("v.csv", TIDY.replace("topic", "question"), "no column for the topic among run, question, measure, value"),
        ("v.csv", TIDY.replace("measure", "what"), "no column for the measure among"),
        ("v.csv", TIDY.replace("value", "what"), "no column for the value among"),
        ("v.csv", "run,topic\na,q1\n", "v.csv: contains no values"),
        ("x.eval", "map\tq1\t0.5\nmap\tq2\n", r"x\.eval:2: expected 3 columns, found 2"),
        ("x.eval", "map\tq1\t0.5\n\nmap\tq2\tx\n", r"x\.eval:3: the value 'x' is not a number"),
        ("x.eval", "map\tq1\t0,5\n", r"x\.eval:1: the value 0,5 contains a comma"),
        ("x.eval", "quality\tq1\t0.5\n", "neither of the first two columns contain names of measures"),
        ("x.eval", b"map\tq1\t0.5\nmap\tq\xff\t0.5\n", r"x\.eval:2: invalid UTF-8"),
        ("x.eval", b"\xff\xfem\x00", "UTF-16"),
        ("x.json", '{"q1": {"map": 0.5, "map": 0.6}}', "'map' occurs twice"),
        ("x.json", '{"q1": {"map": ', r"x\.json:1: not JSON"),
        ("x.json", '{"q1": {}}', "got a dict of 1 level"),
        ("301 Q0.run", "1 Q0 d1 1 2.0 bm25\n", "expected 3 columns, found 6"),
    ],
)
def test_invalid_files(tmp_path, name, text, message):
    with pytest.raises(InputError, match=message) as caught:
        read(write(tmp_path, name, text))
    assert "\n" not in str(caught.value)


def test_a_missing_file(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "absent.eval")


def test_analyses_of_rankings_refuse_values():
    with pytest.raises(InputError, match="these results were read as values; this analysis needs runs and qrels"):
        assay.uncertainty.bounds(read(DICT))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"schema": {}, "rows": 2}, "expected a list of rows"),
        ({"schema": {}, "rows": [1]}, "expected a list of rows"),
        ({"task_name": "T"}, "contains no scores"),
        ({"task_name": "T", "scores": []}, "expected scores by split"),
        ({"task_name": "T", "scores": {"test": []}}, "contains no scores"),
        ({"task_name": "T", "scores": {"test": [1]}}, "expected a list of scores by subset"),
        ({"task_name": "T", "scores": {"test": [{"main_score": float("inf")}]}}, "must be a finite number, got inf"),
        ({"task_name": "T", "scores": {"test": [{"ndcg_at_10": 0.5}]}}, "no main_score; name a measure, such as ndcg"),
    ],
)
def test_invalid_documents(tmp_path, content, message):
    with pytest.raises(InputError, match=message):
        read({"x": write(tmp_path, "x.json", json.dumps(content))}, unit="task")


def test_a_named_task_needs_no_directory_of_the_model(tmp_path):
    content = {"task_name": "T", "scores": {"test": [{"main_score": 0.5}]}}
    path = write(tmp_path, "T.json", json.dumps(content))
    with pytest.raises(InputError, match="the model is unknown; put the file into a directory org__model, or name"):
        read(path, unit="task")
    assert read({"x": path}, unit="task").runs == ("x",)


def test_named_sources_of_different_kinds(tmp_path):
    frame = pl.DataFrame({"topic": ["q1", "q2"], "AP": [0.5, 0.4]})
    results = read(
        {"file": write(tmp_path, "x.eval", TREC_EVAL), "frame": frame, "dict": DICT}, measures="AP", mix=True
    )
    assert values(results) == {"file": [0.5, 0.3], "frame": [0.5, 0.4], "dict": [0.5, 0.3]}
    with pytest.raises(InputError, match="run 'b': expected a file, a table or a dict of values, got int"):
        read({"a": frame, "b": 3})
    with pytest.raises(InputError, match="name at least one measure"):
        read(frame, measures=[])

"""External values: the vectors of the specification."""

import json
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.errors import InputError
from assay.results.external.mteb import read_task
from assay.results.external.nested import detect_levels
from assay.results.external.sources import ReadOptions, read_sources
from assay.results.external.text import detect_columns

VECTORS = json.loads((Path(__file__).parents[2] / "vectors-judging.json").read_text(encoding="utf-8"))
REFUSED = {"refused": True}


def vectors(operation):
    selected = [vector for vector in VECTORS if vector["op"] == f"values.{operation}"]
    assert selected
    return pytest.mark.parametrize("vector", selected, ids=lambda vector: vector["id"])


@vectors("read")
def test_read(vector, tmp_path):
    inputs, expected = vector["inputs"], vector["expected"]
    source = inputs.get("object")
    if source is None:
        source = tmp_path / inputs["name"]
        source.write_text(inputs["text"], newline="")
    name = inputs["name"] if "object" in inputs else None
    for declared in (None, inputs["format"]):
        if expected == REFUSED:
            with pytest.raises(InputError, match="q1"):
                assay.Results.read(source, format=declared, run=name)
            continue
        results = assay.Results.read(source, format=declared, run=name, missing="pairwise")
        assert sorted(results.runs) == expected["runs"]
        values = {(run, topic, measure): value for run, topic, measure, value in results.frame().iter_rows()}
        rows = {(run, topic, measure): value for run, topic, measure, value in expected["rows"]}
        assert {key: values[key] for key in rows} == pytest.approx(rows, abs=vector["tolerance"])
        assert {key for key in values.keys() - rows.keys() if values[key] is not None} == set()
        [cells] = read_sources(source, name, ReadOptions(declared))
        summaries = 0 if cells.summaries is None else len(cells.summaries)
        assert {"summary": summaries, "text": cells.texts} == expected["ignored"]


@vectors("mteb")
def test_mteb(vector, tmp_path):
    inputs, expected = vector["inputs"], vector["expected"]
    path = tmp_path / inputs["path"]
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(inputs["document"]))
    task = read_task(inputs["document"], str(path))
    assert (task.collection, task.run) == (expected["collection"], expected["run"])
    assert [list(cell) for cell in task.cells if cell[1] in inputs["measures"]] == expected["cells"]
    for measure, value in expected["values"].items():
        assert task.values()[measure] == pytest.approx(value, abs=1e-12)
    with pytest.raises(InputError, match=r"none for its topics; use unit 'task'"):
        assay.Results.read(path, measures=inputs["measures"])
    results = assay.Results.read(path, measures=inputs["measures"], unit="task")
    assert (results.runs, results.topics) == ((expected["run"],), (expected["collection"],))
    assert results.values.ravel().tolist() == pytest.approx(list(expected["values"].values()), abs=1e-12)


@vectors("columns")
def test_columns(vector, tmp_path):
    first, second, _ = zip(*(line.split("\t") for line in vector["inputs"]["lines"]), strict=True)
    first, second = ([text.strip() for text in column] for column in (first, second))
    expected = vector["expected"]["format"]
    if expected == "refused":
        with pytest.raises(InputError, match=r"v\.eval: both .* choose format 'trec_eval'"):
            detect_columns(first, second, "v.eval")
    else:
        assert detect_columns(first, second, "v.eval") == expected
        nested = {"trec_eval": "ranx", "ir_measures": "pytrec_eval"}[expected]
        assert detect_levels(first, second, "dict") == nested


@vectors("missing")
def test_missing(vector):
    inputs, expected = vector["inputs"], vector["expected"]
    name = inputs["measure"]
    rows = [
        {"run": run, "topic": topic, "measure": name, "value": value}
        for run, values in inputs["values"].items()
        for topic, value in values.items()
    ]
    import polars as pl

    def read(policy):
        lower = [name] if inputs["lower_is_better"] else []
        return assay.Results.read(pl.DataFrame(rows), lower=lower, missing=policy)

    if expected == REFUSED:
        with pytest.raises(InputError, match=f"missing 'zero': {name} is a cost"):
            read(inputs["policy"])
        return
    with pytest.raises(InputError, match=rf"b lacks {name} on 1 of 3 topics \(q3\)"):
        read("error")
    for policy in ("zero", "common", "pairwise"):
        results = read(policy)
        means = dict(results.means().select("run", "value").iter_rows())
        assert means == pytest.approx({run: expected[policy][run] for run in means}, abs=1e-12)
        [difference] = assay.compare(results, baseline="a").frame()["difference"]
        shared = ~np.isnan(results.values[0]).any(axis=0)
        assert difference == pytest.approx(np.diff(results.values[0][:, shared], axis=0).mean(), abs=1e-12)
        if policy == "pairwise":
            assert difference == pytest.approx(expected[policy]["difference_b_a"], abs=1e-12)
            assert shared.sum() == expected[policy]["topics"]

"""Result files of MTEB: the scores of one model on one task, without values of topics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from assay.errors import InputError
from assay.model.notes import join_names
from assay.results.external.cells import Cells, parse_values
from assay.results.external.json_document import load_json

META = "model_meta.json"
"""File with the name of the model, beside the result files."""
_MAIN = "main_score"


@dataclass(frozen=True)
class TaskScores:
    """Scores of a model (*run*) on a task (*collection*): subset, measure and value, as the file names them."""

    collection: str
    run: str
    cells: tuple[tuple[str, str, float], ...]

    def values(self) -> dict[str, float]:
        """Return the unweighted mean over the subsets, by measure."""
        by_measure: dict[str, list[float]] = {}
        for _, measure, value in self.cells:
            by_measure.setdefault(measure, []).append(value)
        return {measure: sum(values) / len(values) for measure, values in by_measure.items()}


def is_mteb(document: object) -> bool:
    """Return True if a JSON document is a result file of MTEB."""
    return isinstance(document, Mapping) and ("task_name" in document or "mteb_dataset_name" in document)


def read_task(
    document: Mapping[str, Any], path: str, *, run: str | None = None, split: str | None = None
) -> TaskScores:
    """Read the scores of a result file.

    *run* is the name of the model, by default the one in the path or in ``model_meta.json``. *split* is the split, by
    default ``test`` or the only one.
    """
    collection = str(document.get("task_name") or document.get("mteb_dataset_name"))
    scores = document["scores"] if "scores" in document else _collect_splits(document)
    if not isinstance(scores, Mapping):
        raise InputError(f"{path}: expected scores by split, got {type(scores).__name__}")
    subsets = scores[_choose_split(list(scores), split, path)]
    # Before version 1.11, a split holds the scores themselves, or one dict for each subset.
    if isinstance(subsets, Mapping):
        nested = {name: item for name, item in subsets.items() if isinstance(item, Mapping)}
        subsets = [{"hf_subset": name, **item} for name, item in (nested or {"default": subsets}).items()]
    if not isinstance(subsets, list) or not all(isinstance(subset, Mapping) for subset in subsets):
        raise InputError(f"{path}: expected a list of scores by subset; is this a result file of MTEB?")
    cells = [
        (str(subset.get("hf_subset", "default")), measure, float(value))
        for subset in subsets
        for measure, value in subset.items()
        if isinstance(value, int | float) and value is not True and value is not False and measure != "evaluation_time"
    ]
    return TaskScores(collection, run or _find_model(path), tuple(cells))


def _collect_splits(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the splits of a file written before version 1.11: the entries that are dicts."""
    return {name: item for name, item in document.items() if isinstance(item, Mapping)}


def _choose_split(splits: list[str], split: str | None, path: str) -> str:
    if split is None and "test" in splits:
        return "test"
    if split is None and len(splits) == 1:
        return splits[0]
    if split in splits:
        return str(split)
    if not splits:
        raise InputError(f"{path}: contains no scores")
    missing = "choose a split" if split is None else f"there is no split {split}"
    raise InputError(f"{path}: {missing}; split must be one of {join_names(splits, 10)}")


def _find_model(path: str) -> str:
    """Return the name of the model: from ``model_meta.json``, or from the directory ``org__model``."""
    meta = Path(path).parent / META
    if meta.is_file():
        content = load_json(str(meta))[1]
        name = content.get("name") or content.get("model_name") if isinstance(content, Mapping) else None
        if name:
            return str(name)
    folder = next((parent.name for parent in Path(path).parents if "__" in parent.name), None)
    if folder is None:
        raise InputError(f"{path}: the model is unknown; put the file into a directory org__model, or name the run")
    return folder.replace("__", "/", 1)


def read_mteb(
    document: Mapping[str, Any],
    path: str,
    digest: str | None,
    *,
    run: str | None = None,
    split: str | None = None,
    unit: str = "topic",
    measures: frozenset[str] | None = None,
) -> Cells:
    """Read a result file as values of one topic, the task; *measures* are the names to read (default: main_score)."""
    if unit != "task":
        raise InputError(
            f"{path}: MTEB writes one value for each task and none for its topics; "
            "use unit 'task' to make each task a topic (conclusions are then about tasks)"
        )
    task = read_task(document, path, run=run, split=split)
    values = task.values()
    if not values:
        raise InputError(f"{path}: contains no scores")
    if _MAIN not in values and measures is None:
        raise InputError(f"{path}: has no main_score; name a measure, such as {join_names(values, 3)}")
    selected = {name: value for name, value in values.items() if measures is not None or name == _MAIN}
    rows = [(task.run, task.collection, name, value) for name, value in selected.items()]
    frame = pl.DataFrame(
        rows, schema={"run": pl.String, "topic": pl.String, "measure": pl.String, "value": pl.Float64}, orient="row"
    )
    frame = frame.with_columns(parse_values(frame["value"], lambda _: path))
    return Cells(frame, "mteb", path, digest, lambda _: path, one_run=True)

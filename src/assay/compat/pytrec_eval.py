"""Drop-in replacement for pytrec_eval: change the import to ``import assay.compat.pytrec_eval as pytrec_eval``.

Values agree with trec_eval 9.0.8, which pytrec_eval wraps.

>>> evaluator = RelevanceEvaluator({"q1": {"d1": 1, "d2": 0}}, {"map", "ndcg_cut.5"})
>>> evaluator.evaluate({"q1": {"d2": 1.5, "d1": 0.2}})
{'q1': {'map': 0.5, 'ndcg_cut_5': 0.6309297535714575}}
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from assay.compat.trec_eval import registry
from assay.compat.trec_eval.evaluation import apply_flags, score_columns, tie_policy
from assay.compat.trec_eval.measure_spec import QRELS, MeasureSettings
from assay.compat.trec_eval.options import TrecEvalOptions
from assay.compat.trec_eval.selection import check_judgments, select_measures
from assay.errors import InputError, MeasureError, strict_reading, suggestion
from assay.model.joined import JoinedRun, join_run
from assay.model.judged import Judged
from assay.model.policies import Policies
from assay.model.qrels import Qrels
from assay.model.run import Run

_PROFILE = "9.0.8"
_UNSUPPORTED = ("yaap",)  # in trec_eval 9.0.8, but not in pytrec_eval
_KIND: dict[object, str] = {int: "a whole number", float: "a number"}
Number = TypeVar("Number", int, float)
_PARAMETERS = re.compile(r"[._](\d+(\.\d+)?(,\d+(\.\d+)?)*)")

supported_measures = frozenset(
    name
    for name in registry.known_names(_PROFILE)
    if registry.specs()[name].family in (None, QRELS) and name not in _UNSUPPORTED
)
"""Names of the measures that can be requested."""
supported_nicknames = {name: frozenset(registry.expand_name(name, QRELS, _PROFILE) or ()) for name in registry.SETS}
"""Sets of measures by name, such as ``official``."""


class RelevanceEvaluator:
    """Evaluator of runs against judgments, both given as dictionaries of dictionaries.

    Parameters
    ----------
    query_relevance
        ``{topic: {document: grade}}``; topics without judgments are ignored.
    measures
        Names such as ``map``, ``ndcg_cut_10``, ``P.5,10``, or sets of measures such as ``official``.
    relevance_level
        The lowest relevant grade.
    judged_docs_only_flag
        Remove unjudged documents from the rankings first.
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        if relevance_level < 1:
            raise InputError(f"relevance_level must be at least 1, got {relevance_level}")
        judged = {topic: grades for topic, grades in query_relevance.items() if len(grades)}
        _refuse_fractions(judged)
        with strict_reading():
            self._qrels = Qrels.from_dict(judged) if judged else None
        self._options = TrecEvalOptions(profile=_PROFILE, level=relevance_level, judged_only=judged_docs_only_flag)
        settings = MeasureSettings(_PROFILE, relevance_level)
        names = _merge_parameters(measures)
        self._items, _ = select_measures(names, "qrels", settings) if names else ([], [])
        check_judgments(self._items, "qrels")
        self._topic_index = {topic: index for index, topic in enumerate(self._qrels.topics)} if self._qrels else {}

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Return the values of a run as ``{topic: {measure: value}}``; topics without judgments are omitted."""
        topics = [topic for topic in scores if self._qrels is not None and topic in self._topic_index]
        if self._qrels is None or not topics:
            return {}
        run = _join_run(self._qrels, scores)
        judged = Judged.assemble(self._qrels, [run], Policies())
        selected = judged.select_rankings(np.array([self._topic_index[topic] for topic in topics])).drop_unused_topics()
        rows = score_columns(apply_flags(selected, self._options), self._items).T.tolist()
        return {topic: self._name_values(row) for topic, row in zip(topics, rows, strict=True)}

    def _name_values(self, row: Sequence[float]) -> dict[str, float]:
        """Return the values of a topic by name; runid and relstring, which are not numbers, are 0 as in pytrec_eval."""
        values = iter(row)
        by_name: dict[str, float] = {}
        for item in self._items:
            if not item.columns:
                by_name[item.spec.name] = 0.0
            for column in item.columns:
                by_name[item.spec.name if item.label != item.spec.name else column.label] = next(values)
        return by_name


def _join_run(qrels: Qrels, scores: Mapping[str, Mapping[str, float]]) -> JoinedRun:
    """Join a run with the qrels; a run without documents has empty rankings."""
    ranked = {topic: ranking for topic, ranking in scores.items() if len(ranking)}
    if ranked:
        with strict_reading():
            return join_run(qrels, Run.from_dict(ranked).table, tie_policy(_PROFILE))
    empty = np.zeros(0, dtype=np.int64)
    return JoinedRun("run", "run", None, (), qrels.topics, empty, empty, np.zeros(0, dtype=np.uint8), None)


def _refuse_fractions(judgments: Mapping[str, Mapping[str, float]]) -> None:
    """Refuse grades that are not whole numbers, because trec_eval reads only integers."""
    for topic, grades in judgments.items():
        for document, grade in grades.items():
            if grade != int(grade):
                raise InputError(
                    f"topic {topic}: document {document} has grade {grade!r}; trec_eval needs integers (use "
                    "assay.evaluate for other grades)"
                )


def _merge_parameters(measures: Iterable[str]) -> list[str]:
    """Return measures in the notation of trec_eval; all parameters of a measure follow one point (``P.5,10``)."""
    by_measure: dict[str, set[str]] = {}
    for name in measures:
        for measure, parameters in _parse_name(name).items():
            by_measure.setdefault(measure, set()).update(parameters)
    return [f"{name}.{','.join(sorted(texts))}" if texts else name for name, texts in by_measure.items()]


def _parse_name(name: str) -> dict[str, set[str]]:
    """Return the measures that a name denotes, each with its parameters."""
    if name in supported_nicknames:
        return {measure: set() for measure in supported_nicknames[name]}
    if name in supported_measures:
        return {name: set()}
    for measure in supported_measures:
        match = _PARAMETERS.match(name.removeprefix(measure)) if name.startswith(measure) else None
        if match:
            return {measure: set(match[1].split(","))}
    raise MeasureError(f"unsupported measure {name}{suggestion(name, supported_measures | supported_nicknames.keys())}")


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """Aggregate values over topics: the sum for ``num_*``, the geometric mean for ``gm_*``, the mean otherwise."""
    if measure.startswith("num_"):
        return float(np.sum(values))
    if measure.startswith("gm_"):
        return float(np.exp(np.sum(values) / len(values)))
    return float(np.mean(values))


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Parse the lines of a run (``topic Q0 doc rank score tag``) into ``{topic: {document: score}}``.

    >>> parse_run(["q1 Q0 d1 1 2.5 bm25"])
    {'q1': {'d1': 2.5}}
    """
    return _parse_lines(f_run, 6, 4, "topic Q0 doc rank score tag", float)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Parse the lines of qrels (``topic iteration doc grade``) into ``{topic: {document: grade}}``.

    >>> parse_qrel(["q1 0 d1 2"])
    {'q1': {'d1': 2}}
    """
    return _parse_lines(f_qrel, 4, 3, "topic iteration doc grade", int)


def _parse_lines(
    lines: Iterable[str], count: int, index: int, columns: str, convert: Callable[[str], Number]
) -> dict[str, dict[str, Number]]:
    """Parse lines of *count* *columns*; the value is in the column at *index*."""
    by_topic: dict[str, dict[str, Number]] = {}
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if len(fields) != count:
            raise InputError(f"line {number}: expected {count} columns ({columns}), found {len(fields)}")
        documents = by_topic.setdefault(fields[0], {})
        if fields[2] in documents:
            raise InputError(f"line {number}: document {fields[2]} occurs twice for topic {fields[0]}")
        try:
            documents[fields[2]] = convert(fields[index])
        except ValueError:
            raise InputError(f"line {number}: expected {_KIND[convert]}, found {fields[index]!r}") from None
    return by_topic


__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

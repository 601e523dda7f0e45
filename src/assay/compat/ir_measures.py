"""Provider of assay's values for ir_measures and PyTerrier: one import makes them use assay.

``import assay.compat.ir_measures`` registers the provider *assay* and puts it before the other providers of
``ir_measures.DefaultPipeline``. Afterwards ``ir_measures.calc_aggregate``, ``ir_measures.iter_calc`` and
``pt.Experiment`` return the values of assay. Measures of subtopics, and measures defined by a Python function, still go
to the other providers. The command of ir_measures with this provider is
``python -m assay.compat.ir_measures QRELS RUN MEASURE...``.

>>> import ir_measures
>>> import assay.compat.ir_measures
>>> qrels, run = {"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0.5, "d2": 0.5}}
>>> ir_measures.RR.calc_aggregate(qrels, run), (ir_measures.RR @ 10).calc_aggregate(qrels, run)
(0.5, 0.5)

:func:`define` makes any measure of assay available in ir_measures:

>>> twist = assay.compat.ir_measures.define("Twist")
>>> ir_measures.calc_aggregate([twist], qrels, run)
{Twist: 0.5}

:func:`register` chooses other policies, and :func:`unregister` restores the providers of ir_measures:

>>> provider = assay.compat.ir_measures.register(ties="expected")
>>> ir_measures.RR.calc_aggregate(qrels, run)
0.75
>>> assay.compat.ir_measures.unregister()
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

try:
    import ir_measures
    from ir_measures import providers, util
except ImportError:
    from assay.errors import DependencyError

    raise DependencyError("assay.compat.ir_measures needs the package ir-measures, which is not installed") from None

from assay.engine.campaign import read
from assay.errors import InputError, MeasureError, strict_reading
from assay.measures import Measure, from_ir_measures, measure
from assay.model.qrels import Qrels
from assay.model.run import Run
from assay.results._evaluate import evaluate

_QREL_COLUMNS = {"query_id": "topic", "doc_id": "doc", "relevance": "grade"}
_RUN_COLUMNS = {"query_id": "topic", "doc_id": "doc", "score": "score"}


class _DefinedMeasure(ir_measures.Measure):  # type: ignore[misc]
    """A measure of ir_measures that stands for a measure of assay."""

    def __init__(self, assay_measure: Measure) -> None:
        super().__init__()
        self.assay_measure = assay_measure
        self.NAME = self.__name__ = str(assay_measure)

    def aggregator(self) -> Any:
        """Return the aggregation over topics: a sum for measures that count, otherwise the mean."""
        return ir_measures.SumAgg() if self.assay_measure.aggregate == "sum" else ir_measures.MeanAgg()


def define(name: str | Measure) -> ir_measures.Measure:
    """Return an object for ir_measures and PyTerrier that stands for a measure of assay.

    The mean over topics is arithmetic, as always in ir_measures, so measures with another mean are refused.

    Parameters
    ----------
    name
        A measure in the notation of assay, such as ``"RBP(p=0.8)"`` or ``"Twist"``.
    """
    chosen = measure(name)
    if chosen.aggregate not in ("mean", "sum"):
        raise MeasureError(
            f"measure '{chosen}': ir_measures computes only arithmetic means and sums; use assay.evaluate"
        )
    return _DefinedMeasure(chosen)


class AssayProvider(ir_measures.Provider):  # type: ignore[misc]
    """A provider of ir_measures that computes values with assay.

    Parameters
    ----------
    policies
        Policies of :func:`assay.read`, such as ``ties="expected"``. By default, ties are ordered as by trec_eval 10,
        whichever measure is computed.
    """

    NAME = "assay"

    def __init__(self, **policies: Any) -> None:
        super().__init__()
        self._policies = policies

    def supports(self, measure: ir_measures.Measure) -> bool:
        """Return True if assay computes the measure as ir_measures defines it."""
        measure.validate_params()
        try:
            _translate(measure)
        except MeasureError:
            return False
        return True

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: Any) -> AssayEvaluator:
        return AssayEvaluator(list(measures), qrels, self._policies)


class AssayEvaluator(ir_measures.Evaluator):  # type: ignore[misc]
    """Evaluator of runs against judgments that are read once."""

    def __init__(self, measures: list[ir_measures.Measure], qrels: Any, policies: dict[str, Any]) -> None:
        self._qrels = _read(util.QrelsConverter(qrels), _QREL_COLUMNS, Qrels)
        self._policies = policies
        super().__init__(measures, () if self._qrels is None else self._qrels.topics)

    def _iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        rows = _read(util.RunConverter(run), _RUN_COLUMNS, Run)
        if self._qrels is None or rows is None:
            return  # ir_measures adds its default value for topics without documents
        ours = {theirs: _translate(theirs) for theirs in self.measures}
        results = evaluate(read(self._qrels, rows, **self._policies), list(dict.fromkeys(ours.values())))
        for theirs, one in ours.items():
            for topic, value in zip(results.topics, results.matrix(one)[0].tolist(), strict=True):
                yield ir_measures.Metric(query_id=topic, measure=theirs, value=value)


def _translate(theirs: ir_measures.Measure) -> Measure:
    """Return the measure of assay that computes a measure of ir_measures."""
    ours = theirs.assay_measure if isinstance(theirs, _DefinedMeasure) else from_ir_measures(theirs)
    if ours.facets:
        raise MeasureError(f"measure '{theirs}': needs {', '.join(ours.facets)}, which this provider does not read")
    return ours


def _read(converter: Any, columns: dict[str, str], kind: type[Any]) -> Any:
    """Read judgments or a run from a data frame, a dict of dicts or tuples; return None if there are no rows."""
    form, problem = converter.predict_type()
    if form == "UNKNOWN":
        raise InputError(f"ir_measures cannot read this input: {problem}")
    with strict_reading():
        if form == "pd_dataframe":
            frame = converter.as_pd_dataframe()
            return kind.from_frame(frame[list(columns)].rename(columns=columns)) if len(frame) else None
        rows = [tuple(getattr(row, name) for name in columns) for row in converter.as_namedtuple_iter()]
        return kind.from_tuples(rows) if rows else None


def register(**policies: Any) -> AssayProvider:
    """Make assay the preferred provider of ir_measures; importing this module calls this function without policies.

    Parameters
    ----------
    policies
        Policies of :func:`assay.read`, such as ``ties="expected"`` or ``unjudged="condensed"``.
    """
    unregister()
    provider = providers.register(AssayProvider(**policies))
    # Measures that a Python function defines may have any name, so their provider stays before this one.
    defined, *others = ir_measures.DefaultPipeline.providers
    ir_measures.DefaultPipeline.providers = [defined, provider, *others]
    return provider  # type: ignore[no-any-return]


def unregister() -> None:
    """Restore the providers of ir_measures."""
    providers.registry.pop(AssayProvider.NAME, None)
    remaining = [one for one in ir_measures.DefaultPipeline.providers if one.NAME != AssayProvider.NAME]
    ir_measures.DefaultPipeline.providers = remaining


register()

if __name__ == "__main__":
    from ir_measures.__main__ import main_cli

    main_cli()

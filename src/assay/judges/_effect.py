"""Effect of the judge on conclusions: the order of runs and the significance of differences under several judges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.engine.judges import read_judges
from assay.engine.workers import Progress, track
from assay.errors import InputError, check_choice, suggestion
from assay.judges.effects import BORDERS, Effects, Favour, Flips, JudgeResults, MeasureEffect, TopRuns
from assay.judges.ratings import list_pairs
from assay.measures import Measure
from assay.meta.kendall import taus
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats
from assay.model.notes import join_names
from assay.model.qrels import Qrels
from assay.results._evaluate import evaluate
from assay.results.results import Results
from assay.results.run_pairs import require_two_runs
from assay.significance._compare import compare
from assay.significance.base import significance_test
from assay.significance.strata import mean_ranks
from assay.significance.values import prepare_values

MEASURES = ("nDCG@10", "AP")
"""The default measures."""
JUDGMENTS = {
    "common": "only documents that all judges judged",
    "own": "all judgments of each judge, so that different pools count, too",
}


@check_arguments
def effect(
    campaign: Campaign,
    judges: Mapping[str, Any],
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    *,
    reference: str | None = None,
    judgments: str = "common",
    shared: Mapping[str, Sequence[str]] | None = None,
    test: str = "t",
    correction: str = "holm",
    alpha: float = 0.05,
    resamples: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Effects:
    """Evaluate the same runs under each judge, and compare the conclusions.

    Parameters
    ----------
    campaign
        The runs; its own judgments are not used.
    judges
        Judgments by name of the judge, such as those of :func:`assay.judges.read_judges`.
    measures
        Measures to evaluate.
    reference
        The judge with whom all others are compared; by default, all pairs of judges are compared.
    judgments
        ``common``: only documents that all judges judged. ``own``: all judgments of each judge.
    shared
        Names of the runs that use the model of a judge (or were tuned on its judgments), by judge. Their values under
        this judge do not estimate their quality, and the report warns of them.
    test, correction, alpha
        Significance test, correction over all pairs of runs, and level, as in :func:`assay.compare`.
    resamples, seed
        Number of resamples of topics for the spread of tau, and their seed.
    progress
        Called with the number of judges and measures done and their total.

    References
    ----------
    Voorhees, *Variations in relevance judgments and the measurement of retrieval effectiveness*, Information Processing
    & Management 36, 2000. Yilmaz, Aslam & Robertson, *A new rank correlation coefficient for information retrieval*,
    SIGIR 2008. Balog, Metzler & Qin, *Rankers, judges, and assistants*, SIGIR 2025.

    Examples
    --------
    >>> import assay
    >>> human = {f"q{i}": {"a": 1, "b": 0} for i in range(8)}
    >>> model = {f"q{i}": {"a": 0, "b": 1} for i in range(8)}
    >>> first = {f"q{i}": {"a": 2.0, "b": 1.0} for i in range(8)}
    >>> second = {f"q{i}": {"a": 1.0, "b": 2.0} for i in range(8)}
    >>> campaign = assay.read(human, {"first": first, "second": second}, keep="documents")
    >>> effect(campaign, {"human": human, "model": model}, "RR").frame().select("tau", "reversed").rows()
    [(-1.0, 1)]
    """
    check_choice(f"judgments {judgments!r}", judgments, JUDGMENTS)
    require_two_runs(campaign.runs)
    qrels = read_judges(judges)
    pairs = list_pairs(tuple(qrels), reference)
    if not pairs:
        raise InputError(f"judges: need at least two judges, got {len(qrels)}; name the judgments of each")
    marked = check_shared_runs(shared or {}, tuple(qrels), campaign.runs)
    if judgments == "common":
        qrels = _select_common(qrels)
    by_judge = {}
    for name in track(list(qrels), progress):
        by_judge[name] = evaluate(campaign.with_qrels(qrels[name]), measures)
    by_judge = _select_topics(by_judge)
    judged = {
        name: JudgeResults(results, compare(results, test=test, correction=correction, alpha=alpha, seed=seed))
        for name, results in by_judge.items()
    }
    measure_count = len(next(iter(by_judge.values())).measures)
    comparing = _Comparing(judged, reference is not None, resamples, seed, marked)
    effects = tuple(comparing.compare(index, a, b) for index in range(measure_count) for a, b in pairs)
    settings = {
        "judges": list(qrels),
        "reference": reference,
        "judgments": judgments,
        "shared": {name: list(runs) for name, runs in marked.items()},
        "test": test,
        "correction": correction,
        "alpha": alpha,
        "resamples": resamples,
        "seed": seed,
    }
    provenance = next(iter(by_judge.values())).provenance.with_settings(**settings)
    notes = tuple(f"{name}: {note}" for name, results in by_judge.items() for note in results.notes)
    return Effects(judged, effects, marked, provenance, (*warn_of_shared_runs(marked), *notes))


def check_shared_runs(
    shared: Mapping[str, Sequence[str]], judges: tuple[str, ...], runs: tuple[str, ...]
) -> dict[str, tuple[str, ...]]:
    for judge, names in shared.items():
        if judge not in judges:
            raise InputError(f"shared: there is no judge {judge}; the judges are {join_names(list(judges))}")
        unknown = [name for name in names if name not in runs]
        if unknown:
            hint = suggestion(unknown[0], runs) or f"; the runs are {join_names(list(runs))}"
            raise InputError(f"shared: {unknown[0]} is not among the runs{hint}")
    return {judge: tuple(names) for judge, names in shared.items() if names}


def warn_of_shared_runs(shared: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return the warning on runs that use the model of a judge."""
    if not shared:
        return []
    which = "; ".join(f"{judge}: {join_names(list(runs))}" for judge, runs in shared.items())
    warning = (
        "Runs marked ° use the model that judged. Their values under this judge do not estimate quality and may not be "
        f"compared with other runs; agreement measured on other runs does not carry over. ({which})"
    )
    return [warning]


def _select_common(qrels: Mapping[str, Qrels]) -> dict[str, Qrels]:
    """Return the judgments of documents that all judges judged."""
    frames = [one.frame().select("topic", "doc") for one in qrels.values()]
    common = frames[0]
    for frame in frames[1:]:
        common = common.join(frame, on=["topic", "doc"], how="semi")
    if common.is_empty():
        raise InputError("judges: no document was judged by all judges; check the ids, or use judgments 'own'")
    marked = common.with_columns(is_common=pl.lit(True))
    selected = {}
    for name, one in qrels.items():
        mask = one.frame().join(marked, on=["topic", "doc"], how="left", maintain_order="left")["is_common"]
        common_judgments = one.keep(mask.fill_null(False).to_numpy())
        judged_topics = np.flatnonzero(common_judgments.counts.sum(axis=1) > 0)
        selected[name] = common_judgments.select(judged_topics)
    return selected


def _select_topics(by_judge: dict[str, Results]) -> dict[str, Results]:
    """Return the results on the topics that all judges judged."""
    topics = set.intersection(*(set(results.topics) for results in by_judge.values()))
    if not topics:
        raise InputError("judges: no topic was judged by all judges; check the ids of the topics")
    return {
        name: results if set(results.topics) == topics else results.select(topics=sorted(topics))
        for name, results in by_judge.items()
    }


class _Comparing(NamedTuple):
    """The results under each judge, and the settings of their comparison."""

    judged: Mapping[str, JudgeResults]
    has_reference: bool
    resamples: int
    seed: int
    shared: Mapping[str, tuple[str, ...]]

    def compare(self, index: int, a: int, b: int) -> MeasureEffect:
        """Compare the conclusions by the measure *index* under two judges; judge a is the reference."""
        names = tuple(self.judged)[a], tuple(self.judged)[b]
        results = self.judged[names[0]].results, self.judged[names[1]].results
        runs, measure = results[0].runs, results[0].measures[index]
        values = [prepare_values(one, index) for one in results]
        sign = -1.0 if measure.lower_is_better else 1.0
        means = np.array([sign * np.nanmean(one, axis=1) for one in values])
        order = taus(means[1], means[0])
        spread = _resample_tau([sign * one for one in values], self.resamples, self.seed)
        verdicts = [self.judged[name].comparison.verdicts(measure) for name in names]
        return MeasureEffect(
            measure=measure,
            judges=names,
            values=(results[0].overall()[:, index], results[1].overall()[:, index]),
            ranks=mean_ranks(means),
            tau=float(order.tau[0, 0]),
            tau_low=spread[0],
            tau_high=spread[1],
            tau_ap=float(order.estimated[0, 0] if self.has_reference else order.tau_ap[0, 0]),
            top=tuple(compare_top(runs, means, k) for k in BORDERS),
            flips=find_flips(runs, verdicts[0], verdicts[1]),
            favour=estimate_favour(runs, values, self.shared.get(names[1], ())),
        )


def _resample_tau(values: Sequence[Floats], resamples: int, seed: int) -> tuple[float, float]:
    """Return the 2.5 and 97.5 % points of tau over resampled topics, which are the same for both judges."""
    topics = values[0].shape[1]
    rng = np.random.default_rng(seed)
    numbers = []
    for _ in range(resamples):
        draw = rng.integers(topics, size=topics)
        means = [np.nanmean(one[:, draw], axis=1) for one in values]
        numbers.append(float(taus(means[1], means[0]).tau[0, 0]))
    known = np.array(numbers)[~np.isnan(numbers)]
    low, high = np.quantile(known, [0.025, 0.975]) if len(known) else (np.nan, np.nan)
    return float(low), float(high)


def _list_top(runs: Sequence[str], means: Floats, k: int) -> list[str]:
    """Return the best k runs; runs with equal means are ordered by name."""
    return [runs[i] for i in sorted(range(len(runs)), key=lambda i: (-means[i], runs[i]))[:k]]


def compare_top(runs: Sequence[str], means: Floats, k: int) -> TopRuns | None:
    """Compare the best k runs under two judges; *means* has a row for each judge."""
    if k > len(runs):
        return None
    first, second = _list_top(runs, means[0], k), _list_top(runs, means[1], k)
    return TopRuns(
        tuple(run for run in first if run in second),
        tuple(run for run in first if run not in second),
        tuple(run for run in second if run not in first),
    )


def find_flips(runs: Sequence[str], first: Floats, second: Floats) -> Flips:
    """Compare the verdicts on each pair of runs: 1 if the run of the row is significantly better, -1 if worse, or 0."""
    rows, columns = np.triu_indices(len(runs), 1)
    a, b = np.nan_to_num(first[rows, columns]), np.nan_to_num(second[rows, columns])
    kind = np.select(
        [(a == b) & (a != 0), (a != 0) & (b == 0), (a == 0) & (b != 0), (a != 0) & (a == -b)],
        ["both", "only_a", "only_b", "reversed"],
        default="neither",
    )
    names = pl.Series(runs, dtype=pl.String)
    return Flips(
        pl.DataFrame(
            {
                "run_a": names.gather(rows),
                "run_b": names.gather(columns),
                "kind": pl.Series(kind.tolist(), dtype=pl.String),
                "verdict_a": a.astype(np.int64),
                "verdict_b": b.astype(np.int64),
            }
        )
    )


def estimate_favour(runs: Sequence[str], values: Sequence[Floats], shared: Sequence[str]) -> Favour | None:
    """Estimate how much judge b favours the runs that use its model, relative to the other runs."""
    is_shared = np.isin(runs, list(shared))
    if not is_shared.any() or is_shared.all():
        return None
    change = values[1] - values[0]
    difference = np.stack([change[is_shared].mean(axis=0), change[~is_shared].mean(axis=0)])
    outcome = significance_test("t").compare(difference, np.array([[0, 1]]))
    return Favour(
        float(np.nanmean(difference[0] - difference[1])),
        float(outcome.low[0]),
        float(outcome.high[0]),
        float(outcome.statistic[0]),
        float(outcome.p[0]),
    )

"""Robustness of measures to missing judgments: how well samples of the judgments preserve the order of the runs.

Judgments are left out at random, in nested samples stratified by topic and grade (see ``downsampling``); the documents
left out are unjudged. The values of all runs are recomputed with the recall base of the sample, and the order of the
runs by their means is correlated with the order by all judgments: by Kendall's tau-b, and by tau-AP, which gives the
best runs more weight. The nearer tau stays to 1 as the sample shrinks, the more robust the measure. Several seeds show
the random variation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.engine.workers import Progress
from assay.errors import InputError
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._threshold import lowest_relevant_grade
from assay.meta._correlate import direction_signs
from assay.meta.downsampling import LEAST_OTHER, LEAST_RELEVANT, Strata, check_ratio
from assay.meta.kendall import taus
from assay.meta.selection import best_runs
from assay.model.arguments import check_arguments
from assay.model.arrays import Bools, Floats, Ints
from assay.model.checks import check_integer
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results._evaluate import evaluate
from assay.results.report import Report
from assay.results.results import Results
from assay.results.run_pairs import require_two_runs
from assay.results.sentences import find_extremes, list_names, list_tied
from assay.results.tables import Table, align_texts

MEASURES = ("AP", "P@10", "bpref", "nDCG", "RBP(p=0.8)", "Twist")
"""The default measures."""
RATIOS = (90, 70, 50, 30, 10)
SEEDS = 10


@dataclass(frozen=True, eq=False)
class Robustness(Report):
    """Correlation of orders by samples of the judgments with the order by all; the report of :func:`robustness`.

    Attributes
    ----------
    measures, runs, ratios, seeds
        The measures, the selected runs, the percentages of judgments and the seeds.
    tau, tau_ap
        Measures x ratios x seeds: the correlation with the order by all judgments; NaN where it is undefined. Where no
        judgment could be left out it is 1, which is no evidence of robustness: see ``omits_judgments``.
    sizes
        Ratios x 2: the number of judgments in a sample, and of those with a relevant grade.
    whole
        The number of all judgments.
    provenance, notes
        The inputs and settings of the analysis, and notes on what was ignored or assumed.
    """

    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    ratios: tuple[float, ...]
    seeds: tuple[int, ...]
    tau: Floats
    tau_ap: Floats
    sizes: Ints
    whole: int
    provenance: Provenance
    notes: tuple[str, ...]

    name = "robustness"
    tables: ClassVar[Mapping[str, str]] = {
        "means": "the mean tau of each measure, by the percentage of judgments kept",
        "seeds": "tau of every sample",
        "pools": "the number of judgments in the samples",
    }

    def __repr__(self) -> str:
        sizes = (
            pluralize(len(self.measures), "measure"),
            pluralize(len(self.ratios), "ratio"),
            pluralize(len(self.seeds), "seed"),
        )
        return f"Robustness({' x '.join(sizes)}, {pluralize(len(self.runs), 'run')})"

    def frame(self) -> pl.DataFrame:
        """Return a row for each measure and ratio.

        Columns measure, ratio, seeds, tau_mean, tau_sd, tau_min, tau_max, and the same statistics of tau_ap. *seeds* is
        the number of samples with a correlation: 0 where no judgment could be left out.
        """
        index = self._index_columns(self.tau[:, :, 0].shape)
        tau, tau_ap = self._mask_full_samples(self.tau), self._mask_full_samples(self.tau_ap)
        seeds = pl.Series("seeds", np.isfinite(tau).sum(axis=2).ravel())
        return pl.DataFrame([*index, seeds, *_statistics_columns("tau", tau), *_statistics_columns("tau_ap", tau_ap)])

    def each(self) -> pl.DataFrame:
        """Return a row for each sample: measure, ratio, seed, tau, tau_ap; null where no judgment could be left out."""
        shape = self.tau.shape
        seed = pl.Series("seed", np.broadcast_to(np.array(self.seeds, dtype=np.int64), shape).ravel())
        values = [
            _to_series("tau", self._mask_full_samples(self.tau)),
            _to_series("tau_ap", self._mask_full_samples(self.tau_ap)),
        ]
        return pl.DataFrame([*self._index_columns(shape), seed, *values])

    def omits_judgments(self, ratio: float) -> bool:
        """Return True if a sample of this ratio lacks any judgment.

        A sample keeps a minimum of each topic and grade, which may be all judgments.
        """
        return bool(self.sizes[self.ratios.index(ratio), 0] < self.whole)

    def _mask_full_samples(self, values: Floats) -> Floats:
        """Replace values (measures x ratios x seeds) by NaN for ratios at which no judgment was left out."""
        tested = np.array([self.omits_judgments(ratio) for ratio in self.ratios])
        return np.where(tested[:, None], values, np.nan)

    def pools(self) -> pl.DataFrame:
        """Return the number of judgments in a sample: ratio, judgments, relevant."""
        columns = {"judgments": self.sizes[:, 0], "relevant": self.sizes[:, 1]}
        return pl.DataFrame({"ratio": pl.Series(self.ratios, dtype=pl.Float64), **columns})

    def _index_columns(self, shape: tuple[int, ...]) -> list[pl.Series]:
        """Return the columns measure and ratio of an array with these as its first two axes."""
        measure, ratio = np.indices(shape)[:2].reshape(2, -1)
        names = pl.Series("measure", [str(one) for one in self.measures], dtype=pl.String)
        return [names.gather(measure), pl.Series("ratio", self.ratios, dtype=pl.Float64).gather(ratio)]

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return the measures that preserve the order of the runs best and worst at the smallest ratio tested."""
        tested = [ratio for ratio in self.ratios if self.omits_judgments(ratio)]
        if not tested:
            return "Nothing was tested: too few documents share a topic and a grade for any judgment to be left out."
        ratio = min(tested)
        rows = self.frame().filter(pl.col("ratio") == ratio)
        extremes = find_extremes(dict(zip(rows["measure"], rows["tau_mean"], strict=True)))
        sample = f"With {ratio:g} % of the judgments,"
        if extremes is None:
            return f"{sample} no tau is defined, because all runs have the same value by every measure."
        high = f"mean tau {extremes.high:.3f} over {pluralize(len(self.seeds), 'sample')}"
        if extremes.all_equal:
            agree = "agrees" if len(extremes.highest) == 1 else "agree equally"
            which = f"{list_names(extremes.highest)} {agree}"
            return (
                f"{sample} {which} with the order of the {pluralize(len(self.runs), 'run')} by all judgments: {high}."
            )
        return (
            f"{sample} {list_tied(extremes.highest)} agree{'s' * (len(extremes.highest) == 1)} best with the order of "
            f"the {pluralize(len(self.runs), 'run')} by all judgments ({high}), "
            f"{list_tied(extremes.lowest)} worst ({extremes.low:.3f})."
        )

    def _show_means(self) -> Table:
        compact = arrange_ratios(self.frame())
        caption = (
            f"Mean Kendall's tau over {pluralize(len(self.seeds), 'sample')} between the orders of "
            f"{pluralize(len(self.runs), 'run')} by a sample of the judgments and by all judgments."
        )
        return Table(self.frame(), compact, highest_is_best=tuple(compact.columns[1:]), caption=caption)

    def _show_seeds(self) -> Table:
        names = _name_ratios(self.ratios)
        wide = self.each().with_columns(pl.col("ratio").replace_strict(names, return_dtype=pl.String))
        compact = wide.pivot("ratio", index=["measure", "seed"], values="tau", maintain_order=True)
        caption = "Kendall's tau between the orders of the runs by each sample and by all judgments."
        return Table(self.each(), compact, heading="measure", caption=caption)

    def _show_pools(self) -> Table:
        names = _name_ratios(self.ratios)
        ratios = pl.Series("ratio", [names[ratio] for ratio in self.ratios], dtype=pl.String)
        percentages = [f"{100 * size / max(self.whole, 1):.1f} %" for size in self.sizes[:, 0].tolist()]
        columns = align_texts(ratios), align_texts(pl.Series("kept", percentages))
        compact = self.pools().drop("ratio").insert_column(0, columns[0]).with_columns(columns[1])
        caption = (
            f"Samples of {self.whole} judgments; kept: percentage of the judgments in the sample. Each topic keeps at "
            f"least {LEAST_RELEVANT} document of each relevant grade and {LEAST_OTHER} non-relevant documents, if it "
            "has as many."
        )
        return Table(self.pools(), compact, caption=caption)


def arrange_ratios(frame: pl.DataFrame) -> pl.DataFrame:
    """Arrange the frame of means for reading: measure, and the mean tau at each ratio, such as ``90 %``."""
    names = _name_ratios(frame["ratio"].unique(maintain_order=True).to_list())
    wide = frame.with_columns(pl.col("ratio").replace_strict(names, return_dtype=pl.String))
    return wide.pivot("ratio", index="measure", values="tau_mean", maintain_order=True)


def _name_ratios(ratios: Iterable[float]) -> dict[float, str]:
    return {ratio: f"{ratio:g} %" for ratio in ratios}


def _statistics_columns(name: str, values: Floats) -> list[pl.Series]:
    """Return mean, standard deviation, minimum and maximum over the seeds (last axis) that have a value."""
    known = np.isfinite(values)
    number = known.sum(axis=2)
    mean = np.where(known, values, 0.0).sum(axis=2) / np.maximum(number, 1)
    squares = np.where(known, (values - mean[:, :, None]) ** 2, 0.0).sum(axis=2)
    low, high = (np.where(known, values, end) for end in (np.inf, -np.inf))
    empty = number == 0
    columns = {
        "mean": np.where(empty, np.nan, mean),
        "sd": np.where(number > 1, np.sqrt(squares / np.maximum(number - 1, 1)), np.nan),
        "min": np.where(empty, np.nan, low.min(axis=2)),
        "max": np.where(empty, np.nan, high.max(axis=2)),
    }
    return [_to_series(f"{name}_{statistic}", column) for statistic, column in columns.items()]


def _to_series(name: str, values: Floats) -> pl.Series:
    return pl.Series(name, values.ravel()).fill_nan(None)


@check_arguments
def robustness(
    campaign: Campaign,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    ratios: Iterable[float] = RATIOS,
    seeds: int = SEEDS,
    best: float | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Robustness:
    """Measure how well samples of the judgments preserve the order of runs by all judgments.

    Judgments are left out at random, stratified by topic and grade. Of the n documents of a topic with one grade, a
    sample of q percent keeps the first qn / 100 (rounded half up) of a random order, but at least 1 of a relevant grade
    and 10 non-relevant documents. Documents left out are unjudged. Kendall's tau-b and tau-AP (see
    :func:`assay.meta.correlate`) compare the order of runs by their means with the order by all judgments, which is the
    true order for tau-AP.

    Parameters
    ----------
    campaign
        Judgments and at least two runs; best read with ``keep="judgments"``.
    measures
        As in ``evaluate`` (default: ``MEASURES``).
    ratios
        The percentages of judgments that are kept.
    seeds, seed
        Number of samples for each ratio, drawn with the seeds *seed*, *seed* + 1, …; the samples of a seed are nested.
    best
        Use only this fraction of the runs, the best by MAP with all judgments; 0.75 in the reference.
    progress
        Called with the number of samples done and their total.

    References
    ----------
    Buckley & Voorhees, *Retrieval evaluation with incomplete information*, SIGIR 2004. Ferro, Silvello, Keskustalo,
    Pirkola & Järvelin, *The Twist measure for IR evaluation: Taking user's effort into account*, JASIST 67 (2016),
    Figure 13.

    Examples
    --------
    >>> import assay
    >>> runs = {"good": {"q": {"a": 2.0, "b": 1.0}}, "bad": {"q": {"c": 2.0, "a": 1.0}}}
    >>> campaign = assay.read({"q": {"a": 1, "b": 1, "c": 0}}, runs)
    >>> robustness(campaign, "P@2", ratios=[50], seeds=4).each()["tau"].to_list()
    [1.0, 1.0, None, None]
    """
    parsed = parse_measures(MEASURES if measures is None else measures)
    percentages = tuple(dict.fromkeys(check_ratio(ratio) for ratio in ratios))
    check_integer("seeds", seeds, 1)
    check_integer("seed", seed, 0)
    names = campaign.runs if best is None else best_runs(campaign, best)
    require_two_runs(names)
    if not percentages:
        raise InputError("ratios: name at least one percentage, such as 50")
    all_seeds = tuple(range(seed, seed + seeds))
    results, index = evaluate(campaign, parsed), [campaign.runs.index(name) for name in names]
    strata = Strata.of(campaign.judgments)

    def evaluate_sample(sample: Bools) -> Floats:
        return _oriented_means(evaluate(campaign.with_judgments(sample), parsed), index)

    samples = _draw_samples(strata, percentages, all_seeds, evaluate_sample, progress)
    tau, tau_ap = _correlate_samples(samples, _oriented_means(results, index))
    return Robustness(
        measures=parsed,
        runs=names,
        ratios=percentages,
        seeds=all_seeds,
        tau=tau,
        tau_ap=tau_ap,
        sizes=_count_sample_judgments(strata, percentages, lowest_relevant_grade(parsed)),
        whole=int(strata.size[strata.grade >= 0].sum()),
        provenance=campaign.provenance.with_settings(
            runs=len(names), best=best, ratios=list(percentages), seeds=list(all_seeds)
        ),
        notes=(*results.notes, *_note_samples(strata, percentages, parsed, tau)),
    )


def _draw_samples(
    strata: Strata,
    ratios: tuple[float, ...],
    seeds: tuple[int, ...],
    evaluate_sample: Callable[[Bools], Floats],
    progress: Progress | None,
) -> Floats:
    """Return the mean of each run with the judgments of each sample: ratios x seeds x measures x runs."""
    values = []
    for seed in seeds:
        shuffled = strata.shuffle(seed)
        for ratio in ratios:
            values.append(evaluate_sample(shuffled.sample(ratio)))
            if progress is not None:
                progress(len(values), len(ratios) * len(seeds))
    return np.stack(values).reshape(len(seeds), len(ratios), *values[0].shape).swapaxes(0, 1)


def _oriented_means(results: Results, runs: list[int]) -> Floats:
    """Return the values over topics of the given runs, measures x runs; measures of cost are negated."""
    return np.asarray((results.overall()[runs] * direction_signs(results.measures)).T)


def _correlate_samples(samples: Floats, truth: Floats) -> tuple[Floats, Floats]:
    """Return tau-b and tau-AP between the orders by samples and by all judgments, both measures x ratios x seeds.

    *samples* is ratios x seeds x measures x runs, *truth* measures x runs.
    """
    shape = samples.shape[:2]
    correlations = [taus(samples[:, :, i].reshape(-1, truth.shape[1]), order[None, :]) for i, order in enumerate(truth)]
    tau, tau_ap = ([getattr(one, name).reshape(shape) for one in correlations] for name in ("tau", "estimated"))
    return np.stack(tau), np.stack(tau_ap)


def _count_sample_judgments(strata: Strata, ratios: tuple[float, ...], rel: float) -> Ints:
    """Return ratios x 2: the number of judgments in a sample, and of those with a grade of at least *rel*."""
    sizes = np.stack([strata.sample_sizes(ratio) for ratio in ratios])
    return np.stack([sizes[:, strata.grade >= 0].sum(axis=1), sizes[:, strata.grade >= rel].sum(axis=1)], axis=1)


def _note_samples(strata: Strata, ratios: tuple[float, ...], measures: tuple[Measure, ...], tau: Floats) -> list[str]:
    """Return notes on negative grades, on ratios at which no judgment was left out, and on missing correlations."""
    notes = []
    judged = strata.grade >= 0
    negative = int(strata.size[strata.grade < 0].sum())
    if negative:
        notes.append(f"{pluralize(negative, 'document')} with negative grades count as unjudged; samples keep them")
    if not (strata.size[judged] > strata.sample_sizes(1)[judged]).any():
        notes.append("too few documents of each topic have the same grade for any judgment to be left out")
    else:
        untested = [ratio for ratio in ratios if not (strata.sample_sizes(ratio) < strata.size)[judged].any()]
        if untested:
            percentages = ", ".join(f"{ratio:g}" for ratio in untested)
            notes.append(f"no judgment was left out at {percentages} %, which tests nothing")
    for measure, values in zip(measures, tau, strict=True):
        without = int(np.isnan(values).sum())
        if without:
            notes.append(f"{measure}: {without} of {values.size} samples have no tau, as all runs have the same value")
    return notes

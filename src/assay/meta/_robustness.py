"""Robustness of measures to missing judgments: the agreement of orders of runs by samples and by all judgments.

Judgments are left out at random, in nested samples stratified by topic and grade (see ``downsampling``). Documents
whose judgments are left out become unjudged. The values of all runs are recomputed with the recall base of the sample.
The order of the runs by their means is correlated with the order by all judgments, by Kendall's tau-b and by tau-AP,
which gives the best runs more weight. A measure is robust if tau stays near 1 for small samples. Several seeds show the
random variation.
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
from assay.meta.downsampling import MIN_NONRELEVANT, MIN_RELEVANT, Strata, check_ratio
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
    """Correlation of orders of runs by samples and by all judgments; the report of :func:`robustness`.

    Attributes
    ----------
    measures, runs, ratios, seeds
        The measures, the selected runs, the percentages of judgments and the seeds.
    tau, tau_ap
        Measures x ratios x seeds: the correlation with the order by all judgments; NaN if it is undefined. If no
        judgment could be left out, the correlation is 1, which is no evidence of robustness: see ``omits_judgments``.
    sizes
        Ratios x 2: the number of judgments in a sample, and the number of them with a relevant grade.
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
        "seeds": "the tau of every sample",
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

        The columns are measure, ratio, seeds, tau_mean, tau_sd, tau_min, tau_max, and the same statistics of tau_ap.
        *seeds* is the number of samples with a correlation; 0 if no judgment could be left out.
        """
        index = self._index_columns(self.tau[:, :, 0].shape)
        tau, tau_ap = self._mask_full_samples(self.tau), self._mask_full_samples(self.tau_ap)
        seeds = pl.Series("seeds", np.isfinite(tau).sum(axis=2).ravel())
        return pl.DataFrame([*index, seeds, *_statistics_columns("tau", tau), *_statistics_columns("tau_ap", tau_ap)])

    def each(self) -> pl.DataFrame:
        """Return a row for each sample: measure, ratio, seed, tau, tau_ap (null if no judgment could be left out)."""
        shape = self.tau.shape
        seed = pl.Series("seed", np.broadcast_to(np.array(self.seeds, dtype=np.int64), shape).ravel())
        values = [
            _to_series("tau", self._mask_full_samples(self.tau)),
            _to_series("tau_ap", self._mask_full_samples(self.tau_ap)),
        ]
        return pl.DataFrame([*self._index_columns(shape), seed, *values])

    def omits_judgments(self, ratio: float) -> bool:
        """Return True if samples of this ratio leave out at least one judgment.

        A sample keeps a minimum number of judgments for each topic and grade; this can include all judgments.
        """
        return bool(self.sizes[self.ratios.index(ratio), 0] < self.whole)

    def _mask_full_samples(self, values: Floats) -> Floats:
        """Replace values (measures x ratios x seeds) by NaN for ratios at which no judgment was left out."""
        omits = np.array([self.omits_judgments(ratio) for ratio in self.ratios])
        return np.where(omits[:, None], values, np.nan)

    def pools(self) -> pl.DataFrame:
        """Return the number of judgments in a sample: ratio, judgments, relevant."""
        columns = {"judgments": self.sizes[:, 0], "relevant": self.sizes[:, 1]}
        return pl.DataFrame({"ratio": pl.Series(self.ratios, dtype=pl.Float64), **columns})

    def _index_columns(self, shape: tuple[int, ...]) -> list[pl.Series]:
        """Return the columns measure and ratio for an array whose first two axes are measures and ratios."""
        measure, ratio = np.indices(shape)[:2].reshape(2, -1)
        names = pl.Series("measure", [str(one) for one in self.measures], dtype=pl.String)
        return [names.gather(measure), pl.Series("ratio", self.ratios, dtype=pl.Float64).gather(ratio)]

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return the measures that preserve the order of the runs best and worst, at the smallest tested ratio."""
        tested = [ratio for ratio in self.ratios if self.omits_judgments(ratio)]
        if not tested:
            return (
                "Robustness was not tested: every topic has so few documents of each grade that samples keep all "
                "judgments."
            )
        ratio = min(tested)
        rows = self.frame().filter(pl.col("ratio") == ratio)
        extremes = find_extremes(dict(zip(rows["measure"], rows["tau_mean"], strict=True)))
        sample = f"With {ratio:g} % of the judgments,"
        if extremes is None:
            return f"{sample} tau is undefined, because all runs have the same mean under every measure."
        high = f"mean tau {extremes.high:.3f} over {pluralize(len(self.seeds), 'sample')}"
        runs = pluralize(len(self.runs), "run")
        if extremes.all_equal:
            preserve = "preserves" if len(extremes.highest) == 1 else "preserve equally well"
            return f"{sample} {list_names(extremes.highest)} {preserve} the order of the {runs}: {high}."
        return (
            f"{sample} {list_tied(extremes.highest)} preserve{'s' * (len(extremes.highest) == 1)} the order of the "
            f"{runs} best ({high}); {list_tied(extremes.lowest)} preserve{'s' * (len(extremes.lowest) == 1)} it least "
            f"({extremes.low:.3f})."
        )

    def _show_means(self) -> Table:
        compact = arrange_ratios(self.frame())
        caption = (
            f"Kendall's tau between the orders of {pluralize(len(self.runs), 'run')} by a sample of the judgments and "
            f"by all judgments; the mean over {pluralize(len(self.seeds), 'sample')}."
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
            f"Samples of {self.whole} judgments. kept: percentage of the judgments in the sample. For each topic, a "
            f"sample keeps at least {MIN_RELEVANT} document of each relevant grade and {MIN_NONRELEVANT} non-relevant "
            "documents (or all, if the topic has fewer)."
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
    """Return the mean, standard deviation, minimum and maximum over the seeds (last axis), without NaN values."""
    known = np.isfinite(values)
    count = known.sum(axis=2)
    mean = np.where(known, values, 0.0).sum(axis=2) / np.maximum(count, 1)
    squares = np.where(known, (values - mean[:, :, None]) ** 2, 0.0).sum(axis=2)
    low, high = (np.where(known, values, end) for end in (np.inf, -np.inf))
    empty = count == 0
    columns = {
        "mean": np.where(empty, np.nan, mean),
        "sd": np.where(count > 1, np.sqrt(squares / np.maximum(count - 1, 1)), np.nan),
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

    Judgments are left out at random, stratified by topic and grade. From n documents of the same topic and grade, a
    sample of q percent keeps the first qn / 100 (rounded half up) in a random order, but at least 1 document of a
    relevant grade and 10 non-relevant documents. Documents whose judgments are left out become unjudged. Kendall's
    tau-b and tau-AP (see :func:`assay.meta.correlate`) compare the order of runs by their means with the order by all
    judgments. The order by all judgments is the true order for tau-AP.

    Parameters
    ----------
    campaign
        Judgments and at least two runs. Read the campaign with ``keep="judgments"``; otherwise the runs are read again.
    measures
        As in ``evaluate`` (default: ``MEASURES``).
    ratios
        The percentages of judgments that are kept.
    seeds, seed
        *seeds* is the number of samples for each ratio. They are drawn with the seeds *seed*, *seed* + 1, …; samples
        with the same seed are nested.
    best
        Use only this fraction of the runs: the best runs by MAP with all judgments. The reference uses 0.75.
    progress
        Function that is called with the number of samples done and their total.

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
    """Return the means of the runs with the judgments of each sample, ratios x seeds x measures x runs."""
    values = []
    for seed in seeds:
        shuffled = strata.shuffle(seed)
        for ratio in ratios:
            values.append(evaluate_sample(shuffled.sample(ratio)))
            if progress is not None:
                progress(len(values), len(ratios) * len(seeds))
    return np.stack(values).reshape(len(seeds), len(ratios), *values[0].shape).swapaxes(0, 1)


def _oriented_means(results: Results, runs: list[int]) -> Floats:
    """Return the values over topics of the given runs, measures x runs, negated if lower values are better."""
    return np.asarray((results.overall()[runs] * direction_signs(results.measures)).T)


def _correlate_samples(samples: Floats, truth: Floats) -> tuple[Floats, Floats]:
    """Return tau-b and tau-AP between the orders by samples and by all judgments, both measures x ratios x seeds.

    *samples* is ratios x seeds x measures x runs, *truth* is measures x runs.
    """
    shape = samples.shape[:2]
    correlations = [taus(samples[:, :, i].reshape(-1, truth.shape[1]), order[None, :]) for i, order in enumerate(truth)]
    tau, tau_ap = ([getattr(one, name).reshape(shape) for one in correlations] for name in ("tau", "estimated"))
    return np.stack(tau), np.stack(tau_ap)


def _count_sample_judgments(strata: Strata, ratios: tuple[float, ...], rel: float) -> Ints:
    """Return the number of judgments in a sample and the number of relevant ones (grade >= *rel*), ratios x 2."""
    sizes = np.stack([strata.sample_sizes(ratio) for ratio in ratios])
    return np.stack([sizes[:, strata.grade >= 0].sum(axis=1), sizes[:, strata.grade >= rel].sum(axis=1)], axis=1)


def _note_samples(strata: Strata, ratios: tuple[float, ...], measures: tuple[Measure, ...], tau: Floats) -> list[str]:
    """Return notes on negative grades, on ratios at which no judgment was left out, and on missing correlations."""
    notes = []
    judged = strata.grade >= 0
    negative = int(strata.size[strata.grade < 0].sum())
    if negative:
        notes.append(
            f"{pluralize(negative, 'document')} with negative grades count as unjudged; every sample keeps them"
        )
    if not (strata.size[judged] > strata.sample_sizes(1)[judged]).any():
        notes.append(
            "robustness is not tested: every topic has so few documents of each grade that samples keep all judgments"
        )
    else:
        untested = [ratio for ratio in ratios if not (strata.sample_sizes(ratio) < strata.size)[judged].any()]
        if untested:
            percentages = ", ".join(f"{ratio:g}" for ratio in untested)
            notes.append(f"samples of {percentages} % keep all judgments and are not tested")
    for measure, values in zip(measures, tau, strict=True):
        undefined = int(np.isnan(values).sum())
        if undefined:
            notes.append(
                f"{measure}: tau is undefined for {undefined} of {values.size} samples, "
                "because all runs have the same mean"
            )
    return notes

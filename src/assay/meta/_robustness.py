"""Robustness of measures to missing judgments: the agreement of orders of runs by samples and by all judgments.

Judgments are left out at random, in nested samples stratified by topic and grade (see ``downsampling``). Documents
whose judgments are left out become unjudged. The values of all runs are recomputed with the recall base of the sample.
The order of the runs by their means is correlated with the order by all judgments, by Kendall's tau-b and by tau-AP,
which gives the best runs more weight. A measure is robust if tau stays near 1 for small samples. Several seeds show the
random variation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.engine.workers import Progress, track
from assay.errors import InputError
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._threshold import lowest_relevant_grade
from assay.meta._correlate import direction_signs, mean_scores
from assay.meta.downsampling import MIN_NONRELEVANT, MIN_RELEVANT, Strata, check_ratio
from assay.meta.kendall import taus_with_truth
from assay.meta.selection import best_runs
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints
from assay.model.checks import check_integer
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results._evaluate import evaluate
from assay.results.report import Report
from assay.results.results import Results
from assay.results.run_pairs import require_two_runs
from assay.results.sentences import find_extremes, list_names, list_tied
from assay.results.tables import Table, align_texts, percentage_column
from assay.results.tidy_frame import tidy_frame

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
        statistics = {"mean": pl.Expr.mean, "sd": pl.Expr.std, "min": pl.Expr.min, "max": pl.Expr.max}
        by_ratio = self.each().group_by("measure", "ratio", maintain_order=True)
        return by_ratio.agg(
            pl.col("tau").count().cast(pl.Int64).alias("seeds"),
            *(
                compute(pl.col(tau)).alias(f"{tau}_{statistic}")
                for tau in ("tau", "tau_ap")
                for statistic, compute in statistics.items()
            ),
        )

    def each(self) -> pl.DataFrame:
        """Return a row for each sample: measure, ratio, seed, tau, tau_ap (null if no judgment could be left out)."""
        omits = np.array([[self.omits_judgments(ratio)] for ratio in self.ratios])
        tau, tau_ap = (np.where(omits, values, np.nan) for values in (self.tau, self.tau_ap))
        axes = {"measure": self.measures, "ratio": self.ratios, "seed": self.seeds}
        return tidy_frame(axes, {"tau": tau, "tau_ap": tau_ap})

    def omits_judgments(self, ratio: float) -> bool:
        """Return True if samples of this ratio leave out at least one judgment.

        A sample keeps a minimum number of judgments for each topic and grade; this minimum can include all judgments.
        """
        return bool(self.sizes[self.ratios.index(ratio), 0] < self.whole)

    def pools(self) -> pl.DataFrame:
        """Return the number of judgments in a sample: ratio, judgments, relevant."""
        return tidy_frame({"ratio": self.ratios}, {"judgments": self.sizes[:, 0], "relevant": self.sizes[:, 1]})

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
            f"{sample} {list_tied(extremes.highest, 'preserve')} the order of the {runs} best ({high}); "
            f"{list_tied(extremes.lowest, 'preserve')} it least ({extremes.low:.3f})."
        )

    def _show_means(self) -> Table:
        compact = arrange_ratios(self.frame())
        caption = (
            f"Kendall's tau between the orders of {pluralize(len(self.runs), 'run')} by a sample of the judgments and "
            f"by all judgments; the mean over {pluralize(len(self.seeds), 'sample')}."
        )
        return Table(self.frame(), compact, highest_is_best=tuple(compact.columns[1:]), caption=caption)

    def _show_seeds(self) -> Table:
        compact = arrange_ratios(self.each(), index=("measure", "seed"), values="tau")
        caption = "Kendall's tau between the orders of the runs by each sample and by all judgments."
        return Table(self.each(), compact, heading="measure", caption=caption)

    def _show_pools(self) -> Table:
        ratios = pl.Series("ratio", [f"{ratio:g} %" for ratio in self.ratios], dtype=pl.String)
        kept = percentage_column("kept", self.sizes[:, 0] / max(self.whole, 1))
        compact = self.pools().with_columns(align_texts(ratios), kept)
        caption = (
            f"Samples of {self.whole} judgments. kept: percentage of the judgments in the sample. For each topic, a "
            f"sample keeps at least {MIN_RELEVANT} document of each relevant grade and {MIN_NONRELEVANT} non-relevant "
            "documents (or all, if the topic has fewer)."
        )
        return Table(self.pools(), compact, caption=caption)


def arrange_ratios(
    frame: pl.DataFrame, index: tuple[str, ...] = ("measure",), values: str = "tau_mean"
) -> pl.DataFrame:
    """Arrange tau for reading: the columns *index*, and a column of *values* for each ratio, such as ``90 %``."""
    names = {ratio: f"{ratio:g} %" for ratio in frame["ratio"].unique().to_list()}
    wide = frame.with_columns(pl.col("ratio").replace_strict(names, return_dtype=pl.String))
    return wide.pivot("ratio", index=index, values=values, maintain_order=True)


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
    results, strata = evaluate(campaign, parsed), Strata.of(campaign.judgments)
    truth = _oriented_means(results, names)
    samples = np.empty((len(percentages), seeds, *truth.shape))
    shuffled = [strata.shuffle(one) for one in all_seeds]
    for j, i in track(list(np.ndindex(seeds, len(percentages))), progress):
        sample = campaign.with_judgments(shuffled[j].sample(percentages[i]))
        samples[i, j] = _oriented_means(evaluate(sample, parsed), names)
    correlations = taus_with_truth(samples.reshape(-1, *truth.shape), truth)
    tau, tau_ap = (x.reshape(len(parsed), *samples.shape[:2]) for x in (correlations.tau, correlations.estimated))
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


def _oriented_means(results: Results, runs: tuple[str, ...]) -> Floats:
    """Return the values over topics of the given runs, measures x runs, negated if lower values are better."""
    return mean_scores(results.select(runs)) * direction_signs(results.measures)


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

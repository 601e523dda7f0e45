"""Robustness of measures to missing judgments: how well they preserve the order of systems by all judgments.

Judgments are left out at random, stratified by topic and grade and nested (see ``downsampling``); what is left out is
unjudged. The values of all runs are computed anew, with the recall base of the sample, and the order of the runs by
their means is correlated with their order by all judgments: Kendall's tau-b, and tau-AP, to which the best runs matter
more. The flatter the line over the ratios, and the nearer to 1, the more robust the measure. Samples of several seeds
show how much of that is chance.
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
from assay.measures._threshold import lowest_relevant
from assay.meta._correlate import direction
from assay.meta._extremes import find_extremes, list_names, list_tied
from assay.meta.downsampling import LEAST_OTHER, LEAST_RELEVANT, Strata, check_ratio
from assay.meta.kendall import taus
from assay.meta.selection import best_runs
from assay.model.arguments import check_arguments
from assay.model.arrays import Bools, Floats, Ints
from assay.model.checks import whole
from assay.model.notes import count
from assay.model.provenance import Provenance
from assay.results._evaluate import evaluate
from assay.results.report import Report
from assay.results.results import Results
from assay.results.tables import Table, align_texts

MEASURES = ("AP", "P@10", "bpref", "nDCG", "RBP(p=0.8)", "Twist")
"""The measures that are tested unless others are named."""
RATIOS = (90, 70, 50, 30, 10)
SEEDS = 10


@dataclass(frozen=True, eq=False)
class Robustness(Report):
    """The result of :func:`robustness`.

    Attributes
    ----------
    measures, runs, ratios, seeds
        What was measured; the runs that were selected, the percentages and the seeds.
    tau, tau_ap
        Measures x ratios x seeds: the correlation with the order by all judgments; NaN where there is none. Where no
        judgment could be left out it is 1, which tests nothing: see ``tested``.
    sizes
        Ratios x 2: how many judgments a sample has, and how many of these are of relevant grades.
    whole
        How many judgments there are in all.
    provenance, notes
        The inputs and settings behind the numbers, and notes on what was ignored or assumed.
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
        "means": "the mean tau of each measure by the share of the judgments that is kept",
        "seeds": "tau of every sample",
        "pools": "the number of judgments of the samples",
    }

    def __repr__(self) -> str:
        sizes = count(len(self.measures), "measure"), count(len(self.ratios), "ratio"), count(len(self.seeds), "seed")
        return f"Robustness({' x '.join(sizes)}, {count(len(self.runs), 'run')})"

    def frame(self) -> pl.DataFrame:
        """Return a row for each measure and ratio.

        ``measure, ratio, seeds, tau_mean, tau_sd, tau_min, tau_max``, and the same of ``tau_ap``; *seeds* counts those
        for which there is a correlation: none where no judgment could be left out, as that tests nothing.
        """
        index = self._index(self.tau[:, :, 0].shape)
        tau, tau_ap = self._known(self.tau), self._known(self.tau_ap)
        counted = pl.Series("seeds", np.isfinite(tau).sum(axis=2).ravel())
        return pl.DataFrame([*index, counted, *_spread("tau", tau), *_spread("tau_ap", tau_ap)])

    def each(self) -> pl.DataFrame:
        """Return every sample: measure, ratio, seed, tau, tau_ap; null where no judgment could be left out."""
        shape = self.tau.shape
        seed = pl.Series("seed", np.broadcast_to(np.array(self.seeds, dtype=np.int64), shape).ravel())
        values = [_series("tau", self._known(self.tau)), _series("tau_ap", self._known(self.tau_ap))]
        return pl.DataFrame([*self._index(shape), seed, *values])

    def tested(self, ratio: float) -> bool:
        """Return whether a sample of this ratio lacks any judgment.

        The least that is kept of each topic and grade may be all that there is.
        """
        return bool(self.sizes[self.ratios.index(ratio), 0] < self.whole)

    def _known(self, values: Floats) -> Floats:
        """Return measures x ratios x seeds; NaN where nothing was tested."""
        tested = np.array([self.tested(ratio) for ratio in self.ratios])
        return np.where(tested[:, None], values, np.nan)

    def pools(self) -> pl.DataFrame:
        """Return the number of judgments of a sample: ratio, judgments, relevant."""
        columns = {"judgments": self.sizes[:, 0], "relevant": self.sizes[:, 1]}
        return pl.DataFrame({"ratio": pl.Series(self.ratios, dtype=pl.Float64), **columns})

    def _index(self, shape: tuple[int, ...]) -> list[pl.Series]:
        """Return the columns measure and ratio of a table of this shape."""
        measure, ratio = np.indices(shape)[:2].reshape(2, -1)
        names = pl.Series("measure", [str(one) for one in self.measures], dtype=pl.String)
        return [names.gather(measure), pl.Series("ratio", self.ratios, dtype=pl.Float64).gather(ratio)]

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return which measures keep the order of the runs best and worst at the smallest ratio that was tested."""
        tested = [ratio for ratio in self.ratios if self.tested(ratio)]
        if not tested:
            return "Too few documents share a topic and a grade for any judgment to be left out: nothing was tested."
        ratio = min(tested)
        rows = self.frame().filter(pl.col("ratio") == ratio)
        extremes = find_extremes(dict(zip(rows["measure"], rows["tau_mean"], strict=True)))
        share = f"With {ratio:g} % of the judgments"
        if extremes is None:
            return f"{share} no tau is defined, as every measure gives all runs the same value."
        high = f"mean tau {extremes.high:.3f} over {count(len(self.seeds), 'sample')}"
        if extremes.equal:
            agree = "agrees" if len(extremes.highest) == 1 else "agree equally"
            which = f"{list_names(extremes.highest)} {agree}"
            return f"{share} {which} with the order of the {count(len(self.runs), 'run')} by all judgments: {high}."
        return (
            f"{share} {list_tied(extremes.highest)} agree{'s' * (len(extremes.highest) == 1)} best with the order of "
            f"the {count(len(self.runs), 'run')} by all judgments ({high}), "
            f"{list_tied(extremes.lowest)} worst ({extremes.low:.3f})."
        )

    def _show_means(self) -> Table:
        compact = arrange_ratios(self.frame())
        caption = (
            f"Mean Kendall's tau over {count(len(self.seeds), 'sample')} between the orders of "
            f"{count(len(self.runs), 'run')} by a share of the judgments and by all of them."
        )
        return Table(self.frame(), compact, best=tuple(compact.columns[1:]), caption=caption)

    def _show_seeds(self) -> Table:
        names = _name_ratios(self.ratios)
        wide = self.each().with_columns(pl.col("ratio").replace_strict(names, return_dtype=pl.String))
        compact = wide.pivot("ratio", index=["measure", "seed"], values="tau", maintain_order=True)
        caption = "Kendall's tau between the orders of the runs by each sample and by all judgments."
        return Table(self.each(), compact, heading="measure", caption=caption)

    def _show_pools(self) -> Table:
        names = _name_ratios(self.ratios)
        shares = pl.Series("share", [names[ratio] for ratio in self.ratios], dtype=pl.String)
        kept = pl.Series("kept", [f"{100 * size / max(self.whole, 1):.1f} %" for size in self.sizes[:, 0].tolist()])
        compact = self.pools().drop("ratio").insert_column(0, align_texts(shares)).with_columns(align_texts(kept))
        caption = (
            f"Of {self.whole} judgments; each topic keeps at least {LEAST_RELEVANT} document of each relevant grade "
            f"and {LEAST_OTHER} that are not relevant, if it has them."
        )
        return Table(self.pools(), compact, caption=caption)


def arrange_ratios(frame: pl.DataFrame) -> pl.DataFrame:
    """Return for people: measure, and the mean tau by the share of the judgments, such as ``90 %``."""
    names = _name_ratios(frame["ratio"].unique(maintain_order=True).to_list())
    wide = frame.with_columns(pl.col("ratio").replace_strict(names, return_dtype=pl.String))
    return wide.pivot("ratio", index="measure", values="tau_mean", maintain_order=True)


def _name_ratios(ratios: Iterable[float]) -> dict[float, str]:
    return {ratio: f"{ratio:g} %" for ratio in ratios}


def _spread(name: str, values: Floats) -> list[pl.Series]:
    """Return mean, standard deviation, least and largest over the seeds that have a value."""
    counted = np.isfinite(values).sum(axis=2)
    filled = np.where(np.isfinite(values), values, 0.0)
    mean = filled.sum(axis=2) / np.maximum(counted, 1)
    squares = np.where(np.isfinite(values), (values - mean[:, :, None]) ** 2, 0.0).sum(axis=2)
    low, high = (np.where(np.isfinite(values), values, end) for end in (np.inf, -np.inf))
    none = counted == 0
    columns = {
        "mean": np.where(none, np.nan, mean),
        "sd": np.where(counted > 1, np.sqrt(squares / np.maximum(counted - 1, 1)), np.nan),
        "min": np.where(none, np.nan, low.min(axis=2)),
        "max": np.where(none, np.nan, high.max(axis=2)),
    }
    return [_series(f"{name}_{what}", column) for what, column in columns.items()]


def _series(name: str, values: Floats) -> pl.Series:
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
    """Compute how well fewer and fewer judgments preserve the order of runs by all judgments.

    Judgments are left out at random, stratified by topic and grade: of n documents of a topic that have one grade, q
    per cent are the first qn / 100 of a random order, rounded half up; at least 1 of a relevant grade, and 10 of those
    that are not relevant. What is left out is unjudged. Kendall's tau-b and tau-AP (see :func:`assay.meta.correlate`)
    compare the order of runs by their means with that by all judgments, which is taken for the true one.

    Parameters
    ----------
    campaign
        Judgments and at least two runs; best read with ``keep="judgments"``.
    measures
        As in ``evaluate`` (default: ``MEASURES``).
    ratios
        The shares of the judgments that are kept, in percent.
    seeds, seed
        How many samples are drawn for each ratio, from the seeds *seed*, *seed* + 1, …; those of one seed are nested.
    best
        Only this share of the runs, the best by MAP with all judgments: 0.75 as in the reference.
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
    chosen = parse_measures(MEASURES if measures is None else measures)
    percent = tuple(dict.fromkeys(check_ratio(ratio) for ratio in ratios))
    whole("seeds", seeds, 1)
    whole("seed", seed, 0)
    names = campaign.runs if best is None else best_runs(campaign, best)
    if len(names) < 2:
        raise InputError("runs: name at least two runs, so that there is an order")
    if not percent:
        raise InputError("ratios: name at least one percentage, such as 50")
    numbers = tuple(range(seed, seed + seeds))
    results, place = evaluate(campaign, chosen), [campaign.runs.index(name) for name in names]
    strata = Strata.of(campaign.judgments)

    def evaluate_sample(kept: Bools) -> Floats:
        return _merits(evaluate(campaign.with_judgments(kept), chosen), place)

    samples = _draw_samples(strata, percent, numbers, evaluate_sample, progress)
    tau, tau_ap = _correlate_samples(samples, _merits(results, place))
    return Robustness(
        measures=chosen,
        runs=names,
        ratios=percent,
        seeds=numbers,
        tau=tau,
        tau_ap=tau_ap,
        sizes=_sizes(strata, percent, lowest_relevant(chosen)),
        whole=int(strata.size[strata.grade >= 0].sum()),
        provenance=campaign.provenance.with_settings(
            runs=len(names), best=best, ratios=list(percent), seeds=list(numbers)
        ),
        notes=(*results.notes, *_notes(strata, percent, chosen, tau)),
    )


def _draw_samples(
    strata: Strata,
    ratios: tuple[float, ...],
    seeds: tuple[int, ...],
    evaluate_sample: Callable[[Bools], Floats],
    progress: Progress | None,
) -> Floats:
    """Return ratios x seeds x measures x runs: the value of each run with the judgments of each sample."""
    values = []
    for seed in seeds:
        shuffled = strata.shuffle(seed)
        for ratio in ratios:
            values.append(evaluate_sample(shuffled.sample(ratio)))
            if progress is not None:
                progress(len(values), len(ratios) * len(seeds))
    return np.stack(values).reshape(len(seeds), len(ratios), *values[0].shape).swapaxes(0, 1)


def _merits(results: Results, place: list[int]) -> Floats:
    """Return measures x some runs: the value over topics, larger for better."""
    return np.asarray((results.overall()[place] * direction(results.measures)).T)


def _correlate_samples(samples: Floats, truth: Floats) -> tuple[Floats, Floats]:
    """Return measures x ratios x seeds: tau-b and tau-AP of the orders by samples with the order by all judgments.

    *samples* is ratios x seeds x measures x runs, *truth* measures x runs.
    """
    shape = samples.shape[:2]
    correlations = [taus(samples[:, :, i].reshape(-1, truth.shape[1]), order[None, :]) for i, order in enumerate(truth)]
    tau, tau_ap = ([getattr(one, name).reshape(shape) for one in correlations] for name in ("tau", "estimated"))
    return np.stack(tau), np.stack(tau_ap)


def _sizes(strata: Strata, ratios: tuple[float, ...], rel: float) -> Ints:
    kept = np.stack([strata.sample_sizes(ratio) for ratio in ratios])
    return np.stack([kept[:, strata.grade >= 0].sum(axis=1), kept[:, strata.grade >= rel].sum(axis=1)], axis=1)


def _notes(strata: Strata, ratios: tuple[float, ...], measures: tuple[Measure, ...], tau: Floats) -> list[str]:
    notes = []
    judged = strata.grade >= 0
    negative = int(strata.size[strata.grade < 0].sum())
    if negative:
        notes.append(
            f"{count(negative, 'document')} with negative grades count as not judged and were kept as they are"
        )
    if not (strata.size[judged] > strata.sample_sizes(1)[judged]).any():
        notes.append("too few documents of each topic have the same grade for any judgment to be left out")
    else:
        notes += _untested([ratio for ratio in ratios if not (strata.sample_sizes(ratio) < strata.size)[judged].any()])
    for measure, values in zip(measures, tau, strict=True):
        without = int(np.isnan(values).sum())
        if without:
            notes.append(f"{measure}: {without} of {values.size} samples have no tau, as all runs have the same value")
    return notes


def _untested(ratios: list[float]) -> list[str]:
    """Note ratios that leave out nothing: the least that is kept of each topic and grade is all that there is."""
    shown = ", ".join(f"{ratio:g}" for ratio in ratios)
    return [f"no judgment was left out at {shown} %, which tests nothing"] if ratios else []

"""Estimates of values: what a value would be if all documents of the rankings were judged.

Bounds state what is possible, not what is likely. Here the grade of each unjudged document is random, with a
distribution that is estimated from judged documents (see ``priors``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from assay.engine.campaign import Campaign
from assay.engine.workers import Progress, track
from assay.errors import InputError, check_choice
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.meta._correlate import mean_scores
from assay.meta.collection_features import count_features
from assay.meta.groups import number_groups
from assay.meta.left_out import find_contributed_judgments
from assay.model.arguments import check_arguments
from assay.model.checks import check_integer
from assay.results._evaluate import evaluate
from assay.uncertainty._bounds import bounds
from assay.uncertainty._estimate.accuracy import measure_accuracy
from assay.uncertainty._estimate.priors import PRIORS, Evidence
from assay.uncertainty._estimate.report import Estimates
from assay.uncertainty._estimate.run_estimates import EstimateSettings, estimate_run

MEASURES = ("P@10", "nDCG@10", "RBP(p=0.8)")
"""Measures that are estimated by default."""
IDEALS = ("completed", "judged")
_DEFAULT_POOL = 100  # if no run is judged to any depth


@check_arguments
def estimate(
    campaign: Campaign,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    prior: str | None = None,
    groups: Any = None,
    pool: int | None = None,
    ideal: str = "completed",
    samples: int = 1000,
    seed: int = 0,
    leave_out: bool = True,
    progress: Progress | None = None,
) -> Estimates:
    r"""Estimate the values that runs would have if all documents of their rankings were judged.

    Each unjudged document (and each document with a negative grade) has a random grade, with a distribution
    :math:`\pi(g)` that is estimated from judged documents. Grades of different documents are independent. The estimate
    is the mean of the value; the interval contains the middle 90 % of its distribution. The mean is exact for weighted
    sums such as P, DCG and RBP, where each gain is replaced by its mean

    .. math:: \sum_g \pi(g) \, gain(g)

    and for rankings with few unjudged documents. Other means, and the intervals, come from random draws; the interval
    of P is exact. The interval contains only the uncertainty from unjudged documents: it assumes that the prior is
    right, and that the topics are fixed.

    Parameters
    ----------
    campaign
        Judgments and runs. Ties must be broken, and rankings must not be condensed.
    measures
        As in ``evaluate``; by default ``MEASURES``.
    prior
        The judged documents whose grades estimate :math:`\pi`, separately for each topic. ``unique``: documents that
        exactly one other group of runs contributed to the pool (the distribution over all topics counts as 5 further
        documents). ``pool``: all judged documents. ``run``: the judged documents of the ranking. ``rank``: the judged
        documents of the run on all topics, by a logistic regression of relevance on the logarithm of the rank. By
        default ``unique`` if groups are given, else ``pool``.
    groups
        A dict from run names to groups, or a file with lines ``run group``. By default, each run is a group.
    pool
        Depth of the pool: a group contributes the documents that one of its runs ranks at this depth or above. By
        default, the largest depth to which all documents of some run are judged.
    ideal
        ``completed``: documents with random grades enter the recall base and the ideal ranking. ``judged``: recall base
        and ideal ranking are those of the judged documents. Then nDCG and AP can exceed 1 and the bounds.
    samples, seed
        Number of random draws, and their seed. The random number of a document depends only on the seed, the topic
        and the document, so the value of a run does not depend on the other runs.
    leave_out
        Measure the accuracy of all methods: hide the judgments that only one group contributed, and estimate the values
        of its runs. This needs two groups.
    progress
        Called with the number of runs done and the total number of runs.

    References
    ----------
    Fröbe, Gienapp, Potthast & Hagen, *Bootstrapped nDCG estimation in the presence of unjudged documents*, ECIR 2023.
    Aslam & Yilmaz, *Inferring document relevance from incomplete information*, CIKM 2007. Büttcher, Clarke, Yeung &
    Soboroff, *Reliable information retrieval evaluation with incomplete and biased judgements*, SIGIR 2007. Webber &
    Park, *Score adjustment for correction of pooling bias*, SIGIR 2009.

    Examples
    --------
    >>> import assay
    >>> campaign = assay.read({"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "c": 1.0}})
    >>> estimate(campaign, "P@2").frame().select("value", "mean", "low", "high").rows()
    [(0.5, 0.75, 0.5, 1.0)]
    """
    chosen = parse_measures(MEASURES if measures is None else measures)
    check_choice(f"ideal {ideal!r}", ideal, IDEALS)
    source = prior or ("pool" if groups is None else "unique")
    check_choice(f"prior {source!r}", source, PRIORS)
    check_integer("samples", samples, 1)
    check_integer("seed", seed, 0)
    settings = EstimateSettings(source, ideal == "completed", samples, seed)
    interval = bounds(campaign, chosen, tail=False)
    names, group = number_groups(
        campaign.runs, dict(zip(campaign.runs, campaign.runs, strict=True)) if groups is None else groups
    )
    depth = _estimate_pool_depth(campaign) if pool is None else check_integer("pool", pool, 1)
    contributed = find_contributed_judgments(campaign, len(names), group, depth, np.arange(len(group)))
    evidence = Evidence.from_campaign(campaign, contributed, group)
    if source == "unique":
        _require_unique(evidence, names, depth)
    keys = _split_keys(campaign)
    runs = range(len(campaign.runs))
    estimates = [
        estimate_run(campaign, chosen, run, evidence, key=keys[run], settings=settings) for run in track(runs, progress)
    ]
    accuracy = None
    if leave_out and len(names) > 1:
        accuracy = measure_accuracy(
            campaign,
            interval.results,
            evidence,
            contributed=contributed,
            keys=keys,
            settings=settings,
            progress=progress,
        )
    condensed = mean_scores(evaluate(campaign.with_policies(unjudged="condensed"), chosen))
    return Estimates.build(
        interval,
        condensed,
        estimates,
        prior=source,
        groups=len(names),
        pool=depth,
        ideal=ideal,
        samples=settings.samples,
        seed=settings.seed,
        accuracy=accuracy,
    )


def _estimate_pool_depth(campaign: Campaign) -> int:
    """Return the largest depth to which all documents of some run are judged on all topics."""
    depths = count_features(campaign).pool_depths()
    return int(depths.max(initial=0)) or _DEFAULT_POOL


def _require_unique(evidence: Evidence, names: tuple[str, ...], pool: int) -> None:
    """Raise an error if a group has no documents for the prior ``unique``."""
    missing = np.flatnonzero(evidence.unique.sum(axis=(1, 2)) == 0)
    if len(missing):
        raise InputError(
            f"prior 'unique': for group {names[missing[0]]}, no judged document is unique to another group at pool "
            f"depth {pool}; choose the prior pool, or another pool depth"
        )


def _split_keys(campaign: Campaign) -> list[np.ndarray]:
    """Return for each run a hash of the topic and the id of each document."""
    key, topics = campaign.rankings().key, len(campaign.topics)
    ends = campaign.whole.start[::topics] if topics else np.zeros(len(campaign.runs) + 1, dtype=np.int64)
    return [key[begin:end] for begin, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]

"""All reports of assay, computed from a small collection."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from tempfile import TemporaryDirectory
from typing import Any

import assay
from assay import Campaign
from assay.results.report import Report
from assay.views.catalogue import MeasureList
from reference_pages._sample import simulate_sample

_TWO_RUNS: Any = ({"q": {"a": 1, "b": 2}}, {"low": {"q": {"a": 2.0, "b": 1.0}}, "high": {"q": {"b": 2.0, "a": 1.0}}})
_SLICES: Any = ({str(topic): {"category": ("law", "news")[topic % 2]} for topic in range(401, 421)}, "category")
_STUDY_FOLDER = TemporaryDirectory()  # Removed when the process ends.
_STUDY_SETTINGS = {"measures": ("AP", "P@5"), "seeds": 2, "resamples": 20, "depths": (5, 10)}
# Reports on unjudged documents use a pool of depth 3, so that some documents are unjudged.
REPORTS: dict[str, Callable[[Campaign], Report]] = {
    "evaluate": lambda campaign: assay.evaluate(campaign, ["AP", "P@10", "NumRelRet"]),
    "slices": lambda campaign: assay.evaluate(campaign, ["AP", "P@10", "NumRelRet"]).by(*_SLICES),
    "slice_comparison": lambda campaign: assay.compare(assay.evaluate(campaign, "AP").by(*_SLICES)),
    "slice_leaderboard": lambda campaign: assay.leaderboard(assay.evaluate(campaign, ["AP", "P@10"]).by(*_SLICES)),
    "check": lambda campaign: assay.check(simulate_sample().qrels, list(simulate_sample().runs)),
    "compare": lambda campaign: assay.compare(campaign, "AP", margin=0.05, power=0.8),
    "gate": lambda campaign: assay.gate(
        campaign, campaign.runs[0], margins={"AP": "10%"}, topics_table=_SLICES[0], by=_SLICES[1], min_topics=5
    ),
    "leaderboard": assay.leaderboard,
    "topics": lambda campaign: assay.topics(campaign.pool(3)),
    "collections": lambda campaign: assay.collections(
        {"first": campaign, "second": campaign.select(topics=campaign.topics[5:])}
    ),
    "measures": lambda campaign: MeasureList(),
    "indicators": assay.effort.indicators,
    "curve": lambda campaign: assay.effort.curve(campaign, campaign.topics[0], campaign.runs[0]),
    "against_gain": assay.effort.against_gain,
    "agreement": lambda campaign: assay.effort.agreement(campaign, "AP"),
    "contrasts": lambda campaign: assay.effort.contrasts(campaign, max_gain=0.1, min_effort=0.1),
    "mean_curve": assay.effort.mean_curve,
    "sensitivity": lambda campaign: assay.effort.sensitivity(campaign, persistences=(1, 0.9), weights=("none", "exp")),
    "bounds": lambda campaign: assay.uncertainty.bounds(campaign.pool(3), ["P@10", "RR"]),
    "estimates": lambda campaign: assay.uncertainty.estimate(
        campaign.pool(3), ["P@10", "AP"], groups={run: run[:5] for run in campaign.runs}, samples=50
    ),
    "residual": lambda campaign: assay.uncertainty.residual(campaign, pools=(2,)),
    "depth": lambda campaign: assay.uncertainty.depth(),
    "judge_next": lambda campaign: assay.uncertainty.judge_next(campaign.pool(3)),
    "judging_curve": assay.uncertainty.judging_curve,
    "ties": lambda campaign: assay.uncertainty.ties(campaign, ["AP", "P@10"]),
    "med": lambda campaign: assay.distance.med(campaign.pool(3), "nDCG@5", labels=True, trace=True, places=True),
    "rbo": assay.distance.rbo,
    "order": assay.theory.order,
    "chain": lambda campaign: assay.theory.order(assay.read(*_TWO_RUNS)).chain("q"),
    "axioms": lambda campaign: assay.theory.axioms(["AP", "Q"], length=5),
    "balance": lambda campaign: assay.theory.balance(["AP", "ERR"], n=(5, 10)),
    "trials": lambda campaign: assay.theory.trials(n=30, trials=5),
    "correlate": assay.meta.correlate,
    "robustness": lambda campaign: assay.meta.robustness(campaign, ["AP", "P@10"], seeds=2),
    "power": lambda campaign: assay.meta.power(campaign, ["AP", "P@10"], resamples=20),
    "pool_depth": lambda campaign: assay.meta.pool_depth(
        campaign, ["AP", "P@10"], (5, 10), groups={run: run[:5] for run in campaign.runs}
    ),
    "judgments": assay.meta.judgments,
    "significance_counts": lambda campaign: assay.meta.significance_counts(campaign, ["AP", "P@10"]),
    "agree": lambda campaign: assay.judges.agree(_judge_twice(campaign), gwet=True),
    "effect": lambda campaign: assay.judges.effect(campaign, _judge_twice(campaign), "AP", resamples=20),
    "combine": lambda campaign: _combine_judges(),
    "study": lambda campaign: assay.meta.study(campaign, f"{_STUDY_FOLDER.name}/study", _STUDY_SETTINGS),
}


def _judge_twice(campaign: Campaign) -> dict[str, Any]:
    """Return the judgments of the sample, and those of a more lenient judge."""
    qrels = campaign.judgments
    return {"human": qrels, "model": qrels.with_grades({0: 1})}


def _combine_judges() -> Report:
    """Combine human judgments of some topics with lenient judgments of all."""
    collection = assay.simulate(systems=2, topics=8, depth=30, pool=20)
    campaign = assay.read(collection.qrels, collection.runs, keep="documents")
    human = campaign.select(topics=campaign.topics[:6]).judgments
    return assay.judges.combine(campaign, {**_judge_twice(campaign), "human": human}, "AP", baseline=campaign.runs[0])


@cache
def build_report(name: str) -> Report:
    """Compute a report from the sample collection."""
    return REPORTS[name](_read_campaign())


@cache
def _read_campaign() -> Campaign:
    return assay.read(simulate_sample().qrels, simulate_sample().runs, keep="runs")

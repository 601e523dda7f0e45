"""Documents to judge next: the documents whose judgments most reduce the uncertainty of values.

An unjudged document makes the value of every run that retrieved it uncertain, by the weight of its rank times the range
of the gains. Judging the document removes the sum of these amounts over runs, whatever its grade is (see
``_judgment_weights``). Judging in descending order of these sums therefore leaves the least possible uncertainty after
any number of judgments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.model.arguments import check_arguments
from assay.model.checks import check_integer
from assay.model.notes import join_names, pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.tables import Table, floats_to_integers
from assay.uncertainty._judging_queue import MEASURE, JudgingQueue
from assay.uncertainty._judgment_weights import is_weighted_sum
from assay.uncertainty._stopping import (
    RuleStatus,
    StoppingRule,
    check_additive_rules,
    check_campaign,
    check_rules,
    parse_rules,
)

_MAX_SENTENCES = 3  # rules that the summary describes
DEFAULT_DOCUMENTS = 100
"""Default number of documents."""


@dataclass(frozen=True, eq=False)
class JudgeNext(Report):
    """Documents to judge next, and the uncertainty that their judgments remove.

    Attributes
    ----------
    measure
        The measure whose uncertainty the judgments reduce.
    documents
        Number of unjudged documents that affect the measure.
    before
        The present uncertainty: the mean width, over runs and topics, of the interval that contains the value. For a
        pair of runs: the mean width, over topics, of the interval that contains their difference.
    pair
        The two runs whose difference is considered, if any.
    chosen
        The documents, best first.
    rules
        The status of the stopping rules.
    """

    measure: Measure
    documents: int
    before: float
    pair: tuple[str, ...]
    chosen: pl.DataFrame
    provenance: Provenance
    notes: tuple[str, ...] = ()
    rules: tuple[RuleStatus, ...] = ()

    name = "judge_next"
    tables: ClassVar[Mapping[str, str]] = {
        "documents": "the documents to judge, best first",
        "stop": "the stopping rules: whether they hold, and what is still open",
    }

    def __repr__(self) -> str:
        return f"JudgeNext({len(self.chosen)} of {self.documents} unjudged documents, for {self.measure})"

    def frame(self) -> pl.DataFrame:
        """Return the documents, best first: topic, doc, weight, runs, best_rank, grade, remaining.

        *weight* is the uncertainty that the judgment removes, summed over runs. *runs* is the number of runs that
        retrieved the document, and *best_rank* is its best rank in these runs. *grade* is null unless the qrels contain
        a negative grade. *remaining* is the mean uncertainty once this document and all previous documents are judged.
        """
        return self.chosen.clone()

    @property
    def after(self) -> float:
        """Mean uncertainty once all of these documents are judged."""
        return float(self.chosen["remaining"][-1]) if len(self.chosen) else self.before

    def lines(self, grade: str = "?") -> str:
        """Return lines of TREC qrels, with *grade* as a placeholder for the grade."""
        for name in ("topic", "doc"):
            has_space = self.chosen[name].str.contains(r"\s")
            if has_space.any():
                raise InputError(
                    f"{name} {self.chosen[name].filter(has_space)[0]!r}: contains whitespace, which TREC qrels do not "
                    "allow"
                )
        rows = self.chosen.select("topic", "doc").iter_rows()
        return "".join(f"{topic} 0 {doc} {grade}\n" for topic, doc in rows)

    def stop(self) -> pl.DataFrame:
        """Return a row for each stopping rule and measure.

        The columns are rule, measure, holds, decided, comparisons, exact, needed, and the least certain comparison:
        run, other, low, high.
        """
        schema = {
            "rule": pl.String,
            "measure": pl.String,
            "holds": pl.Boolean,
            "decided": pl.Int64,
            "comparisons": pl.Int64,
            "exact": pl.Boolean,
            "needed": pl.Int64,
            "run": pl.String,
            "other": pl.String,
            "low": pl.Float64,
            "high": pl.Float64,
        }
        return pl.DataFrame([[getattr(rule, name) for name in schema] for rule in self.rules], schema, orient="row")

    def summary(self) -> str:
        """State how much uncertainty the judgments of these documents remove, and which stopping rules hold."""
        rules = [rule.describe() for rule in self.rules]
        if len(rules) > _MAX_SENTENCES:
            holding = sum(rule.holds for rule in self.rules)
            rules = [f"{holding} of {len(rules)} stopping rules hold (see the table stop)."]
        return " ".join([self._describe_reduction(), *rules])

    def _describe_reduction(self) -> str:
        difference = f" of the difference between {self.pair[0]} and {self.pair[1]}" if self.pair else ""
        if not len(self.chosen):
            return f"No unjudged document affects {self.measure}{difference}: nothing to judge."
        return (
            f"Judging {len(self.chosen)} of {pluralize(self.documents, 'unjudged document')} reduces the mean "
            f"uncertainty of {self.measure}{difference} from {self.before:.4f} to {self.after:.4f}."
        )

    def _show_documents(self) -> Table:
        frame = self.frame()
        grade = ["grade"] if frame["grade"].null_count() < len(frame) else []
        compact = floats_to_integers(frame, *grade).select(
            pl.int_range(1, pl.len() + 1).alias("rank"),
            "topic",
            pl.col("doc").alias("document"),
            "runs",
            pl.col("best_rank").alias("best rank"),
            *grade,
            "weight",
            pl.col("remaining").alias("uncertainty after"),
        )
        return Table(
            frame,
            compact,
            caption="runs: number of runs that retrieved the document; weight: uncertainty that its judgment removes, "
            "summed over runs; uncertainty after: mean width of the interval of a value once this and all previous "
            "documents are judged",
        )

    def _show_stop(self) -> Table:
        frame = self.stop()
        compact = frame.select(
            "rule",
            "measure",
            pl.when("holds").then(pl.lit("yes")).otherwise(pl.lit("no")).alias("holds"),
            pl.format("{} of {}", "decided", "comparisons").alias("decided"),
            pl.when("exact").then(pl.lit("exact")).otherwise(pl.lit("outer")).alias("bounds"),
            "needed",
            pl.format("{} – {}", "run", "other").alias("least certain"),
            pl.col("low").alias("lowest"),
            pl.col("high").alias("highest"),
        )
        if not self.rules:
            return Table(frame, compact, caption="no stopping rules; add some, such as stop='top:10' (--stop top:10)")
        caption = (
            "decided: comparisons of two runs whose order is certain for any grades of unjudged documents; needed: "
            "number of judgments without which the rule cannot hold; lowest, highest: bounds of the difference of the "
            "least certain comparison"
        )
        if any(rule.recall_base for rule in self.rules):
            caption += (
                f"; {join_names(list(dict.fromkeys(rule.measure for rule in self.rules if rule.recall_base)))}: if no "
                "unjudged document outside the compared ranks is relevant"
            )
        if not all(rule.exact for rule in self.rules):
            caption += "; outer: the bounds may not be attained, so more comparisons may be decided"
        return Table(frame, compact, heading="rule", caption=caption)


@check_arguments
def judge_next(
    campaign: Campaign,
    measure: str | Measure = MEASURE,
    *,
    n: int | None = None,
    per_topic: int | None = None,
    topics: str | Sequence[str] | None = None,
    pair: Sequence[str] | None = None,
    all_topics: bool = False,
    order: str = "residual",
    stop: str | Iterable[str] = (),
    stop_measures: str | Measure | Iterable[str | Measure] | None = None,
) -> JudgeNext:
    """Rank unjudged documents by how much judging them reduces the uncertainty of the values of runs.

    In the order ``residual``, the weights do not depend on the grades that the documents turn out to have, so the list
    stays valid while its documents are judged. The other orders depend on the present values of the runs; repeat the
    analysis after a batch of judgments. Documents with equal weights are ordered by rank, topic and document. Documents
    with a negative grade count as unjudged. Documents after the end of a ranking (for RBP: the tail p^n) do not count,
    because they are unknown.

    Parameters
    ----------
    campaign
        Runs, and judgments if there are any. If ties are ``expected``, tied documents share the weights of their ranks.
    measure
        A weighted sum over ranks without a recall base, such as ``RBP(p=0.8)``, ``P@10``, ``DCG@10``, ``INSQ(T=2)``.
    n
        Maximum number of documents; by default 100, or no limit if *per_topic* is given.
    per_topic
        Maximum number of documents of each topic.
    topics
        Only these topics.
    pair
        The names of two runs: rank by how much judging reduces the uncertainty of their difference.
    all_topics
        Include topics that have no judgments at all.
    order
        ``residual``: by the uncertainty that the judgment removes, summed over runs (method A of Moffat, Webber &
        Zobel). ``residual-weighted``: each run counts in proportion to its present uncertainty (method B).
        ``score-weighted``: in addition, runs with high values count more, by the cube of the middle between the lower
        and the upper bound of their mean value (method C). Use it to find the best runs with few judgments. ``med``,
        for a *pair*: by the expected reduction of the largest possible difference of the two runs, which is their
        maximized effectiveness distance (MED) if it is taken of the mean over topics.
    stop
        Stopping rules. ``top:10``: the order of the best ten runs, and that they are the best, can no longer change.
        ``pair:A,B``: the order of the runs A and B is decided. Rules are checked for all grades that unjudged documents
        of the compared runs may have. For measures with a recall base, unjudged documents outside the two rankings
        count as non-relevant.
    stop_measures
        Measures of the stopping rules; by default *measure*. Bounds are exact where those of ``assay.distance.med``
        are, and otherwise outer bounds. The number of judgments that are still needed is known for weighted sums.

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008), section 4.4.
    Moffat, Webber & Zobel, *Strategic system comparisons via targeted relevance judgments*, SIGIR 2007.

    Examples
    --------
    >>> import assay
    >>> runs = {"one": {"q": {"a": 3, "b": 2, "c": 1}}, "two": {"q": {"c": 2, "b": 1}}}
    >>> campaign = assay.read({"q": {"a": 1}}, runs)
    >>> judge_next(campaign, "RBP(p=0.5)").frame().select("doc", "weight", "remaining").rows()
    [('c', 0.625, 0.25), ('b', 0.5, 0.0)]
    """
    for name, number in (("n", n), ("per_topic", per_topic)):
        if number is not None:
            check_integer(name, number, 1)
    max_documents = n if n is not None else DEFAULT_DOCUMENTS if per_topic is None else None
    queue = JudgingQueue(campaign, measure, topics=topics, pair=pair, all_topics=all_topics, order=order)
    frame = queue.rank(max_documents, per_topic=per_topic)
    settings = {"measure": str(queue.measure), "n": n, "per_topic": per_topic, "pair": list(queue.pair)}
    settings |= {"all_topics": all_topics, "order": order}
    rules = parse_rules(stop, campaign.runs)
    by = [queue.measure] if stop_measures is None else list(parse_measures(stop_measures))
    statuses = _check_stop(campaign, queue, rules, by, all_topics) if rules else []
    settings |= {"stop": [rule.text for rule in rules], "stop_measures": [str(item) for item in by] if rules else []}
    selection = None if topics is None else list(queue.rankings.topics)
    return JudgeNext(
        measure=queue.measure,
        documents=len(queue.documents.weight),
        before=queue.uncertainty,
        pair=queue.pair,
        chosen=frame,
        provenance=campaign.provenance.with_settings(**settings, topics=selection),
        notes=(*campaign.notes, *_grade_notes(frame)),
        rules=tuple(statuses),
    )


def _check_stop(
    campaign: Campaign, queue: JudgingQueue, rules: Sequence[StoppingRule], measures: list[Measure], all_topics: bool
) -> list[RuleStatus]:
    """Return the status of each rule by each of *measures*."""
    check_campaign(campaign)
    topics, statuses = queue.rankings.topics, []
    for measure in measures:
        if is_weighted_sum(measure, queue.rankings.levels):
            full = JudgingQueue(campaign, measure, topics=topics, all_topics=all_topics)
            statuses += check_additive_rules(rules, full)
        else:
            statuses += check_rules(rules, campaign, measure, topics, all_topics=all_topics)
    return statuses


def _grade_notes(frame: pl.DataFrame) -> list[str]:
    """Note the documents with a negative grade."""
    count = len(frame) - frame["grade"].null_count()
    remedy = "change the existing line of the qrels, because a second line for a document is an error"
    return [f"counted {pluralize(count, 'document')} with a negative grade as unjudged; {remedy}"] if count else []

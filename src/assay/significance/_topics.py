"""``topics``: the topics on which a run wins and loses, and the documents that explain the differences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError, MeasureError
from assay.measures import Measure
from assay.measures import measure as parse_measure
from assay.measures._facets import refuse_facets
from assay.measures._threshold import relevant_levels
from assay.model.arguments import check_arguments
from assay.model.arrays import Ints, subtract
from assay.model.checks import check_integer
from assay.model.notes import pluralize
from assay.model.policies import reject_expected_ties
from assay.results._evaluate import evaluate
from assay.results.results import Results
from assay.results.slices import Slices, slice_topics
from assay.results.snippets import make_snippet
from assay.significance.document_contributions import explain_differences, list_movers
from assay.significance.topic_changes import (
    Pair,
    describe_status,
    find_failures,
    share_of_side,
    tabulate_runs,
    tabulate_slices,
)
from assay.significance.topic_report import Topics
from assay.significance.topic_sentences import write_sentences
from assay.significance.validation import resolve_baselines
from assay.significance.values import prepare_values


@check_arguments
def topics(
    campaign: Campaign,
    measure: str | Measure = "nDCG@10",
    *,
    pair: Sequence[str] | None = None,
    baseline: str | None = None,
    top: int = 10,
    most: int = 10,
    failure: float | None = None,
    topics_table: Any = None,
    by: str | Iterable[str] = (),
) -> Topics:
    r"""Show where a run wins and loses: differences by topic, and the documents that explain them.

    All differences are b - a: run a is before, run b is after. With one run, the report shows its hardest and easiest
    topics, and the documents that make up the values.

    Parameters
    ----------
    campaign
        Judgments and runs. The tie policy cannot be ``expected``, because documents are explained in one order.
    measure
        The measure. Documents explain its values if the value is 0 for a ranking without relevant documents.
    pair
        The runs a and b; by default the first two runs.
    baseline
        The run a; run b is then the first other run. All runs are compared with run a in the table ``runs``.
    top
        Number of ranks in which unjudged documents are counted and documents are compared.
    most
        Number of topics whose documents are listed: those with the largest absolute differences, or with one run those
        with the worst values.
    failure
        A topic fails if its value is at most *failure* (at least, if lower values are better). By default, a topic
        fails if its value is 0, and no topic fails if lower values are better. A topic without relevant documents
        cannot fail. A topic is *fixed* if it fails in run a,
        is better in run b and does not fail there. It is *broken* in the opposite case.
    topics_table, by
        A table of topic attributes, and one or several attributes by which the topics are divided into slices, as in
        :meth:`Results.by`. The table ``slices`` then compares the runs in each slice.

    Notes
    -----
    The contribution of a document to a difference is its contribution to the value of b minus its contribution to the
    value of a. Contributions are Shapley values: with v(S) the value if only the relevant documents of S keep their
    grades, and the others count as judged non-relevant,

    .. math:: \phi_d = \frac{1}{m!} \sum_{\pi} v(S_{\pi,d} \cup \{d\}) - v(S_{\pi,d})

    where the sum runs over the orders of the m relevant documents, and S is the set of the documents before d. The
    contributions sum to the value exactly. For weighted sums, such as nDCG and RBP, the contribution is the document's
    own term. Measures without a closed form are estimated from 512 orders.

    References
    ----------
    Shapley, *A value for n-person games*, Contributions to the Theory of Games II, 1953.

    Examples
    --------
    >>> import assay
    >>> qrels = {"1": {"a": 1, "b": 1}, "2": {"a": 1}}
    >>> before = {"1": {"a": 3.0, "b": 2.0}, "2": {"x": 2.0, "a": 1.0}}
    >>> after = {"1": {"x": 3.0, "a": 2.0}, "2": {"a": 2.0, "x": 1.0}}
    >>> report = topics(assay.read(qrels, {"before": before, "after": after}), "AP")
    >>> report.frame().select("topic", "value_a", "value_b", "difference", "status").rows()
    [('2', 0.5, 1.0, 0.5, 'better'), ('1', 1.0, 0.25, -0.75, 'worse')]
    >>> report.documents().filter(topic="1").select("document", "rank_a", "rank_b", "contribution").rows()
    [('a', 1, 2, -0.375), ('b', 2, None, -0.375)]
    """
    for name, number in (("top", top), ("most", most)):
        check_integer(name, number, 1)
    if failure is not None and not math.isfinite(failure):
        raise InputError(f"failure must be a value of the measure, such as 0.1, got {failure}")
    reject_expected_ties(campaign.policies.ties, "documents are compared in one order")
    one = parse_measure(measure)
    refuse_facets([one], "contributions of documents")
    if one.aggregate == "geometric":
        raise MeasureError(f"measure '{one}': is a mean over topics; topics are compared by {one.core}")
    results = evaluate(campaign, one)
    prepare_values(results, 0)  # Raises an error if a value is infinite.
    a, b, pair_notes = _choose_pair(results, pair, baseline)
    rows, dropped = _tabulate_topics(campaign, results, (a, b), top, failure)
    slices = _slice_topics(results, topics_table, by)
    rows = rows.insert_column(2, _name_slices(rows["topic"], slices))
    explained = _choose_topics(rows, most)
    runs = (b,) if a is None else (a, b)
    documents, refusal = _explain(campaign, one, runs, explained)
    movers = _join_contributions(list_movers(campaign, runs, explained, top), documents)
    titles = _read_titles(campaign, [movers, *([] if documents is None else [documents])])
    notes = (
        *results.notes,
        *pair_notes,
        *dropped,
        *([] if slices is None else slices.notes),
        *campaign.queries.notes,
        *campaign.docs.notes,
    )
    settings = {"measure": str(one), "pair": list(runs), "top": top, "most": most, "failure": failure}
    provenance = campaign.provenance.with_settings(**settings)
    return Topics(
        results=results,
        a=a,
        b=b,
        rows=rows,
        document_rows=None if documents is None else _add_titles(documents, titles),
        mover_rows=_add_titles(movers, titles),
        run_rows=tabulate_runs(results, (a, b), _count_relevant(campaign, results) > 0, failure),
        slice_rows=tabulate_slices(rows, () if slices is None else slices.slices),
        sentence_rows=write_sentences(results, (a, b), rows, documents, top),
        refusal=refusal,
        top=top,
        most=most,
        failure=failure,
        provenance=provenance if slices is None else slices.add_settings(provenance),
        notes=notes,
    )


def _choose_pair(
    results: Results, pair: Sequence[str] | None, baseline: str | None
) -> tuple[str | None, str, list[str]]:
    """Return the runs a and b, and a note if they were chosen among several; a is None if there is only one run."""
    runs = results.runs
    if pair is not None and baseline is not None:
        raise InputError("pair: cannot be combined with baseline, because it names both runs; omit one of them")
    if pair is not None:
        if isinstance(pair, str) or len(pair) != 2:
            raise InputError(f"pair: name two runs, got {pair if isinstance(pair, str) else ', '.join(pair) or 'none'}")
        a, b = (resolve_baselines(name, runs, results.provenance, "pair")[0] for name in pair)
        if a == b:
            raise InputError(f"pair: {a} cannot be compared with itself; name another run")
        return a, b, []
    if len(runs) == 1 and baseline is None:
        return None, runs[0], []
    a = runs[0] if baseline is None else resolve_baselines(baseline, runs, results.provenance)[0]
    others = [run for run in runs if run != a]
    if not others:
        raise InputError(f"baseline: {a} is the only run; add the run to compare with it")
    note = (
        f"compared {a} (a) with {others[0]} (b), the first of the other {len(others)} runs; choose both with pair 'A B'"
    )
    return a, others[0], [note] if len(others) > 1 else []


def _slice_topics(results: Results, table: Any, by: str | Iterable[str]) -> Slices | None:
    """Divide the topics into slices; None if this was not requested."""
    attributes = [by] if isinstance(by, str) else list(by)
    if table is None and attributes:
        raise InputError("by: needs the attributes of topics; give a topics_table")
    return None if table is None else slice_topics(results.topics, table, attributes)


def _name_slices(topics: pl.Series, slices: Slices | None) -> pl.Series:
    """Return the names of the slices of each topic, separated by commas; null if the topics were not divided."""
    if slices is None:
        return pl.Series("slice", [None] * len(topics), dtype=pl.String)
    names: dict[str, list[str]] = {topic: [] for topic in topics.to_list()}
    for one in slices.slices:
        for topic in set(one.topics) & set(names):
            names[topic].append(one.name)
    return pl.Series("slice", [", ".join(names[topic]) for topic in topics.to_list()], dtype=pl.String)


def _tabulate_topics(
    campaign: Campaign, results: Results, pair: Pair, top: int, failure: float | None
) -> tuple[pl.DataFrame, list[str]]:
    """Return a row for each topic for which the runs have values, and a note on other topics."""
    a, b = pair
    lower = results.measures[0].lower_is_better
    after = results.values[0, results.runs.index(b)]
    before = np.full(len(after), np.nan) if a is None else results.values[0, results.runs.index(a)]
    known = ~np.isnan(after) if a is None else ~(np.isnan(before) | np.isnan(after))
    relevant = _count_relevant(campaign, results)
    if a is None:
        fails = find_failures(np.where(relevant > 0, after, np.nan), failure, lower)
        status = pl.Series("status", [("fails" if one else None) for one in fails.tolist()], dtype=pl.String)
    else:
        status = describe_status(before, after, failure, lower)
    difference = subtract(after, before)
    share = np.zeros(len(after))
    share[known] = np.nan if a is None else share_of_side(difference[known])
    frame = pl.DataFrame(
        {
            "topic": pl.Series(results.topics, dtype=pl.String),
            "query": pl.Series(list(campaign.queries.fetch(results.topics).values()), dtype=pl.String),
            "relevant": relevant,
            "value_a": before,
            "value_b": after,
            "difference": difference,
            "share": share,
            "rank_of_change": pl.Series(np.abs(difference)).fill_nan(None).rank("min", descending=True).cast(pl.Int64),
            "status": status,
            "unjudged_a": _count_missing_judgments(campaign, a, top),
            "unjudged_b": _count_missing_judgments(campaign, b, top),
        }
    ).with_columns(pl.col(pl.Float64).fill_nan(None))
    frame = frame.filter(pl.Series(known))
    if a is None:  # A topic without relevant documents is not hard.
        keys = [pl.col("relevant") == 0, -pl.col("value_b") if lower else pl.col("value_b")]
    else:
        keys = [pl.col("difference") if lower else -pl.col("difference")]
    frame = frame.sort(keys, maintain_order=True)
    missing = len(known) - int(known.sum())
    note = f"{results.measures[0]}: left out {pluralize(missing, 'topic')} for which a run has no value"
    return frame, [note] if missing else []


def _count_relevant(campaign: Campaign, results: Results) -> Ints:
    """Return the number of relevant documents of each topic."""
    whole = campaign.whole
    return np.asarray(whole.counts[:, relevant_levels(results.measures[0], whole.levels)].sum(axis=1))


def _count_missing_judgments(campaign: Campaign, run: str | None, top: int) -> pl.Series:
    """Return for each topic the number of unjudged documents among the first *top* of a run, as they were retrieved."""
    topics = len(campaign.topics)
    if run is None:
        return pl.Series([None] * topics, dtype=pl.Int64)
    first = campaign.runs.index(run) * topics
    best = campaign.whole.select_rankings(np.arange(first, first + topics)).top(top)
    return pl.Series(np.bincount(best.ranking()[best.code == 0], minlength=topics))


def _choose_topics(rows: pl.DataFrame, most: int) -> list[str]:
    """Return the topics to explain: the largest absolute differences, or with one run the first rows."""
    if rows["difference"].null_count() < len(rows):
        rows = rows.sort("rank_of_change", maintain_order=True)
    return rows["topic"].head(most).to_list()


def _explain(
    campaign: Campaign, measure: Measure, runs: Sequence[str], topics: Sequence[str]
) -> tuple[pl.DataFrame | None, str]:
    """Return the documents that explain the differences; or None, and the reason why documents cannot explain them."""
    try:
        return explain_differences(campaign, measure, runs, topics), ""
    except MeasureError as error:
        return None, str(error)


def _join_contributions(movers: pl.DataFrame, documents: pl.DataFrame | None) -> pl.DataFrame:
    """Add the contributions to the documents that moved; within a topic, the largest contribution comes first."""
    if documents is None:
        return movers.with_columns(contribution=pl.lit(None, pl.Float64))
    keys = ["topic", "document"]
    joined = movers.join(documents.select(*keys, "contribution"), on=keys, how="left", maintain_order="left")
    joined = joined.with_columns(pl.col("contribution").fill_null(0.0))
    size, best_rank = -pl.col("contribution").abs(), pl.min_horizontal("rank_a", "rank_b")
    return joined.sort(pl.col("topic").rle_id(), size, best_rank, maintain_order=True)


def _read_titles(campaign: Campaign, frames: Sequence[pl.DataFrame]) -> dict[str, str | None]:
    """Return the title of each document, or the beginning of its text; None if there is no text."""
    documents = campaign.docs.fetch(name for frame in frames for name in frame["document"].to_list())
    return {
        name: None if document is None else document.title or make_snippet(document.text)
        for name, document in documents.items()
    }


def _add_titles(frame: pl.DataFrame, titles: Mapping[str, str | None]) -> pl.DataFrame:
    """Add the titles of the documents after their ids."""
    title = pl.Series("title", [titles[name] for name in frame["document"].to_list()], dtype=pl.String)
    return frame.insert_column(frame.columns.index("document") + 1, title)

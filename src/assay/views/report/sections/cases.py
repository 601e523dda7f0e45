"""Cases: the topics that the candidate fixes and breaks, or on which the leader fails, with queries and documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from assay.io.texts.fields import Document
from assay.results.snippets import make_snippet
from assay.significance.topic_report import Topics
from assay.views.report.context import ReportContext
from assay.views.report.display_table import DisplayTable, Formats, display
from assay.views.report.figures import Figures
from assay.views.report.phrasing import format_difference
from assay.views.report.section import Content

MAX_TOPICS = 40
"""Number of topics in the table."""
SNIPPET, QUERY = 220, 160
"""Number of characters of the text of a document, and of a query, in a table."""
_SENTENCES = ("half", "largest")  # the significance test of the report has other settings than this one


def compute(context: ReportContext, _: Figures) -> Content:
    """Tabulate the topics with the largest differences (or the hardest topics), and their documents."""
    report = context.cases
    if not isinstance(report, Topics):
        return report
    if report.rows.is_empty():
        return f"No topic has a value of {report.measure}."
    rows, status = report.rows, report.rows["status"]
    kinds = ("fixed", "better", "same", "worse", "broken")
    sentences = report.sentence_rows.filter(pl.col("kind").is_in(_SENTENCES))["text"].to_list()
    explained = list(dict.fromkeys(report.movers()["topic"].to_list()))
    return {
        "before": None if report.a is None else context.run_name(context.runs.index(report.a)),
        "after": context.run_name(context.runs.index(report.b)),
        "counts": {kind: int((status == kind).sum()) for kind in kinds},
        "failing": rows.filter(status == "fails")["topic"].to_list(),
        "answerable": int((rows["relevant"] > 0).sum()),
        "lower": report.measure.lower_is_better,
        "sentences": sentences,
        "topics": len(rows),
        "most": MAX_TOPICS,
        "every": tabulate_topics(report),
        "slices": tabulate_slices(report),
        "top": report.top,
        "documents": [describe_topic(context, report, topic) for topic in explained],
    }


def tabulate_topics(report: Topics) -> DisplayTable:
    """Tabulate the topics with the largest differences, the largest gain first, or the hardest topics."""
    rows = report.rows
    query = [] if rows["query"].null_count() == len(rows) else ["query"]
    if report.a is None:
        shown = rows.filter(pl.col("relevant") > 0).head(MAX_TOPICS)
        columns = ["topic", *query, "relevant", "value_b", "unjudged_b"]
        heads = {"value_b": str(report.measure), "unjudged_b": f"unjudged @{report.top}"}
        return display(shown.select(columns), heads=heads, show={"query": show_query})
    shown = rows.sort("rank_of_change", maintain_order=True).head(MAX_TOPICS)
    shown = shown.sort("difference", descending=not report.measure.lower_is_better, maintain_order=True)
    columns = ["topic", *query, "status", "value_a", "value_b", "difference", "relevant", "unjudged_a", "unjudged_b"]
    heads = {
        "value_a": "baseline",
        "value_b": "candidate",
        "unjudged_a": f"unjudged @{report.top} before",
        "unjudged_b": "after",
    }
    show: Formats = {"query": show_query, "difference": format_difference, "status": lambda text: STATUS[text]}
    return display(shown.select(columns), heads=heads, show=show)


STATUS = {"same": "unchanged", **{name: name for name in ("fixed", "better", "worse", "broken")}}


def show_query(text: str | None) -> str:
    """Return the beginning of the text of a query; empty without a text."""
    return "" if text is None else make_snippet(text, QUERY)


def tabulate_slices(report: Topics) -> DisplayTable | None:
    """Tabulate the two runs in each slice; None without slices or with one run."""
    frame = report.by_slice()
    if report.a is None or len(frame) < 2:
        return None
    columns = ["slice", "topics", "mean_a", "mean_b", "difference", "fixed", "better", "same", "worse", "broken"]
    heads = {"mean_a": "baseline", "mean_b": "candidate", "same": "unchanged"}
    return display(frame.select(columns), heads=heads, show={"difference": format_difference})


def describe_topic(context: ReportContext, report: Topics, topic: str) -> dict[str, Any]:
    """Return the query of a topic, its values, and its documents with grades, movements and texts."""
    row = report.rows.row(by_predicate=pl.col("topic") == topic, named=True)
    movers = report.movers().filter(pl.col("topic") == topic)
    order = "rank_b" if report.a is None else pl.min_horizontal("rank_a", "rank_b")
    movers = movers.sort(order, nulls_last=True, maintain_order=True)
    texts = context.campaign.docs.fetch(movers["document"].to_list())
    return {
        "topic": topic,
        "query": row["query"],
        "value": row["value_b"],
        "difference": row["difference"],
        "status": STATUS.get(row["status"] or "", ""),
        "table": tabulate_documents(movers, texts, report.top, is_pair=report.a is not None),
    }


def tabulate_documents(
    movers: pl.DataFrame, texts: Mapping[str, Document | None], top: int, *, is_pair: bool
) -> DisplayTable | None:
    """Tabulate documents with their grades, the movement in words, and the beginning of their texts."""
    if movers.is_empty():
        return None
    rows = []
    for one in movers.iter_rows(named=True):
        text = texts[one["document"]]
        grade = "unjudged" if one["grade"] is None else f"{one['grade']:g}"
        place = describe_move(one["rank_a"], one["rank_b"], top) if is_pair else f"{one['rank_b']}"
        rows.append((place, grade, one["document"], *([] if text is None else [text.title, text.text])))
    has_texts = any(text is not None for text in texts.values())
    cells = [[*row[:3], *([show_text(*row[3:])] if has_texts else [])] for row in rows]
    heads = ["movement" if is_pair else "rank", "grade", "document", *(["text"] if has_texts else [])]
    return DisplayTable(heads, [None if is_pair else "n", None, None, *([None] if has_texts else [])], cells)


def show_text(title: str = "", text: str = "") -> str:
    """Return the title of a document and the beginning of its text."""
    return make_snippet(". ".join(part for part in (title.strip(), text.strip()) if part), SNIPPET)


def describe_move(before: int | None, after: int | None, top: int) -> str:
    """State the movement of a document between two rankings; *top* is the number of ranks that count as the top.

    >>> describe_move(None, 3, 10), describe_move(4, 25, 10), describe_move(12, 2, 10), describe_move(1, 1, 10)
    ('entered at rank 3', 'left the top 10: 4 to 25', 'entered the top 10: 12 to 2', 'stays at rank 1')
    """
    if before is None:
        return f"entered at rank {after}"
    if after is None:
        return f"lost, was at rank {before}"
    if before == after:
        return f"stays at rank {after}"
    if after <= top < before:
        return f"entered the top {top}: {before} to {after}"
    if before <= top < after:
        return f"left the top {top}: {before} to {after}"
    return f"{'rose' if after < before else 'fell'} from {before} to {after}"

"""Texts of queries and documents, shortened for the pages. The pages insert them as text, never as markup."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

from assay.results.snippets import make_snippet
from assay.views.explorer.parameters import MAX_NAME_LENGTH, Query
from assay.views.explorer.state import ExplorerState

QUERY_WIDTH, TITLE_WIDTH, TEXT_WIDTH = 160, 120, 240
"""Maximum widths of queries, of titles and of the beginnings of documents, in columns."""
MAX_CHARACTERS = 20_000
"""Maximum number of characters of a document that is shown in full."""


def list_queries(state: ExplorerState, topics: Iterable[str]) -> list[str | None]:
    """Return the beginning of the query of each topic; None if there is none."""
    queries = state.campaign.queries.fetch(topics).values()
    return [None if query is None else make_snippet(query, QUERY_WIDTH) for query in queries]


def describe_documents(state: ExplorerState, names: Iterable[str]) -> dict[str, dict[str, str | None]]:
    """Return title and beginning of the text of each document; a document without text is omitted."""
    documents = state.campaign.docs.fetch(names)
    return {
        name: {
            "title": make_snippet(one.title, TITLE_WIDTH) or None,
            "text": make_snippet(one.text, TEXT_WIDTH) or None,
        }
        for name, one in documents.items()
        if one is not None
    }


def add_titles(state: ExplorerState, frame: pl.DataFrame) -> pl.DataFrame:
    """Add the column *title* to a table of documents: the title, or the beginning of the text; null if unknown."""
    texts = describe_documents(state, frame["document"].to_list())
    titles = [one and (one["title"] or one["text"]) for one in map(texts.get, frame["document"].to_list())]
    return frame.with_columns(title=pl.Series(titles, dtype=pl.String))


def document(state: ExplorerState, query: Query) -> dict[str, Any]:
    """One document of a topic: its title and text, its grade, and its rank in every run that retrieves it."""
    topic = query.topic()
    name = next(iter(query.texts("doc", 1, MAX_NAME_LENGTH)), "")
    query.reject_unknown_parameters()
    one = state.campaign.docs.fetch([name])[name] if name else None
    rankings = state.rankings.topic(state.topic_index[topic])
    names = state.rankings.names(rankings)
    ranks: list[dict[str, Any]] = []
    grade = None
    if name in names:
        column = names.index(name)
        code = int(rankings.code[column])
        grade = float(rankings.levels[code - 1]) if code else None
        places = zip(state.rankings.runs, rankings.rank[:, column].tolist(), strict=True)
        ranks = sorted(({"run": run, "rank": rank} for run, rank in places if rank), key=lambda row: row["rank"])
    return {
        "topic": topic,
        "document": name,
        "retrieved": name in names,
        "grade": grade,
        "title": None if one is None else one.title or None,
        "text": None if one is None else one.text[:MAX_CHARACTERS],
        "shortened": one is not None and len(one.text) > MAX_CHARACTERS,
        "runs": len(state.campaign.runs),
        "ranks": ranks,
    }

"""Read several test collections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from assay.engine.campaign import Campaign, read
from assay.engine.workers import Progress
from assay.errors import InputError
from assay.io.collection_list import CollectionPaths, read_list


def read_collections(
    sources: str | Path | Iterable[str | Path] | Mapping[str, tuple[Any, Any]],
    *,
    progress: Progress | None = None,
    **options: Any,
) -> dict[str, Campaign]:
    """Read several test collections, for :func:`assay.collections`.

    Parameters
    ----------
    sources
        One or several of these: a TOML file; a directory with ``qrels`` and ``runs/``, or with subdirectories that have
        both (the layout of BEIR); a text ``NAME:QRELS:RUNS``. Alternatively, a dict from names to pairs of judgments
        and runs, as in :func:`assay.read`.
    progress
        Called with the number of collections read and their total.
    options
        Options of :func:`assay.read`, which apply to all collections.

    Examples
    --------
    >>> qrels, run = {"q1": {"a": 1}}, {"q1": {"a": 0.5}}
    >>> read_collections({"first": (qrels, {"bm25": run}), "second": (qrels, {"bm25": run})})
    {'first': Campaign(1 run x 1 topic, 1 judgment), 'second': Campaign(1 run x 1 topic, 1 judgment)}
    """
    if isinstance(sources, Mapping):
        listed = {str(name): CollectionPaths(*_check_pair(name, pair)) for name, pair in sources.items()}
    else:
        listed = read_list(sources)
    campaigns = {}
    for number, (name, collection) in enumerate(listed.items(), 1):
        campaigns[name] = read(collection.qrels, collection.runs, **options)
        if progress is not None:
            progress(number, len(listed))
    return campaigns


def _check_pair(name: Any, pair: Any) -> tuple[Any, Any]:
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise InputError(f"sources: collection {name!r}: expected a pair of qrels and runs, got {type(pair).__name__}")
    return pair

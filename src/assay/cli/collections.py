"""Compare runs over several collections.

Each run needs the same name in all collections. The table shows the mean of each run in each collection, and its
average over the collections, in which all collections have the same weight. A TOML file has a table for each
collection, such as [trec8] with qrels = "qrels.txt" and runs = "runs/". The key values names files with the values of
other runs, such as result files of MTEB.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from assay.cli._command import Command
from assay.cli._parameters import OPTIONS, Option, read_one

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign
    from assay.results.results import Results


class CollectionsCommand(Command):
    """A command that reads several collections."""

    def read(self, args: argparse.Namespace, progress: Any = None, **overrides: Any) -> dict[str, Campaign | Results]:  # type: ignore[override]
        """Read the collections."""
        from assay.results.collections import read_collections

        arguments = self.read_options(args, {**self.read_parameters, "measures": None})
        return read_collections(args.collections, progress=progress, **{**arguments, **overrides})


COMMAND = CollectionsCommand(
    "assay.collections",
    """\
  assay collections collections.toml -m nDCG@10
  assay collections beir/ -m nDCG@10 R@100 --baseline bm25
  assay collections trec7:qrels7.txt:runs7/ trec8:qrels8.txt:runs8/ -m AP --show ranks
  assay collections beir/ -m nDCG@10 --format latex --digits 3
""",
    inputs=("collections",),
    options={
        "baseline": OPTIONS["baseline"]._replace(read=read_one, help="compare every other run with this run"),
        "population": Option(
            "NAME", "intervals and tests are about other topics of these collections, or about other collections"
        ),
        "incomplete": Option(
            "HOW",
            "runs that lack a collection: unranked (shown, without average), runs (left out) or common (kept; the "
            "collections that a run lacks are left out)",
        ),
    },
)

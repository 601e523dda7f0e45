"""Measure the agreement of measures on the order of runs (tau, tau-AP)."""

from __future__ import annotations

from typing import Any

from assay.cli._command import Command
from assay.cli._parameters import OPTIONS
from assay.errors import InputError, MeasureError

_MAX_DECIMALS = 17


def _check(arguments: dict[str, Any]) -> None:
    """Raise an error if there is only one measure to compare, or if the number of decimals is invalid."""
    from assay.measures import measures

    decimals = arguments.get("decimals", 0)
    if not 0 <= decimals <= _MAX_DECIMALS:
        raise InputError(f"--decimals must be from 0 to {_MAX_DECIMALS}, got {decimals}")
    if "measures" in arguments and not {"rows", "depths", "row_qrels", "row_unjudged"} & set(arguments):
        try:
            columns = measures(arguments["measures"])
        except MeasureError:
            return  # With --values, it may be a measure of another tool; otherwise, evaluate raises the error again.
        if len(columns) < 2:
            raise InputError(f"-m: need at least two measures, got only {columns[0]}; add a measure or --rows")


COMMAND = Command(
    "assay.meta.correlate",
    """\
  assay meta correlate qrels.txt runs/
  assay meta correlate qrels.txt runs/ -m AP nDCG@10 P@10 --show tau --best 75%
  assay meta correlate qrels.txt runs/ -m AP --rows bpref --depths 10,20
  assay meta correlate qrels.txt runs/ -m AP --row-qrels other-qrels.txt
""",
    keep="judgments",
    options={
        "depths": OPTIONS["depths"]._replace(
            help="for the rows, use only the judgments of pools of these depths: 10 or 10,20", default="all judgments"
        ),
        "row_qrels": OPTIONS["row_qrels"]._replace(default="the judgments of the columns"),
        "row_unjudged": OPTIONS["row_unjudged"]._replace(default="as in the columns"),
        "decimals": OPTIONS["decimals"]._replace(default="no rounding"),
    },
    check=_check,
)

"""Measure how far measures agree on the order of runs (tau, tau-AP)."""

from __future__ import annotations

from typing import Any

from assay.cli._command import Command
from assay.cli._parameters import OPTIONS
from assay.errors import InputError

_MOST_DECIMALS = 17


def _check(given: dict[str, Any]) -> None:
    """Refuse a single measure without rows to compare it with, and impossible numbers of decimals."""
    from assay.measures import measures

    decimals = given.get("decimals", 0)
    if not 0 <= decimals <= _MOST_DECIMALS:
        raise InputError(f"--decimals must be from 0 to {_MOST_DECIMALS}, got {decimals}")
    if "measures" in given and not {"rows", "depths", "row_qrels", "row_unjudged"} & set(given):
        named = measures(given["measures"])
        if len(named) < 2:
            raise InputError(f"-m: name at least two measures to correlate, or --rows; got only {named[0]}")


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
            help="the rows use pools of these depths: 10 or 10,20", default="no pools"
        ),
        "row_qrels": OPTIONS["row_qrels"]._replace(default="those of the columns"),
        "row_unjudged": OPTIONS["row_unjudged"]._replace(default="as in the columns"),
        "decimals": OPTIONS["decimals"]._replace(default="not rounded"),
    },
    check=_check,
)

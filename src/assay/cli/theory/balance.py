"""Tell how top-heavy measures are: from which rank on relevant documents still make up for one at the top.

The balancing index of rankings of n documents is the last rank b such that relevant documents at all ranks from b to n
are worth at least one relevant document at rank 1 alone. Near n, all ranks count much the same; near 1, only the top.

With --simulate, two runs are drawn many times over: equal down to a rank, the first better from there to rank 20, the
second far better below (--same, --first, --second and --top change that). The share of trials in which a t test calls
them different falls about the balancing index. The same --seed gives the same numbers.
Measures that are no weighted sum over ranks, such as AP and ERR, take about a tenth of a second for each trial.
"""

from __future__ import annotations

import argparse
from typing import Any

from assay.cli import _numbers, _options
from assay.errors import InputError

DEFAULT = ("AP", "RBP(p=0.8)", "RBP(p=0.95)", "ERR", "P@10", "nDCG(base=2)", "nDCG(base=10)")
LENGTHS = "5,10,20,50,100,200"
SIMULATED = "RBP(p=0.8)"
TASK = "measures"
EXAMPLES = """\
  assay balance
  assay balance -m AP 'RBP(p=0.8)' ERR -n 1..200 --format csv -o balance.csv
  assay balance -m nDCG 'ERR(max_rel=3)' -n 10,20,50 --qmin 1 --qmax 3
  assay balance --simulate
  assay balance -m 'RBP(p=0.9)' --simulate --drawing bernoulli --trials 2000
"""
_DRAWING = (
    "random-rounding: shares of relevant documents, rounded up or down at random for each topic; half-up: rounded half "
    "up; bernoulli: each document by chance"
)
TRIALS: dict[str, tuple[Any, Any, str, str]] = {
    "trials": (int, 10_000, "N", "how often two runs are drawn"),
    "topics": (int, 50, "N", "topics of each run"),
    "drawing": (str, "random-rounding", "HOW", _DRAWING),
    "same": (float, 20, "PERCENT", "relevant documents of both runs, down to the rank where they begin to differ"),
    "first": (str, "70,10", "PERCENT,PERCENT", "relevant documents of the first run from there to --top, and below"),
    "second": (str, "30,70", "PERCENT,PERCENT", "relevant documents of the second run from there to --top, and below"),
    "top": (int, 20, "RANK", "the last rank at which the runs may begin to differ"),
    "alpha": (float, 0.05, "P", "the level of the t test"),
    "seed": (int, 0, "N", "seed of everything random"),
}
SCALE = {"qmin": "smallest relevant grade (default: 1)", "qmax": "grade of the document at the top (default: qmin)"}
_LONGEST = 100_000


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    _options.measures(parser, f"{' '.join(DEFAULT)}; with --simulate {SIMULATED}")
    parser.add_argument(
        "-n",
        dest="lengths",
        default=None,
        metavar="N",
        help=f"lengths of rankings: 20, 1..200 or 10,20,50 (default: {LENGTHS}; with --simulate one length, 1000)",
    )
    for name, about in SCALE.items():
        parser.add_argument(f"--{name}", type=float, default=None, metavar="GRADE", help=about)
    parser.add_argument(
        "--recall-base",
        type=int,
        default=None,
        metavar="R",
        help="relevant documents of the topic, for measures that need it (default: as many as the rankings hold)",
    )
    group = parser.add_argument_group("trials")
    group.add_argument("--simulate", action="store_true", help="draw runs and test whether they differ")
    for name, (kind, default, letter, about) in TRIALS.items():
        group.add_argument(
            f"--{name}", type=kind, default=None, metavar=letter, help=f"{about} (default: {default}); with --simulate"
        )
    _options.output(parser)


def run(args: argparse.Namespace) -> None:
    """Compute, or simulate, and print."""
    given = {name for name in (*TRIALS, *SCALE, "recall_base") if getattr(args, name) is not None}
    for name in sorted(given & (TRIALS.keys() if not args.simulate else {*SCALE, "recall_base"})):
        only = "only goes with" if not args.simulate else "does not go with"
        raise InputError(f"--{name.replace('_', '-')} {only} --simulate")
    (_simulate if args.simulate else _balance)(args)


def _balance(args: argparse.Namespace) -> None:
    from assay.theory.balancing import balance_report
    from assay.views.balance import balance

    with _options.progress("balancing") as progress:
        report = balance_report(
            args.measures or DEFAULT,
            _numbers.whole("-n", [args.lengths or LENGTHS], _LONGEST),
            qmin=1 if args.qmin is None else args.qmin,
            qmax=args.qmax,
            recall_base=args.recall_base,
            progress=progress,
        )
    _options.emit(balance(report), args)


def _simulate(args: argparse.Namespace) -> None:
    from assay.theory.trials import trial_report
    from assay.views.balance import trials

    found = _numbers.whole("-n", [args.lengths or "1000"], _LONGEST)
    if len(found) != 1:
        raise InputError(f"-n {args.lengths}: name one length with --simulate, such as 1000")
    settings = {name: getattr(args, name) for name in TRIALS if getattr(args, name) is not None}
    for name in {"first", "second"} & settings.keys():
        settings[name] = _numbers.shares(f"--{name}", [settings[name]])
    with _options.progress("drawing runs") as progress:
        report = trial_report(args.measures or SIMULATED, n=found[0], progress=progress, **settings)
    _options.emit(trials(report), args)

"""Choose the documents to judge next: those whose judgment leaves least uncertain how good the runs are.

An unjudged document leaves open the value of every run that retrieved it, by the weight of its rank. Documents are
ranked by the sum over runs (weight); the column "remaining" is how wide the interval of a value still is, in the mean
over runs and topics, when a document and all before it are judged; what may come behind the end of a ranking, which
judging cannot settle, is not counted. None of it depends on the grades, so a list may be worked through as it is. QRELS
may be the word none if nothing has been judged yet.

With --simulate the judgments at hand are hidden and revealed again: in this order, in that of pooling by depth (the
first documents of all runs, then the second, …) and in a random one.
"""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from assay.cli import _options
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.uncertainty.judge_next import JudgeNext

DEFAULT = "RBP(p=0.8)"
TASK = "missing judgments"
EXAMPLES = """\
  assay judge-next qrels.txt runs/ -n 200
  assay judge-next qrels.txt runs/ -m 'RBP(p=0.95)' --per-topic 10 --as-qrels -o to-judge.txt
  assay judge-next qrels.txt runs/ -m P@10 --compare bm25 dense
  assay judge-next none runs/ -m SDCG@10
  assay judge-next qrels.txt runs/ --simulate
"""
CHOOSING = {"n": "-n", "per_topic": "--per-topic", "topic": "--topic", "all_topics": "--all-topics"}
REVEALING = {"known": "--known", "seed": "--seed"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    _options.inputs(parser)
    _options.measures(parser, f"{DEFAULT}; one, which is a sum over ranks")
    parser.add_argument("-n", type=int, default=None, metavar="N", help="how many documents (default: 100)")
    parser.add_argument(
        "--per-topic", type=int, default=None, metavar="N", help="at most so many of each topic (-n: no limit)"
    )
    parser.add_argument("--topic", action="append", default=None, metavar="TOPIC", help="of this topic only")
    parser.add_argument("--all-topics", action="store_true", help="also topics of the runs that have no judgments")
    parser.add_argument(
        "--compare", nargs=2, default=None, metavar="RUN", help="shrink the uncertainty of the difference of two runs"
    )
    _options.tie_policy(parser, expected=True)
    group = parser.add_argument_group("simulation")
    group.add_argument("--simulate", action="store_true", help="hide judgments and reveal them in several orders")
    group.add_argument(
        "--known", type=int, default=None, metavar="N", help="the pool of depth N is known from the start (default: 0)"
    )
    group.add_argument("--seed", type=int, default=None, metavar="N", help="seed of the random order (default: 0)")
    _options.output(parser)
    parser.add_argument(
        "--as-qrels", action="store_true", help="print lines for the qrels, with ? where the judge writes the grade"
    )


def run(args: argparse.Namespace) -> None:
    """Choose, or simulate, and print."""
    if args.measures and len(args.measures) > 1:
        raise InputError(f"-m: name one measure, not {len(args.measures)}")
    wrong = CHOOSING if args.simulate else REVEALING
    for name, option in wrong.items():
        given = getattr(args, name)
        if given is not None and given is not False:
            raise InputError(f"{option} {'does not go' if args.simulate else 'only goes'} with --simulate")
    if args.as_qrels and (args.simulate or args.format is not None):
        raise InputError(f"--as-qrels does not go with {'--simulate' if args.simulate else '--format'}")
    if args.simulate and _nothing(args):
        raise InputError("--simulate hides judgments and reveals them again; name a file of judgments, not none")
    (_simulate if args.simulate else _choose)(args)


def _nothing(args: argparse.Namespace) -> bool:
    """Whether nothing has been judged yet."""
    return args.qrels == "none" and not os.path.exists("none")


def _common(args: argparse.Namespace) -> dict[str, Any]:
    return {"compare": args.compare, "ties": args.ties, "lenient": args.lenient}


def _choose(args: argparse.Namespace) -> None:
    from assay.uncertainty.judge_next import judge_next
    from assay.views import judge_next as views

    with _options.progress("reading runs") as progress:
        report = judge_next(
            None if _nothing(args) else args.qrels,
            args.runs,
            (args.measures or [DEFAULT])[0],
            n=args.n,
            per_topic=args.per_topic,
            topics=args.topic,
            all_topics=args.all_topics,
            progress=progress,
            **_common(args),
        )
    if args.as_qrels:
        _write_lines(report, args.output)
    else:
        _options.emit(views.judge_next(report), args)


def _write_lines(report: JudgeNext, output: str | None) -> None:
    """Lines that become judgments once grades are written into them; a ``?`` that is left is refused when read."""
    from assay.io.writing import write_file

    lines = report.lines().encode()
    _options.say(report.notes)
    if output is None:
        _options.write_bytes(lines)
        return
    _options.refuse_overwriting(output, report.provenance)
    write_file(output, lines)


def _simulate(args: argparse.Namespace) -> None:
    from assay.uncertainty.judging_order import judging_curve
    from assay.views import judge_next as views

    with _options.progress("reading runs") as progress:
        report = judging_curve(
            args.qrels,
            args.runs,
            (args.measures or [DEFAULT])[0],
            known=args.known or 0,
            seed=args.seed or 0,
            progress=progress,
            **_common(args),
        )
    _options.emit(views.judging_curve(report), args)

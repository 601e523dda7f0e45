"""Choose the documents to judge next: those whose judgment reduces the uncertainty of the runs' values most.

An unjudged document leaves the value of every run that retrieved it uncertain, by the weight of its rank. Documents are
ranked by the sum over runs (weight). The column "remaining" is the width of the interval in which a value lies, in the
mean over runs and topics, when a document and all before it are judged; documents after the end of a ranking, which
nobody can judge, do not count. Nothing depends on the grades, so the list stays valid while it is worked through. QRELS
may be the word none if nothing has been judged yet.

With --simulate the judgments are hidden and revealed again: in this order, in that of pooling by depth (the first
documents of all runs, then the second, …) and in a random one.
"""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from assay.cli import _options
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign
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
    _options.measures(parser, f"{DEFAULT}; one weighted sum over ranks")
    parser.add_argument("-n", type=int, default=None, metavar="N", help="number of documents (default: 100)")
    parser.add_argument(
        "--per-topic", type=int, default=None, metavar="N", help="at most N of each topic (then no limit of -n)"
    )
    parser.add_argument("--topic", action="append", default=None, metavar="TOPIC", help="documents of this topic only")
    parser.add_argument("--all-topics", action="store_true", help="also topics of the runs that have no judgments")
    parser.add_argument(
        "--compare", nargs=2, default=None, metavar="RUN", help="reduce the uncertainty of the difference of two runs"
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
    """Choose documents, or simulate judging, and print."""
    if args.measures and len(args.measures) > 1:
        raise InputError(f"-m: name one measure, not {len(args.measures)}")
    wrong = CHOOSING if args.simulate else REVEALING
    for name, option in wrong.items():
        given = getattr(args, name)
        if given is not None and given is not False:
            problem = "cannot be combined with" if args.simulate else "needs"
            raise InputError(f"{option} {problem} --simulate")
    if args.as_qrels and (args.simulate or args.format is not None):
        raise InputError(f"--as-qrels cannot be combined with {'--simulate' if args.simulate else '--format'}")
    if args.qrels == "none" and not os.path.exists("none"):
        args.qrels = None
    if args.simulate and args.qrels is None:
        raise InputError("--simulate hides judgments and reveals them again; name a file of judgments, not none")
    (_simulate if args.simulate else _choose)(args)


def _read(args: argparse.Namespace) -> Campaign:
    with _options.progress("reading runs") as progress:
        if args.qrels is None or not args.all_topics:
            return _options.read_campaign(args, progress, keep="documents")
        # Runs that share no topic with the judgments are welcome here, so the two are read apart.
        judgments = _options.read_campaign(argparse.Namespace(**{**vars(args), "runs": None}))
        runs = _options.read_campaign(argparse.Namespace(**{**vars(args), "qrels": None}), progress)
        return runs.with_qrels(judgments.qrels, any_topics=True)


def _choose(args: argparse.Namespace) -> None:
    from assay.uncertainty.judge_next import judge_next
    from assay.views import judge_next as views

    report = judge_next(
        _read(args),
        (args.measures or [DEFAULT])[0],
        n=args.n,
        per_topic=args.per_topic,
        topics=args.topic,
        compare=args.compare,
        all_topics=args.all_topics,
    )
    if args.as_qrels:
        _write_lines(report, args.output)
    else:
        _options.emit(views.judge_next(report), args)


def _write_lines(report: JudgeNext, output: str | None) -> None:
    """Write lines that become judgments when grades replace the ``?``; a ``?`` that is left is refused when read."""
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

    report = judging_curve(
        _read(args),
        (args.measures or [DEFAULT])[0],
        known=args.known or 0,
        seed=args.seed or 0,
        compare=args.compare,
    )
    _options.emit(views.judging_curve(report), args)

"""Decide whether a new run loses too much: pass, fail or undecided.

The exit code is 0 if the loss of every measure is below its margin, 1 if the loss of a measure is above its margin, and
3 if the topics do not suffice to decide; 2 means invalid input. --save writes the values of a run to a file that later
gates take as --baseline, so that the old run need not be kept.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any, TextIO

from assay.cli._command import Command
from assay.cli._output import check_output, check_target, emit, refuse_overwriting, show_progress
from assay.cli._parameters import Option, read_fraction, read_integer, read_list, read_number, read_one
from assay.cli._slicing import SLICING
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.significance._gate.baseline import Baseline
    from assay.significance._gate.report import Gate


def read_margins(option: str, texts: list[str]) -> dict[str, str]:
    """Return margins by measure; the text is split at the last ``=``, because measures may contain one.

    >>> read_margins("--margin", ["nDCG@10=0.01", "RBP(p=0.8)=2%"])
    {'nDCG@10': '0.01', 'RBP(p=0.8)': '2%'}
    """
    margins: dict[str, str] = {}
    for text in texts:
        name, separator, size = text.rpartition("=")
        if not separator or not name or not size:
            raise InputError(f"{option} {text}: write MEASURE=LOSS, such as nDCG@10=0.01 or AP=2%")
        if name in margins:
            raise InputError(
                f"{option} {text}: {name} already has the margin {margins[name]}; write one margin per measure"
            )
        margins[name] = size
    return margins


COMMAND = Command(
    "assay.gate",
    """\
  assay gate qrels.txt old.run -m nDCG@10 AP --save baseline.json
  assay gate qrels.txt new.run --baseline baseline.json --margin nDCG@10=0.01 --margin AP=2%
  assay gate qrels.txt new.run --baseline old.run --margin AP=0.01 --watch R@100=0.02
  assay gate qrels.txt new.run --baseline baseline.json --margin AP=2% --github --junit gate.xml
  assay gate qrels.txt new.run --baseline old.run --margin AP=2% --topics-table topics.csv --by category
  assay gate --values new.eval --baseline old.eval --margin map=2%
""",
    options={
        **SLICING,
        "baseline": Option(
            "FILE", "the baseline: a run, the name of one of the runs, or a file written by --save", read_one
        ),
        "margins": Option(
            "MEASURE=LOSS",
            "tolerated loss of a required measure, such as nDCG@10=0.01, or AP=2% of the baseline's mean; repeat "
            "--margin for each measure",
            read_margins,
            ("--margin",),
        ),
        "watch": Option(
            "MEASURE=LOSS",
            "tolerated loss of a measure that can fail the gate but need not pass; may be repeated",
            read_margins,
        ),
        "measures": Option("MEASURE", "measures to save, or the required measures", read_list, ("-m", "--measure")),
        "test": Option("TEST", "one-sided test: t, randomization or bootstrap"),
        "power": Option("P", "probability of a pass for the number of topics needed", read_number),
        "min_topics": Option("N", "undecided with fewer topics", read_integer),
        "min_coverage": Option(
            "SHARE", "undecided if a smaller share of the topics of the baseline and the qrels is usable", read_fraction
        ),
        "on_undecided": Option("VERDICT", "exit as for this verdict if the gate is undecided: undecided, fail or pass"),
        "markdown": Option("FILE", "write Markdown for a comment on a pull request", read_one),
        "junit": Option("FILE", "write JUnit XML", read_one),
        "save": Option("FILE", "write the values of the run to a baseline file (JSON, or .json.gz)", read_one),
        "github": Option(
            "",
            "print annotations for GitHub Actions; append the Markdown to $GITHUB_STEP_SUMMARY and the verdict to "
            "$GITHUB_OUTPUT",
        ),
    },
)


def run(args: argparse.Namespace) -> int:
    """Compute the gate, write its files and return its exit code; without a baseline, only save the values."""
    check_output(args, COMMAND.tables)
    if args.by is not None and args.topics_table is None:
        raise InputError("--by needs --topics-table FILE")
    targets = {name: getattr(args, name)[-1] for name in ("markdown", "junit", "save") if getattr(args, name)}
    for option, path in targets.items():
        check_target(path, "name a file to write", f"--{option}")
    if args.baseline is None and "save" in targets:
        return _save(args, targets["save"])
    report = _compute(args)
    for option, path in targets.items():
        refuse_overwriting(path, report.provenance, f"--{option}")
    _write_files(report, targets)
    emit(report, args)
    if args.github:
        _annotate(report, sys.stdout if args.output or args.format in (None, "table") else sys.stderr)
    return report.exit_code


def _save(args: argparse.Namespace, path: str) -> int:
    """Write the values of the run to a baseline file."""
    from assay.cli._output import print_notes
    from assay.significance import make_baseline

    given = [name for name in ("margins", "watch", "markdown", "junit", "github") if getattr(args, name)]
    if given:
        option = "--margin" if given[0] == "margins" else f"--{given[0]}"
        raise InputError(f"{option} needs --baseline FILE; --save without a baseline only writes a file")
    measures = COMMAND.read_options(args, {"measures": None})
    with show_progress("reading runs") as progress:
        source = COMMAND.read_source(args, measures, progress)
        refuse_overwriting(path, source.provenance, "--save")
        baseline = make_baseline(source, measures.get("measures"))
    print_notes(source.notes, options=vars(args))
    baseline.write(path)
    print(f"{path}: {', '.join(baseline.values)} of {baseline.run} on {len(baseline.topics):,} topics")
    return 0


def _compute(args: argparse.Namespace) -> Gate:
    """Read the inputs and call the function."""
    from assay.significance._gate.baseline import is_baseline_file, read_baseline
    from assay.significance._gate.gate import check_settings

    arguments = COMMAND.read_options(args, COMMAND.parameters)
    names = ("test", "alpha", "power", "min_topics", "min_coverage", "on_undecided", "resamples", "seed")
    check_settings(**{name: arguments[name] for name in names if name in arguments})
    path: str = arguments.pop("baseline")
    baseline: str | Baseline = path
    overrides: dict[str, Any] = {}
    if is_baseline_file(path):
        baseline = read_baseline(path)
        if args.values is None:
            overrides = {name: value for name, value in baseline.policies.items() if getattr(args, name, None) is None}
    else:
        args, baseline = _add_baseline(args, path)
    measures = {"measures": [*arguments.get("margins", {}), *arguments.get("watch", {})]}
    with show_progress("reading runs") as progress:
        source = COMMAND.read_source(args, measures, progress, **overrides)
        report: Gate = COMMAND.callable(source, baseline, **arguments)
    return report


def _add_baseline(args: argparse.Namespace, baseline: str) -> tuple[argparse.Namespace, str]:
    """Add the file of the baseline to the runs or values, unless it is among them; return the name of its run.

    A baseline that is not a file is the name of a run, and is returned unchanged. The file may be written as NAME=FILE.
    """
    from assay.io.source import expand

    name, separator, file = baseline.partition("=")
    path = baseline if os.path.isfile(baseline) or not separator else file
    if not os.path.isfile(path):
        return args, baseline
    option = "runs" if args.values is None else "values"
    others = [text if os.path.exists(text) else text.rpartition("=")[2] for text in getattr(args, option)]
    paths = {os.path.realpath(one) for one in (expand(others) if option == "runs" else others)}
    added = [] if os.path.realpath(path) in paths else [baseline]
    changed = argparse.Namespace(**{**vars(args), option: [*getattr(args, option), *added]})
    return changed, baseline if path == baseline else name


def _write_files(report: Gate, targets: dict[str, str]) -> None:
    """Write the files of the options --markdown, --junit and --save."""
    from assay.io.writing import write_file

    texts = {"markdown": report.markdown, "junit": report.junit}
    for option, path in targets.items():
        if option == "save":
            report.save(path)
        else:
            write_file(path, texts[option]().encode())


def _annotate(report: Gate, stream: TextIO) -> None:
    """Print annotations to a stream; append the Markdown and the verdict to the files that GitHub Actions names.

    GitHub reads annotations from standard output and standard error.
    """
    from assay.io.writing import append_file

    print("\n".join(report.annotations()), file=stream)
    for variable, text in (
        ("GITHUB_STEP_SUMMARY", report.markdown()),
        ("GITHUB_OUTPUT", f"verdict={report.verdict}\n"),
    ):
        if os.environ.get(variable):
            append_file(os.environ[variable], text)

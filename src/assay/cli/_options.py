"""Options that mean the same in every command, and how a table leaves a command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.errors import printable
from assay.significance import tests
from assay.views.tables import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.engine.campaign import Campaign
    from assay.views.tables import Table


def inputs(parser: argparse.ArgumentParser) -> None:
    """Add QRELS RUN... and how they are read."""
    parser.add_argument("qrels", metavar="QRELS", help="judgments: a file, - for standard input, or irds:ID")
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", help="runs: files, directories or globs; - for standard input"
    )
    reading(parser)


def reading(parser: argparse.ArgumentParser, *, judgments: bool = True) -> None:
    """Add --lenient and, where judgments are read, --grades."""
    parser.add_argument(
        "--lenient", action="store_true", help="skip bad lines and keep the first of duplicates, and say how many"
    )
    if judgments:
        parser.add_argument(
            "--grades", default=None, metavar="MAP", help="replace grades by others first, such as 4=3,-2=0"
        )


def read_campaign(args: argparse.Namespace, progress: Any = None, **options: Any) -> Campaign:
    """Read what the command names, with its policies; *options* are more arguments of ``assay.read``."""
    from assay.engine.campaign import read

    given = {**reading_arguments(args), **options}
    return read(getattr(args, "qrels", None), getattr(args, "runs", None), progress=progress, **given)


def reading_arguments(args: argparse.Namespace) -> dict[str, Any]:
    """Return policies, --lenient and --grades, as far as they are given, as arguments of ``assay.read``."""
    from assay.cli import _numbers
    from assay.io.numbers import number

    names = ("ties", "topics", "undefined", "unjudged", "seed", "lenient")
    given = {name: getattr(args, name) for name in names if getattr(args, name, None) is not None}
    if getattr(args, "grades", None) is not None:
        given["grades"] = _numbers.pairs("--grades", args.grades, "grade=grade", "4=3,-2=0", number)
    return given


def measures(parser: argparse.ArgumentParser, default: str) -> None:
    """-m MEASURE..."""
    parser.add_argument(
        "-m",
        "--measure",
        dest="measures",
        metavar="MEASURE",
        action="append",
        help="measures, one or several: AP nDCG@10 'RBP(p=0.8)', names or sets of trec_eval: ndcg_cut_10 P official "
        f"(default: {default}; assay measures lists all)",
    )


TIES = (
    "order of documents: by score, ties by descending id (trec_eval-10, default; trec_eval-9: 32-bit scores), by "
    "ascending id (score-id) or in input order (score-file); rank, file: by the rank column or the input, whatever the "
    "scores"
)


def tie_policy(parser: Any, *, expected: bool = False) -> None:
    """--ties HOW."""
    mean = "; expected: the mean over all orders of tied documents" if expected else ""
    parser.add_argument("--ties", default="trec_eval-10", metavar="HOW", help=TIES + mean)


def policies(parser: argparse.ArgumentParser, ties: bool = True, sampling: bool = True) -> Any:
    """The policies of evaluation, perhaps without the one on ties or without sampled orders of tied documents."""
    group = parser.add_argument_group("policies")
    if ties:
        tie_policy(group, expected=sampling)
    group.add_argument(
        "--topics",
        default="qrels",
        metavar="WHICH",
        help="qrels (default): a topic that a run lacks is an empty ranking; intersection: it is left out",
    )
    group.add_argument(
        "--undefined",
        default="zero",
        metavar="VALUE",
        help="a topic without relevant documents counts zero (default), or exclude it",
    )
    group.add_argument(
        "--unjudged",
        default="nonrelevant",
        metavar="HOW",
        help="unjudged documents are nonrelevant (default), or condensed: taken out of the ranking",
    )
    if sampling:
        seed(group)
    return group


def curves(parser: argparse.ArgumentParser) -> Any:
    """How curves of relative position are made."""
    group = parser.add_argument_group("curves")
    group.add_argument(
        "--depth",
        type=int,
        default=None,
        metavar="N",
        help="length of all rankings: longer ones are cut, shorter ones filled up (default: that of the longest)",
    )
    group.add_argument(
        "--length",
        default="extend",
        metavar="HOW",
        help="a topic with more than N/2 relevant documents: extend (default) its rankings, error, asis",
    )
    group.add_argument(
        "--rel", type=float, default=1, metavar="GRADE", help="lowest grade that counts as relevant (default: 1)"
    )
    return group


def checked_curves(args: argparse.Namespace) -> None:
    """Refuse what curves cannot be made with, before anything is read."""
    from assay.errors import InputError
    from assay.model.relative_position import LENGTHS

    if args.depth is not None and args.depth < 1:
        raise InputError(f"--depth must be at least 1, got {args.depth}")
    one_of("--length", args.length, LENGTHS)


def one_of(option: str, value: str | None, known: Collection[str]) -> None:
    """Refuse a word that an option does not know; what was not given is no word."""
    from assay.errors import InputError, suggestion

    if value is not None and value not in known:
        raise InputError(f"{option} {value}: choose one of {', '.join(known)}{suggestion(value, known)}")


def seed(parser: Any, default: int = 0) -> None:
    """--seed."""
    parser.add_argument(
        "--seed", type=int, default=default, metavar="N", help=f"seed of everything random (default: {default})"
    )


def significance(group: Any) -> None:
    """Which test, and how it is corrected for many comparisons."""
    group.add_argument(
        "--test",
        default="t",
        metavar="TEST",
        help=f"{', '.join(tests.names())} (default: t)",
    )
    group.add_argument(
        "--correction",
        default="holm",
        metavar="HOW",
        help="adjust p for several comparisons: holm (default), bonferroni, bh or none; Tukey's tests need none",
    )


def output(parser: argparse.ArgumentParser, per_topic: bool = False, partition: bool = False) -> None:
    """--format, -o, --digits and perhaps --per-topic and --partition."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format",
        default=None,
        metavar="FORMAT",
        help=f"{', '.join(FORMATS)} (default: table, or by the ending of -o)",
    )
    group.add_argument(
        "-o", "--output", default=None, metavar="FILE", help="write to a file instead of standard output"
    )
    group.add_argument(
        "--digits",
        type=int,
        default=None,
        metavar="N",
        help="digits behind the point (default: 4; tsv, csv, json: all)",
    )
    group.add_argument(
        "--spreadsheet",
        action="store_true",
        help="csv, tsv: put an apostrophe before names that a spreadsheet would execute (=, +, -, @)",
    )
    if per_topic:
        group.add_argument("--per-topic", action="store_true", help="show every topic, then all")
    if partition:
        group.add_argument(
            "--partition",
            default=None,
            metavar="COLUMN",
            help="write a Parquet dataset to a new directory, -o DIR, with a part for each run, topic or measure",
        )


_BY_ENDING = {
    ".tsv": "tsv",
    ".csv": "csv",
    ".json": "json",
    ".md": "markdown",
    ".tex": "latex",
    ".parquet": "parquet",
    ".html": "html",
}
_PARTITIONS = ("run", "topic", "measure")


def check(args: argparse.Namespace) -> None:
    """Refuse output options that cannot be, before any work is done."""
    from pathlib import Path

    from assay.errors import InputError, suggestion

    if args.digits is not None and not 0 <= args.digits <= 17:
        raise InputError(f"--digits must be from 0 to 17, got {args.digits}")
    if args.format is not None and args.format not in FORMATS:
        known = ", ".join(FORMATS)
        raise InputError(f"format {args.format!r}: choose one of {known}{suggestion(args.format, FORMATS)}")
    if args.output == "-":
        args.output = None
    if getattr(args, "partition", None) is not None:
        _check_partition(args)
        return
    if args.output is None:
        return
    target = Path(args.output)
    if not args.output or target.is_dir():
        raise InputError(f"-o {args.output!r}: name a file to write")
    if not target.parent.is_dir():
        raise InputError(f"{args.output}: cannot be written (there is no directory {target.parent})")
    if args.format is None and target.suffix.lower() not in (*_BY_ENDING, "", ".txt"):
        raise InputError(f"{args.output}: the ending {target.suffix} tells no format; add --format")


def _check_partition(args: argparse.Namespace) -> None:
    from pathlib import Path

    from assay.errors import InputError

    if args.partition not in _PARTITIONS:
        raise InputError(f"--partition {args.partition!r}: choose one of {', '.join(_PARTITIONS)}")
    if args.format not in (None, "parquet"):
        raise InputError(f"--partition writes Parquet; leave --format {args.format} away")
    if args.output is None:
        raise InputError("--partition writes a directory; add -o DIR")
    if Path(args.output).exists():
        raise InputError(f"{args.output}: is there already; name a new directory")


def emit(table: Table, args: argparse.Namespace) -> None:
    """Print the table, or write it to a file, and say on standard error what was ignored or assumed."""
    from pathlib import Path

    from assay.errors import InputError
    from assay.io.dataset import directory
    from assay.io.writing import write_file, write_files
    from assay.views.tables import partitions, render

    table = replace(table, spreadsheet=args.spreadsheet)
    if getattr(args, "partition", None) is not None:
        say(table.notes)
        parts = partitions(table, args.partition, args.digits)
        named = ((f"{directory(args.partition, value)}/part-0.parquet", data) for value, data in parts)
        write_files(args.output, named)
        return
    form = args.format or _BY_ENDING.get(Path(args.output or "").suffix.lower(), "table")
    if form == "parquet" and args.output is None and sys.stdout.isatty():
        raise InputError("parquet is not for a terminal; add -o FILE")
    if args.output is not None:
        refuse_overwriting(args.output, table.provenance)
    data = render(table, form, args.digits, bold=args.output is None and sys.stdout.isatty())
    say(table.notes)
    if args.output is not None:
        write_file(args.output, data)
    else:
        write_bytes(data)


def write_bytes(data: bytes) -> None:
    """Write to standard output, as text where it takes no bytes (a notebook, a test that replaces it)."""
    from assay.errors import InputError

    sys.stdout.flush()
    if hasattr(sys.stdout, "buffer"):
        sys.stdout.buffer.write(data)
        return
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise InputError("standard output takes only text here; add -o FILE") from None
    sys.stdout.write(text)


def refuse_overwriting(output: str, provenance: dict[str, Any]) -> None:
    """Refuse to write over what was read."""
    import os

    from assay.errors import InputError, encodable

    target = encodable(os.path.realpath(output))  # as provenance has names that are not UTF-8
    for read in provenance.get("inputs", []):
        if encodable(os.path.realpath(read["source"])) == target:
            raise InputError(f"{output}: was read as an input and is not overwritten; name another file")


def say(notes: tuple[str, ...], most: int = 20, where: str = " (all are in --format json)") -> None:
    """Notes on standard error; that it cannot be written is no reason to lose a result."""
    lines = [f"assay: note: {printable(note)}" for note in notes[:most]]
    if len(notes) > most:
        lines.append(f"assay: note: and {len(notes) - most} more notes{where}")
    with suppress(OSError):
        print("".join(f"{line}\n" for line in lines), end="", file=sys.stderr, flush=True)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on standard error when it is a terminal; else nothing."""
    with steps(what) as (reading, _):
        yield reading


@contextmanager
def steps(what: str) -> Iterator[tuple[Callable[[int, int], None] | None, Callable[[str, int, int], None] | None]]:
    """Progress of something in steps: of reading, and then of the steps by their names; nothing without a terminal."""
    if not sys.stderr.isatty():
        yield None, None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield (
            lambda done, total: bar.update(task, completed=done, total=total),
            lambda name, done, total: bar.update(task, description=name, completed=done, total=total),
        )

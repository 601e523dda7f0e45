"""Evaluate as trec_eval does: its arguments, its output, every digit.

assay trec_eval -h explains all of its options; with -m and -R, measures and formats too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli._output import print_notes, show_progress, write_output
from assay.errors import InputError
from assay.io.paths import file_errors, path_text
from assay.io.writing import write_file

if TYPE_CHECKING:
    from assay.compat.trec_eval.options import TrecEvalOptions
    from assay.compat.trec_eval.selection import Item

EXAMPLES = """\
  assay trec_eval qrels.txt bm25.run
  assay trec_eval -q -m all_trec qrels.txt bm25.run.gz
  assay trec_eval -c -l2 -m map -m P.5,10 qrels.txt bm25.run
  assay trec_eval -q -m all_trec qrels.txt runs/ -o evals
  assay trec_eval --profile 9.0.8 -m ndcg_cut.10 qrels.txt - < bm25.run
  assay trec_eval -R qrels_prefs -m all_prefs qrels.txt bm25.run
"""


def flags() -> list[str]:
    """Return the long options, for completion."""
    from assay.compat.trec_eval.options import FLAGS, WITH_VALUE

    return [f"--{name}" for name in (*FLAGS.values(), *WITH_VALUE.values())]


def words(given: Sequence[str]) -> None:
    """Run with the words behind the command: trec_eval reads its arguments in a way of its own."""
    from assay._version import VERSION
    from assay.compat.trec_eval import options as reading

    options = reading.parse(given)
    if "v" in options.asked:
        print(f"trec_eval version {options.profile} (assay {VERSION})", file=sys.stderr)
        return
    from assay.compat.trec_eval import help as explained
    from assay.compat.trec_eval.measure_spec import MeasureSettings
    from assay.compat.trec_eval.selection import select_measures

    settings = MeasureSettings(options.profile, options.level, options.docs)
    items, notes = select_measures(options.measures, options.layout, settings)
    if "h" in options.asked:
        print(explained.text(options.layout, items if options.measures else (), EXAMPLES), end="")
        return
    _evaluate(options, items, notes)


def _evaluate(options: TrecEvalOptions, items: Sequence[Item], notes: Sequence[str]) -> None:
    from assay.compat.trec_eval.command import evaluate
    from assay.io.source import expand

    files = expand(options.runs)
    targets = _targets(options.output, files, options) if options.output is not None else None
    with show_progress("reading runs") as progress:
        evaluation = evaluate(replace(options, runs=tuple(files)), items, progress)
    if len(evaluation.values.runs) > 1 and targets is None and "runid" not in [item.spec.name for item in items]:
        notes = [*notes, "several runs: add -m runid to tell them apart"]
    print_notes((*notes, *evaluation.notes), where="")
    if targets is not None and len(targets) != len(evaluation.values.runs):
        raise InputError(f"-o {options.output}: some files hold several runs; name files with one run each")
    texts = (_encoded(evaluation.text(number)) for number in range(len(evaluation.values.runs)))
    if targets is None:
        for piece in (piece for text in texts for piece in text):
            write_output(piece, None)
        return
    with _directory(str(options.output)):
        for target, text in zip(targets, texts, strict=True):
            write_file(target, text)


def _encoded(pieces: Iterator[str]) -> Iterator[bytes]:
    return (piece.encode(errors="surrogateescape") for piece in pieces)


@contextmanager
def _directory(path: str) -> Iterator[None]:
    """Make a directory, and those above it; an empty one is removed again when writing fails."""
    made = [each for each in (Path(path), *Path(path).parents) if not each.exists()]
    with file_errors(path, "cannot be made"):
        Path(path).mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        with suppress(OSError):  # not empty
            for each in made:
                each.rmdir()
        raise


def _targets(directory: str, sources: Sequence[str], options: TrecEvalOptions) -> list[Path]:
    """A file for each run, named after the file that is read; none that is read is written over."""
    import os
    from collections import Counter

    from assay.io.source import stem

    names = [f"{stem(source)}.eval" for source in sources]
    again = [name for name, number in Counter(names).items() if number > 1]
    if again:
        raise InputError(f"-o {directory}: two runs would be written to {again[0]}; rename a file")
    if os.path.isfile(path_text(directory)):
        raise InputError(f"-o {directory}: is a file; name a directory")
    read = {os.path.realpath(path) for path in (options.qrels, options.zscores or "", *sources)}
    lost = [name for name in names if os.path.realpath(Path(directory, name)) in read]
    if lost:
        raise InputError(f"-o {directory}: {lost[0]} is there and is read; name another directory")
    return [Path(directory, name) for name in names]

"""Evaluate exactly like trec_eval: same arguments, same output.

assay trec_eval -h describes all options; add -m to describe measures, or -R to describe formats.
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
    """Return the long options, for shell completion."""
    from assay.compat.trec_eval.options import FLAGS, WITH_VALUE

    return [f"--{name}" for name in (*FLAGS.values(), *WITH_VALUE.values())]


def run_argv(words: Sequence[str]) -> None:
    """Run the command on its arguments, which follow the rules of trec_eval instead of those of assay."""
    from assay._version import VERSION
    from assay.compat.trec_eval.options import parse_options

    options = parse_options(words)
    if "v" in options.requested:
        print(f"trec_eval version {options.profile} (assay {VERSION})", file=sys.stderr)
        return
    from assay.compat.trec_eval.help import render_help
    from assay.compat.trec_eval.measure_spec import MeasureSettings
    from assay.compat.trec_eval.selection import select_measures

    settings = MeasureSettings(options.profile, options.level, options.docs)
    items, notes = select_measures(options.measures, options.layout, settings)
    if "h" in options.requested:
        print(render_help(options.layout, items if options.measures else (), EXAMPLES), end="")
        return
    _evaluate(options, items, notes)


def _evaluate(options: TrecEvalOptions, items: Sequence[Item], notes: Sequence[str]) -> None:
    """Evaluate the runs, and print their values or write them to one file for each run."""
    from assay.compat.trec_eval.command import evaluate
    from assay.io.source import expand

    files = expand(options.runs)
    targets = _targets(options.output, files, options) if options.output is not None else None
    with show_progress("reading runs") as progress:
        evaluation = evaluate(replace(options, runs=tuple(files)), items, progress)
    if len(evaluation.values.runs) > 1 and targets is None and "runid" not in [item.spec.name for item in items]:
        notes = [*notes, "there are several runs; add -m runid to distinguish them"]
    print_notes((*notes, *evaluation.notes), where="")
    if targets is not None and len(targets) != len(evaluation.values.runs):
        raise InputError(f"-o {options.output}: some files contain several runs; use files that contain one run each")
    texts = (_encode(evaluation.text(number)) for number in range(len(evaluation.values.runs)))
    if targets is None:
        for data in (data for text in texts for data in text):
            write_output(data, None)
        return
    with _make_directory(str(options.output)):
        for target, text in zip(targets, texts, strict=True):
            write_file(target, text)


def _encode(texts: Iterator[str]) -> Iterator[bytes]:
    """Encode texts as UTF-8; bytes that are not valid UTF-8 are written as they were read."""
    return (text.encode(errors="surrogateescape") for text in texts)


@contextmanager
def _make_directory(path: str) -> Iterator[None]:
    """Create a directory and its parents; if writing fails, remove the new directories that are empty."""
    created = [directory for directory in (Path(path), *Path(path).parents) if not directory.exists()]
    with file_errors(path, "cannot be created"):
        Path(path).mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        with suppress(OSError):  # A directory that is not empty stays.
            for directory in created:
                directory.rmdir()
        raise


def _targets(directory: str, sources: Sequence[str], options: TrecEvalOptions) -> list[Path]:
    """Return the output file of each run, named after its input; raise an error if one would overwrite an input."""
    import os
    from collections import Counter

    from assay.io.source import stem

    names = [f"{stem(source)}.eval" for source in sources]
    duplicates = [name for name, count in Counter(names).items() if count > 1]
    if duplicates:
        raise InputError(f"-o {directory}: two runs would be written to {duplicates[0]}; rename a file")
    if os.path.isfile(path_text(directory)):
        raise InputError(f"-o {directory}: is a file; choose a directory")
    inputs = {os.path.realpath(path) for path in (options.qrels, options.zscores or "", *sources)}
    overwritten = [name for name in names if os.path.realpath(Path(directory, name)) in inputs]
    if overwritten:
        raise InputError(f"-o {directory}: would overwrite the input {overwritten[0]}; choose another directory")
    return [Path(directory, name) for name in names]

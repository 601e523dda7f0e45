"""Input and output formats: judgments and runs, names of columns, compression, outputs."""

from __future__ import annotations

import inspect
import re
from types import ModuleType

from assay.compat.trec_eval.help import FORMATS as TREC_EVAL
from assay.io import compression, files, frames, groups, ir_datasets, parquet_dataset, trec
from assay.io.source import Source
from assay.io.text import Layout
from assay.results.formats import ENDINGS, FORMATS
from assay.views.plots._export import FORMATS as FIGURES
from reference_pages._docstrings import parse_docstring, prose, summary
from reference_pages._markdown import code, code_list, escape, inline, table

TITLE = "Formats"
ABOUT = "input formats of judgments and runs, names of columns, compression; output formats"
_HEAD = f"""\
Which files can assay read? A path is a file, `-` for standard input, a directory (all files in it), or a pattern such
as `'runs/*.gz'`. `{ir_datasets.PREFIX}ID` is a dataset of the package ir_datasets: its judgments, or its scored
documents as a run.

An invalid line is an error that names the file and the line. With `--lenient` such lines are skipped, the first of
several duplicates is kept, and a note reports their number.

The first of these readers that recognizes a file reads it:
"""
_NAMES = """\
## Names of columns

Parquet, JSON Lines, tab-separated text with a header, and frames use these names."""
_IDS = """\
Ids must be text. A numeric column is an error, because it cannot distinguish 001 from 1.
"""
_BYTES = """\

The first bytes determine the compression; a file name with another ending is an error. Standard input may be
compressed, too.
"""
_OBJECTS = """\
## Python objects

Functions that take *qrels* and *runs* accept these instead of a path:
"""
_SEVERAL = """\
Several runs are a list of runs, a dict from names to runs, or a frame with a column that names the run.
`assay.model.Qrels.from_tuples` and `assay.model.Run.from_tuples` accept tuples of topic, document and value. Ids must
be text, and values must be numbers; other types are errors.
"""
_OUTPUT = """\
## Output

`--format`, or the ending of the file name in `-o FILE` and `report.write(path)`, selects one of these formats.
[Tables and JSON](tables.md) describes their content.
"""
_WRITTEN = """\
`assay report` writes a self-contained HTML page. `assay eval --partition COLUMN` writes a Parquet dataset.
`Qrels.write` and `Run.write` write TREC text. Files are written completely or not at all, and inputs are never
overwritten.
"""
_TRIED = (".parquet", ".pq", ".json", ".jsonl", ".ndjson", ".tsv", ".txt", ".run", ".qrels")
_RECOGNIZE = re.compile(r"^Recognize .*? by ")
_ROLES = {"topic": "topic", "doc": "document", "value": "score or grade", "rank": "rank", "run": "name of the run"}


def page() -> str:
    """Return the page."""
    return "\n".join([_inputs(), _trec(), _columns(), _compression(), _objects(), _judges(), _outputs()])


def _inputs() -> str:
    modules = files.load_formats()
    rows = [(code(_name(module)), _endings(module), _recognition(module)) for module in modules]
    others = [module for module in modules if module is not trec]
    index = table(("format", "endings", "recognized by"), rows)
    sections = [f"## {_name(module)}\n\n{_about(module)}" for module in others]
    return "\n".join([_HEAD, index, *sections, f"## Parquet datasets\n\n{_about(parquet_dataset)}"])


def _recognition(module: ModuleType) -> str:
    """Return the feature by which a reader recognizes a file, from the docstring of ``matches``."""
    docstring = (module.matches.__doc__ or "").rstrip(".")
    return "all other files" if module is trec else _RECOGNIZE.sub("", docstring)


def _name(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


def _about(module: ModuleType) -> str:
    return prose(parse_docstring(module).body).replace("`frames`", "the [table of names](#names-of-columns)")


def _endings(module: ModuleType) -> str:
    """Return the endings by which a reader recognizes a file; the TREC reader accepts all others."""
    if module is trec:
        return "any other"
    return code_list(ending for ending in _TRIED if module.matches(Source(f"file{ending}", b"", ""))) or "any"


def _trec() -> str:
    rows = [("run", _columns_of(trec.RUN)), ("qrels", _columns_of(trec.QRELS))]
    return f"## trec\n\n{_about(trec)}\n{table(('file', 'columns'), rows)}"


def _columns_of(layout: Layout) -> str:
    return code(" ".join(layout.columns))


def _columns() -> str:
    about = inspect.cleandoc(frames.__doc__ or "").partition("\n\n")[2]
    kinds = {
        (role, names): [kind for kind in frames.NAMES if frames.NAMES[kind].get(role) == names]
        for known in frames.NAMES.values()
        for role, names in known.items()
    }
    rows = [(_ROLES[role], " and ".join(files), code_list(names)) for (role, names), files in kinds.items()]
    return "\n".join([_NAMES, f"{inline(about)}\n", table(("content", "file", "names"), rows), _IDS])


def _compression() -> str:
    return f"## Compression\n\nFiles of every format may be compressed: {code_list(compression.MAGIC)}. {_BYTES}"


def _objects() -> str:
    rows = [
        ("`{topic: {document: grade}}`", "`{topic: {document: score}}`", "mappings, as in pytrec_eval and ranx"),
        ("a frame", "a frame", summary(frames).rstrip(".")),
        ("`Qrels`", "`Run`", "objects of `assay.model`"),
    ]
    return "\n".join([_OBJECTS, table(("judgments", "run", "description"), rows), _SEVERAL])


def _judges() -> str:
    rows = [
        (code(name), _columns_of(groups.LAYOUTS[name]), escape(TREC_EVAL[name].partition(": ")[2]))
        for name in groups.LAYOUTS
    ]
    return (
        "## Judgments by several assessors\n\n`assay trec_eval -R FORMAT` reads these formats, as trec_eval does:\n\n"
        + table(("format", "columns", "meaning"), rows)
    )


def _outputs() -> str:
    endings = {form: ending for ending, form in ENDINGS.items()}
    rows = [(code(form), code(endings[form]) if form in endings else "any other") for form in FORMATS]
    figures = f"Figures are written as {code_list(FIGURES)}: see [Figures](plots.md)."
    return "\n".join([_OUTPUT, table(("format", "ending"), rows), figures, _WRITTEN])

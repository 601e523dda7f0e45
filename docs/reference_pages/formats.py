"""Input and output formats: judgments and runs, names of columns, compression, outputs."""

from __future__ import annotations

import inspect
import re
from types import ModuleType

from assay.compat.trec_eval.help import FORMATS as TREC_EVAL
from assay.io import columns, compression, files, frames, groups, parquet_dataset, qrels_formats, trec
from assay.io.paths import IRDS
from assay.io.source import Source
from assay.io.text import Layout
from assay.results.formats import ENDINGS, FORMATS
from assay.views.plots._export import FORMATS as FIGURES
from reference_pages._docstrings import parse_docstring, read_summary, render_prose
from reference_pages._markdown import convert_inline, escape, format_code, format_code_list, render_table

TITLE = "Formats"
ABOUT = "input formats of judgments and runs, names of columns, compression; output formats"
_HEAD = f"""\
Which files can assay read? A path is a file, a directory (all files in it), a pattern such as `'runs/*.gz'`, or `-`
for standard input. `{IRDS}ID` names a dataset of the package ir_datasets. Where qrels are
expected, it stands for the judgments of the dataset. Where a run is expected, it stands for the scored documents.

An invalid line is an error that names the file and the line. With `--lenient`, invalid lines
are skipped, only the first of several duplicates is kept, and a note reports the number of skipped lines.

The texts of queries and documents have [formats of their own](../guide/text.md#formats).

Each file is read by the first of these readers that recognizes it:
"""
_COLUMN_NAMES = """\
## Names of columns

Parquet, JSON, CSV, TSV and frames use these names."""
_IDS = """\
Ids are text. Integer ids are read as their decimal text: 7 is the id `7`, which is not `007`. A column of floats is an
error.
"""
_COMPRESSION = """\

The first bytes of the file determine the compression. It is an error if the ending of the file name stands for another
compression. Standard input may also be compressed.
"""
_OBJECTS = """\
## Python objects

Functions that take *qrels* and *runs* accept the following objects instead of a path:
"""
_SEVERAL_RUNS = """\
Several runs can be given as a list of runs, a dict from names to runs, or a frame with a column that names the run.
`assay.model.Qrels.from_tuples` and `assay.model.Run.from_tuples` accept tuples of topic, document and value. Ids
are text or integers, and values are numbers; other types are errors.
"""
_FACETS = """\
## Judgments with facets

`--qrels-format FORMAT` (`qrels_format` of `assay.read`) reads judgments with a further column. See
[Facets](../guide/facets.md). The text formats cannot be told apart, so the format is never guessed. CSV, JSON, Parquet
and frames have the same contents in columns that are found by their names.

"""
_OUTPUT = """\
## Output

Which files can assay write? `--format` selects one of the formats in this table. Without `--format`, the ending of the
file name in `-o FILE` or `report.write(path)` selects the format. [Tables and JSON](tables.md) describes the content.
"""
_OTHER_OUTPUT = """\
`assay report` writes a self-contained HTML page. `assay eval --partition COLUMN` writes a Parquet dataset.
`Qrels.write` and `Run.write` write TREC text. Files are written completely or not at all, and inputs are never
overwritten.
"""
_ENDINGS_TO_TRY = (".parquet", ".pq", ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".txt", ".run", ".qrels")
_RECOGNIZE = re.compile(r"^Recognize .*? by ")
_CONTENTS = {
    "topic": "topic",
    "doc": "document",
    "value": "score or grade",
    "rank": "rank",
    "run": "name of the run",
    "subtopic": "subtopic of the topic",
    "judge": "judge",
    "stratum": "stratum of the pool",
    "probability": "probability of being judged",
    "groups": "groups of the document",
}


def render_page() -> str:
    """Return the page."""
    inputs = [_render_inputs(), _render_trec(), _render_columns(), _render_compression()]
    return "\n".join([*inputs, _render_objects(), _render_facets(), _render_judges(), _render_outputs()])


def _render_inputs() -> str:
    modules = files.load_formats()
    rows = [
        (format_code(_module_name(module)), _list_endings(module), _describe_recognition(module)) for module in modules
    ]
    others = [module for module in modules if module is not trec]
    index = render_table(("format", "endings", "recognized by"), rows)
    sections = [f"## {_module_name(module)}\n\n{_render_introduction(module)}" for module in others]
    return "\n".join([_HEAD, index, *sections, f"## Parquet datasets\n\n{_render_introduction(parquet_dataset)}"])


def _describe_recognition(module: ModuleType) -> str:
    """Return the feature by which a reader recognizes a file, from the docstring of ``matches``."""
    docstring = (module.matches.__doc__ or "").rstrip(".")
    return "all other files" if module is trec else _RECOGNIZE.sub("", docstring)


def _module_name(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


def _render_introduction(module: ModuleType) -> str:
    return render_prose(parse_docstring(module).body).replace("`columns`", "the [table of names](#names-of-columns)")


def _list_endings(module: ModuleType) -> str:
    """Return the endings by which a reader recognizes a file; the TREC reader accepts all others."""
    if module is trec:
        return "any other"
    endings = [ending for ending in _ENDINGS_TO_TRY if module.matches(Source(f"file{ending}", b"", ""))]
    return format_code_list(endings) or "any"


def _render_trec() -> str:
    rows = [("run", _format_layout(trec.RUN)), ("qrels", _format_layout(trec.QRELS))]
    return f"## trec\n\n{_render_introduction(trec)}\n{render_table(('file', 'columns'), rows)}"


def _format_layout(layout: Layout) -> str:
    return format_code(" ".join(layout.columns))


def _render_columns() -> str:
    about = inspect.cleandoc(columns.__doc__ or "").partition("\n\n")[2]
    kinds = {
        (role, names): [kind for kind in columns.NAMES if columns.NAMES[kind].get(role) == names]
        for known in columns.NAMES.values()
        for role, names in known.items()
    }
    rows = [(_CONTENTS[role], " and ".join(files), format_code_list(names)) for (role, names), files in kinds.items()]
    names = render_table(("content", "file", "names"), rows)
    return "\n".join([_COLUMN_NAMES, f"{convert_inline(about)}\n", names, _IDS])


def _render_compression() -> str:
    formats = format_code_list(compression.MAGIC)
    return f"## Compression\n\nFiles of every format may be compressed: {formats}. {_COMPRESSION}"


def _render_objects() -> str:
    rows = [
        ("`{topic: {document: grade}}`", "`{topic: {document: score}}`", "mappings, as in pytrec_eval and ranx"),
        ("a frame", "a frame", read_summary(frames).rstrip(".")),
        ("`Qrels`", "`Run`", "objects of `assay.model`"),
    ]
    return "\n".join([_OBJECTS, render_table(("judgments", "run", "description"), rows), _SEVERAL_RUNS])


def _render_facets() -> str:
    rows = [
        (format_code(name), _format_layout(layout), qrels_formats.MEANINGS[name])
        for name, layout in qrels_formats.LAYOUTS.items()
    ]
    return _FACETS + render_table(("format", "columns of TREC text", "meaning"), rows)


def _render_judges() -> str:
    rows = [
        (format_code(name), _format_layout(groups.LAYOUTS[name]), escape(TREC_EVAL[name].partition(": ")[2]))
        for name in groups.LAYOUTS
    ]
    return (
        "## Judgments by several assessors\n\n`assay trec_eval -R FORMAT` reads these formats, as trec_eval does:\n\n"
        + render_table(("format", "columns", "meaning"), rows)
    )


def _render_outputs() -> str:
    endings = {form: ending for ending, form in ENDINGS.items()}
    rows = [(format_code(form), format_code(endings[form]) if form in endings else "any other") for form in FORMATS]
    figures = f"Figures are written as {format_code_list(FIGURES)}: see [Figures](plots.md)."
    return "\n".join([_OUTPUT, render_table(("format", "ending"), rows), figures, _OTHER_OUTPUT])

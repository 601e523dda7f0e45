"""What is read and written: formats of judgments and runs, names of columns, compression, outputs."""

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
from reference_pages._docstrings import parsed, prose, summary
from reference_pages._markdown import code, escaped, inline, listed, table

TITLE = "Formats"
ABOUT = "what is read: formats of judgments and runs, names of columns, compression; and what is written"
_HEAD = f"""\
A path is a file, `-` for standard input, a directory (every file in it), a pattern such as `'runs/*.gz'`, or
`{ir_datasets.PREFIX}ID` for a dataset of the package ir_datasets (its judgments, or its scored documents as a run). A
bad line is an error that names the file and the line; with `--lenient` such lines are skipped, the first of duplicates
is kept, and a note reports how many.

A file is read by the first of these readers that recognizes it:
"""
_NAMES = """\
## Names of columns

These are the names in Parquet, JSON Lines, tab-separated text with a header, and frames."""
_IDS = """\
Ids are text: a column of numbers is an error, since 001 and 1 would be the same.
"""
_BYTES = """\
The first bytes decide; a name with another ending is an error. Standard input may be compressed too.
"""
_OBJECTS = """\
## Python objects

Functions that take *qrels* and *runs* accept these instead of a path:
"""
_SEVERAL = """\
Several runs are a list of these, or a dict from names to these; a frame with a column that names runs holds several.
`assay.model.Qrels.from_tuples` and `assay.model.Run.from_tuples` take tuples of topic, document and value. Ids must be
text, and values numbers: nothing is converted silently.
"""
_OUTPUT = """\
## Output

Tables are written in these formats, chosen by `--format` or by the ending of `-o FILE` and `report.write(path)`. Their
content is described in [Tables and JSON](tables.md).
"""
_WRITTEN = """\
`assay report` writes a page of HTML that loads nothing from elsewhere. `assay eval --partition COLUMN` writes a Parquet
dataset. `Qrels.write` and `Run.write` write TREC text. A file is written whole or not at all, and an input is never
overwritten.
"""
_TRIED = (".parquet", ".pq", ".json", ".jsonl", ".ndjson", ".tsv", ".txt", ".run", ".qrels")
_RECOGNIZE = re.compile(r"^Recognize .*? by ")
_ROLES = {"topic": "topic", "doc": "document", "value": "score or grade", "rank": "rank", "run": "name of the run"}


def page() -> str:
    """The page."""
    return "\n".join([_inputs(), _trec(), _columns(), _packed(), _objects(), _judges(), _outputs()])


def _inputs() -> str:
    modules = files.load_formats()
    rows = [(code(_name(one)), _endings(one), _RECOGNIZE.sub("", one.matches.__doc__ or "")) for one in modules]
    others = [one for one in modules if one is not trec]
    known = table(("format", "endings", "recognized by"), rows)
    sections = [f"## {_name(one)}\n\n{_about(one)}" for one in others]
    return "\n".join([_HEAD, known, *sections, f"## Parquet datasets\n\n{_about(parquet_dataset)}"])


def _name(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


def _about(module: ModuleType) -> str:
    return prose(parsed(module).body).replace("`frames`", "the [table of names](#names-of-columns)")


def _endings(module: ModuleType) -> str:
    """The endings that are enough to know a file by; the last reader takes all others."""
    if module is trec:
        return "any other"
    return listed(ending for ending in _TRIED if module.matches(Source(f"file{ending}", b"", ""))) or "any"


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
    rows = [(_ROLES[role], " and ".join(of), listed(names)) for (role, names), of in kinds.items()]
    return "\n".join([_NAMES, f"{inline(about)}\n", table(("what", "of", "names"), rows), _IDS])


def _packed() -> str:
    return f"## Compression\n\nFiles may end in {listed(compression.MAGIC)}, whatever their format. {_BYTES}"


def _objects() -> str:
    rows = [
        ("`{topic: {document: grade}}`", "`{topic: {document: score}}`", "mappings, as in pytrec_eval and ranx"),
        ("a frame", "a frame", summary(frames)),
        ("`Qrels`", "`Run`", "read before, or constructed"),
    ]
    shown = table(("judgments", "run", ""), rows)
    return "\n".join([_OBJECTS, shown, _SEVERAL])


def _judges() -> str:
    rows = [
        (code(name), _columns_of(groups.LAYOUTS[name]), escaped(TREC_EVAL[name].partition(": ")[2]))
        for name in groups.LAYOUTS
    ]
    return "## Judgments by several people\n\n`assay trec_eval -R FORMAT` reads these, as trec_eval does:\n\n" + table(
        ("format", "columns", "meaning"), rows
    )


def _outputs() -> str:
    endings = {form: ending for ending, form in ENDINGS.items()}
    rows = [(code(form), code(endings[form]) if form in endings else "any other") for form in FORMATS]
    figures = f"Figures are written as {listed(FIGURES)}: see [Figures](plots.md)."
    return "\n".join([_OUTPUT, table(("format", "ending"), rows), figures, _WRITTEN])

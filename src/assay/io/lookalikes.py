"""Recognize files that users confuse with judgments or runs, so that a message can name the remedy."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import InputError
from assay.io.numbers import parse_number
from assay.io.problems import format_value

if TYPE_CHECKING:
    from assay.io.checks import Kind

_TREC_EVAL = re.compile(
    r"runid|map.*|gm_map|[RP]prec.*|bpref|recip_rank|infAP|11pt_avg|num_(q|ret|rel|rel_ret)|(ndcg|P|recall|success|"
    r"iprec_at_recall|set|Rndcg|relstring|utility|Rprec_mult)(_.*)?"
)
_IR_MEASURES = re.compile(r"(AP|nDCG|P|RR|R|Rprec|Bpref|Judged|Success|ERR|RBP|NumRet|NumRel|NumQ)(\(.*\))?(@\d+)?")
SWAPPED = "name the qrels first, then runs"
"""The remedy if judgments and runs are exchanged."""
_VALUES = "read it with --values or assay.Results.read"
_BEIR = ("corpus.jsonl", "queries.jsonl")


def describe_line(fields: Sequence[bytes], kind: Kind) -> str:
    """Return what the first line of a file looks like if it is not TREC text of *kind*, and the remedy.

    >>> describe_line(b"401 Q0 d1 1 2.5 bm25".split(), "qrels")
    'this looks like a run, not like judgments (tag bm25); name the qrels first, then runs'
    >>> describe_line(b"map all 0.25".split(), "run")
    'this looks like output of trec_eval; read it with --values or assay.Results.read'
    """
    words = [field.decode(errors="replace") for field in fields[:7]]
    is_number = [parse_number(word) is not None for word in words]
    if kind == "qrels" and len(words) == 6 and is_number[4]:
        return f"this looks like a run, not like judgments (tag {words[5]}); {SWAPPED}"
    if kind == "run" and len(words) == 4 and is_number[3]:
        return f"these look like judgments, not like a run; {SWAPPED}"
    if len(words) == 3 and _TREC_EVAL.fullmatch(words[0]) and (is_number[2] or words[0] == "runid"):
        return f"this looks like output of trec_eval; {_VALUES}"
    if len(words) in (2, 3) and _IR_MEASURES.fullmatch(words[-2]) and is_number[-1]:
        return f"this looks like output of ir_measures; {_VALUES}"
    return _describe_conversion(words[2], kind) if len(words) == 3 and is_number[2] else ""


def _describe_conversion(number: str, kind: Kind) -> str:
    """Return the conversion of three columns, of which the last is a number, to TREC text."""
    if kind == "qrels":
        return "if these are topic, document and grade, insert a column of zeros with awk '{print $1, 0, $2, $3}'"
    column, columns = ("rank", '$3, -$3, "run"') if number.isdecimal() else ("score", '0, $3, "run"')
    return f"if these are topic, document and {column}, convert them with awk '{{print $1, \"Q0\", $2, {columns}}}'"


def describe_keys(keys: Sequence[str]) -> str:
    """Return what a JSON object with these keys looks like, and the remedy; an empty text if it is unknown."""
    if {"schema", "rows"} <= set(keys):
        return f"this looks like output of assay; {_VALUES}"
    if "text" in keys:
        return "these look like texts; name them with --queries or --docs"
    return ""


def refuse_other_directory(directory: str, files: Sequence[str]) -> None:
    """Refuse a directory of BEIR, or one with judgments and runs, in place of a directory of runs."""
    runs = os.path.join(directory, "runs")
    if os.path.isdir(runs) and any(entry.startswith("qrels") for entry in os.listdir(directory)):
        raise InputError(f"{directory}: contains judgments and runs; write {runs}")
    names = {os.path.basename(file).removesuffix(".gz") for file in files}
    if names.issuperset(_BEIR):
        judgments = _find_beir_qrels(directory)
        remedy = f"; its qrels are {judgments}" if judgments else ""
        raise InputError(f"{directory}: looks like a BEIR dataset (texts and judgments), not like runs{remedy}")


def describe_directory(path: str) -> str:
    """Return the remedy for a directory in place of a file of judgments."""
    judgments = _find_beir_qrels(path)
    if judgments:
        return f"is a directory that looks like a BEIR dataset; write {judgments}"
    files = sorted(entry.path for entry in os.scandir(path) if entry.is_file())
    description = _describe_file(files[0]) if files else ""
    if "looks like a run" in description:
        return f"is a directory with runs, not judgments; {SWAPPED}"
    return "is a directory; name a file in it"


def _describe_file(path: str) -> str:
    """Return what the first line of a file, which may be compressed with gzip, looks like in place of judgments."""
    try:
        with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
            return describe_line(file.readline(1 << 16).split(), "qrels")
    except (OSError, EOFError):
        return ""


def _find_beir_qrels(path: str) -> str:
    """Return the judgments in a directory of BEIR, preferably those of the test set."""
    files = sorted(Path(path).glob("qrels/*.tsv"), key=lambda file: (file.stem != "test", file.name))
    return str(files[0]) if files else ""


def describe_columns(names: Sequence[str]) -> str:
    """Return the hint for a table whose columns are not found: perhaps its first line is not a header."""
    has_number = any(parse_number(name) is not None for name in names)
    return f"; is the first line, which begins with {format_value(names[0], 30)}, a header?" if has_number else ""

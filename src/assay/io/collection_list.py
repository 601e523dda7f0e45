"""Lists of test collections: TOML files, directories in the layout of BEIR, and ``NAME:QRELS:RUNS``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from assay.errors import InputError, suggestion
from assay.io import source as sources
from assay.io.paths import file_errors

_KEYS = {"qrels": '"qrels.txt"', "runs": '"runs/"', "values": '"values.tsv"'}  # with an example of the value
_IRDS = "irds:"
_SPLIT = "test"  # the split of a BEIR directory that is evaluated if there are several


class CollectionPaths(NamedTuple):
    """Paths of one collection: judgments and runs, files of values, or both.

    *runs* is a list of paths, or a dict of paths by name of the run. If *by_task* is True, each topic of the values is
    a collection.
    """

    qrels: str | None = None
    runs: list[str] | dict[str, str] | None = None
    values: tuple[str, ...] = ()
    by_task: bool = False


def read_list(items: str | Path | Iterable[str | Path]) -> dict[str, CollectionPaths]:
    """Return the collections that *items* name, without reading them.

    An item is a TOML file, a directory, or ``NAME:QRELS:RUNS``.
    """
    collections: dict[str, CollectionPaths] = {}
    for item in [items] if isinstance(items, str | Path) else items:
        for name, collection in _read_item(str(item)).items():
            if name in collections:
                raise InputError(f"{item}: names the collection {name} a second time; give it another name")
            collections[name] = collection
    return collections


def _read_item(item: str) -> dict[str, CollectionPaths]:
    if Path(item).is_dir():
        return _read_directory(Path(item))
    if item.lower().endswith(".toml"):
        return _read_toml(item)
    name, colon, rest = item.partition(":")
    prefix = _IRDS if rest.startswith(_IRDS) else ""
    qrels, second_colon, runs = rest.removeprefix(prefix).partition(":")
    if not (colon and second_colon and name and qrels and runs):
        raise InputError(
            f"{item}: expected a TOML file, a directory, or NAME:QRELS:RUNS, such as trec8:qrels.txt:runs/"
        )
    return {name: CollectionPaths(prefix + qrels, [runs])}


def _read_toml(path: str) -> dict[str, CollectionPaths]:
    """Read a table for each collection, with the keys qrels, runs and values; paths are relative to the file."""
    import tomllib  # imported here, because all modules of this package are imported to find the format of a file

    source = sources.read(path)
    try:
        document = tomllib.loads(source.data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not valid TOML: {error}") from None
    if not document:
        raise InputError(f"{path}: names no collection; write a table such as [trec8] with the keys qrels and runs")
    folder = Path(path).parent
    return {name: _read_table(f"{path}: [{name}]", table, folder) for name, table in document.items()}


def _read_table(place: str, table: Any, folder: Path) -> CollectionPaths:
    """Return the collection of a TOML table."""
    if not isinstance(table, Mapping):
        raise InputError(f"{place}: expected a table with the keys qrels and runs")
    for key in table:
        if key not in _KEYS:
            raise InputError(f"{place}: unknown key {key!r}; the keys are {', '.join(_KEYS)}{suggestion(key, _KEYS)}")
    for key in ("qrels", "runs"):
        if key not in table and not ("values" in table and not {"qrels", "runs"} & set(table)):
            raise InputError(f"{place}: has no {key}; add {key} = {_KEYS[key]}")

    def resolve(value: Any) -> str:
        if not isinstance(value, str) or not value:
            raise InputError(f"{place}: a path must be a text, got {value!r}")
        return value if value.startswith(_IRDS) else str(folder / value)

    def resolve_all(value: Any) -> list[str]:
        return [resolve(path) for path in (value if isinstance(value, list) else [value])]

    values = tuple(resolve_all(table["values"])) if "values" in table else ()
    if "qrels" not in table:
        return CollectionPaths(values=values)
    runs = table["runs"]
    named = {name: resolve(path) for name, path in runs.items()} if isinstance(runs, Mapping) else resolve_all(runs)
    return CollectionPaths(resolve(table["qrels"]), named, values)


def _read_directory(directory: Path) -> dict[str, CollectionPaths]:
    """Return the collection of a directory with qrels and runs, or of each of its subdirectories that has both.

    A directory of JSON files has the results of MTEB, with a collection for each task.
    """
    with file_errors(directory):
        folders = [directory] if _has_both(directory) else sorted(filter(_has_both, directory.iterdir()))
        if not folders and any(directory.rglob("*.json")):
            return {str(directory): CollectionPaths(values=(str(directory),), by_task=True)}
    if not folders:
        raise InputError(
            f"{directory}: no collection in this directory; each needs qrels (a file or directory) and runs/"
        )
    return {
        folder.resolve().name: CollectionPaths(str(_find_qrels(folder)), [str(folder / "runs")]) for folder in folders
    }


def _has_both(folder: Path) -> bool:
    return (folder / "runs").is_dir() and any(folder.glob("qrels*"))


def _find_qrels(folder: Path) -> Path:
    """Return the qrels of a collection: the only file, or the file of the test split."""
    files = sorted(path for entry in folder.glob("qrels*") for path in (entry.iterdir() if entry.is_dir() else [entry]))
    files = [path for path in files if path.is_file() and not path.name.startswith(".")]
    chosen = files if len(files) == 1 else [path for path in files if path.name.split(".")[0] == _SPLIT]
    if len(chosen) != 1:
        names = ", ".join(str(path.relative_to(folder)) for path in files) or "none"
        raise InputError(
            f"{folder}: expected one file of qrels, or {_SPLIT}.tsv, found {names}; name the files in TOML"
        )
    return chosen[0]

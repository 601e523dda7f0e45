"""User-defined measures from a Python file: classes, or functions of the grades of one ranking."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from assay.errors import AssayError, InputError, MeasureError
from assay.measures._base import CATALOGUE, Measure, MeasureType
from assay.measures._parameters import parameters_of
from assay.model.arrays import Floats
from assay.model.judged import Judged

_ARGUMENTS = ["grades", "counts"]
_EXPECTED = "write a function score(grades, counts), or a class Mine(Measure) with a name and the method score(judged)"


class FunctionMeasure(Measure):
    """A measure computed by a user's function, ranking by ranking.

    The function receives the grades in rank order (None if unjudged) and the number of judged documents by grade.
    """

    opaque = True
    function: ClassVar[Callable[..., Any]]

    def score(self, judged: Judged) -> Floats:
        grades = [None, *(int(level) if level.is_integer() else level for level in judged.levels.tolist())]
        counts = [dict(zip(grades[1:], row, strict=True)) for row in judged.counts.tolist()]
        rankings = [codes.tolist() for codes in np.split(judged.code, judged.start[1:-1])] if len(judged) else []
        values = [
            self._call([grades[code] for code in ranking], dict(counts[topic]))
            for ranking, topic in zip(rankings, judged.topic.tolist(), strict=True)
        ]
        return np.array(values, dtype=np.float64)

    def _call(self, grades: list[float | None], counts: dict[float | None, int]) -> float:
        """Call the function; report errors together with the arguments that caused them."""
        call = f"{self.function.__name__}({grades}, {counts})"
        try:
            value = self.function(tuple(grades), counts)
        except Exception as error:
            raise MeasureError(f"measure '{self}': {call} failed: {type(error).__name__}: {error}") from error
        try:
            return float(value)
        except (TypeError, ValueError):
            raise MeasureError(f"measure '{self}': {call} returned {value!r}, not a number") from None


def load_measures(path: str | Path) -> tuple[type[Measure], ...]:
    """Load the measures defined in a Python file and add them to the catalogue.

    A function with the parameters *grades* and *counts* becomes a measure with the name of the function, or with the
    name of the file if the function is called *score*. Loading a file again replaces its measures.
    """
    file = Path(path)
    module = ModuleType(f"own_measures_{file.stem}")
    _remove_from_catalogue(module.__name__)
    _execute(file, module)
    # Objects that the file imports, such as Measure itself, have another __module__.
    definitions = [value for value in vars(module).values() if getattr(value, "__module__", None) == module.__name__]
    classes = [value for value in definitions if isinstance(value, type) and issubclass(value, Measure)]
    named_classes = [cls for cls in classes if "name" in vars(cls)]
    functions = [_wrap_function(value, file, module) for value in definitions if _is_measure_function(value)]
    if classes and not named_classes and not functions:
        raise InputError(f'{path}: the class {classes[0].__name__} needs a name, such as name = "Mine"')
    if not named_classes and not functions:
        raise InputError(f"{path}: defines no measure; {_EXPECTED}")
    for cls in named_classes:
        _check_parameters(file, cls)
    return (*named_classes, *functions)


def _check_parameters(file: Path, cls: type[Measure]) -> None:
    """Raise ``InputError`` if an annotated attribute is not declared by ``param``."""
    for field in parameters_of(cls):
        if "kind" not in field.metadata:
            remedy = "write it without a type annotation, or declare it by param(...) of assay.measures"
            raise InputError(f"{file}: {field.name} of {cls.__name__} is not a parameter; {remedy}")


def _remove_from_catalogue(module: str) -> None:
    for name in [name for name, cls in CATALOGUE.items() if cls.__module__ == module]:
        del CATALOGUE[name]


def _execute(file: Path, module: ModuleType) -> None:
    """Run a file as a module; report errors with their line number."""
    if not os.path.isfile(file):
        raise InputError(f"{file}: there is no such file")
    module.__file__ = str(file)
    sys.modules[module.__name__] = module
    try:
        exec(compile(file.read_bytes(), str(file), "exec"), vars(module))
    except AssayError:
        raise
    except SyntaxError as error:
        raise InputError(f"{file}, line {error.lineno}: {error.msg}") from None
    except Exception as error:
        lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == str(file)]
        location = f"{file}, line {lines[-1]}" if lines else f"{file}"
        raise InputError(f"{location}: {type(error).__name__}: {error}") from error


def _is_measure_function(value: object) -> bool:
    return inspect.isfunction(value) and list(inspect.signature(value).parameters) == _ARGUMENTS


def _wrap_function(function: Any, file: Path, module: ModuleType) -> type[Measure]:
    """Return a class of measures that calls *function*."""
    name = file.stem if function.__name__ == "score" else function.__name__
    namespace = {"name": name, "function": staticmethod(function), "__doc__": function.__doc__}
    try:
        cls = MeasureType(name, (FunctionMeasure,), {**namespace, "__module__": module.__name__})
    except TypeError as error:
        raise InputError(f"{file}: {error}; choose another name") from None
    assert issubclass(cls, Measure)
    return cls

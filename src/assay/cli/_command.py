"""Commands built from Python functions: the parameters of a function become options with the same defaults."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay.cli._option_names import flag_of, typed_flag
from assay.cli._output import add_output, check_output, emit, show_progress
from assay.cli._parameters import OPTIONS, Option, describe_default
from assay.cli._parse import OptionGroup, Parser
from assay.cli._slicing import choose_tables, requests_slices, slice_results
from assay.cli._standardize import check_standardize, standardize
from assay.cli._values import READING, VALUES, accepts_results, read_values, replace_values
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign
    from assay.results.report import Report
    from assay.results.results import Results
    from assay.results.sliced_results import SlicedResults

POLICIES = ("ties", "missing", "undefined", "unjudged", "seed")
SOURCE_OPTIONS = ("lenient", "columns", "name_by")
FACET_OPTIONS = ("qrels_format", "collapse", "merge", "subtopic_weights", "costs", "default_cost")
_INPUTS = {
    "qrels": ("QRELS", None, "judgments: a file (TREC, CSV, JSON, Parquet), - for standard input, or irds:ID"),
    "runs": ("RUN", "+", "runs: files, directories or globs; NAME=FILE names a run; - for standard input"),
    "judges": ("NAME=QRELS", "+", "judgments of each judge: NAME=FILE, FILE, or one table with a column judge"),
    "collections": (
        "COLLECTION",
        "+",
        "TOML files, NAME:QRELS:RUNS, or directories with qrels and runs/ (or with subdirectories that have both)",
    ),
}
REQUIRED = inspect.Parameter.empty


@dataclass(frozen=True)
class Command:
    """A command that calls a Python function and prints its report.

    Attributes
    ----------
    function
        The Python function, or its name, such as ``assay.meta.power``. If the command has inputs, the first parameter
        of the function is the campaign.
    examples
        Examples for the end of the help.
    inputs
        Positional arguments: ``qrels`` and ``runs``, one of the two, or none.
    keep
        The argument *keep* of ``assay.read``.
    policies
        Parameters of ``assay.read`` that are options of the command.
    options
        Options that differ from ``OPTIONS``, and options that are not parameters of the function.
    python_only
        Parameters of the function that are not options of the command.
    partition
        True if the command can write a partitioned Parquet dataset.
    moved
        Options of earlier versions, and their replacements.
    check
        Function that is called with the given options before anything is read; it raises an error for invalid options.
    optional
        Inputs that may be omitted.
    values
        True if the command can read values, although the first parameter of its function is not ``Campaign | Results``.
    add_output
        Function that adds the output options of a command that does not print a table.
    texts
        True if the command shows texts of queries and documents, and hence has the options --queries and --docs.
    """

    function: str | Callable[..., Any]
    examples: str
    inputs: tuple[str, ...] = ("qrels", "runs")
    keep: str = "grades"
    policies: tuple[str, ...] = POLICIES
    options: Mapping[str, Option] = field(default_factory=dict)
    python_only: tuple[str, ...] = ()
    partition: bool = False
    moved: Mapping[str, str] = field(default_factory=dict)
    check: Callable[[dict[str, Any]], None] | None = None
    optional: tuple[str, ...] = ()
    values: bool = False
    add_output: Callable[[Parser], None] | None = None
    texts: bool = False

    @cached_property
    def callable(self) -> Callable[..., Any]:
        """The Python function."""
        if not isinstance(self.function, str):
            return self.function
        import assay

        function: Any = assay
        for name in self.function.split(".")[1:]:
            function = getattr(function, name)
        return function  # type: ignore[no-any-return]

    @cached_property
    def tables(self) -> dict[str, str]:
        """Names and descriptions of the tables of the report that the function returns."""
        function = inspect.unwrap(self.callable)
        report = function.__globals__[inspect.signature(function).return_annotation]
        return dict(report.tables)

    @cached_property
    def slice_tables(self) -> dict[str, str]:
        """Names and descriptions of the tables of the report on slices of topics; empty without the option --by."""
        function = inspect.unwrap(self.callable)
        report = function.__globals__[inspect.signature(function).return_annotation]
        return dict(getattr(report, "slice_tables", {})) if "by" in self.options else {}

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the function that are options, with their defaults."""
        signature = list(inspect.signature(self.callable).parameters.values())[1 if self.inputs else 0 :]
        hidden = (*self.python_only, "progress")
        return {parameter.name: parameter.default for parameter in signature if parameter.name not in hidden}

    @cached_property
    def accepts_values(self) -> bool:
        """True if the function accepts results, so that the command can read values with ``--values``."""
        parameters = list(inspect.signature(self.callable).parameters.values())
        return bool(self.inputs) and (self.values or accepts_results(parameters[0].annotation))

    @cached_property
    def read_parameters(self) -> dict[str, Any]:
        """Parameters of ``assay.read`` that are options, with their defaults."""
        if not self.inputs:
            return {}
        from assay.engine.campaign import read

        grades = ("grades",) if {"qrels", "collections"} & set(self.inputs) else ()
        facets = FACET_OPTIONS if "qrels" in self.inputs else ()
        reading = SOURCE_OPTIONS if {"runs", "collections"} & set(self.inputs) else SOURCE_OPTIONS[:-1]
        names = ("topics", *grades, *reading, *facets, *self.policies, *(("queries", "docs") if self.texts else ()))
        signature = inspect.signature(read).parameters
        return {name: signature[name].default for name in names if name not in self.parameters}

    def option(self, name: str) -> Option:
        """Return the option of a parameter."""
        return self.options.get(name) or OPTIONS[name]

    def destination(self, name: str) -> str:
        """Return the attribute of the parsed arguments that contains an option; inputs have another attribute."""
        return f"{name}_option" if name in self.inputs else name

    # Parsing ----------------------------------------------------------------------------------------------------

    def parser(self, prog: str, about: str) -> Parser:
        """Return the parser of the command."""
        placeholders = {
            "qrels": "QRELS",
            "runs": "[RUN...]" if self.optional == ("runs",) else "RUN...",
            "collections": "COLLECTION...",
            "judges": "NAME=QRELS...",
        }
        usage = " ".join([*(placeholders[name] for name in self.inputs), "[options]"])
        parser = Parser(prog, usage, about, self.examples)
        parser.moved = self.moved
        for name in self.inputs:
            metavar, nargs, text = _INPUTS[name]
            is_optional = name in self.optional or self.accepts_values
            parser.add_input(name, metavar, {None: "?", "+": "*"}[nargs] if is_optional else nargs, text)
        additional = {name: None for name in self.options if name not in self.parameters}
        self.add_options(parser, parser.options, {**self.parameters, **additional})
        self.add_options(parser, parser.group("reading"), self.read_parameters)
        if self.accepts_values:
            self._add_values(parser)
        if self.add_output is not None:
            self.add_output(parser)
        else:
            add_output(parser, self.tables, self.slice_tables, partition=self.partition)
        if not self.inputs and parser.inputs:
            parser.usage = f"{prog} DIR [options]"
        return parser

    def _add_values(self, parser: Parser) -> None:
        """Add --values and its options; then the inputs may be omitted."""
        group = parser.group("values of other tools")
        parser.add(group, ["--values"], action="extend", nargs="+", metavar=VALUES.metavar, help=VALUES.help)
        names = [name for name in READING if name not in self.parameters]
        for name in names:
            option = READING[name]
            action = {"action": "append", "metavar": option.metavar} if option.metavar else {"action": "store_true"}
            default = f" (default: {option.default})" if option.default else ""
            parser.add(group, [flag_of(name)], dest=name, help=f"{option.help}{default}", **action)
        required = {name: _INPUTS[name][0] for name in self.inputs if name not in self.optional}
        parser.allow_instead("values", self.inputs, required)

    def add_options(self, parser: Parser, group: OptionGroup, parameters: Mapping[str, Any]) -> None:
        """Add an option for each parameter."""
        for name, default in parameters.items():
            option = self.option(name)
            unused = [flag for flag in option.flags if flag not in parser.flags]
            short = [flag for flag in unused if len(flag) == 2]
            if default is False or (default is None and not option.metavar):
                parser.add(
                    group, [*short, flag_of(name)], dest=self.destination(name), action="store_true", help=option.help
                )
            elif default is True:
                flag = f"--no-{flag_of(name)[2:]}"
                parser.add(group, [flag], dest=self.destination(name), action="store_false", help=option.help)
            else:
                is_implicit = name == "measures" and (default is None or default is REQUIRED)
                text = describe_default(option, self._default_measures() if is_implicit else default)
                parser.add(
                    group,
                    [*short, flag_of(name)],
                    hidden=[flag for flag in unused if flag not in short],
                    dest=self.destination(name),
                    action="append" if option.words else "extend",
                    nargs=option.words or "+" if option.words != 1 else None,
                    metavar=option.metavar,
                    help=f"{option.help}{f' (default: {text})' if text else ''}".replace("%", "%%"),
                )

    def _default_measures(self) -> Any:
        """Return the default measures of the function, the constant ``MEASURES`` of its module."""
        return inspect.unwrap(self.callable).__globals__.get("MEASURES")

    def read_options(self, args: argparse.Namespace, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options on the command line as arguments of the function; omit options that were not given."""
        arguments = {}
        for name, default in parameters.items():
            value = getattr(args, self.destination(name))
            if isinstance(value, bool):
                if value != bool(default):
                    arguments[name] = value
            elif value is not None:
                if not all(value):
                    raise InputError(f"{typed_flag(name)}: expected a value")
                arguments[name] = self.option(name).read(typed_flag(name), value)
            elif default is REQUIRED:
                raise InputError(f"{typed_flag(name)} is required; add {typed_flag(name)} {self.option(name).metavar}")
        return arguments

    # Running ----------------------------------------------------------------------------------------------------

    def run(self, args: argparse.Namespace) -> int:
        """Read the inputs, call the function, print its report and return its exit code."""
        check_output(args, choose_tables(args, self.tables, self.slice_tables))
        report = self.report(args)
        emit(report, args)
        return report.exit_code

    def report(self, args: argparse.Namespace) -> Report:
        """Read the inputs and call the function."""
        arguments = self.read_options(args, self.parameters)
        if self.check is not None:
            self.check(arguments)
        if "standardize" in self.options:
            check_standardize(args)
        with show_progress("reading") as progress:
            sources: list[Any] = [self.read_source(args, arguments, progress)] if self.inputs else []
            slices_results = requests_slices(args) and "by" not in self.parameters
            if getattr(args, "standardize", None) is not None or slices_results:
                sources = [self._prepare(sources[0], args, arguments.pop("measures", None))]
            if "progress" in inspect.signature(self.callable).parameters:
                arguments["progress"] = progress
            report: Report = self.callable(*sources, **arguments)
        return report

    def read_source(
        self, args: argparse.Namespace, arguments: dict[str, Any], progress: Any, **overrides: Any
    ) -> Campaign | Results:
        """Read the inputs of the command: values, or judgments and runs; *overrides* are those of :meth:`read`."""
        if getattr(args, "values", None) is None:
            return self.read(args, progress, **overrides)
        return self.read_values(args, arguments)

    def read_values(self, args: argparse.Namespace, arguments: dict[str, Any]) -> Results:
        """Read values, and replace default measures in *arguments* that are not among them."""
        results = read_values(args, arguments, self.read_parameters)
        names = [str(measure) for measure in results.measures if measure.aggregate != "sum"]
        for name in ("measure", "measures"):
            default = self.parameters.get(name)
            if name in arguments or default in (None, REQUIRED) or not names:
                continue
            if not {default} <= set(names) if isinstance(default, str) else not set(default) <= set(names):
                arguments[name] = names[0] if isinstance(default, str) else names
        return results

    def _prepare(self, source: Campaign | Results, args: argparse.Namespace, measures: Any) -> Results | SlicedResults:
        """Evaluate a campaign; standardize the values and divide the topics into slices, as the options request."""
        from assay.results._evaluate import evaluate

        results: Any = source
        if args.values is not None:
            results = standardize(results, args, lambda files: self.read_values(replace_values(args, files), {}))
        else:
            chosen = self._default_measures() if measures is None else measures
            evaluated = evaluate(results, chosen)
            results = standardize(evaluated, args, lambda runs: evaluate(self.read(args, runs=runs), chosen))
        return slice_results(results, args) if requests_slices(args) else results

    def read(self, args: argparse.Namespace, progress: Any = None, **overrides: Any) -> Campaign:
        """Read the campaign from the inputs of the command; *overrides* replace arguments of ``assay.read``."""
        from assay.engine.campaign import read

        inputs = {name: getattr(args, name) or None for name in self.inputs}
        arguments = self.read_options(args, self.read_parameters)
        if getattr(args, "seed", None) is not None:  # The seed of the function also seeds sampled orders of ties.
            arguments["seed"] = self.option("seed").read("--seed", args.seed)
        return read(**{**inputs, "keep": self.keep, **arguments, **overrides}, progress=progress)

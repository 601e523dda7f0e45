"""Commands: each is a Python function whose parameters become options, with the same names and defaults."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay.cli._output import add_output, check_output, emit, show_progress
from assay.cli._parameters import OPTIONS, Option, describe_default, flag_of
from assay.cli._parse import OptionGroup, Parser
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign
    from assay.results.report import Report

POLICIES = ("ties", "missing", "undefined", "unjudged", "seed")
_INPUTS = {
    "qrels": ("QRELS", None, "judgments: a file, - for standard input, or irds:ID"),
    "runs": ("RUN", "+", "runs: files, directories or globs; - for standard input"),
}
REQUIRED = inspect.Parameter.empty


@dataclass(frozen=True)
class Command:
    """A command.

    Attributes
    ----------
    function
        The Python function, or its name, such as ``assay.meta.power``. Its first parameter is the campaign, if there
        are inputs.
    examples
        Shown below the help.
    inputs
        The positional arguments: ``qrels`` and ``runs``, one of them, or none.
    keep
        What to keep of retrieved documents: see ``assay.read``.
    policies
        Parameters of ``assay.read`` that the command offers as well.
    options
        Options that differ from ``OPTIONS``, and further ones, which belong to no parameter.
    python_only
        Parameters of the function that the command does not offer.
    partition
        Whether a Parquet dataset can be written.
    moved
        Options that were here once, and what replaces them.
    check
        Refuses wrong options before anything is read; called with those that were given.
    optional
        Whether the inputs may be missing.
    add_output
        Adds the output options of a command that prints no table.
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
    optional: bool = False
    add_output: Callable[[Parser], None] | None = None

    @cached_property
    def callable(self) -> Callable[..., Any]:
        """The function itself."""
        if not isinstance(self.function, str):
            return self.function
        import assay

        function: Any = assay
        for name in self.function.split(".")[1:]:
            function = getattr(function, name)
        return function  # type: ignore[no-any-return]

    @cached_property
    def tables(self) -> dict[str, str]:
        """The tables of the report that the function returns."""
        function = inspect.unwrap(self.callable)
        report = function.__globals__[inspect.signature(function).return_annotation]
        return dict(report.tables)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the function that are options, and their defaults."""
        own = list(inspect.signature(self.callable).parameters.values())[1 if self.inputs else 0 :]
        hidden = (*self.python_only, "progress")
        return {one.name: one.default for one in own if one.name not in hidden}

    @cached_property
    def reading(self) -> dict[str, Any]:
        """The parameters of ``assay.read`` that are options, and their defaults."""
        if not self.inputs:
            return {}
        from assay.engine.campaign import read

        names = ("topics", *(("grades",) if "qrels" in self.inputs else ()), "lenient", *self.policies)
        signature = inspect.signature(read).parameters
        return {name: signature[name].default for name in names if name not in self.parameters}

    def option(self, name: str) -> Option:
        """Return the option of a parameter."""
        return self.options.get(name) or OPTIONS[name]

    def destination(self, name: str) -> str:
        """Return where the parser puts an option; one may have the name of an input."""
        return f"{name}_option" if name in self.inputs else name

    # Parsing ----------------------------------------------------------------------------------------------------

    def parser(self, prog: str, about: str) -> Parser:
        """Return the parser of the command."""
        words = {"qrels": "QRELS", "runs": "RUN..."}
        usage = " ".join([*(words[name] for name in self.inputs), "[options]"])
        parser = Parser(prog, usage, about, self.examples)
        parser.moved = self.moved
        for name in self.inputs:
            metavar, many, text = _INPUTS[name]
            fewer = {None: "?", "+": "*"}[many]
            parser.add_input(name, metavar, fewer if self.optional else many, text)
        further = {name: None for name in self.options if name not in self.parameters}
        self.add_options(parser, parser.options, {**self.parameters, **further})
        self.add_options(parser, parser.group("reading"), self.reading)
        if self.add_output is not None:
            self.add_output(parser)
        else:
            add_output(parser, self.tables, partition=self.partition)
        if not self.inputs and parser.inputs:
            parser.usage = f"{prog} DIR [options]"
        return parser

    def add_options(self, parser: Parser, group: OptionGroup, parameters: Mapping[str, Any]) -> None:
        """Add an option for each parameter."""
        for name, default in parameters.items():
            option = self.option(name)
            taken = [flag for flag in option.flags if flag not in parser.flags]
            short = [flag for flag in taken if len(flag) == 2]
            if default is False or (default is None and not option.metavar):
                parser.add(
                    group, [*short, flag_of(name)], dest=self.destination(name), action="store_true", help=option.help
                )
            elif default is True:
                flag = f"--no-{flag_of(name)[2:]}"
                parser.add(group, [flag], dest=self.destination(name), action="store_false", help=option.help)
            else:
                chosen = name == "measures" and (default is None or default is REQUIRED)
                text = describe_default(option, self._default_measures() if chosen else default)
                parser.add(
                    group,
                    [*short, flag_of(name)],
                    hidden=[flag for flag in taken if flag not in short],
                    dest=self.destination(name),
                    action="append",
                    nargs=option.words if option.words > 1 else None,
                    metavar=option.metavar,
                    help=f"{option.help}{f' (default: {text})' if text else ''}".replace("%", "%%"),
                )

    def _default_measures(self) -> Any:
        """Return the measures that the function takes unless some are named."""
        return inspect.unwrap(self.callable).__globals__.get("MEASURES")

    def read_options(self, args: argparse.Namespace, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options that were given, as arguments of the function."""
        given = {}
        for name, default in parameters.items():
            value = getattr(args, self.destination(name))
            if isinstance(value, bool):
                if value != bool(default):
                    given[name] = value
            elif value is not None:
                if not all(value):
                    raise InputError(f"{flag_of(name)}: expected a value")
                given[name] = self.option(name).read(flag_of(name), value)
            elif default is REQUIRED:
                raise InputError(f"{flag_of(name)} is missing; add {flag_of(name)} {self.option(name).metavar}")
        return given

    # Running ----------------------------------------------------------------------------------------------------

    def run(self, args: argparse.Namespace) -> None:
        """Read the inputs, call the function and print its report."""
        check_output(args, self.tables)
        emit(self.report(args), args)

    def report(self, args: argparse.Namespace) -> Report:
        """Read the inputs and call the function."""
        given = self.read_options(args, self.parameters)
        if self.check is not None:
            self.check(given)
        with show_progress("reading runs") as progress:
            sources = [self.read(args, progress)] if self.inputs else []
            if "progress" in inspect.signature(self.callable).parameters:
                given["progress"] = progress
            report: Report = self.callable(*sources, **given)
        return report

    def read(self, args: argparse.Namespace, progress: Any = None, **more: Any) -> Campaign:
        """Read the campaign that the command names; *more* are further arguments of ``assay.read``."""
        from assay.engine.campaign import read

        inputs = {name: getattr(args, name) for name in self.inputs}
        given = self.read_options(args, self.reading)
        if getattr(args, "seed", None) is not None:  # that of the function is also that of sampled ties
            given["seed"] = self.option("seed").read("--seed", args.seed)
        return read(**{**inputs, "keep": self.keep, **given, **more}, progress=progress)

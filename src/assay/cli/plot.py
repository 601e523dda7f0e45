"""Draw a figure as PNG, SVG, PDF, page, specification or data.

assay plot --list names the figures; assay plot FIGURE --help shows the options of a figure.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from assay.cli._command import Command
from assay.cli._output import check_target, print_notes, refuse_overwriting, show_progress, write_output
from assay.cli._parameters import OPTIONS, Option, describe_default, read_number, read_one, read_whole
from assay.cli._parse import Parser, asks_for_help
from assay.errors import InputError, suggestion

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign
    from assay.views.plots._figures import Figure

EXAMPLES = """\
  assay plot --list
  assay plot leaderboard qrels.txt runs/ -m nDCG@10 -o leaderboard.pdf
  assay plot crp qrels.txt bm25.run --topic 401 -o crp.svg
  assay plot effort-gain qrels.txt runs/ -m AP --theme dark -o effort.png
  assay plot balancing -o balancing.html
  assay plot correlation qrels.txt runs/ -o correlation.csv
"""
_POLICIES = ("ties", "missing", "undefined", "unjudged")
# Words that mean something else in figures.
_OPTIONS = {
    "depth": Option("N", "ranks that are shown", read_whole, ("-k",), default="all"),
    "first": Option("PERCENT,PERCENT", "relevant documents of the first simulated run, to --top and below"),
    "measure": Option("MEASURE", "the measure; this figure shows one", read_one, ("-m", "--measures")),
    "top": Option("RANK", "the last rank at which simulated runs may begin to differ", read_whole),
}
_STYLE = {
    "palette": Option("NAME", "safe (for colour-blind readers too) or papers"),
    "theme": Option("THEME", "light or dark", default="light; a page follows its reader"),
    "width": Option("N", "width in pixels", read_whole, default="that of the figure"),
    "scale": Option("X", "pixels of a PNG for each pixel of the figure", read_number),
}
STYLE = {"palette": "safe", "theme": None, "width": None, "scale": 2}
"""Options of all figures, and their defaults."""


def words(given: Sequence[str]) -> None:
    """Draw a figure, or list them."""
    from assay.views.plots._figures import figure, figures

    if not given or "--list" in given:
        _list(figures())
        return
    if given[0].startswith("-"):
        if not asks_for_help(given):
            raise InputError("name the figure first, then its files and options (see assay plot --help)")
        print(general_parser().format_help(), end="")
        return
    chosen = figure(given[0])
    command = figure_command(chosen)
    parser = figure_parser(chosen, command)
    if asks_for_help(given):
        print(parser.format_help(), end="")
        return
    _draw(chosen, command, parser.parse(given[1:]))


def general_parser() -> Parser:
    """Return the parser of all figures, for help."""
    parser = Parser("assay plot", "FIGURE [QRELS] [RUN...] [options]", str(__doc__), EXAMPLES)
    parser.add(parser.options, ["--list"], action="store_true", help="list the figures")
    _add_output(parser)
    return parser


def figure_command(chosen: Figure) -> Command:
    """Return the command of a figure; its options are the parameters of the figure's data."""
    from assay.cli import _numbers

    own = {parameter.name for parameter in chosen.parameters}
    options = {**_OPTIONS, "first": _OPTIONS["first"]._replace(read=_numbers.shares)}
    chosen_options = {name: option for name, option in options.items() if name in own}
    for name, choices in chosen.choices.items():
        option = chosen_options.get(name) or OPTIONS[name]
        chosen_options[name] = option._replace(help=f"{option.help.partition(':')[0]}: {', '.join(choices)}")
    return Command(
        chosen.data,
        "",
        inputs=chosen.needs,
        keep=chosen.keep,
        policies=_POLICIES if "runs" in chosen.needs else (),
        options=chosen_options,
        optional=True,
        add_output=_add_output,
    )


def figure_parser(chosen: Figure, command: Command) -> Parser:
    """Return the parser of a figure."""
    after = f" After {chosen.source}." if chosen.source else ""
    return command.parser(f"assay plot {chosen.name}", f"{chosen.title}.{after}\n\n{chosen.about}")


def _add_output(parser: Parser) -> None:
    group = parser.group("output")
    parser.add(
        group,
        ["-o", "--output"],
        metavar="FILE",
        help="png, svg, pdf, html, json or csv by its ending (default: FIGURE.png); - is standard output, as svg",
    )
    parser.add(group, ["--format"], metavar="FORMAT", help="the format, where the ending of FILE tells none")
    for name, default in STYLE.items():
        option = _STYLE[name]
        told = describe_default(option, default)
        parser.add(group, [f"--{name}"], metavar=option.metavar, help=f"{option.help} (default: {told})")


def _list(known: Mapping[str, Figure]) -> None:
    width = max(map(len, known), default=0)
    room = get_terminal_size().columns
    for name, one in known.items():
        head = f"  {name:<{width}}  "
        source = f"  {one.source}" if one.source else ""
        title = one.title + (source if len(head + one.title + source) <= room else "")
        lines = wrap(title, room, initial_indent=head, subsequent_indent=" " * len(head))
        print("\n".join(lines))
    print("\nassay plot FIGURE --help shows the options of each.")


def _draw(chosen: Figure, command: Command, args: argparse.Namespace) -> None:
    from assay.views.plots._renderer import require_address_space
    from assay.views.plots._saving import saved
    from assay.views.plots._style import Style

    target, form = _target(chosen, args)
    style = _read_style(args)
    if form not in ("json", "csv"):
        require_address_space()
    given = command.read_options(args, command.parameters)
    with show_progress("reading") as progress:
        sources = _read(chosen, command, args, progress)
        if chosen.reports_progress:
            given["progress"] = progress
        data = chosen.data(*sources, **given)
    print_notes(data.notes, where=" (all are in the analysis that it shows)")
    if target is not None:
        refuse_overwriting(target, data.provenance)
    theme = style["theme"] or ("auto" if form == "html" else "light")
    chart = None if form == "csv" else chosen.draw(data.frame, Style(style["palette"], style["width"]))
    write_output(saved(chart, data, form, theme=theme, scale=style["scale"], title=chosen.title), target)
    if target is not None:
        print(f"assay: wrote {target}", file=sys.stderr)


def _read_style(args: argparse.Namespace) -> dict[str, Any]:
    """Return palette, theme, width and scale."""
    from assay.views.plots._style import THEMES

    style: dict[str, Any] = {}
    for name, default in STYLE.items():
        text = getattr(args, name)
        style[name] = default if text is None else _STYLE[name].read(f"--{name}", [text])
    if style["theme"] is not None and style["theme"] not in THEMES:
        hint = suggestion(style["theme"], THEMES)
        raise InputError(f"--theme {style['theme']}: choose one of {', '.join(THEMES)}{hint}")
    if not 0.1 <= style["scale"] <= 10:
        raise InputError(f"--scale must be from 0.1 to 10, got {style['scale']:g}")
    return style


def _target(chosen: Figure, args: argparse.Namespace) -> tuple[str | None, str]:
    """Return the file to write (None: standard output) and the format."""
    from assay.views.plots._saving import FORMATS

    if args.format is not None and args.format not in FORMATS:
        hint = suggestion(args.format, FORMATS)
        raise InputError(f"--format {args.format!r}: choose one of {', '.join(FORMATS)}{hint}")
    output = args.output if args.output is not None else f"{chosen.name}.{args.format or 'png'}"
    if output == "-":
        return None, args.format or "svg"
    check_target(output, "name a file to write")
    ending = Path(output).suffix.lower().removeprefix(".")
    if args.format is None and ending not in FORMATS:
        raise InputError(f"{output}: the ending tells no format; choose one of {', '.join(FORMATS)}")
    if args.format is not None and ending in FORMATS and ending != args.format:
        raise InputError(f"{output}: the ending tells {ending}, --format {args.format}; leave --format out")
    return output, args.format or ending


def _read(chosen: Figure, command: Command, args: argparse.Namespace, progress: Any) -> list[Campaign]:
    """Read the campaign that the figure shows; a figure with an example may go without."""
    missing = [name for name in chosen.needs if not getattr(args, name)]
    if not chosen.needs or (chosen.optional and len(missing) == len(chosen.needs)):
        return []
    if missing:
        needed = " ".join({"qrels": "QRELS", "runs": "RUN..."}[name] for name in chosen.needs)
        raise InputError(f"figure {chosen.name} needs files: assay plot {chosen.name} {needed}")
    return [command.read(args, progress)]

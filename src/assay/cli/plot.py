"""Plot a figure: PNG, SVG, PDF, HTML, Vega-Lite JSON or CSV.

assay plot --list lists the figures; assay plot FIGURE --help shows the options of a figure.
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
from assay.cli._option_names import flag_of, name_options
from assay.cli._output import check_target, print_notes, refuse_overwriting, show_progress, write_output
from assay.cli._parameters import OPTIONS, Option, describe_default, read_counts, read_integer, read_number, read_one
from assay.cli._parse import Parser, asks_for_help
from assay.cli._slicing import SLICING, check_slicing, requests_slices
from assay.errors import InputError, check_choice

if TYPE_CHECKING:
    from assay.views.plots._figures import Data, Figure

EXAMPLES = """\
  assay plot --list
  assay plot leaderboard qrels.txt runs/ -m nDCG@10 -o leaderboard.pdf
  assay plot crp qrels.txt bm25.run --topic 401 -o crp.svg
  assay plot effort-gain qrels.txt runs/ -m AP --theme dark -o effort.png
  assay plot balancing -o balancing.html
  assay plot correlation qrels.txt runs/ -o correlation.csv
  assay plot differences qrels.txt a.run b.run -m AP --topics-table topics.csv --by category
"""
_POLICIES = ("ties", "missing", "undefined", "unjudged")
# Options that have a different meaning in figures.
_OPTIONS = {
    "counts": Option(
        "LIST", "number of judged documents of each grade of the topic, such as 0:50,1:30,2:10", read_counts
    ),
    "depth": Option("N", "show the first N ranks", read_integer, ("-k",), default="all"),
    "first": Option(
        "PERCENT,PERCENT", "percentages of relevant documents of the first simulated run: down to rank --top, and below"
    ),
    "measure": Option("MEASURE", "the measure; this figure shows only one", read_one, ("-m", "--measures")),
    "top": Option("RANK", "the last rank at which the simulated runs may begin to differ", read_integer),
    "topics": Option("N", "number of simulated topics", read_integer),
}
_STYLE = {
    "palette": Option(
        "NAME",
        "safe (suitable for colour-blind readers), papers (the colours of the papers), or grey (for greyscale print)",
    ),
    "theme": Option("THEME", "light or dark", default="light; HTML follows the reader's setting"),
    "width": Option("N", "width in pixels, or with a unit: 84mm, 8.4cm, 3.3in, 240pt", default="depends on the figure"),
    "height": Option(
        "N",
        "height of the plot without axes and title, in the same units; not for figures whose contents determine it",
        default="depends on the figure",
    ),
    "font": Option("NAME", "font of all texts, such as 'Liberation Serif'", default="Liberation Sans, or Arial"),
    "font_size": Option("N", "size of most texts, in the same units; marks grow with the text", default="11"),
    "title": Option("TEXT", "title of the figure", default="depends on the figure"),
    "scale": Option("X", "resolution of a PNG: image pixels per pixel of the figure", read_number),
}
STYLE = {
    "palette": "safe",
    "theme": None,
    "width": None,
    "height": None,
    "font": None,
    "font_size": None,
    "title": None,
    "scale": 2,
}
"""Options of all figures, and their defaults."""


def run_argv(words: Sequence[str]) -> None:
    """Draw a figure, or list the figures; the options depend on the figure."""
    from assay.views.plots._figures import figure, figures

    if not words or "--list" in words:
        _print_list(figures())
        return
    if words[0].startswith("-"):
        if not asks_for_help(words):
            raise InputError("the figure must come first, before its files and options (see assay plot --help)")
        print(general_parser().format_help(), end="")
        return
    chosen = figure(words[0])
    command = figure_command(chosen)
    parser = figure_parser(chosen, command)
    if asks_for_help(words):
        print(parser.format_help(), end="")
        return
    args = parser.parse(words[1:])
    with name_options(vars(args)):
        _draw(chosen, command, args)


def general_parser() -> Parser:
    """Return the parser of the options that all figures share, for the help."""
    parser = Parser("assay plot", "FIGURE [QRELS] [RUN...] [options]", str(__doc__), EXAMPLES)
    parser.add(parser.options, ["--list"], action="store_true", help="list the figures")
    _add_output(parser)
    return parser


def figure_command(chosen: Figure) -> Command:
    """Return the command of a figure; its options are the parameters of the function that computes its data."""
    from assay.cli import _numbers

    parameters = {parameter.name for parameter in chosen.parameters}
    figure_options = {**_OPTIONS, "first": _OPTIONS["first"]._replace(read=_numbers.parse_percentage_pair)}
    options = {name: option for name, option in figure_options.items() if name in parameters}
    for name, choices in chosen.choices.items():
        option = options.get(name) or OPTIONS[name]
        options[name] = option._replace(help=f"{option.help.partition(':')[0]}: {', '.join(choices)}")
    if chosen.accepts_results:
        options |= SLICING
    return Command(
        chosen.data,
        "",
        inputs=chosen.needs,
        keep=chosen.keep,
        policies=_POLICIES if "runs" in chosen.needs else (),
        options=options,
        optional=chosen.needs,
        texts=chosen.shows_texts,
        add_output=_add_output,
    )


def figure_parser(chosen: Figure, command: Command) -> Parser:
    """Return the parser of a figure."""
    after = f" After {chosen.source}." if chosen.source else ""
    parser = command.parser(f"assay plot {chosen.name}", f"{chosen.title}.{after}\n\n{chosen.about}")
    if chosen.needs:
        group = parser.group("several collections")
        help_text = "instead of QRELS RUN...: a panel for each collection; see assay collections --help"
        parser.add(group, ["--collections"], action="extend", nargs="+", metavar="COLLECTION", help=help_text)
    return parser


def _add_output(parser: Parser) -> None:
    group = parser.group("output")
    parser.add(
        group,
        ["-o", "--output"],
        metavar="FILE",
        help="file to write, with the extension .png, .svg, .pdf, .html, .json or .csv; "
        "- writes SVG to standard output (default: FIGURE.png)",
    )
    parser.add(group, ["--format"], metavar="FORMAT", help="format of the file (default: from its name)")
    for name, default in STYLE.items():
        option = _STYLE[name]
        default_text = describe_default(option, default)
        parser.add(group, [flag_of(name)], metavar=option.metavar, help=f"{option.help} (default: {default_text})")
    parser.add(group, ["--no-title"], action="store_true", help="draw the figure without its title")


def _print_list(figures: Mapping[str, Figure]) -> None:
    """Print the names and titles of the figures, and their sources if the terminal is wide enough."""
    width = max(map(len, figures), default=0)
    columns = get_terminal_size().columns
    for name, figure in figures.items():
        head = f"  {name:<{width}}  "
        source = f"  {figure.source}" if figure.source else ""
        title = figure.title + (source if len(head + figure.title + source) <= columns else "")
        lines = wrap(title, columns, initial_indent=head, subsequent_indent=" " * len(head))
        print("\n".join(lines))
    print("\nassay plot FIGURE --help shows the options of a figure.")


def _draw(chosen: Figure, command: Command, args: argparse.Namespace) -> None:
    """Compute the data of a figure, draw it, and write it to a file or to standard output."""
    from assay.views.plots._export import export_chart
    from assay.views.plots._renderer import require_address_space
    from assay.views.plots._style import make_style, read_length

    target, form = _choose_target(chosen, args)
    options = _read_style(args)
    sizes = {name: read_length(name, options[name]) for name in ("width", "height", "font_size")}
    style = make_style(options["palette"], font=options["font"], title=options["title"], **sizes)
    chosen.check_style(style)
    if chosen.accepts_results:
        check_slicing(args)
    if form not in ("json", "csv"):
        require_address_space()
    arguments = command.read_options(args, command.parameters)
    with show_progress("reading") as progress:
        sources = _read(chosen, command, args, arguments, progress)
        if chosen.reports_progress:
            arguments["progress"] = progress
        data = _tabulate(chosen, sources, args, arguments)
    print_notes(data.notes, where="", options=vars(args))
    if target is not None:
        refuse_overwriting(target, data.provenance)
    theme = options["theme"] or ("auto" if form == "html" else "light")
    chart = None if form == "csv" else chosen.draw(data.frame, style)
    write_output(
        export_chart(
            chart, data, form, theme=theme, scale=options["scale"], title=options["title"] or chosen.title, style=style
        ),
        target,
    )
    if target is not None:
        print(f"assay: wrote {target}", file=sys.stderr)


def _tabulate(chosen: Figure, sources: list[Any], args: argparse.Namespace, arguments: dict[str, Any]) -> Data:
    """Compute the data of a figure, for each slice of topics if the options request slices."""
    from assay.results.slices import slice_topics
    from assay.views.plots._panels import tabulate_collections, tabulate_slices

    if getattr(args, "collections", None) is not None:
        if requests_slices(args):
            raise InputError("--by cannot be combined with --collections; omit one")
        return tabulate_collections(chosen, sources[0], arguments)
    if not requests_slices(args):
        return chosen.data(*sources, **arguments)

    [source] = sources
    return tabulate_slices(chosen, source, slice_topics(source.topics, args.topics_table[-1], args.by), arguments)


def _read_style(args: argparse.Namespace) -> dict[str, Any]:
    """Check palette, theme, width and scale, and return them."""
    from assay.views.plots._theme import THEMES

    style: dict[str, Any] = {}
    for name, default in STYLE.items():
        text = getattr(args, name)
        style[name] = default if text is None else _STYLE[name].read(flag_of(name), [text])
    if args.no_title:
        if style["title"] is not None:
            raise InputError("--title cannot be combined with --no-title")
        style["title"] = ""
    if style["theme"] is not None:
        check_choice(f"--theme {style['theme']}", style["theme"], THEMES)
    if not 0.1 <= style["scale"] <= 10:
        raise InputError(f"--scale must be from 0.1 to 10, got {style['scale']:g}")
    return style


def _choose_target(chosen: Figure, args: argparse.Namespace) -> tuple[str | None, str]:
    """Return the file to write (None: standard output) and the format."""
    from assay.views.plots._export import FORMATS

    if args.format is not None:
        check_choice(f"--format {args.format!r}", args.format, FORMATS)
    output = args.output if args.output is not None else f"{chosen.name}.{args.format or 'png'}"
    if output == "-":
        return None, args.format or "svg"
    check_target(output, "name a file to write")
    ending = Path(output).suffix.lower().removeprefix(".")
    if args.format is None and ending not in FORMATS:
        raise InputError(f"-o {output}: unknown file type; choose one of {', '.join(FORMATS)}")
    if args.format is not None and ending in FORMATS and ending != args.format:
        raise InputError(f"-o {output}: the file name does not match --format {args.format}; omit --format")
    return output, args.format or ending


def _read(
    chosen: Figure, command: Command, args: argparse.Namespace, arguments: dict[str, Any], progress: Any
) -> list[Any]:
    """Read the campaign, the collections or the values for the figure; return an empty list if it needs none."""
    if getattr(args, "collections", None) is not None:
        return [_read_collections(chosen, command, args, progress)]
    if getattr(args, "values", None) is not None:
        return [command.read_values(args, arguments)]
    missing = [name for name in chosen.needs if not getattr(args, name)]
    if not chosen.needs or (chosen.optional and len(missing) == len(chosen.needs)):
        return []
    if missing:
        inputs = " ".join({"qrels": "QRELS", "runs": "RUN..."}[name] for name in chosen.needs)
        raise InputError(f"figure {chosen.name} needs files; use assay plot {chosen.name} {inputs}")
    return [command.read(args, progress)]


def _read_collections(chosen: Figure, command: Command, args: argparse.Namespace, progress: Any) -> dict[str, Any]:
    """Read the collections of a figure with a panel for each of them."""
    from assay.results.collections import read_collections

    given = next((value for name in chosen.needs if (value := getattr(args, name))), None)
    if given:
        first = given if isinstance(given, str) else given[0]
        raise InputError(f"--collections cannot be combined with judgments and runs; omit {first} or --collections")
    options = command.read_options(args, command.read_parameters)
    return read_collections(args.collections, keep=chosen.keep, progress=progress, **options)

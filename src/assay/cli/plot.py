"""Draw a figure, many after those of the papers, as PNG, SVG, PDF, a page, its specification or its data.

assay plot --list names the figures; assay plot FIGURE --help tells what a figure shows and takes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli import _options

if TYPE_CHECKING:
    from assay.cli import Parser
    from assay.cli._figure_options import Option
    from assay.engine.campaign import Campaign
    from assay.views.plots._figures import Figure

TASK = "pictures"
EXAMPLES = """\
  assay plot --list
  assay plot leaderboard qrels.txt runs/ -m nDCG@10 -o leaderboard.pdf
  assay plot crp qrels.txt bm25.run --topic 401 -o crp.svg
  assay plot effort-gain qrels.txt runs/ -m AP --theme dark -o effort.png
  assay plot balancing -o balancing.html
  assay plot correlation qrels.txt runs/ -o correlation.csv
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add what every figure takes; ``words`` adds what the chosen one does."""
    parser.add_argument("figure", metavar="FIGURE", nargs="?", help="which figure")
    parser.add_argument("qrels", metavar="QRELS", nargs="?", help="judgments: a file, or irds:ID")
    parser.add_argument("runs", metavar="RUN", nargs="*", help="runs: files, directories or globs")
    parser.add_argument("--list", action="store_true", help="name the figures and what they show")
    group = parser.add_argument_group("output")
    group.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="png, svg, pdf, html, json or csv by its ending (default: FIGURE.png); - is standard output, as svg "
        "unless --format tells another",
    )
    group.add_argument("--format", metavar="FORMAT", help="the format, where the ending of FILE tells none")
    group.add_argument(
        "--theme", metavar="THEME", help="light (default), dark; a page follows its reader unless one is given"
    )
    group.add_argument(
        "--palette", metavar="NAME", default="safe", help="safe (default, for colour-blind readers too), papers"
    )
    group.add_argument("--width", type=int, metavar="N", help="width in all, in pixels (default: as the figure likes)")
    group.add_argument("--scale", type=float, default=2, metavar="X", help="pixels of a PNG for each (default: 2)")


def words(given: Sequence[str]) -> None:
    """Draw a figure, or tell of them."""
    from assay.cli import Parser, spread
    from assay.views.plots._figures import figure, figures

    asked = [word for word in given if not word.startswith("-")]
    if "--list" in given or not given:
        _list(figures())
        return
    chosen = figure(asked[0]) if asked and given[0] == asked[0] else None
    if chosen is None and asked and not {"-h", "--help"} & set(given):
        Parser(prog="assay plot").error("name the figure first, then its files and options")
    parser = parser_of(chosen)
    rest = list(given[1:] if chosen is not None else given)
    args, unknown = parser.parse_known_intermixed_args(spread(rest))
    if unknown:
        parser.refuse(unknown)
    if chosen is not None:
        _draw(chosen, args)


def parser_of(chosen: Figure | None) -> Parser:
    """What a figure takes; without one, what every figure does."""
    from assay.cli import Parser

    parser = Parser(
        prog=f"assay plot {chosen.name if chosen else ''}".strip(),
        description=_about(chosen) if chosen else __doc__,
        epilog=None if chosen else f"examples:\n{EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if chosen is None:
        arguments(parser)
        return parser
    whole = Parser(add_help=False)
    arguments(whole)
    for action in whole._actions:
        if action.option_strings and action.dest != "list":
            parser._add_action(action)
    _inputs(parser, chosen)
    _own(parser, chosen)
    return parser


def _about(chosen: Figure) -> str:
    after = f" After {chosen.source}." if chosen.source else ""
    return f"{chosen.title}.{after}\n\n{chosen.about}".strip()


def _inputs(parser: argparse.ArgumentParser, chosen: Figure) -> None:
    if "qrels" in chosen.needs:
        parser.add_argument("qrels", metavar="QRELS", nargs="?", help="judgments: a file, or irds:ID")
    if "runs" in chosen.needs:
        parser.add_argument("runs", metavar="RUN", nargs="*", help="runs: files, directories or globs")
    if chosen.needs:
        _options.reading(parser)
    if "runs" in chosen.needs:
        group = parser.add_argument_group("policies")
        for name, text in _POLICIES.items():
            group.add_argument(f"--{name}", metavar="HOW", default=None, help=text)
        if not any(parameter.name == "seed" for parameter in chosen.parameters):
            _options.seed(group)


_POLICIES = {
    "ties": _options.TIES,
    "topics": "qrels (default): a topic that a run lacks is an empty ranking; intersection: it is left out",
    "undefined": "a topic without relevant documents counts zero (default), or exclude it",
    "unjudged": "unjudged documents are nonrelevant (default), or condensed: taken out of the ranking",
}


def _own(parser: argparse.ArgumentParser, chosen: Figure) -> None:
    from assay.cli._figure_options import OPTIONS

    if not chosen.parameters:
        return
    group = parser.add_argument_group("figure")
    for parameter in chosen.parameters:
        option = OPTIONS[parameter.name]
        flags = [flag for flag in (option.short, _flag(parameter.name)) if flag]
        group.add_argument(
            *flags,
            dest=parameter.name,
            metavar=option.metavar,
            nargs=option.words if option.words > 1 else None,
            action="append",
            default=None,
            help=_help(option, chosen.choices.get(parameter.name, ()), parameter.default).replace("%", "%%"),
        )


def _flag(name: str) -> str:
    return "--measure" if name == "measures" else f"--{name.replace('_', '-')}"


def _help(option: Option, choices: Sequence[str], default: Any) -> str:
    """What an option means, what can be chosen, and what is."""
    known = f"{'; one of' if ':' in option.help else ':'} {', '.join(choices)}" if choices else ""
    told = _written(default) or option.unless
    return f"{option.help}{known}{f' (default: {told})' if told else ''}"


def _written(default: Any) -> str:
    if default is None:
        return ""
    return ", ".join(map(str, default)) if isinstance(default, list | tuple) else f"{default}"


def _list(known: dict[str, Figure]) -> None:
    width = max(map(len, known), default=0)
    for name, one in known.items():
        where = f"  {one.source}" if one.source else ""
        print(f"  {name:<{width}}  {one.title}{where}")
    print("\nassay plot FIGURE --help tells more of each.")


def _draw(chosen: Figure, args: argparse.Namespace) -> None:
    from assay.io.writing import write_file
    from assay.views.plots._renderer import require_address_space
    from assay.views.plots._saving import saved
    from assay.views.plots._style import THEMES, Style

    target, form = _target(chosen, args)
    style = Style(args.palette, args.width)
    _check(args, THEMES)
    if form not in ("json", "csv"):
        require_address_space()
    own = _own_options(chosen, args)
    with _options.progress("reading") as progress:
        sources = _sources(chosen, args, own, progress)
        reporting = {"progress": progress} if chosen.reports_progress else {}
        data = chosen.data(*sources, **own, **reporting)
    _options.say(data.notes, where=" (all are in the analysis that it shows)")
    if target is not None:
        _options.refuse_overwriting(target, data.provenance)
    theme = args.theme or ("auto" if form == "html" else "light")
    chart = None if form == "csv" else chosen.draw(data.frame, style)
    written = saved(chart, data, form, theme=theme, scale=args.scale, title=chosen.title)
    if target is None:
        _options.write_bytes(written)
    else:
        write_file(target, written)
        print(f"assay: wrote {target}", file=sys.stderr)


def _target(chosen: Figure, args: argparse.Namespace) -> tuple[str | None, str]:
    """Where the figure goes (None: standard output) and in which format."""
    from assay.errors import InputError, suggestion
    from assay.views.plots._saving import FORMATS

    if args.format is not None and args.format not in FORMATS:
        hint = suggestion(args.format, FORMATS)
        raise InputError(f"format {args.format!r}: choose one of {', '.join(FORMATS)}{hint}")
    output = args.output if args.output is not None else f"{chosen.name}.{args.format or 'png'}"
    if output == "-":
        return None, args.format or "svg"
    path = Path(output)
    if not output or path.is_dir():
        raise InputError(f"-o {output!r}: name a file to write")
    if not path.parent.is_dir():
        raise InputError(f"{output}: cannot be written (there is no directory {path.parent})")
    ending = path.suffix.lower().removeprefix(".")
    if args.format is None and ending not in FORMATS:
        raise InputError(f"{output}: the ending tells no format; choose one of {', '.join(FORMATS)}")
    if args.format is not None and ending in FORMATS and ending != args.format:
        raise InputError(f"{output}: the ending tells {ending}, --format {args.format}; leave --format out")
    return output, args.format or ending


def _check(args: argparse.Namespace, themes: Any) -> None:
    from assay.errors import InputError, suggestion

    if args.theme is not None and args.theme not in themes:
        hint = suggestion(args.theme, themes)
        raise InputError(f"theme {args.theme!r}: choose one of {', '.join(themes)}{hint}")
    if not 0.1 <= args.scale <= 10:
        raise InputError(f"--scale must be from 0.1 to 10, got {args.scale:g}")


def _own_options(chosen: Figure, args: argparse.Namespace) -> dict[str, Any]:
    """Return the options of the figure that the user gave."""
    from assay.cli._figure_options import OPTIONS

    return {
        parameter.name: OPTIONS[parameter.name].read(_flag(parameter.name), getattr(args, parameter.name))
        for parameter in chosen.parameters
        if getattr(args, parameter.name) is not None
    }


def _sources(chosen: Figure, args: argparse.Namespace, own: dict[str, Any], progress: Any) -> list[Campaign]:
    """Read the campaign that the figure is made of; a figure with an example may go without."""
    from assay.engine.campaign import read
    from assay.errors import InputError

    inputs: dict[str, Any] = {name: getattr(args, name) or None for name in chosen.needs}
    missing = [name for name, value in inputs.items() if value is None]
    if missing and chosen.optional and len(missing) == len(inputs):
        return []
    if missing:
        words = " ".join({"qrels": "QRELS", "runs": "RUN..."}[name] for name in chosen.needs)
        raise InputError(f"figure {chosen.name} is made of files: assay plot {chosen.name} {words}")
    if not inputs:
        return []
    given = _options.reading_arguments(args)
    if "seed" in own:
        given["seed"] = own["seed"]
    return [read(**inputs, **given, keep=chosen.keep, progress=progress)]

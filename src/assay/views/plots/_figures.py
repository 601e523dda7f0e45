"""Registry of all figures, and the function that plots a figure."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, suggestion
from assay.model.arguments import check_arguments
from assay.model.provenance import Provenance
from assay.results.sliced_results import SlicedResults
from assay.views.plots._altair import alt, skip_validation
from assay.views.plots._grey import distinguish_series
from assay.views.plots._panels import COLLECTION, SLICE, draw_panels, tabulate_collections, tabulate_slices
from assay.views.plots._style import Style, make_style, read_length, remove_line_separators
from assay.views.plots._theme import theme_of
from assay.views.plots._titles import set_title
from assay.views.plots._zoom import zoom_chart

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Data:
    """The table that a figure shows, with the notes and the provenance of its source."""

    frame: pl.DataFrame
    notes: tuple[str, ...] = ()
    provenance: Provenance = Provenance()


@dataclass(frozen=True)
class Figure:
    """A figure, implemented by a module that defines ``data`` and ``draw``."""

    name: str

    @cached_property
    def _module(self) -> Any:
        return import_module(f"{__package__}.{self.name.replace('-', '_')}")

    @property
    def title(self) -> str:
        """Title: the first line of the module's docstring, without the period."""
        return str(self._module.__doc__).strip().splitlines()[0].removesuffix(".")

    @property
    def about(self) -> str:
        """Description: the docstring of the module after its first line."""
        return "\n".join(str(self._module.__doc__).strip().splitlines()[1:]).strip()

    @property
    def source(self) -> str | None:
        """Published figure that this figure reproduces, such as ``Angelini et al. (2012), Fig. 2a``; else None."""
        return self._module.SOURCE  # type: ignore[no-any-return]

    @property
    def data(self) -> Callable[..., Data]:
        """Function that computes the table."""
        return self._module.data  # type: ignore[no-any-return]

    def draw(self, frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
        """Draw the table, with a panel for each slice of topics, or for each collection, if the table has several."""
        self.check_style(style)
        frame = remove_line_separators(frame)
        with skip_validation():
            layout = style.before_zoom()
            chart = set_title(self._draw_panels(frame, layout), layout)
            chart = distinguish_series(chart) if style.palette == "grey" else chart
            return chart if style.zoom == 1 else zoom_chart(chart, style.zoom)  # type: ignore[no-any-return]

    def _draw_panels(self, frame: pl.DataFrame, style: Style) -> Any:
        for column in (SLICE, COLLECTION):
            is_own = column in {parameter.name for parameter in self.parameters}
            if column in frame.columns and not is_own and not frame.is_empty():
                return draw_panels(self._module.draw, frame, style, column)
        return self._module.draw(frame, style)

    def check_style(self, style: Style) -> None:
        """Raise an error if the style has a height, but the contents of the figure determine its height."""
        if style.height is not None and not self.has_height:
            raise InputError(f"height: the contents of figure {self.name} determine its height; omit height")

    @property
    def has_height(self) -> bool:
        """True if the height of the plot can be chosen."""
        return bool(getattr(self._module, "HAS_HEIGHT", False))

    @cached_property
    def _signature(self) -> list[inspect.Parameter]:
        return list(inspect.signature(self.data).parameters.values())

    @property
    def needs(self) -> tuple[str, ...]:
        """Inputs that the figure needs: a tuple that may contain ``qrels`` and ``runs``."""
        default = ("qrels", "runs") if any(parameter.name == "source" for parameter in self._signature) else ()
        return tuple(getattr(self._module, "NEEDS", default))

    @property
    def accepts_results(self) -> bool:
        """True if the figure shows results, so that it can have a panel for each slice of topics."""
        annotations = [str(parameter.annotation) for parameter in self._signature if parameter.name == "source"]
        return any("Results" in annotation.split(" | ") for annotation in annotations)

    @property
    def keep(self) -> str:
        """Value of the argument *keep* of ``assay.read`` for the campaign of this figure."""
        return str(getattr(self._module, "KEEP", "grades"))

    @property
    def shows_texts(self) -> bool:
        """True if the figure shows texts of queries and documents."""
        return bool(getattr(self._module, "TEXTS", False))

    @property
    def optional(self) -> bool:
        """True if the campaign may be omitted, because the figure can show an example or needs no campaign."""
        return all(parameter.default is None for parameter in self._signature if parameter.name == "source")

    @property
    def parameters(self) -> tuple[inspect.Parameter, ...]:
        """Options that are specific to this figure."""
        options = [parameter for parameter in self._signature if parameter.kind is inspect.Parameter.KEYWORD_ONLY]
        return tuple(option for option in options if option.name != "progress")

    @property
    def choices(self) -> dict[str, tuple[str, ...]]:
        """Allowed values of options with a fixed set; a value in capitals, such as MEASURE, is a placeholder."""
        return dict(getattr(self._module, "CHOICES", {}))

    @property
    def reports_progress(self) -> bool:
        """True if ``data`` accepts a progress callback."""
        return any(parameter.name == "progress" for parameter in self._signature)


def figures() -> dict[str, Figure]:
    """Return all figures by name: one for each public module of this package."""
    path = import_module(__package__).__path__
    names = [module.name.replace("_", "-") for module in iter_modules(path) if not module.name.startswith("_")]
    return {name: Figure(name) for name in sorted(names)}


def figure(name: str) -> Figure:
    """Return the figure with this name."""
    known = figures()
    if not isinstance(name, str):
        raise InputError(f"expected the name of a figure, got {type(name).__name__}; choose one of {', '.join(known)}")
    if name not in known:
        hint = suggestion(name, known) or f"; choose one of {', '.join(known)}"
        raise InputError(f"there is no figure {name}{hint}")
    return known[name]


@check_arguments
def plot(
    name: str,
    source: Any = None,
    *,
    palette: str = "safe",
    theme: str = "light",
    width: int | str | None = None,
    height: int | str | None = None,
    font: str | None = None,
    font_size: float | str | None = None,
    title: str | bool | None = None,
    **options: Any,
) -> alt.TopLevelMixin:
    """Plot a figure and return an Altair chart: notebooks display it, ``chart.save("figure.png")`` writes it.

    Parameters
    ----------
    name
        Name of the figure; ``assay plot --list`` lists all figures.
    source
        A campaign, or results or a report that the figure can show. For results in slices
        (:meth:`assay.Results.by`), the figure has a panel for each slice. For a dict from names of collections to
        campaigns (:func:`assay.read_collections`), it has a panel for each collection.
    palette
        ``safe`` is suitable for colour-blind readers; ``papers`` has the red, blue and green of the papers; ``grey``
        has greys, dashes and shapes for print.
    theme
        ``light`` or ``dark``.
    width
        Total width, in pixels or with a unit: ``500``, ``"84mm"``, ``"8.4cm"``, ``"3.3in"`` or ``"240pt"``.
    height
        Height of the plot without axes and title, or of each panel, like *width*. Figures whose contents determine
        the height reject it.
    font
        Font of all texts, such as ``"Liberation Serif"``.
    font_size
        Size of most texts, like *width*; the default is 11 pixels. Marks and distances grow with the text.
    title
        Title of the figure. False removes the title.
    options
        Options of the figure; see ``assay plot NAME --help``.

    Examples
    --------
    >>> import assay
    >>> campaign = assay.read({"q": {"a": 1}}, {"q": {"a": 1.0}})
    >>> chart = assay.plot("leaderboard", campaign, measure="AP")
    >>> chart.to_dict()["$schema"].rpartition("/")[2][:2]
    'v6'
    """
    selected = figure(name)
    sizes = {"width": width, "height": height, "font_size": font_size}
    lengths = {key: read_length(key, value) for key, value in sizes.items()}
    if title is True:
        raise InputError("title: expected a text, or False for no title")
    style = make_style(palette, font=font, title="" if title is False else title, **lengths)
    known = {parameter.name for parameter in selected.parameters}
    for option in options:
        if option not in known:
            raise InputError(f"figure {name} has no option {option}{suggestion(option, known)}")
    if source is None and selected.needs and not selected.optional:
        raise InputError(f"figure {name} needs {' and '.join(selected.needs)}; pass a campaign (assay.read)")
    if source is not None and not isinstance(source, Mapping) and not type(source).__module__.startswith("assay."):
        raise InputError(
            f"figure {name}: pass a campaign (assay.read), results or a report, got {type(source).__name__}"
        )
    if isinstance(source, Mapping):
        table = tabulate_collections(selected, source, options)
    elif isinstance(source, SlicedResults):
        table = tabulate_slices(selected, source.results, source.slices, options)
    else:
        table = selected.data(*([source] if selected.needs else []), **options)
    chart = selected.draw(table.frame, style)
    return chart.properties(config=theme_of(theme, style))

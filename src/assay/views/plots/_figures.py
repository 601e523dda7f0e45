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
from assay.views.plots._panels import COLLECTION, SLICE, draw_panels, tabulate_collections, tabulate_slices
from assay.views.plots._style import Style, config, remove_line_separators

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
        frame = remove_line_separators(frame)
        with skip_validation():
            for column in (SLICE, COLLECTION):
                is_own = column in {parameter.name for parameter in self.parameters}
                if column in frame.columns and not is_own and not frame.is_empty():
                    return draw_panels(self._module.draw, frame, style, column)
            return self._module.draw(frame, style)  # type: ignore[no-any-return]

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
    width: int | None = None,
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
        ``safe`` is suitable for colour-blind readers; ``papers`` has the red, blue and green of the papers.
    theme
        ``light`` or ``dark``.
    width
        Total width in pixels.
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
    style = Style(palette, width)
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
    return chart.properties(config=config(theme))

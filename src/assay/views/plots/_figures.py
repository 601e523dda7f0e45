"""The figures that there are, what each takes, and how one is made."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.errors import InputError, suggestion
from assay.measures import Measure
from assay.model.arguments import check_arguments
from assay.model.provenance import Provenance
from assay.results._evaluate import evaluate
from assay.results.results import Results
from assay.views.plots._style import Style, config, one_line

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from assay.engine.campaign import Campaign


@dataclass(frozen=True, eq=False)
class Data:
    """The table that a figure shows, with the notes and the provenance of what is behind it."""

    frame: pl.DataFrame
    notes: tuple[str, ...] = ()
    provenance: Provenance = Provenance()


class Parameter(NamedTuple):
    """Something that a user can choose of a figure: its name, and what is taken unless it is given."""

    name: str
    default: Any


@dataclass(frozen=True)
class Figure:
    """A figure: the module that holds ``data`` and ``draw``."""

    name: str

    @cached_property
    def _module(self) -> Any:
        return import_module(f"{__package__}.{self.name.replace('-', '_')}")

    @property
    def title(self) -> str:
        """What it shows, in one line."""
        return str(self._module.__doc__).strip().splitlines()[0].removesuffix(".")

    @property
    def about(self) -> str:
        """The rest of what it says of itself."""
        return "\n".join(str(self._module.__doc__).strip().splitlines()[1:]).strip()

    @property
    def source(self) -> str | None:
        """Where a paper has it, such as ``Angelini et al. (2012), Fig. 2a``."""
        found: str | None = self._module.SOURCE
        return found

    @property
    def data(self) -> Callable[..., Data]:
        """What is shown."""
        found: Callable[..., Data] = self._module.data
        return found

    @property
    def draw(self) -> Callable[..., Any]:
        """How it looks."""
        return lambda frame, style=Style(): self._module.draw(one_line(frame), style)

    @cached_property
    def _signature(self) -> list[inspect.Parameter]:
        return list(inspect.signature(self.data).parameters.values())

    @property
    def needs(self) -> tuple[str, ...]:
        """The inputs of the campaign that it is made of: ``qrels`` and ``runs``, one of them, or none."""
        default = ("qrels", "runs") if any(one.name == "source" for one in self._signature) else ()
        return tuple(getattr(self._module, "NEEDS", default))

    @property
    def keep(self) -> str:
        """What to keep of retrieved documents when its campaign is read; see ``assay.read``."""
        return str(getattr(self._module, "KEEP", "grades"))

    @property
    def optional(self) -> bool:
        """Whether it can be drawn without a campaign, from an example."""
        return all(one.default is None for one in self._signature if one.name == "source")

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The options of the figure itself."""
        own = [one for one in self._signature if one.kind is inspect.Parameter.KEYWORD_ONLY]
        return tuple(Parameter(one.name, one.default) for one in own if one.name != "progress")

    @property
    def choices(self) -> dict[str, tuple[str, ...]]:
        """What the parameters can be that are one of several words; a word in capitals stands for any such thing."""
        return dict(getattr(self._module, "CHOICES", {}))

    @property
    def reports_progress(self) -> bool:
        """Whether ``data`` takes a function to report its progress to."""
        return any(one.name == "progress" for one in self._signature)


def figures() -> dict[str, Figure]:
    """Every figure by its name; a file of this folder is one."""
    path = import_module(__package__).__path__
    names = [one.name.replace("_", "-") for one in iter_modules(path) if not one.name.startswith("_")]
    return {name: Figure(name) for name in sorted(names)}


def figure(name: str) -> Figure:
    """The figure of a name."""
    known = figures()
    if not isinstance(name, str):
        raise InputError(f"expected the name of a figure, got {type(name).__name__}; choose one of {', '.join(known)}")
    if name not in known:
        hint = suggestion(name, known) or f"; choose one of {', '.join(known)}"
        raise InputError(f"there is no figure {name}{hint}")
    return known[name]


def results_of(source: Campaign | Results, measures: str | Measure | Iterable[str | Measure]) -> Results:
    """Return the values of measures: those of results at hand, or of a campaign that is evaluated."""
    if isinstance(source, Results):
        return source.select(measures=measures)
    return evaluate(source, measures)


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
    """Draw a figure: an Altair chart, which a notebook displays and ``chart.save("figure.png")`` writes.

    Parameters
    ----------
    name
        The figure; ``assay plot --list`` names them all.
    source
        A campaign; or results or a report that the figure shows.
    palette
        ``safe`` for colour-blind readers, or ``papers``: the red, blue and green of the papers.
    theme
        ``light`` or ``dark``.
    width
        The whole width, in pixels.
    options
        The options of the figure: ``assay plot NAME --help``.

    Examples
    --------
    >>> import assay
    >>> campaign = assay.read({"q": {"a": 1}}, {"q": {"a": 1.0}})
    >>> chart = assay.plot("leaderboard", campaign, measure="AP")
    >>> chart.to_dict()["$schema"].rpartition("/")[2][:2]
    'v6'
    """
    chosen = figure(name)
    style = Style(palette, width)
    known = {parameter.name for parameter in chosen.parameters}
    for option in options:
        if option not in known:
            raise InputError(f"figure {name} has no option {option}{suggestion(option, known)}")
    if source is None and chosen.needs and not chosen.optional:
        raise InputError(f"figure {name} is made of {' and '.join(chosen.needs)}; pass a campaign (assay.read)")
    if source is not None and not type(source).__module__.startswith("assay."):
        raise InputError(
            f"figure {name}: pass a campaign (assay.read), results or a report, got {type(source).__name__}"
        )
    sources = [source] if chosen.needs else []
    return chosen.draw(chosen.data(*sources, **options).frame, style).properties(config=config(theme))  # type: ignore[no-any-return]

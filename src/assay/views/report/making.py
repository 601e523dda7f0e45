"""``report(qrels, runs)``: read, compute, write down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from assay.engine.workers import Progress
from assay.errors import InputError, suggestion
from assay.views.plots._renderer import require_address_space
from assay.views.plots._saving import runtime
from assay.views.plots._style import altair
from assay.views.report.figures import Figures
from assay.views.report.head import head, title
from assay.views.report.material import Material, Settings
from assay.views.report.page import page
from assay.views.report.sections import sections

Watch = Callable[[str, int, int], None]


class Report(NamedTuple):
    """A report: the page, what was ignored or assumed, and what it depends on."""

    page: bytes
    notes: tuple[str, ...]
    provenance: dict[str, Any]


def report(
    qrels: Any,
    runs: Any,
    settings: Settings = Settings(),
    *,
    lenient: bool = False,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Report:
    """A page of HTML on an evaluation: tables, figures and what they say in words. It needs no network.

    The same inputs and settings give the same bytes.

    Parameters
    ----------
    qrels, runs
        As in ``evaluate``.
    settings
        Measures, tests, policies, and what is left out.
    lenient
        As in ``evaluate``.
    progress
        Called while the runs are read.
    watch
        Called with the title of each section that is begun, how many are done and how many there are.

    Examples
    --------
    >>> made = report({"q": {"a": 1}}, {"q": {"a": 1.0}}, Settings(measures=("AP",)))
    >>> made.page[:15]
    b'<!doctype html>'
    """
    return composed(gathered(qrels, runs, settings, lenient=lenient, progress=progress), watch)


def gathered(
    qrels: Any, runs: Any, settings: Settings, *, lenient: bool = False, progress: Progress | None = None
) -> Material:
    """The first half: whatever can be refused is refused, and everything is read."""
    altair()  # says what to install before anything is read
    require_address_space()
    checked_sections(settings.without, sections())
    return Material.of(qrels, runs, settings, lenient=lenient, progress=progress)


def composed(material: Material, watch: Watch | None = None) -> Report:
    """The second half: everything is computed and written down."""
    left_out = material.settings.without
    chosen = [module for name, module in sections().items() if name not in left_out]
    figures, made = Figures(), []
    with threads(1) as beside:
        # What draws the figures takes a second and a half to be put together, for which this thread need not wait.
        library = beside.submit(runtime)
        for done, module in enumerate(chosen):
            if watch is not None:
                watch(module.TITLE, done, len(chosen))
            made.append(module.section(material, figures))
        patiently(library)
    whole = page(title(material), head(material, made), made, figures)
    if watch is not None:
        watch("", len(chosen), len(chosen))
    return Report(whole, material.notes, material.pools.provenance.as_dict())


def checked_sections(without: tuple[str, ...], known: dict[str, Any]) -> None:
    """Refuse what is no name of a section."""
    for name in without:
        if name not in known:
            hint = suggestion(name, known) or f"; choose from {', '.join(known)}"
            raise InputError(f"without {name!r}: there is no such section{hint}")

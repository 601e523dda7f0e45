"""Base class of the reports that analyses return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from assay.errors import DependencyError, InputError, check_choice
from assay.results.tables import Table

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from assay.model.provenance import Provenance

_NOTEBOOK_ROWS = 60


class Report:
    """The result of an analysis: a tidy frame, tables to read, a summary, notes and provenance.

    A subclass has the attributes *notes* and *provenance* and the methods ``frame`` and ``summary``. It also has a
    method ``_show_NAME`` for each name in *tables*; the method returns a :class:`Table`.

    Attributes
    ----------
    name
        Name of the analysis. The JSON output contains it.
    version
        Version of the columns in ``frame``. It increases when a change of the columns breaks programs.
    tables
        Names of the tables, each with a one-line description; the first is the default.
    slice_tables
        The same for the report that the analysis returns for results in slices of topics.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    tables: ClassVar[Mapping[str, str]] = {"table": "the result"}
    slice_tables: ClassVar[Mapping[str, str]] = {}

    if TYPE_CHECKING:

        @property
        def notes(self) -> tuple[str, ...]:
            """Notes on what was ignored, skipped or assumed, one line each."""

        @property
        def provenance(self) -> Provenance:
            """The version, inputs, policies and settings of the analysis."""

    @property
    def exit_code(self) -> int:
        """The exit code of the command; 0 unless the report has a verdict."""
        return 0

    def frame(self) -> pl.DataFrame:
        """Return the result as a tidy polars frame at full precision."""
        return self.table().frame

    def summary(self) -> str:
        """Return one to three sentences that state the main findings."""
        raise NotImplementedError

    def table(self, show: str | None = None) -> Table:
        """Return one of the ``tables``; by default the first."""
        name = next(iter(self.tables)) if show is None else show
        check_choice(f"show {name}", name, self.tables)
        table: Table = getattr(self, f"_show_{name.replace('-', '_')}")()
        return replace(table, name=name)

    def summary_of(self, table: Table) -> str:
        """Return the summary that belongs to a table, or the summary of the report if the table has none."""
        return self.summary() if table.summary is None else table.summary

    def schema(self, table: str) -> dict[str, Any]:
        """Return the identifier of the JSON schema of a table: report, table and version."""
        return {"report": self.name, "table": table, "version": self.version}

    def __str__(self) -> str:
        """Return the table and the summary, as the command prints them."""
        from shutil import get_terminal_size

        from assay.results.formats import TableLayout, render

        return render(self, layout=TableLayout(width=get_terminal_size().columns)).decode().rstrip("\n")

    def to_pandas(self) -> pd.DataFrame:
        """Return the frame as a pandas DataFrame."""
        try:
            import pandas as pd
        except ImportError:
            raise DependencyError("to_pandas needs the package pandas, which is not installed") from None
        # Convert the columns by lists, because the conversion of polars needs the package pyarrow.
        frame = self.frame()
        return pd.DataFrame({name: frame[name].to_list() for name in frame.columns})

    def to_latex(
        self, show: str | None = None, *, digits: int | None = None, caption: str | None = None, label: str = ""
    ) -> str:
        """Return a LaTeX table, which needs the LaTeX packages booktabs and amssymb.

        The default caption explains the marks.
        """
        from assay.results.formats import TableLayout, render

        return render(self, "latex", show, TableLayout(digits=digits, caption=caption, label=label)).decode()

    def write(self, path: str | Path, show: str | None = None, *, digits: int | None = None) -> None:
        """Write a table to a file. The file name extension, such as .csv or .json, selects the format.

        The file is written completely or not at all.
        """
        from assay.io.writing import write_file
        from assay.results.formats import ENDINGS, TableLayout, render

        extension = Path(path).suffix.lower()
        if extension not in ENDINGS:
            raise InputError(f"{path}: unknown file name extension; choose one of {', '.join(ENDINGS)}")
        write_file(str(path), render(self, ENDINGS[extension], show, TableLayout(digits=digits)))

    def _repr_html_(self) -> str:
        from assay.results.markup import render_fragment

        table = self.table()
        rows = len(table.compact)
        truncation = [f"The table shows the first {_NOTEBOOK_ROWS} of {rows:,} rows."] if rows > _NOTEBOOK_ROWS else []
        sentences = [*truncation, *(text for text in (self.summary_of(table), table.caption) if text)]
        return render_fragment(table.head(_NOTEBOOK_ROWS), None, sentences, self.notes)

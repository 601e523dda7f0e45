"""The table of the axioms: for each measure whether swap and replacement hold, and the smallest counterexample."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from assay._version import VERSION
from assay.theory.axioms import AxiomReport, frame
from assay.views.tables import Table


def axioms(reports: Sequence[AxiomReport]) -> Table:
    """Reports of one range as a table, two rows for each measure."""
    content = frame(reports)
    about = [report.range for report in reports[:1]]
    return Table(
        tidy=content,
        wide=content,
        provenance={"assay": VERSION, **({"checked": dataclasses.asdict(about[0])} if about else {})},
        notes=tuple(f"checked: {each}" for each in about),
    )

"""Names of runs, linked to the part of the report about each of them."""

from __future__ import annotations

from assay.views.report.material import Material
from assay.views.report.prose import Name


def run_name(material: Material, run: int) -> Name:
    """Return the name of a run; it links to the section on systems if that section describes the run."""
    full, shown = material.runs[run], material.short_names[run]
    described = "systems" not in material.settings.without and run in material.order[: material.settings.most]
    return Name(shown, full if shown != full else None, f"#system-{run}" if described else None)

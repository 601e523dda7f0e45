"""Sections of a report: the module of a section computes its content, the template of the same name displays it."""

SECTIONS = (
    "leaderboard",
    "effort",
    "archetypes",
    "agreement",
    "significance",
    "robustness",
    "uncertainty",
    "topics",
    "systems",
    "notes",
)
"""Names of the sections and their modules, in the order of the page."""

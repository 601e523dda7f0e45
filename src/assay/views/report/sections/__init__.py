"""The sections of a report: a module ``compute``s the content of each, a template of the same name displays it."""

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

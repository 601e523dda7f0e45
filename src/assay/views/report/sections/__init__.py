"""Sections of a report: the module of a section computes its content, the template of the same name displays it."""

SECTIONS = {
    "leaderboard": "Leaderboard",
    "effort": "Effort and gain",
    "archetypes": "Archetypes of rankings",
    "agreement": "Agreement of measures",
    "significance": "Significance",
    "slices": "Slices of topics",
    "robustness": "Robustness to the pool",
    "uncertainty": "Uncertainty",
    "topics": "Topics",
    "systems": "Each system",
    "notes": "Notes",
}
"""Name and title of each section, in the order of the page; the module of a section has its name."""
SLICE_SECTIONS = ("slices",)
"""Sections that need attributes of topics; they are omitted without them."""
VALUE_SECTIONS = ("leaderboard", "agreement", "significance", *SLICE_SECTIONS, "notes")
"""Sections that need only values of measures, not runs and judgments."""

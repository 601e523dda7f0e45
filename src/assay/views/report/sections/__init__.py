"""Sections of a report: the module of a section computes its content, the template of the same name displays it."""

SECTIONS = {
    "verdict": "Verdict",
    "cases": "Topic by topic",
    "users": "Effort of the users",
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
STORY_SECTIONS = ("verdict", "cases", "users")
"""The main story. The other sections are the appendix, whose details are folded."""
SUMMARY_SECTIONS = (*STORY_SECTIONS, "slices", "notes")
"""Sections of the short report (``--for summary``)."""
SLICE_SECTIONS = ("slices",)
"""Sections that need attributes of topics; they are omitted without them."""
VALUE_SECTIONS = ("verdict", "leaderboard", "agreement", "significance", *SLICE_SECTIONS, "notes")
"""Sections that need only values of measures, not runs and judgments."""

"""A report on an evaluation: one page of HTML that holds all that it needs, to be shared with colleagues."""

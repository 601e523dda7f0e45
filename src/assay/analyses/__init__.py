"""What follows from judged rankings and their values: one file for each analysis."""

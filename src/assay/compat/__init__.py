"""Other tools, their inputs and outputs taken over as they are."""

"""Values that other tools computed: formats, names and directions of measures, missing values."""

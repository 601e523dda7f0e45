"""Reading and writing of files, tables and dictionaries, and the checks of their rows."""

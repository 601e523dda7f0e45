"""Reading and writing: files of every format, tables, dictionaries, and the checks that all rows pass."""

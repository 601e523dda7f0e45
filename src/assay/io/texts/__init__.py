"""Text of queries and documents, read lazily by id."""

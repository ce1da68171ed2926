"""All scores of a file of texts, as a table that a person reads."""

"""All scores of a file of texts, as a readable table or JSON."""

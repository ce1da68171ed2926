"""Tags: the words of a text matched by patterns of the grammar, and their meaning in context."""

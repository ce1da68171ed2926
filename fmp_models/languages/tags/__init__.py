"""Tags: the words of a text by the patterns of the grammar, and what they mean beside each other."""

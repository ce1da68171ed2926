"""The reader, text -> plan, in every language."""

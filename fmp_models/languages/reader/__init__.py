"""The reader: text -> plan, for every language."""

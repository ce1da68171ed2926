"""Plan -> text, in every language."""

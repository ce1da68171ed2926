"""The realiser, plan -> text, in every language."""

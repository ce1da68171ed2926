"""The realiser: plan -> text, for every language."""

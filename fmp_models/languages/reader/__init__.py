"""Text -> plan, in every language."""

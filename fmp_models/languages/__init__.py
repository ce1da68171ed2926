"""The words of each language and the one realiser and one reader that serve them all."""

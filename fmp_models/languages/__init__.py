"""Languages: the words of each, and the one realiser and one reader that serve them all."""

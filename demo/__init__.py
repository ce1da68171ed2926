"""The page: what a visitor sees."""

"""Languages: one data folder per language, and a realiser and a reader that serve all of them."""

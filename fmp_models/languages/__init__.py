"""Languages: one data folder per language, and a reader and a realiser that serve all of them."""

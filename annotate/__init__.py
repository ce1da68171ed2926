"""Annotation: votes, ratings, descriptions, translations, choices and photographs that people give, kept for good."""

"""Annotation: votes, ratings, descriptions, translations, choices and photographs of annotators, stored for good."""

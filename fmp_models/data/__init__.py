"""Datasets: the folder format, schema, splits, distractors, importer of the official release, and statistics."""

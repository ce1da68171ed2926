"""Datasets: pairs as a folder, schema, splits, distractors, the official release, and statistics."""

"""Geometry without words: measured changes, plans of corrections, and verdicts on clauses."""

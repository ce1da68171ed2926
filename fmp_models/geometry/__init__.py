"""Geometry, without words: measured changes, the plan of a correction, and whether clauses are true."""

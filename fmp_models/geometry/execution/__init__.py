"""Execution of clauses on a body, step by step: the resulting poses and their progress to a target."""

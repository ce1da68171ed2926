"""Clauses against joints: whether they hold, where they lead, and for which candidate they speak."""

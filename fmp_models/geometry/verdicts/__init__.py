"""Verdicts on clauses by the joints: whether they hold, where they lead, and for which candidate they speak."""

"""Verdicts on clauses by the joints: whether they hold, where they lead, and which candidate they support."""

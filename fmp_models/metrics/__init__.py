"""Scores of corrections and of retrieval, as the released evaluation computes them."""

"""Metrics of corrections and of retrieval, computed as in the released evaluation."""

"""Evaluation of models on held-out splits: the paper's scores and the paper's tables."""

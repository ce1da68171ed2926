"""Evaluation: every score of the paper on the splits that a model was not trained on, and the paper's tables."""

"""Recipes of ``train captioner|retriever|estimator``: from a configuration and a dataset to a run."""

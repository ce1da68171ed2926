"""Recipes of ``train captioner|retriever|estimator|lifter``: from a configuration and a dataset to a training run."""

"""Training of the paper's models and our estimators on a dataset folder: samples, objectives, recipes and the loop."""

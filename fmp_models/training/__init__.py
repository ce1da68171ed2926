"""Training of the paper's models on a dataset folder: samples, augmentation, objectives and the training loop."""

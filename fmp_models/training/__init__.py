"""Training the paper's models on a dataset folder: samples, pictures, augmentation, tasks and the loop."""

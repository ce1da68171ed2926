"""Training objectives: the paper's losses and our own, and their validation."""

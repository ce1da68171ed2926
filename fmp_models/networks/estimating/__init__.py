"""The network of our own estimator."""

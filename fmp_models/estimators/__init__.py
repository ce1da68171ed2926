"""Estimators, photograph -> joints: MediaPipe or our own network, and where their weights come from."""

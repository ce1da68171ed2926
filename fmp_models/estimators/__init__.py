"""Estimators: photograph -> joints by MediaPipe or this project's network, and the source of their weights."""

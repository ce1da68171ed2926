"""Adapters of the models for the room of annotation, which knows none."""

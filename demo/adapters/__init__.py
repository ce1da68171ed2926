"""Adapters: what the room of annotation is handed of the models."""

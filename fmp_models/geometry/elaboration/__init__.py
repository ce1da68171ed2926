"""Elaborations of a training text beyond its plan: landmarks, analogies and implied movements."""

"""Surfaces, lamps and a camera to a picture."""

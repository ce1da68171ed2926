"""Rendering: from surfaces, lamps and a camera to a picture."""

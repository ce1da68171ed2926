"""Poses beyond the motions: families of everyday poses, computed as whole bodies from rows of numbers in batches."""

"""Poses beyond the motions: families of what people do at home, whole bodies from rows of numbers, many at a time."""

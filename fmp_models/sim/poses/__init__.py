"""Poses beyond the motions: what people do at home, drawn at random, many at a time."""

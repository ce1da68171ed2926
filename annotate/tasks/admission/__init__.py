"""Admission: guests, rate limits, the qualification test, and the reveal of models."""

"""Limits of what one request may hold, for models and the page; this module imports nothing."""

MIN_CANDIDATES, MAX_CANDIDATES = 2, 20
MAX_DESCRIPTION_CHARS = 1000

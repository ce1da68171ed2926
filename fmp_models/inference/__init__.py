"""Inference: from photographs to a correction or a ranking, for the page, the command line and the API."""

"""Inference, photographs in, a correction or a ranking out: what the page, the command line and the API call."""

"""Preprocessing: from a file that somebody sent to what networks and estimators are given."""

"""Capture of a dataset: schedule, parallel rendering of the units, and assembly of the folder."""

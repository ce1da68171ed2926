"""Campaigns: their files, datasets to build them from, questions, and the status of texts."""

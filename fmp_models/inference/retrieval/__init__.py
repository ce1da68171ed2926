"""Retrieval: from a description and candidates to the intended photograph, with reasons."""

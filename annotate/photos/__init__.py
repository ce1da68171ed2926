"""Photographs from annotators: decoding, face redaction, and storage in memory until the answer."""

"""Adapters that give the annotation package access to models, which it does not import."""

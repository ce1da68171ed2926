"""Pairs as a dataset folder: schema, splits, distractors, the official release, and what there is to say of them."""

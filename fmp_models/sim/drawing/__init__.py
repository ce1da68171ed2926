"""Drawn poses: pairs for training beyond the motions, as rotations and as cameras see them."""

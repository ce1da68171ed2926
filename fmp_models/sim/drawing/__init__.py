"""Randomly drawn poses: training pairs beyond the motions, as rotations and as joints seen by cameras."""

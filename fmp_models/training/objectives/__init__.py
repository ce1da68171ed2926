"""Objectives, what training asks of a network: the losses of the paper and ours, and how good it is in between."""

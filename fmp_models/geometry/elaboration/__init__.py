"""Elaboration: what a training text says beyond the plan, landmarks, likenesses, implied movements."""

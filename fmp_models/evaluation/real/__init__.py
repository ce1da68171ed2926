"""Evaluation on real photographs: corrections against what people saw, and target finding."""

"""Shapes: end states that people have a name for, in one table for generation, parsing and execution."""

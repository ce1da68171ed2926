"""Shapes: end states that people have a name for, in one table that is spoken, read and executed."""

"""The plan of a correction: which changes are said, and which follow from others."""

"""Planning of a correction: which changes become clauses, and which follow from others."""

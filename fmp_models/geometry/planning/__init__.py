"""Planning of a correction: which changes become clauses, and which are implied by others."""

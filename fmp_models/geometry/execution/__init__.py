"""The execution of clauses on a body, step by step: where a text leads, and how far towards a target."""

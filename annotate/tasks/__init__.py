"""Tasks: assignment, reading and checking of answers, undo, and admission."""

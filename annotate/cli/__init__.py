"""Commands of ``python -m annotate``, one module each; ``add_to`` adds a command to a parser."""

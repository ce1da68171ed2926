"""The commands of ``python -m annotate``, one module each; ``add_to`` adds one to a parser."""

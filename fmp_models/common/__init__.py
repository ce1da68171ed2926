"""Code shared by ``fmp_models`` and ``annotate``: errors, photograph reading, plain files, command lines.

It imports no other package of the project. ``fmp_models`` and ``annotate`` share nothing else.
"""

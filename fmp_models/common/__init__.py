"""Common ground of both sides, importing no other room: refusals, hostile photographs, plain files, command lines.

``fmp_models`` and ``annotate`` know nothing of each other, and meet here alone.
"""

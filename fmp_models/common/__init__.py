"""The leaf that both sides know: refusals, hostile photographs, plain files, command lines; knows no other room.

``fmp_models`` and ``annotate`` know nothing of each other, and meet here alone.
"""

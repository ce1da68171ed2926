"""The ``wide`` pairs: drawn poses before cameras on every side, and pictures that vary as photographs do."""

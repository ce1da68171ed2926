"""The ``wide`` pairs: drawn poses seen by cameras on all sides, in pictures that vary as photographs do."""

"""From an order to a dataset folder: planned, taken in parallel, assembled."""

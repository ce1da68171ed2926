"""The commands of ``python -m fmp_models`` that have a module of their own."""

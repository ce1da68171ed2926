"""Reproduction of the paper's tables, and tables that compare training options."""

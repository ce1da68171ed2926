"""Campaigns: what is asked, the datasets they are made from, their questions, and what became of texts."""

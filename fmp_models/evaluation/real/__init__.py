"""Corrections of real photographs, judged against what people saw in them."""

"""Gradio made to fit: components of our own, forms, uploaded files, and the GPU of a Space."""

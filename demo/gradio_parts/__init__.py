"""Adaptations of Gradio: own components, forms, uploaded files, and the GPU of a Space."""

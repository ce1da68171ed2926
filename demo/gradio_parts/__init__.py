"""Adaptations of Gradio: own components and their wiring, its blocks and routes, and the GPU of a Space."""

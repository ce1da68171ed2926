"""The app's Blocks: a call that leaves out its last values is one with their defaults."""

from __future__ import annotations

from typing import Any

import gradio as gr
from gradio.block_function import BlockFunction


class AppBlocks(gr.Blocks):
    """Gradio's own prints all that was sent, photographs too, where a program sends fewer values than there are."""

    def validate_inputs(self, block_fn: BlockFunction, inputs: list[Any]) -> None:
        """Fill in what was left out, as Gradio's clients do before they send."""
        inputs += [getattr(block, "value", None) for block in block_fn.inputs[len(inputs) :]]

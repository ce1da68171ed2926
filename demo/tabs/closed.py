"""A closed tab: where models would be asked, a sentence, and nothing that programs could call."""

from __future__ import annotations

from dataclasses import dataclass

import gradio as gr

from demo.views.templating import render


@dataclass(frozen=True)
class ClosedTab:
    """Stands in the place of a tab of that ``name``."""

    name: str

    def build(self) -> None:
        """Lay the tab out in the Blocks context that is open."""
        gr.HTML(render("closed_tab.html", name=self.name), js_on_load=None, apply_default_css=False)

"""Forms: how a tab's form is wired to what shows its answer."""

from __future__ import annotations

from collections.abc import Callable

import gradio as gr

from demo.gradio_parts.components import MODEL_QUEUE, WORKERS, FindForm, Form
from demo.gradio_parts.given_joints import OwnWordsForm


def connect(
    form: Form | FindForm, answer: Callable[..., str], empty: Callable[[], str], shown: gr.HTML, tab: str
) -> None:
    """Let ``answer`` fill ``shown`` when the form is sent, and ``empty`` when it is cleared; none of it is API."""
    asked = form.submit(
        answer,
        form,
        shown,
        api_visibility="private",
        concurrency_id=MODEL_QUEUE,
        concurrency_limit=WORKERS,
        show_progress="hidden",
    )
    asked.failure(None, None, None, js=f"() => window.FMP.forms.{tab}.failed()", api_visibility="private")
    form.clear(empty, None, shown, api_visibility="private", queue=False, show_progress="hidden")


def connect_own_words(form: OwnWordsForm, answer: Callable[..., str], tried: gr.HTML) -> None:
    """Let ``answer`` say what comes of somebody's own words, by way of ``tried``; none of it is API."""
    asked = form.submit(
        answer,
        form,
        tried,
        api_visibility="private",
        concurrency_id=MODEL_QUEUE,
        concurrency_limit=WORKERS,
        show_progress="hidden",
    )
    failed = "() => document.dispatchEvent(new CustomEvent('fmp:untried')) && []"
    asked.failure(None, None, None, js=failed, api_visibility="private")

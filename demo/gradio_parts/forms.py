"""Forms and endpoints: wiring from a tab to its output and to programs that call it."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr
from gradio.events import Dependency

from demo.gradio_parts.components import MODEL_QUEUE, WORKERS, FindForm, Form


def bind_form(
    form: Form | FindForm, answer: Callable[..., str], empty: Callable[[], str], output: gr.HTML, tab: str
) -> None:
    """Bind ``answer`` to the submission of the form and ``empty`` to its clearing; neither is part of the API."""
    submission = _on_submit(form, answer, output)
    submission.failure(None, None, None, js=f"() => window.FMP.forms.{tab}.failed()", api_visibility="private")
    form.clear(empty, None, output, api_visibility="private", queue=False, show_progress="hidden")


def bind_own_words(form: Form, answer: Callable[..., str], tried: gr.HTML) -> None:
    """Bind ``answer`` to a visitor's own correction text, with its output in ``tried``; it is not part of the API."""
    failed = "() => document.dispatchEvent(new CustomEvent('fmp:untried')) && []"
    _on_submit(form, answer, tried).failure(None, None, None, js=failed, api_visibility="private")


def add_endpoint(answer: Callable[..., Any], inputs: Sequence[gr.components.Component], name: str, label: str) -> None:
    """Let programs call ``answer`` as ``/name``; its result is described as ``label``.

    The endpoint takes its types from the components ``inputs``, which are never rendered, and its description from the
    docstring of ``answer``.
    """

    @functools.wraps(answer)
    def told(*given: object) -> object:
        return answer(*given)

    told.__doc__ = unfolded(inspect.getdoc(answer) or "")
    gr.Button(visible=False).click(
        told,
        list(inputs),
        gr.JSON(label=label, visible=False),
        api_name=name,
        concurrency_id=MODEL_QUEUE,
        concurrency_limit=WORKERS,
    )


def unfolded(docstring: str) -> str:
    """Return a docstring with each parameter and the returns section on one line: Gradio reads one line of each."""
    head, *sections = re.split(r"^(Parameters|Returns):\n", docstring, flags=re.MULTILINE)
    folds = {"Parameters": r"\n {5,}", "Returns": r"\n *"}  # a parameter is indented by four spaces
    bodies = [
        f"{name}:\n    {re.sub(folds[name], ' ', body.strip())}"
        for name, body in zip(sections[::2], sections[1::2], strict=True)
    ]
    return "\n\n".join([head.strip(), *bodies])


def _on_submit(form: Form | FindForm, answer: Callable[..., str], output: gr.HTML) -> Dependency:
    return form.submit(
        answer,
        form,
        output,
        api_visibility="private",
        concurrency_id=MODEL_QUEUE,
        concurrency_limit=WORKERS,
        show_progress="hidden",
    )

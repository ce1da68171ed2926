"""View of a conversation about an answer: each question with its reply as two messages of a chat."""

from __future__ import annotations

import json

from demo.i18n import error_text, render, text
from demo.views.steps import of_joints
from fmp_models.dialogue import Reply
from fmp_models.errors import BadInputError


def chat_reply(reply: Reply, language: str) -> str:
    """Return a question and its reply as JSON: messages, the joints to highlight, and the next questions."""
    lit, values = of_joints(set(reply.joints)), {"reply": reply, "language": language}
    messages = [
        {"role": role, "content": [{"type": "text", "text": render("ask_message.html", role=role, **values)}]}
        for role in ("user", "assistant")
    ]
    replied = {"messages": messages, "suggestions": reply.suggestions, "language": language}
    return json.dumps({**replied, "joints": lit.joints, "rows": lit.rows})


def chat_refusal(error: BadInputError) -> str:
    """Return an error about a question or about one of the photographs."""
    return json.dumps({"refusal": error_text(error).by_language})


def chat_fault() -> str:
    """Return an internal error; the details are in the log."""
    return json.dumps({"refusal": text("faults.ours").by_language})

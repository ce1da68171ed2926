"""Templates, and texts in them: every element carries its text in all languages.

The language switch therefore needs no request: the script of the page shows the chosen language from ``data-i18n``.
"""

from __future__ import annotations

import base64
import json
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from demo.i18n import ROOMS, Text, interface_texts, languages, text


def i18n(**slots: Text) -> Markup:
    """Return a ``data-i18n`` attribute; slot ``text`` is the content, any other slot an attribute (``aria_label``).

    The attributes are also written in the default language, so the markup is readable before the script runs.
    """
    names = {slot.replace("_", "-"): value for slot, value in slots.items()}
    translations = json.dumps({name: value.by_language for name, value in names.items()}, ensure_ascii=False)
    attributes = [Markup('data-i18n="{}"').format(translations)]
    attributes += [Markup('{}="{}"').format(name, value.default) for name, value in names.items() if name != "text"]
    return Markup(" ").join(attributes)


def element(tag: str, content: str | Text, attributes: str = "", **places: str | float | Text) -> Markup:
    """Return ``<tag attributes>text</tag>`` with translations; ``content`` is a key or text, ``attributes`` markup."""
    if isinstance(content, str) and not places:
        return _constant(tag, content, attributes)
    return _element(tag, content if isinstance(content, Text) else text(content, **places), attributes)


@cache  # most elements of a page; bounded by the templates
def _constant(tag: str, key: str, attributes: str) -> Markup:
    return _element(tag, text(key), attributes)


def _element(tag: str, words: Text, attributes: str) -> Markup:
    return Markup("<{tag} {attributes} {i18n}>{words}</{tag}>").format(
        tag=tag,
        attributes=Markup(attributes),  # noqa: S704  # nosec - written by the templates, never by a visitor
        i18n=i18n(text=words),
        words=words.default,
    )


def render(template: str, **values: object) -> str:
    """Return a template from a ``templates/`` folder, filled; all values except markup are escaped."""
    return _templates.get_template(template).render(values)


def script(*names: str) -> str:
    """Return the script that a component runs on load: files of the ``page/`` folders, concatenated."""
    return "\n".join(page_file(name).read_text(encoding="utf-8") for name in names)


def page_file(name: str) -> Path:
    """Return the path of a script or style sheet in one of the ``page/`` folders."""
    return next(file for room in ROOMS if (file := room / "page" / name).is_file())


def jpeg_uri(file: bytes) -> str:
    """Return a JPEG file as a data URI to embed in the page."""
    return f"data:image/jpeg;base64,{base64.b64encode(file).decode('ascii')}"


_templates = Environment(
    loader=FileSystemLoader([room / "templates" for room in ROOMS]),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.globals.update(
    element=element,
    i18n=i18n,
    text=text,
    language_names=lambda: {code: interface_texts()[code]["language.name"] for code in languages()},
)

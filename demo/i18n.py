"""Texts of the page in every language, and the templates, scripts and styles that carry them.

``demo/copy`` and ``annotate/copy`` hold one TOML file per language, all with the same keys. Every element of a template
carries its text in all languages, so the language switch needs no request: the script of the page shows the chosen
language from ``data-i18n``.
"""

from __future__ import annotations

import base64
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

import annotate
from fmp_models.errors import BadInputError
from fmp_models.languages import language_of, transliterated

# Folders that hold texts, templates and scripts of the page.
_ANNOTATE = Path(str(annotate.__file__)).parent
ROOMS = (Path(__file__).parent, _ANNOTATE, _ANNOTATE / "tabs")
DEFAULT_LANGUAGE = "en"

_ACCEPTED = re.compile(r"([a-zA-Z]{2,3})(?:-[a-zA-Z0-9-]+)?\s*(?:;\s*q=([01](?:\.\d{0,3})?))?(?:,|$)")
_MAX_READ = 1000  # characters; the language of a longer text is not detected


@dataclass(frozen=True)
class Text:
    """One text in every language, with its placeholders filled: ``{"en": ..., "hi": ...}``."""

    by_language: dict[str, str]

    @property
    def default(self) -> str:
        """The text in the default language."""
        return self.by_language[DEFAULT_LANGUAGE]


@cache
def interface_texts() -> dict[str, dict[str, str]]:
    """Return ``{language: {"section.key": text}}``, the default language first."""
    files = [file for room in ROOMS for file in (room / "copy").glob("*.toml")]
    texts: dict[str, dict[str, str]] = {}
    for file in sorted(files, key=lambda file: (file.stem != DEFAULT_LANGUAGE, file.stem)):
        texts.setdefault(file.stem, {}).update(_flat(tomllib.loads(file.read_text(encoding="utf-8"))))
    return texts


def languages() -> tuple[str, ...]:
    """Return the codes of the languages of the page."""
    return tuple(interface_texts())


def text(key: str, **places: str | float | Text) -> Text:
    """Return the text of ``section.key`` in every language; a placeholder value may itself be a :class:`Text`."""
    return Text(
        {
            language: texts[key].format(**{name: _in(language, value) for name, value in places.items()})
            for language, texts in interface_texts().items()
        }
    )


def lent_text(by_language: Mapping[str, str]) -> Text:
    """Return a text from outside the copy files; a missing language falls back to the default or the first one."""
    lent = by_language.get(DEFAULT_LANGUAGE) or next(iter(by_language.values()))
    return Text({language: by_language.get(language, lent) for language in languages()})


def joined(parts: list[Text], separator: str = ", ") -> Text:
    """Join several texts into one, language by language."""
    return Text({language: separator.join(part.by_language[language] for part in parts) for language in languages()})


def error_text(error: BadInputError) -> Text:
    """Return the sentence of an error in every language, with the name of the photograph if the error concerns one."""
    key, places = f"errors.{error.code}", dict[str, str | float | Text](error.details)
    which = places.get("which")
    if which is None:
        return text(key, **places)
    if "{which}" in interface_texts()[DEFAULT_LANGUAGE][key]:
        return text(key, **{**places, "which": text(f"which.{which}")})
    return joined([text(f"form.{which}", **places), text(key, **places)], ": ")


def asked_language(*given: object, accepted: str = "") -> str:
    """Return the language of an error message for a request.

    It is the first supported code among the given values; else the language that a value is written in; else the first
    supported language of the Accept-Language header ``accepted``; else the default language. Of a form's value only its
    ``language`` counts. English text does not decide before the header does: requests without a language are written in
    English too.
    """
    values = [value.get("language") if isinstance(value, dict) else value for value in given]
    texts = [value for value in values if isinstance(value, str)]
    for code in (*texts, *map(_written_in, texts), *_preferred(accepted)):
        if code in languages():
            return code
    return DEFAULT_LANGUAGE


def refusal_sentence(error: BadInputError, language: str) -> str:
    """Return the sentence of an error in ``language``, for a client of the API."""
    return error.sentence if language == DEFAULT_LANGUAGE else error_text(error).by_language[language]


def _written_in(written: str) -> str | None:
    """Return the detected language of a text; None for English, unknown words in Latin letters, and long texts."""
    if len(written) > _MAX_READ:
        return None
    spelt = transliterated(written)
    language = language_of(written) if spelt is None else spelt[0]
    return None if language == DEFAULT_LANGUAGE else language


def _preferred(header: str) -> list[str]:
    """Return the language codes of an Accept-Language header, highest weight first."""
    wanted = [(float(weight or 1), code.lower()) for code, weight in _ACCEPTED.findall(header[:_MAX_READ])]
    return [code for weight, code in sorted(wanted, key=lambda one: -one[0]) if weight]


def _in(language: str, value: str | float | Text) -> str | float:
    return value.by_language[language] if isinstance(value, Text) else value


def _flat(sections: dict[str, dict[str, str]]) -> dict[str, str]:
    return {f"{section}.{key}": value for section, texts in sections.items() for key, value in texts.items()}


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

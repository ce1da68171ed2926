"""Linguistic properties of texts (Tables 1 and 8 of the paper): the share of texts with each, beside the paper's.

The paper counted them by hand in 50 English texts; here they are found by the signs of ``text_properties``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from fmp_models.errors import BadInputError
from fmp_models.files import demand_few_values, read_json, read_within, shown
from fmp_models.languages import LANGUAGES, grammar, language_of, text_properties

PAPER_SHARES = {"egocentric": 1.0, "environmental": 0.52, "implied": 0.58, "analogous": 0.18}
_TITLES = {"implied": "implicit"}
_PAPER_TEXTS = 50
_EXAMPLE = '{"13_19_4_13_1": ["bend your knees", "go down"]}'
_MAX_BYTES = 50_000_000
_MAX_CHARS = 5_000  # per text; the longest human text has 1,500
_TEXT_KEYS = ("text", "sent", "description", "caption", "prediction", "reference")  # beginnings


def property_shares(texts: Sequence[str], language: str) -> dict[str, float]:
    """Return the share of texts (0 to 1) with each property, and their number ``n``; empty for an unknown language."""
    if language not in LANGUAGES:
        return {}
    found = Counter(kind.value for text in texts for kind in text_properties(text, grammar(language)))
    return {"n": len(texts), **{name: found[name] / max(len(texts), 1) for name in PAPER_SHARES}}


def property_rows(shares: Mapping[str, Mapping[str, float]]) -> list[Sequence[str]]:
    """Return table rows of shares by name in percent, with the paper's shares below; none without shares."""
    known = {name: of for name, of in shares.items() if of}
    below = {"paper, by hand, English": {"n": _PAPER_TEXTS, **PAPER_SHARES}} if known else {}
    head = ["% of texts", "texts", *(_TITLES.get(name, name) for name in PAPER_SHARES)]
    return [
        *[head] * bool(known),
        *(
            [name, f"{of['n']:.0f}", *(f"{100 * of[kind]:.1f}" for kind in PAPER_SHARES)]
            for name, of in {**known, **below}.items()
        ),
    ]


def read_texts(path: Path) -> dict[str, list[str]]:
    """Return the texts of a file by their language: of JSON or JSONL with any structure, or the lines of another file.

    Of an object with keys such as ``text``, ``sents`` or ``descriptions_en``, only these are read. The letters tell the
    language unless the key does. Raise :class:`BadInputError` for a file that cannot be read, ``text_too_long``, and
    ``texts_none``.
    """
    texts: dict[str, list[str]] = {}
    try:
        for text, language in _strings(_content(path)):
            if len(text) > _MAX_CHARS:
                raise BadInputError("text_too_long", path=str(path), uid=shown(text), limit=_MAX_CHARS)
            texts.setdefault(language or language_of(text) or "", []).append(text)
    except RecursionError:
        raise BadInputError("json_unexpected", path=str(path), example=_EXAMPLE) from None
    if not texts.keys() & {*LANGUAGES}:
        raise BadInputError("texts_none", path=str(path))
    return {language: texts[language] for language in LANGUAGES if language in texts}


def _content(path: Path) -> object:
    if path.suffix == ".json":
        return read_json(path, _MAX_BYTES, _EXAMPLE)
    data = read_within(path, _MAX_BYTES)
    demand_few_values(data, path)
    try:
        lines = data.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise BadInputError("not_utf8", path=str(path)) from None
    return [_parsed(line, number, path) for number, line in enumerate(lines, 1) if line.strip()]


def _parsed(line: str, number: int, path: Path) -> object:
    if path.suffix != ".jsonl":
        return line
    try:
        return json.loads(line)
    except ValueError:
        raise BadInputError("json_broken", path=str(path), line=number) from None


def _strings(value: object, language: str | None = None) -> Iterator[tuple[str, str | None]]:
    """Yield every text, with the language that its key names: ``descriptions_hi``, ``sents_hindi``."""
    if isinstance(value, str):
        yield value, language
    elif isinstance(value, dict):
        named = {key: of for key, of in value.items() if key.startswith(_TEXT_KEYS)}
        for key, of in (named or value).items():
            codes = [code for code in LANGUAGES if key.endswith((f"_{code}", f"_{grammar(code).english_name.lower()}"))]
            yield from _strings(of, codes[0] if codes else language)
    elif isinstance(value, list):
        for entry in value:
            yield from _strings(entry, language)

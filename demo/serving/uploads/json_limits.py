"""Limits of JSON, checked before parsing: valid text, limited depth and number of values.

Parsed, ``[],{}`` takes a hundred times its size, and half a surrogate pair breaks code that writes it later. So the
bytes of a body are scanned; the parser decides whether it is valid JSON.
"""

from __future__ import annotations

import re

from demo.i18n import Text, text

MAX_DEPTH = 32  # nesting of lists and objects
MAX_VALUES = 20_000

_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{},]', re.DOTALL)
_ESCAPE = re.compile(
    rb"\\(?:u([dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)  # group 1 is set only for the escapes of surrogates
_SECOND_HALF = 0xDC00


def fault(data: bytes | bytearray) -> Text | None:
    """Return what is wrong with the bytes of a JSON text, as one sentence; ``None`` if it may be parsed."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return text("sent.no_utf8")
    if b"\0" in data:  # Python would decode it as UTF-16
        return text("sent.no_utf8")
    depth = values = 0
    for token in _TOKEN.finditer(data):
        sign = token[0]
        if sign in b"[{":
            depth += 1
            values += 1
        elif sign in b"]}":
            depth -= 1
        elif sign == b",":
            values += 1
        elif b"\\u" in sign and _has_half_a_character(sign):
            return text("sent.half_character")
        if depth > MAX_DEPTH:
            return text("sent.too_deep", most=MAX_DEPTH)
        if values > MAX_VALUES:
            return text("sent.many_values", most=MAX_VALUES)
    return None


def _has_half_a_character(string: bytes) -> bool:
    """Return whether a JSON string has an escaped surrogate without its other half."""
    open_at = None  # where the second half must begin
    for escape in _ESCAPE.finditer(string):
        if open_at is not None and (escape[1] is None or escape.start() != open_at):
            return True
        if escape[1] is not None:
            second = int(escape[1], 16) >= _SECOND_HALF
            if second != (open_at is not None):
                return True
            open_at = None if second else escape.end()
    return open_at is not None

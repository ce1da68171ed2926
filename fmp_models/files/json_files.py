"""Reading of JSON files that people write, with one-sentence errors."""

from __future__ import annotations

import json
from pathlib import Path

from fmp_models.errors import BadInputError
from fmp_models.files.bounded import demand_few_values, read_within

_LINE = 40  # longest name in a sentence, in characters


def read_json(path: Path, most: int, example: str) -> object:
    """Return the content of a file of at most ``most`` bytes; ``example`` shows the expected form in error messages.

    Raise :class:`BadInputError`: ``file_unreadable``, ``file_too_large``, ``json_too_many``, ``not_utf8``,
    ``json_broken``, ``json_unexpected``, and ``uid_twice`` for a key that an object has twice.
    """
    data = read_within(path, most)
    demand_few_values(data, path)
    try:
        text = data.decode("utf-8-sig")  # some editors begin a file with a byte order mark
    except UnicodeDecodeError:
        raise BadInputError("not_utf8", path=str(path)) from None

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, value in pairs:
            if key in found:
                raise BadInputError("uid_twice", path=str(path), uid=shown(key))
            found[key] = value
        return found

    try:
        return json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise BadInputError("json_broken", path=str(path), line=error.lineno) from None
    except (ValueError, RecursionError):  # a number of a million digits, a thousand brackets
        raise BadInputError("json_unexpected", path=str(path), example=example) from None


def shown(name: str) -> str:
    """Return a name shortened for an error message, without characters that control a terminal."""
    plain = "".join(letter if letter.isprintable() else "�" for letter in name)
    return plain if len(plain) <= _LINE else f"{plain[: _LINE - 1]}…"

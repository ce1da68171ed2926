"""Data URIs: photographs in a JSON text, taken out of it into files while it arrives.

A tool's call holds up to twenty-one photographs in one text. Parsed whole, that would be half a gigabyte; so each long
``data:...;base64,`` string becomes a file as it comes in, and the text has the file's address in its place.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from typing import BinaryIO

SHORTEST = 16_000  # characters: what is shorter stays in the text, where twenty-one must fit into one megabyte
BROKEN = b'"data:,x"'  # what stands for a picture that cannot be decoded; the endpoint calls it damaged

_START = re.compile(rb'"data:[a-zA-Z0-9.+/;=\\_-]{0,100};base64,', re.DOTALL)
_END = re.compile(rb'["\\]')
_SPACE = bytes(range(33))


class DataUriReader:
    """Takes a JSON text in pieces and keeps what is left of it; ``most`` bytes of a photograph are kept, and one more.

    ``new_file`` gives an open file and the address that stands for it.
    """

    def __init__(self, new_file: Callable[[], tuple[BinaryIO, str]], most: int) -> None:
        self.rest = bytearray()  # the text without its photographs
        self._new_file = new_file
        self._most = most
        self._in_string = False
        self._photograph: _Photograph | None = None
        self._waiting = b""  # the beginning of a string that may become one

    @property
    def size(self) -> int:
        """How many bytes of the text, without its photographs, are held."""
        return len(self.rest) + len(self._waiting)

    def feed(self, data: bytes) -> None:
        """Take the next piece."""
        while data:
            data = self._feed_text(data) if self._photograph is None else self._feed_photograph(data)

    def close(self) -> None:
        """The text is at its end, or given up: no file stays open."""
        if self._photograph is not None:
            self._photograph.file.close()
            self._photograph = None
        self.rest += self._waiting
        self._waiting = b""

    def _feed_text(self, data: bytes) -> bytes:
        data = self._waiting + data
        self._waiting = b""
        at = 0
        while True:
            if self._in_string:
                end = _END.search(data, at)
                if end is None or (end[0] == b"\\" and end.end() == len(data)):
                    at = len(data) if end is None else end.start()
                    break
                self._in_string = end[0] == b"\\"
                at = end.end() + (end[0] == b"\\")
                continue
            begin = data.find(b'"', at)
            if begin < 0:
                at = len(data)
                break
            ends = data.find(b'"', begin + 1, begin + SHORTEST) >= 0
            if not ends and len(data) - begin < SHORTEST:
                at = begin  # it may yet become long
                break
            start = None if ends else _START.match(data, begin)
            if start is None:
                self._in_string = True
                at = begin + 1
                continue
            self.rest += data[:begin]
            file, address = self._new_file()
            self._photograph = _Photograph(file, address, self._most)
            return data[start.end() :]
        self.rest += data[:at]
        self._waiting = data[at:]
        return b""

    def _feed_photograph(self, data: bytes) -> bytes:
        photograph = self._photograph
        assert photograph is not None  # noqa: S101  asked by the caller
        end = data.find(b'"')
        photograph.feed(data if end < 0 else data[:end])
        if end < 0:
            return b""
        self.rest += photograph.ended()
        self._photograph = None
        return data[end + 1 :]


class _Photograph:
    """One string of base64 on its way into a file."""

    def __init__(self, file: BinaryIO, address: str, most: int) -> None:
        self.file = file
        self._address = address
        self._left = most + 1
        self._undecoded = b""
        self._sound = True

    def feed(self, text: bytes) -> None:
        text = self._undecoded + text.replace(b"\\", b"").translate(None, _SPACE)  # some writers escape each slash
        decodable = len(text) - len(text) % 4
        self._undecoded = text[decodable:]
        self._write(text[:decodable])

    def ended(self) -> bytes:
        """What stands for the photograph in the text."""
        self._write(self._undecoded + b"=" * (-len(self._undecoded) % 4))
        self.file.close()
        return b'"' + self._address.encode() + b'"' if self._sound else BROKEN

    def _write(self, text: bytes) -> None:
        if not self._sound or self._left <= 0:
            return
        try:
            data = base64.b64decode(text)[: self._left]
        except binascii.Error:
            self._sound = False
            return
        self.file.write(data)
        self._left -= len(data)

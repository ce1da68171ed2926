"""Data URIs: photographs in a JSON text, extracted into files while the text arrives.

A tool call holds up to twenty-one photographs in one text. Parsing it as a whole would take half a gigabyte, so each
long ``data:...;base64,`` string becomes a file as it arrives, and the URL of the file replaces it in the text.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from typing import BinaryIO

MIN_URI_CHARS = 16_000  # characters; shorter strings stay in the text: twenty-one of them fit into one megabyte
BROKEN = b'"data:,x"'  # replaces a photograph that cannot be decoded; the endpoint reports it as damaged

_START = re.compile(rb'"data:[a-zA-Z0-9.+/;=\\_-]{0,100};base64,', re.DOTALL)
_END = re.compile(rb'["\\]')
_SPACE = bytes(range(33))


class DataUriReader:
    """Incremental reader of a JSON text; it stores at most ``most`` + 1 bytes of each photograph, and the other text.

    ``new_file`` returns an open file and the URL that replaces the photograph.
    """

    def __init__(self, new_file: Callable[[], tuple[BinaryIO, str]], most: int) -> None:
        self.rest = bytearray()  # the text without its photographs
        self._new_file = new_file
        self._most = most
        self._in_string = False
        self._photograph: _Photograph | None = None
        self._waiting = b""  # start of a string that may be a photograph

    @property
    def size(self) -> int:
        """The number of bytes held of the text, without its photographs."""
        return len(self.rest) + len(self._waiting)

    def feed(self, data: bytes) -> None:
        """Read the next piece."""
        while data:
            data = self._feed_text(data) if self._photograph is None else self._feed_photograph(data)

    def close(self) -> None:
        """End the text, complete or not, and close any open file."""
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
            ends = data.find(b'"', begin + 1, begin + MIN_URI_CHARS) >= 0
            if not ends and len(data) - begin < MIN_URI_CHARS:
                at = begin  # it may still become long
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
    """One base64 string that is being decoded into a file."""

    def __init__(self, file: BinaryIO, address: str, most: int) -> None:
        self.file = file
        self._address = address
        self._left = most + 1
        self._undecoded = b""
        self._sound = True

    def feed(self, text: bytes) -> None:
        text = self._undecoded + text.replace(b"\\", b"").translate(None, _SPACE)  # some encoders escape each slash
        decodable = len(text) - len(text) % 4
        self._undecoded = text[decodable:]
        self._write(text[:decodable])

    def ended(self) -> bytes:
        """Close the file and return the replacement of the photograph in the text."""
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

from __future__ import annotations

import base64
import io
import json
import random

import pytest

from demo.serving.uploads.data_uris import MIN_URI_CHARS, DataUriReader


class Kept(io.BytesIO):
    """A file whose bytes can be read after it was closed."""

    content = b""

    def close(self) -> None:
        self.content = self.content or self.getvalue()
        super().close()


def taken(data: bytes, sizes: list[int], most: int = 10**7) -> tuple[object, list[bytes]]:
    """Return the rest of a text that arrives in pieces of these sizes, and the photographs that it held."""
    files: list[Kept] = []

    def new_file() -> tuple[Kept, str]:
        files.append(Kept())
        return files[-1], f"address {len(files) - 1}"

    photographs = DataUriReader(new_file, most)
    at = number = 0
    while at < len(data):
        size = sizes[number % len(sizes)]
        photographs.feed(data[at : at + size])
        at, number = at + size, number + 1
    photographs.close()
    assert all(file.closed for file in files)
    return json.loads(photographs.rest), [file.content for file in files]


def uri(picture: bytes) -> str:
    return f"data:image/jpeg;base64,{base64.b64encode(picture).decode()}"


@pytest.mark.parametrize("sizes", [[1 << 18], [4096], [1000, 7, 1], [65_536, 3, 100]])
@pytest.mark.parametrize("slashes", [False, True])
def test_long_data_uris_become_files_wherever_the_text_is_cut(
    sizes: list[int],
    slashes: bool,  # noqa: FBT001  a case
) -> None:
    dice = random.Random(7)
    long, short = dice.randbytes(200_001), dice.randbytes(1000)
    values = {"a": uri(long), 'quoted "\\ data:': 'data:image/jpeg;base64,"', "c": [uri(short), uri(long[::-1])]}
    values["words"] = 'z"😀' * MIN_URI_CHARS
    text = json.dumps({**values, "last": 1})

    rest, files = taken((text.replace("/", "\\/") if slashes else text).encode(), sizes)

    assert rest == {**values, "a": "address 0", "c": [uri(short), "address 1"], "last": 1}
    assert files == [long, long[::-1]]


def test_of_a_photograph_that_is_too_large_one_byte_more_than_allowed_is_kept() -> None:
    _, (file,) = taken(json.dumps(uri(bytes(300_000))).encode(), [65_536], most=100_000)

    assert len(file) == 100_001


def test_what_is_no_base64_is_called_damaged() -> None:
    rest, _ = taken(json.dumps([f"data:image/png;base64,{'A=' * MIN_URI_CHARS}B"]).encode(), [65_536])

    assert rest == ["data:,x"]


def test_what_is_left_of_a_text_that_ends_too_early_is_known() -> None:
    photographs = DataUriReader(lambda: (Kept(), "address"), 100)
    photographs.feed(b'{"a": "data:image')

    assert photographs.size == len(b'{"a": "data:image')

"""Measured photographs of a search, and how long they are kept."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from PIL import Image

from fmp_models.inference.retrievers import PhotographCache, SeenPhotograph, file_key
from fmp_models.preprocessing import Photograph

KEYS = [file_key(bytes([number])) for number in range(40)]


def seen(side: int = 10) -> SeenPhotograph:
    return SeenPhotograph(Photograph(Image.new("RGB", (side, side))), None, "no_person")


def emptied(cache: PhotographCache, within: float = 10.0) -> bool:
    end = time.monotonic() + within
    while len(cache) and time.monotonic() < end:
        time.sleep(0.01)
    return not len(cache)


def test_only_the_same_bytes_and_the_same_person_find_a_photograph() -> None:
    cache, measured = PhotographCache(), seen()
    cache.put(file_key(b"a file", (0.5, 0.5)), measured)

    assert cache.get(file_key(b"a file", (0.5, 0.5))) is measured
    assert cache.get(file_key(b"a file", (0.2, 0.5))) is None
    assert cache.get(file_key(b"a file")) is None
    assert cache.get(file_key(b"a file.", (0.5, 0.5))) is None


def test_what_was_used_longest_ago_makes_room() -> None:
    cache = PhotographCache(max_photographs=2)
    cache.put(KEYS[0], seen())
    cache.put(KEYS[1], seen())
    cache.get(KEYS[0])

    cache.put(KEYS[2], seen())

    assert [cache.get(key) is not None for key in KEYS[:3]] == [True, False, True]


def test_large_photographs_make_room_for_one_another() -> None:
    cache = PhotographCache(max_pixels=250)
    for key in KEYS[:3]:
        cache.put(key, seen(10))
    cache.put(KEYS[2], seen(11))

    assert [cache.get(key) is not None for key in KEYS[:3]] == [False, True, True]
    cache.put(KEYS[3], seen(20))
    assert len(cache) == 0


def test_photographs_leave_the_memory_though_nobody_asks_again() -> None:
    cache = PhotographCache(seconds=0.05)
    cache.put(KEYS[0], seen())
    cache.put(KEYS[1], seen())

    assert emptied(cache)
    cache.put(KEYS[0], seen())
    assert emptied(cache)


def test_a_photograph_that_expired_is_not_found() -> None:
    cache = PhotographCache(seconds=0.0)
    cache.put(KEYS[0], seen())

    assert cache.get(KEYS[0]) is None


@pytest.mark.parametrize("most", [1, 7])
def test_threads_share_it(most: int) -> None:
    cache, measured = PhotographCache(max_photographs=most, seconds=0.2), {key: seen() for key in KEYS}

    def use(number: int) -> bool:
        key = KEYS[number % len(KEYS)]
        cache.put(key, measured[key])
        found = cache.get(key)
        return found is None or found is measured[key]

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(use, range(2000)))
    assert len(cache) <= most
    assert emptied(cache)

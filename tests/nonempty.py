"""A guard for assertions inside loops, which check nothing when there is nothing to loop over."""

from collections.abc import Iterable
from typing import TypeVar

Item = TypeVar("Item")


def nonempty(items: Iterable[Item]) -> list[Item]:
    """Return the items as a list; raise AssertionError if there are none."""
    found = list(items)
    assert found, "the loop checks nothing"
    return found

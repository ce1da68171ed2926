"""The order of words where verbs come last, tags -> tags: "झुको आगे" is read as "आगे झुको"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fmp_models.languages.tags.tagging import AND, Tag

_SAYS_MORE = frozenset({"directions", "relations", "degrees", "states"})
_NAMES = frozenset({"parts", "sides", "possessives", "fillers", "landmark_after"})


def with_verbs_last(tags: list[Tag]) -> list[Tag]:
    """The tags, each verb that is said before what belongs to it behind that."""
    return [tag for segment in _segments(tags) for tag in _ordered(segment)]


def _segments(tags: Sequence[Tag]) -> Iterator[list[Tag]]:
    """What may belong to one verb each, and what stands between."""
    segment: list[Tag] = []
    for tag in tags:
        if tag.kind in {"break", "stops"} or tag.text in AND:
            yield segment
            yield [tag]
            segment = []
        else:
            segment.append(tag)
    yield segment


def _ordered(segment: list[Tag]) -> list[Tag]:
    """A segment of one verb, with its helpers, behind all that says where the part or whoever acts goes."""
    verbs = [i for i, tag in enumerate(segment) if tag.kind == "actions"]
    if not verbs or verbs[-1] - verbs[0] != len(verbs) - 1:
        return segment
    head, verb, tail = segment[: verbs[0]], segment[verbs[0] : verbs[-1] + 1], segment[verbs[-1] + 1 :]
    kinds = {tag.kind for tag in tail}
    says_more = any(tag.kind in _SAYS_MORE - {"degrees"} for tag in head)
    names_part = any(tag.kind == "parts" for tag in head)
    if (
        not tail
        or says_more
        or not kinds <= (_SAYS_MORE if names_part else _SAYS_MORE | _NAMES)
        or kinds <= {"degrees"}
    ):
        return segment
    return [*head, *tail, *verb]

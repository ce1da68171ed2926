"""Word order for languages with the verb last, tags -> tags: reads "झुको आगे" as "आगे झुको"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fmp_models.languages.tags.tagging import AND, Tag

_SAYS_MORE = frozenset({"directions", "relations", "degrees", "states"})
_NAMES = frozenset({"parts", "sides", "possessives", "fillers", "landmark_after"})


def with_verbs_last(tags: list[Tag]) -> list[Tag]:
    """Return the tags with each verb moved behind the words that belong to it."""
    return [tag for segment in _segments(tags) for tag in _ordered(segment)]


def _segments(tags: Sequence[Tag]) -> Iterator[list[Tag]]:
    """Yield the runs of tags that can belong to one verb, and the separators between them."""
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
    """Return the segment with its verb and helper verbs moved behind the words for place and direction."""
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

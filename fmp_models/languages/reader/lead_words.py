"""Lead words between sentences ("first", "then", "finally"), removed where they no longer fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fmp_models.languages.grammar import Grammar


def in_order(sentences: Sequence[str], words: Grammar, *, ends: bool = True) -> Iterator[str]:
    """Yield the sentences without lead words that do not fit their position.

    A "first" word fits the first of several sentences, a "next" word any later one, a "last" word the last of
    several. If ``ends`` is false, more sentences follow.
    """
    last = len(sentences) - 1
    for place, text in enumerate(sentences):
        belongs = {
            "first": place == 0 and (last > 0 or not ends),
            "next": place > 0,
            "last": 0 < place == last and ends,
        }
        wrong = [lead for kind, fits in belongs.items() if not fits for lead in words.scene.leads[kind] if lead]
        yield _without(text, wrong, words)


def _without(text: str, leads: Sequence[str], words: Grammar) -> str:
    for lead in sorted(leads, key=len, reverse=True):
        text_after = text[len(lead) :]
        if text.lower().startswith(lead) and text_after and text_after.split()[0] not in words.scene.no_lead_before:
            return text_after[:1].upper() + text_after[1:]
    return text

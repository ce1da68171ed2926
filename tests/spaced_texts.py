"""Texts with odd white space between their words, in both scripts, for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

ODD_SPACE = st.sampled_from([" ", "  ", "\n", "\t", " \n ", " ", " ", "", "　", "\x1c"])
ENGLISH = st.sampled_from(["raise", "your", "left", "arm", "arm.", "a", "little"])
HINDI = st.sampled_from(["अपना", "बायाँ", "हाथ", "ऊपर", "उठाएँ।", "थोड़ा", "थोड़ा"])
SPACED = st.lists(st.tuples(ODD_SPACE, st.one_of(ENGLISH, HINDI)), max_size=30).map(
    lambda pieces: "".join(space + word for space, word in pieces)
)

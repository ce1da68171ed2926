"""Tokenisers, as the released evaluation uses them before BLEU, CIDEr, METEOR and ROUGE-L."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from fmp_models.languages.scripts import canonical
from fmp_models.metrics.ngram.java import PTB_JAR, run_jar

Tokeniser = Literal["ptb", "regex"]

# The released list. It also has brackets such as -LRB-, which never match, because tokens are lower-cased first.
_DROPPED = frozenset(["''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"])

# Characters of words besides letters and digits: accents, and the vowel signs and nasals of Devanagari.
_SIGNS = "\u0300-\u036f\u0900-\u0903\u093c\u093e-\u094e\u0951-\u0955\u0962\u0963"

# The order of the alternatives emulates the longest match of the Stanford lexer.
_TOKEN = re.compile(
    rf"""
    (?: [^\W\d_](?:\.[^\W\d_])*+ | ave | dept | dr | etc | ft | mrs? | ms | mt | st | vs )  # t.v. keeps its last stop
        \.(?![\w{_SIGNS}])
  | [a-z\d]+(?:-[a-z]+){{0,2}}(?:/[a-z\d]+(?:-[a-z]+){{0,2}}){{1,2}}                 # left/right
  | [^\W_](?:[^\W_]|[.,]){{0,100}}(?:[-_][^\W_]+)+                                   # mid-section, but एक-द ूसरे
  | can(?=not\b) | gon(?=na\b) | got(?=ta\b) | wan(?=na\b) | lem(?=me\b) | gim(?=me\b)
  | [^\W\d_]*?[^\W\d_n](?=n['’]t) | n['’]t(?!\w) | ['’](?:s|m|d|re|ve|ll)(?!\w)      # do n't, it 's
  | [dol]['’][^\W_]+                                                                 # o'clock
  | [-+]?\d*(?:[.,:]\d+)+ | [-+]\d+ | \d[^\W_]*                                      # -1.5, 1pm
  | [\w{_SIGNS}]+(?:[.!?](?!\d)[\w{_SIGNS}]+)*(?:\.(?=[,;:]))?                       # floor.the
  | [!?]+ | \.\.+
  | [^\s\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U00010000-\U0010ffff]
    """,
    re.VERBOSE,
)

# Typographic marks that the lexer maps to dropped tokens, and brackets as it writes them.
_MARKS = frozenset('"“”‘–—…')
_BRACKETS = dict(zip("()[]{}", ["-lrb-", "-rrb-", "-lsb-", "-rsb-", "-lcb-", "-rcb-"], strict=True))


def tokenise(texts: Sequence[str], tokeniser: Tokeniser) -> list[list[str]]:
    """Return the lower-cased tokens of each text, without most punctuation; the danda is kept.

    ``ptb`` is the tokeniser of the released scripts (pycocoevalcap's PTBTokenizer, Stanford CoreNLP 3.4.1); Java
    starts once for all texts; raises ``JavaFailedError`` if it fails. ``regex`` needs no Java and gives the same
    tokens for all 1,686 published descriptions of val-seen in each language. Texts are made ``canonical`` first,
    which changes no token of these; joiners stay and split words as in the released scripts. ``regex`` differs for a
    full stop after an abbreviation where a sentence ends ("2 m. The": m), rarer abbreviations ("fig. 3"), fractions
    after a space ("1 1/2"), web addresses, mentions and mark-up, currency signs, and contractions at the start
    ("'tis").
    """
    texts = [canonical(text, joiners=True) for text in texts]
    if tokeniser == "regex":
        return [_by_regex(text) for text in texts]
    if not texts:
        return []
    lines = run_jar(
        PTB_JAR,
        ["edu.stanford.nlp.process.PTBTokenizer", "-preserveLines", "-lowerCase", "-encoding", "UTF-8"],
        texts,
    )
    return [[token for token in line.split(" ") if token and token not in _DROPPED] for line in lines]


def _by_regex(text: str) -> list[str]:
    kept_tokens = (token.replace("’", "'") for token in _TOKEN.findall(text.lower()) if token not in _MARKS)
    return [
        _BRACKETS.get(token, token) for token in kept_tokens if token not in _DROPPED and not token.startswith("..")
    ]

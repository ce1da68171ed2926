"""What people at home and trainers ask for in spoken Hindi, in both scripts. Run with ``-s`` for the figures.

``spoken_imperatives.json`` has sixty phrases with the clauses they mean, in the words of ``tests.asked_clauses``. All
were written before the tables of the reader were read, and the ``held`` half was used for the figure alone.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fmp_models.languages.language_data import grammar
from fmp_models.languages.reader import read_plan
from tests.asked_clauses import Tally
from tests.fmp_models.languages.test_everyday_instructions import as_typed

_PHRASES = json.loads(Path(__file__).with_name("spoken_imperatives.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("script", "half", "bounds"),  # least right, least found
    [
        ("latin", "worked_on", (0.93, 0.93)),
        ("latin", "held", (1.0, 0.93)),
        ("devanagari", "worked_on", (1.0, 1.0)),
        ("devanagari", "held", (1.0, 1.0)),
    ],
)
def test_spoken_imperatives_are_read_as_meant(script: str, half: str, bounds: tuple[float, float]) -> None:
    phrases = _PHRASES[script][half]

    tally = Tally.of([(as_typed(text, "hi"), meant) for text, meant in phrases.items()])

    print(f"\n{script}, {half} half of {len(phrases)} phrases: {tally}")  # noqa: T201 - the figures
    assert tally.precision >= bounds[0]
    assert tally.recall >= bounds[1]
    assert tally.opposite == 0


# What is said around a verb, and its stem, in Devanagari and in Latin letters.
_AFTER_CONSONANT = {
    "बायां घुटना {}": ("मोड़", "baayaan ghutna {}", "mod"),
    "आगे {}": ("झुक", "aage {}", "jhuk"),
    "बाईं ओर {}": ("मुड़", "baayin or {}", "mud"),
    "दाईं ओर {}": ("घूम", "daayi or {}", "ghoom"),
    "बायां हाथ ऊपर {}": ("कर", "baaya haath oopar {}", "kar"),
    "हाथ नीचे {}": ("रख", "haath neeche {}", "rakh"),
    "दोनों पैर {}": ("खोल", "dono pair {}", "khol"),
    "थोड़ा और नीचे {}": ("बैठ", "thoda aur niche {}", "baith"),
    "एक कदम पीछे {}": ("हट", "ek kadam piche {}", "hat"),
    "पीठ के बल {}": ("लेट", "peeth ke bal {}", "let"),
    "ऊपर {}": ("उठ", "upar {}", "uth"),
}
_AFTER_VOWEL = {
    "बायां हाथ ऊपर {}": ("उठा", "baayan hath uper {}", "utha"),
    "कूल्हे नीचे {}": ("ला", "kulhe neeche {}", "laa"),
    "बायां पैर पीछे ले {}": ("जा", "baayan pair peeche le {}", "ja"),
    "हाथ नीचे ले {}": ("आ", "haath neeche le {}", "aa"),
    "सिर आगे {}": ("झुका", "sir aage {}", "jhukaa"),
    "दोनों पैर {}": ("फैला", "dono pair {}", "phaila"),
    "शरीर बाईं ओर {}": ("घुमा", "sharir baayi or {}", "ghuma"),
    "सीधे हो {}": ("जा", "seedhe ho {}", "jaa"),
}
_ENDINGS = {
    "consonant": (
        ["ें", "ो", "िए", "िये", "ीए", "िएगा", "ियेगा", "ियो", "ना"],
        ["en", "o", "e", "ein", "iye", "ie", "iyega", "iega", "iyo", "na"],
    ),
    "vowel": (
        ["एं", "ओ", "एँ", "यें", "इए", "इये", "ईए", "इएगा", "इयेगा", "इयो", "ना"],
        ["en", "o", "e", "ye", "yen", "ein", "iye", "ie", "yiye", "iyega", "iega", "iyo", "na"],
    ),
}


@pytest.mark.parametrize("ends_in", _ENDINGS)
def test_every_ending_that_asks_is_read_alike_in_both_scripts(ends_in: str) -> None:
    own, latin = _ENDINGS[ends_in]
    read = {}
    for frame, (stem, latin_frame, latin_stem) in (_AFTER_VOWEL if ends_in == "vowel" else _AFTER_CONSONANT).items():
        phrases = [frame.format(stem + ending) for ending in own] + [f"{frame.format(stem + own[1])} ना"]
        phrases += [latin_frame.format(latin_stem + ending) for ending in latin]
        phrases.append(f"{latin_frame.format(latin_stem + latin[1])} na")
        read |= {phrase: (as_typed(phrase, "hi"), as_typed(phrases[0], "hi")) for phrase in phrases}

    assert all(meant for _, meant in read.values())
    assert [phrase for phrase, (plan, meant) in read.items() if plan != meant] == []


@pytest.mark.parametrize(
    "phrase",
    [
        *["करें", "करो", "करना", "कीजिए", "कीजिये", "किजिए", "कीजिएगा", "करिए", "करियेगा"],
        *("कर दें", "कर दो", "कर देना", "कर दीजिए", "कर दिजिये", "कर दीजिएगा", "कर दो ना"),
        *("कर लें", "कर लो", "कर लेना", "कर लीजिए", "कर लिजिए", "कर लीजियेगा"),
    ],
)
def test_irregular_verbs_ask_the_same(phrase: str) -> None:
    assert read_plan(f"बाईं कोहनी सीधी {phrase}", grammar("hi")) == read_plan("बाईं कोहनी सीधी करें", grammar("hi"))


@pytest.mark.parametrize(
    "phrase",
    [
        *["karo", "kare", "karein", "krein", "kro", "karna", "kijiye", "keejiye", "kijiyega", "kariye"],
        *(
            "kar do",
            "kr dena",
            "kar dijiye",
            "kar deejiyega",
            "kar dein",
            "kar lo",
            "kar lein",
            "kar lijiye",
            "kar lena",
        ),
    ],
)
def test_so_they_do_in_latin_letters(phrase: str) -> None:
    assert as_typed(f"baayin kohni seedhi {phrase}", "hi") == read_plan("बाईं कोहनी सीधी करें", grammar("hi"))


@pytest.mark.parametrize(
    ("phrase", "plain"),
    [
        ("haath zor se upar uthao", "haath upar uthao"),
        ("daya haath zor se peeche khincho", "daya haath peeche khincho"),
        ("apne pair zor se aage rakho", "apne pair aage rakho"),
        ("बैठना मना है", "यह मना है"),
        ("बैठना आसान है", "यह आसान है"),
        ("पीछे मुड़ना मत", "मत"),
        ("अपने हाथ दीये के पास रखें", "अपने हाथ लैंप के पास रखें"),
    ],
)
def test_what_only_looks_like_a_request_adds_none(phrase: str, plain: str) -> None:
    assert as_typed(phrase, "hi") == as_typed(plain, "hi")

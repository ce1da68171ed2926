from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycocoevalcap.tokenizer import ptbtokenizer

from fmp_models.metrics.ngram import java, tokens
from fmp_models.metrics.ngram.tokens import Tokeniser, tokenise
from tests.java import needs_java

each_tokeniser = pytest.mark.parametrize("tokeniser", ["regex", pytest.param("ptb", marks=needs_java)])

TOKENS = {
    "Raise your left arm.": "raise your left arm",
    "turn right, then: stop! (or not?)": "turn right then stop -lrb- or not -rrb-",
    "[a] {b}": "-lsb- a -rsb- -lcb- b -rcb-",
    "“so” ‘so’ \"so\" 'so' `so`": "so so so so so",
    "up – down — left … right -- up ... down .. a": "up down left right up down a",
    "what?! no!!": "what ?! no !!",
    "it's don't you’re I'd've can't": "it 's do n't you 're i 'd 've ca n't",
    "cannot gonna cannots": "can not gon na cannots",
    "at 2 o'clock": "at 2 o'clock",
    "1.5 feet 1,000 10:30am -45 1pm 90° 45%": "1.5 feet 1,000 10:30 am -45 1pm 90 ° 45 %",
    "the floor.the chair": "the floor.the chair",
    "near the t.v. and the t.v.and the t.v": "near the t.v. and the t.v.and the t.v",
    "go to v.": "go to v.",
    "etc. dr. arm.": "etc. dr. arm",
    "the ground., then": "the ground. then",
    "mid-section un-crouching right- -left a--b 90-degree": "mid-section un-crouching right left a b 90-degree",
    "left/right and/or/not a / b & c": "left/right and/or/not a / b & c",
    "a|||b": "a | | | b",
    "naïve café": "naïve café",
    "हाथ ऊपर।नीचे, सिर।": "हाथ ऊपर । नीचे सिर ।",
    "दाएं-बाएं धीरे-धीरे": "दाएं बाएं धीरे धीरे",
    "एक-दूसरे आर-पार अलग-अलग": "एक-द ूसरे आर-प ार अलग-अलग",
    "90-डिग्री १.५": "90-ड िग्री १.५",
    "वह/ताकि": "वह / ताकि",
    "क्\u200dया\u200b है": "क् या है",
    "🙂 a😀b": "a b",
    "*NL* *nl*": "* nl * * nl *",
    "": "",
    " \t ": "",
    "...": "",
}

HOSTILE = [
    *(
        "a\nb",
        "a\r\nb\r",
        "a\x0bb\x0c",
        "a\x85b",
        "a\u2028b\u2029",
        "\n\n\n",
        "a\x00b",
        "\x00",
        "\x1c\x1d\x1e",
        "\ufeff",
    ),
    *(
        "",
        " ",
        "|||",
        "a ||| b",
        "🙂",
        "👩‍👩‍👧",
        "\ud83d",
        "<a href='x'>",
        "<b",
        "&nbsp;",
        "*NL*",
        "\\n",
        "\\",
        "http://a.b/",
    ),
    *(
        "v",
        "v.",
        "e.g.",
        "Mr.",
        "St",
        "etc.",
        "1 1/2",
        "(555) 123 4567",
        "''",
        "``",
        "-LRB-",
        "---",
        "�",
        "\u202e",
        "\u00a0",
    ),
    *("a" * 100_000, "का" * 50_000, "a " * 50_000, "1" * 100_000, "a-" * 50_000, "!" * 100_000),
]


@each_tokeniser
def test_texts_of_every_kind(tokeniser: Tokeniser) -> None:
    tokens_of_text = dict(zip(TOKENS, tokenise(list(TOKENS), tokeniser), strict=True))
    assert tokens_of_text == {text: words.split() for text, words in TOKENS.items()}


@each_tokeniser
def test_no_text_shifts_those_after_it(tokeniser: Tokeniser) -> None:
    texts = [text for i, hostile in enumerate(HOSTILE) for text in (hostile, f"between {i} Words")]
    assert tokenise(texts, tokeniser)[1::2] == [["between", str(i), "words"] for i in range(len(HOSTILE))]


@each_tokeniser
def test_no_texts_have_no_tokens(tokeniser: Tokeniser) -> None:
    assert tokenise([], tokeniser) == []


@given(st.text())
def test_tokens_without_java_are_lower_case_words_without_spaces(text: str) -> None:
    (text_tokens,) = tokenise([text], "regex")
    assert all(token and token == token.lower() and len(token.split()) == 1 for token in text_tokens)
    assert not tokens._DROPPED.intersection(text_tokens)


@given(st.text(st.sampled_from("aàक1ा.,:-_/'’ n"), max_size=300))
def test_letters_and_digits_all_stay(text: str) -> None:
    (text_tokens,) = tokenise([text], "regex")
    kept = [letter for letter in text if letter.isalnum()]
    assert [letter for letter in "".join(text_tokens) if letter.isalnum()] == kept


# Some of these take minutes where the expression may go back without bound.
@pytest.mark.parametrize("piece", ["a,", "1.", "a.", "n't", "d'", "1,1:", "a/", "क-", "can"])
def test_a_long_text_without_spaces_is_read(piece: str) -> None:
    (text_tokens,) = tokenise([piece * 30_000 + "।"], "regex")
    assert text_tokens[-1] == "।"


def descriptions(oracle: dict[str, Any]) -> list[str]:
    return [text for one in oracle["instances"].values() for text in (one["prediction"], *one["references"])]


@needs_java
def test_descriptions_have_the_tokens_of_pycocoevalcap(
    oracle: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It writes a file beside itself, so it is told that it lies elsewhere.
    monkeypatch.setattr(ptbtokenizer, "STANFORD_CORENLP_3_4_1_JAR", str(java.path_of(java.PTB_JAR)))
    monkeypatch.setattr(ptbtokenizer, "__file__", str(tmp_path / "ptbtokenizer.py"))
    texts = descriptions(oracle)
    released = ptbtokenizer.PTBTokenizer().tokenize({i: [{"caption": text}] for i, text in enumerate(texts)})
    assert len(texts) == 1686
    assert tokenise(texts, "ptb") == [released[i][0].split() for i in range(len(texts))]


@needs_java
def test_descriptions_have_the_same_tokens_without_java(oracle: dict[str, Any]) -> None:
    texts = descriptions(oracle)
    assert tokenise(texts, "regex") == tokenise(texts, "ptb")


@needs_java
def test_the_locale_of_the_machine_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Dfile.encoding=ISO-8859-1 -Duser.language=tr -Duser.country=TR")
    assert tokenise(["LIFT दाएँ हाथ।"], "ptb") == [["lift", "दाएँ", "हाथ", "।"]]

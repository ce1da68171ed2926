from __future__ import annotations

import re
import string
import tomllib

import pytest

from annotate.kinds.registry import TASK_KINDS
from demo.examples.catalogue import EXAMPLES
from demo.i18n import (
    ROOMS,
    asked_language,
    element,
    error_text,
    i18n,
    interface_texts,
    joined,
    languages,
    lent_text,
    text,
)
from fmp_models.errors import SENTENCES, BadInputError
from tests.nonempty import nonempty

DEVANAGARI = re.compile(r"[\u0900-\u097f]")
# Names, and places alone, that read the same in every language.
SAME_EVERYWHERE = {"confidence.word"}
# An example of what to write in Hindi, whatever the page's language.
IN_HINDI = {"write.placeholder_hi"}


def places(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


def test_every_language_has_the_same_keys_and_places() -> None:
    english, hindi = interface_texts()["en"], interface_texts()["hi"]

    assert english.keys() == hindi.keys()
    assert {key: places(value) for key, value in english.items()} == {
        key: places(value) for key, value in hindi.items()
    }


def test_every_text_is_written_in_its_language() -> None:
    hindi = nonempty(interface_texts()["hi"].items())
    latin = {key for key, value in hindi if not DEVANAGARI.search(value) and not key.startswith("language.")}
    assert latin <= SAME_EVERYWHERE
    for key, value in nonempty(interface_texts()["en"].items()):
        assert key in IN_HINDI or not DEVANAGARI.search(value), key
        assert value.strip() == value != "", key


@pytest.mark.parametrize("code", sorted(SENTENCES))
def test_every_refusal_has_a_sentence_with_the_same_places(code: str) -> None:
    for language in nonempty(languages()):
        assert places(interface_texts()[language][f"errors.{code}"]) == places(SENTENCES[code])


def test_no_refusal_is_translated_that_does_not_exist() -> None:
    assert {key.removeprefix("errors.") for key in interface_texts()["en"] if key.startswith("errors.")} == set(
        SENTENCES
    )


def test_every_key_is_used_by_the_page() -> None:
    sources = [
        path.read_text(encoding="utf-8")
        for room in ROOMS
        for kind in ("*.py", "page/*.js", "templates/*.html")
        for path in room.rglob(kind)
    ]
    code = "\n".join(sources)
    # Families whose last part is filled in from data: errors.{code}, parts.{part} and the like.
    families = (
        *("language.", "errors.", "which.", "parts.", "tabs.", "captions.", "scenes.", "confidence.", "agrees."),
        *("leave_out.", "links.", "milliseconds.", "models.", "margin.", "lacking.", "poses.", "breath."),
        *("work.", "flags.", "checks.", "skips.", "refused.", "shots.", "vote.relevant", "vote.fluent"),
        # said by the report at the command line
        *("languages.", "report.", "results.note_", "fooled.", "ended.", "guide.", "questions."),
        *re.findall(r'"(\w+\.\w+_)(?:" ~ (?!which)|\{(?!which))', code),
    )
    actions = {"choose", "camera", "paste", "change", "remove", "turn", "mirror"} & set(
        re.findall(r'named\("(\w+)"', code)
    )
    stems = {*re.findall(r'"(\w+\.\w*)" ~ which', code), *re.findall(r"`(\w+\.\w+_)\$\{which\}", code)}
    stems |= set(re.findall(r'"(\w+\.\w+_)\{which\}', code))
    filled = {f"{stem}{which}" for stem in stems for which in ("current", "target")}
    filled |= {f"form.{action}{ending}" for action in actions for ending in ("", "_current", "_target")}
    filled |= {f"form.{which}_hint" for which in ("current", "target")}
    filled |= {f"{form.name}.heading" for form in TASK_KINDS.values()}

    unused = [
        key
        for key in interface_texts()["en"]
        if not key.startswith(families) and key not in filled and f'"{key}"' not in code
    ]
    assert unused == []


def test_a_refusal_names_the_photograph_in_each_language() -> None:
    sentences = error_text(BadInputError("no_person", which="target")).by_language

    assert "“Your goal” photograph" in sentences["en"]
    assert "“आपका लक्ष्य” वाली फ़ोटो" in sentences["hi"]


def test_texts_nest_language_by_language() -> None:
    both = joined([text("parts.head"), text("figures.centimetres", distance=3)])

    assert both.by_language == {"en": "head, 3 cm", "hi": "सिर, 3 सेमी"}


def test_a_text_from_elsewhere_is_lent_where_it_is_not_translated() -> None:
    assert lent_text({"en": "Small", "hi": "छोटा"}).by_language == {"en": "Small", "hi": "छोटा"}
    assert lent_text({"hi": "छोटा"}).by_language == {"en": "छोटा", "hi": "छोटा"}


def test_no_key_stands_in_two_rooms() -> None:
    for language in nonempty(languages()):
        kept = [
            f"{section}.{key}"
            for room in ROOMS
            for file in (room / "copy").glob(f"{language}.toml")
            for section, texts in tomllib.loads(file.read_text("utf-8")).items()
            for key in texts
        ]
        assert len(kept) == len(set(kept)) == len(interface_texts()[language])


def test_markup_escapes_what_it_is_given() -> None:
    markup = (
        element("p", "form.no_preview", name='<img src="x">') + f"<img {i18n(alt=text('form.no_preview', name='<b>'))}>"
    )

    assert "<img src=" not in markup
    assert "<b>" not in markup


def test_every_example_has_a_caption_and_no_caption_lacks_its_example() -> None:
    captions = [key.removeprefix("captions.") for key in interface_texts()["en"] if key.startswith("captions.")]

    assert captions == [pair.name for pair in EXAMPLES]


def test_every_example_picture_is_described() -> None:
    scenes = [key.removeprefix("scenes.") for key in interface_texts()["en"] if key.startswith("scenes.")]

    assert scenes == [f"{pair.name}_{which}" for pair in EXAMPLES for which in ("current", "target")]


@pytest.mark.parametrize(
    ("given", "accepted", "language"),
    [
        (("hi",), "", "hi"),
        (("en", "हाथ उठाएं"), "hi", "en"),
        ((None, "हाथ उठाएं"), "en", "hi"),
        (("dahina haath upar uthao",), "", "hi"),
        (("Raise your arms",), "", "en"),
        (("fr", 7, ["hi"]), "", "en"),
        ((), "hi-IN,hi;q=0.9,en;q=0.8", "hi"),
        ((), "en;q=0.2, hi ; q=0.9", "hi"),
        ((), "fr, hi;q=0, en;q=0.1", "en"),
        ((), "*;q=abc,,;;", "en"),
        (("क" * 100_000,), "", "en"),
    ],
)
def test_a_refusal_comes_in_the_language_that_was_asked_for(
    given: tuple[object, ...], accepted: str, language: str
) -> None:
    assert asked_language(*given, accepted=accepted) == language

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

from demo.examples import EXAMPLES
from demo.interface_texts import error_text, interface_texts, joined, languages, text
from demo.markup import element, i18n
from fmp_models.errors import SENTENCES, BadInputError

ROOT = Path(__file__).resolve().parents[2]
DEVANAGARI = re.compile(r"[\u0900-\u097f]")
# Names, and places alone, that read the same in every language.
SAME_EVERYWHERE = {"confidence.word"}


def places(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


def test_every_language_has_the_same_keys_and_places() -> None:
    english, hindi = interface_texts()["en"], interface_texts()["hi"]

    assert english.keys() == hindi.keys()
    assert {key: places(value) for key, value in english.items()} == {
        key: places(value) for key, value in hindi.items()
    }


def test_every_text_is_written_in_its_language() -> None:
    for key, value in interface_texts()["hi"].items():
        if key not in SAME_EVERYWHERE and not key.startswith("language."):
            assert DEVANAGARI.search(value), key
    for key, value in interface_texts()["en"].items():
        assert not DEVANAGARI.search(value), key
        assert value.strip() == value != "", key


@pytest.mark.parametrize("code", sorted(SENTENCES))
def test_every_refusal_has_a_sentence_with_the_same_places(code: str) -> None:
    for language in languages():
        assert places(interface_texts()[language][f"errors.{code}"]) == places(SENTENCES[code])


def test_no_refusal_is_translated_that_does_not_exist() -> None:
    assert {key.removeprefix("errors.") for key in interface_texts()["en"] if key.startswith("errors.")} == set(
        SENTENCES
    )


def test_every_key_is_used_by_the_page() -> None:
    sources = [
        path.read_text(encoding="utf-8")
        for kind in ("*.py", "page/*.js", "templates/*.html")
        for path in (ROOT / "demo").glob(kind)
    ]
    code = "\n".join(sources)
    # Families whose last part is filled in from data: errors.{code}, parts.{part} and the like.
    families = (
        *("language.", "errors.", "which.", "parts.", "tabs.", "captions.", "scenes.", "confidence.", "agrees."),
        *("milliseconds.", "source.model_", "models.", "margin."),
    )
    actions = {"choose", "camera", "paste", "change", "remove"} & set(re.findall(r'named\("(\w+)"', code))
    stems = {*re.findall(r'"(\w+\.\w*)" ~ which', code), *re.findall(r"`(\w+\.\w+_)\$\{which\}", code)}
    stems |= set(re.findall(r'"(\w+\.\w+_)\{which\}', code))
    filled = {f"{stem}{which}" for stem in stems for which in ("current", "target")}
    filled |= {f"form.{action}{ending}" for action in actions for ending in ("", "_current", "_target")}
    filled |= {f"form.{which}_hint" for which in ("current", "target")}

    unused = [
        key
        for key in interface_texts()["en"]
        if not key.startswith(families) and key not in filled and f'"{key}"' not in code
    ]
    assert unused == []


def test_a_refusal_names_the_photograph_in_each_language() -> None:
    said = error_text(BadInputError("no_person", which="target")).by_language

    assert "“Your goal” photograph" in said["en"]
    assert "“आपका लक्ष्य” वाली फ़ोटो" in said["hi"]


def test_texts_nest_language_by_language() -> None:
    both = joined([text("parts.head"), text("figures.centimetres", distance=3)])

    assert both.by_language == {"en": "head, 3 cm", "hi": "सिर, 3 सेमी"}


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

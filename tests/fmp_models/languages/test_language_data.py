"""The linguistic properties of a text, read from its words, and errors in the files of a language."""

import ast
import re
import shutil
from pathlib import Path

import pytest

from fmp_models.describe.descriptions import describe_in_scene
from fmp_models.geometry.content_selection import ElaborationKind
from fmp_models.geometry.landmarks import Landmark
from fmp_models.languages import language_data
from fmp_models.languages.language_data import LANGUAGES, Property, grammar, text_properties
from fmp_models.pose import pose_pair
from tests.bodies import random_pairs
from tests.thoroughness import one_of

EGOCENTRIC, ENVIRONMENTAL, IMPLIED, ANALOGOUS = Property


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        # The first five are examples of the paper's Table 8.
        ("en", "rotate your left shoulder so that your hand is above your elbow", {EGOCENTRIC, IMPLIED}),
        (
            "en",
            "turn your left leg and right leg to the left to face the wall with the door",
            {EGOCENTRIC, ENVIRONMENTAL},
        ),
        ("en", "lean your body towards and slightly over your right leg", {EGOCENTRIC, IMPLIED}),
        (
            "en",
            "extend your right arm straight in front of you as if you are gesturing for someone to stop",
            {EGOCENTRIC, ANALOGOUS},
        ),
        ("en", "turn your head to look to the bed", {EGOCENTRIC, ENVIRONMENTAL}),
        ("en", "raise both arms", set()),
        # The tree of a comparison stands in no room.
        ("en", "Bring your arms forward as if you are hugging the tree.", {EGOCENTRIC, ANALOGOUS}),
        ("en", "Move your left foot back away from the sofa.", {EGOCENTRIC, ENVIRONMENTAL}),
        ("hi", "अपने दाहिने हाथ को सोफ़े की ओर ले जाएं।", {EGOCENTRIC, ENVIRONMENTAL}),
        ("hi", "अपने दाहिने हाथ को सोफे की ओर ले जाएँ", {EGOCENTRIC, ENVIRONMENTAL}),
        ("hi", "अपनी बाईं बांह को उठाएं ताकि आपका हाथ कोहनी से ऊपर हो।", {EGOCENTRIC, IMPLIED}),
        ("hi", "अपने हाथ को आगे लाएं, जैसे आप किसी को रुकने का इशारा कर रहे हों।", {EGOCENTRIC, ANALOGOUS}),
        ("hi", "दोनों हाथों को उठाएं।", set()),
    ],
)
def test_properties_are_read_from_the_words(code: str, text: str, expected: set[Property]) -> None:
    assert text_properties(text, grammar(code)) == expected


@pytest.mark.parametrize("code", LANGUAGES)
def test_an_empty_text_has_none(code: str) -> None:
    assert text_properties("", grammar(code)) == frozenset()


@pytest.mark.parametrize("code", one_of(LANGUAGES, 1))
def test_nearly_everything_that_a_scene_adds_is_found_again(code: str) -> None:
    shown = {
        ElaborationKind.LANDMARK: ENVIRONMENTAL,
        ElaborationKind.IMPLIED: IMPLIED,
        ElaborationKind.ANALOGY: ANALOGOUS,
    }
    room = [Landmark("sofa", (0.0, 0.0, -3.0), 0.4), Landmark("window", (0.0, 0.0, 4.0), 0.4)]
    added = found = 0
    for seed, pair in enumerate(random_pairs(60, 11)):
        placed = pose_pair(pair.current.joints, pair.target.joints)
        said = describe_in_scene(placed, room, seed)[code]
        signs = text_properties(said.text, grammar(code))
        assert EGOCENTRIC in signs
        for kind in {entry.kind for entry in said.elaborations}:
            added += 1
            found += shown[kind] in signs
    assert added > 30
    assert found / added > 0.9


@pytest.mark.parametrize(
    ("line", "instead", "sentence"),
    [
        ('stop = "."\n', "", "en/grammar.toml: stop: Field required"),
        ('stop = "."\n', 'stop = "."\nstopp = ";"\n', "en/grammar.toml: stopp: Unexpected keyword argument"),
        ('stop = "."\n', "stop = 1\n", "en/grammar.toml: stop: Input should be a valid string"),
        ("lets = '(let|allow)$'\n", "lets = '(let'\n", "en/grammar.toml: lets: Input should be a valid regular"),
        ("[read.parts]", "[read.part]", "en/grammar.toml: the key 'parts' is missing"),
        ("[read.parts]", "[read.parts", "en/grammar.toml: Expected"),
        ('negations = ["', 'negations = ["(", "', "en/grammar.toml: missing ."),
    ],
)
def test_a_wrong_key_of_a_language_is_named_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, instead: str, sentence: str
) -> None:
    shutil.copytree(Path(language_data.__file__).parent / "en", tmp_path / "en")
    file = tmp_path / "en" / "grammar.toml"
    text = file.read_text(encoding="utf-8")
    assert line in text
    file.write_text(text.replace(line, instead, 1), encoding="utf-8")
    monkeypatch.setattr(language_data, "_HERE", tmp_path)

    with pytest.raises(ValueError, match=sentence):
        grammar.__wrapped__("en")


ROOT = Path(language_data.__file__).parents[2]
PRODUCT = [path for room in ("annotate", "demo", "fmp_models", "hub_cards") for path in (ROOT / room).rglob("*.py")]
# Marks and spelling variants of scripts, and the tokeniser's pattern with an example in a comment.
OF_SCRIPTS = {
    f"fmp_models/{name}.py"
    for name in ("languages/language_data", "languages/vocabulary", "metrics/word_lists", "metrics/java")
}
OTHERS = {*LANGUAGES} - {"en"}
SUSPECT = re.compile(f"[\u0900-\u097f]|[\"']({'|'.join(sorted(OTHERS))})[\"']")


def test_code_holds_no_words_of_hindi_and_asks_for_no_language_but_english() -> None:
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in PRODUCT}
    code = {name: ast.parse(text) for name, text in texts.items() if SUSPECT.search(text)}

    assert {name for name, tree in code.items() if _words_of_hindi(tree)} == OF_SCRIPTS
    assert [ast.unparse(asked) for tree in code.values() for asked in _asked_languages(tree)] == []


def _words_of_hindi(tree: ast.Module) -> set[str]:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = [ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, documented)]
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return {text for text in texts - {*docstrings} if any("\u0900" <= letter <= "\u097f" for letter in text)}


def _asked_languages(tree: ast.Module) -> list[ast.Compare]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        and any(isinstance(value, ast.Constant) and value.value in OTHERS for value in ast.walk(node))
    ]

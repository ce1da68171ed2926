"""Texts become tokens and texts again; a vocabulary numbers them and survives being saved."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.data.features import FEATURES
from fmp_models.data.folder import SPLITS
from fmp_models.data.sample import sample_rows
from fmp_models.errors import BadInputError
from fmp_models.languages.language_data import LANGUAGES
from fmp_models.languages.vocabulary import (
    BOS,
    EOS,
    PAD,
    SPECIALS,
    UNK,
    Vocabulary,
    text_of,
    tokenise,
    vocabulary_path,
)
from tests.nonempty import nonempty


def sample_texts(code: str) -> list[str]:
    rows = [row for config in FEATURES for split in SPLITS for row in sample_rows(config, split)]
    return [text for row in rows for text in row[f"descriptions_{code}"]]


@pytest.fixture(params=LANGUAGES)
def vocabulary(request: pytest.FixtureRequest) -> Vocabulary:
    return Vocabulary.of(sample_texts(request.param), request.param)


def written(folder: Path, *lines: str, ending: str = "\n") -> Path:
    vocabulary_path(folder, "en").write_text("\n".join(lines) + ending, encoding="utf-8")
    return folder


def test_stops_and_commas_stand_alone_and_words_are_in_lower_case() -> None:
    assert tokenise("Raise it, then don't lean. Half-way!", "en") == [
        "raise",
        "it",
        ",",
        "then",
        "don't",
        "lean",
        ".",
        "half-way",
        "!",
    ]
    assert tokenise("बांह उठाएं, फिर एक-दूसरे के पास।", "hi") == ["बांह", "उठाएं", ",", "फिर", "एक-दूसरे", "के", "पास", "।"]


def test_the_signs_of_devanagari_stay_in_their_word_and_one_spelling_is_one_token() -> None:
    composed, apart = "ज़मीन", "ज़मीन"
    assert tokenise(composed, "hi") == tokenise(apart, "hi") == [apart]


def test_numbers_and_typographic_apostrophes_stay_whole() -> None:
    assert tokenise("It’s 1.5 feet (90 degrees)", "en") == ["it's", "1.5", "feet", "(", "90", "degrees", ")"]


@pytest.mark.parametrize("typed", [".", "।", "|", "..", "। ।", "…."])
def test_a_full_stop_is_the_languages_own_however_it_was_typed(typed: str) -> None:
    assert tokenise(f"सिर उठाएं {typed}", "hi")[-1] == "।"
    assert tokenise(f"सिर उठाएं {typed}", "hi").count("।") == 1


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_text_of_the_sample_comes_back_as_it_was(code: str) -> None:
    for text in nonempty(sample_texts(code)):
        again = text_of(tokenise(text, code), code)
        assert again.lower() == text.lower()
        # Words in capitals, such as the letter T, are all that may change.
        assert [a for a, b in zip(again.split(), text.split(), strict=True) if a != b and len(b) > 1] == []


@given(text=st.text(alphabet=st.sampled_from("aबाएंz é9.,।'’-!?()\"|\n़ँ") | st.characters(), max_size=40))
def test_no_token_of_any_text_is_empty_or_holds_a_space(text: str) -> None:
    for code in nonempty(LANGUAGES):
        assert all(token and not any(letter.isspace() for letter in token) for token in tokenise(text, code))


# Case folds of rare letters change length, and signs may join across tokens; words and stops do neither.
ENGLISH = st.characters(codec="ascii") | st.sampled_from("az 9.,'-!?()\"|\n")
HINDI = st.characters(min_codepoint=0x900, max_codepoint=0x939) | st.sampled_from(" .,।")


@given(text=st.text(ENGLISH, max_size=40) | st.text(HINDI, max_size=40))
def test_tokens_of_a_text_come_back_from_its_readable_form(text: str) -> None:
    for code in nonempty(LANGUAGES):
        found = tokenise(text, code)
        assert tokenise(text_of(found, code), code) == found


def test_a_text_begins_with_a_capital_after_every_stop() -> None:
    assert text_of(["lean", ",", "back", ".", "now", "rest", "!", "good"], "en") == "Lean, back. Now rest! Good"


def test_an_unknown_language_is_refused() -> None:
    for refused in (
        lambda: tokenise("hello", "fr"),
        lambda: text_of(["hello"], "fr"),
        lambda: Vocabulary.of([], "fr"),
        lambda: Vocabulary.load(Path(), "../en"),
    ):
        with pytest.raises(BadInputError, match="one of: en, hi"):
            refused()


def test_words_are_kept_from_the_least_number_of_times_on_and_ordered_by_it() -> None:
    made = Vocabulary.of(["b a c a", "a b", "b. d b"], "en", least=2)
    assert made.words == (*SPECIALS, "b", "a")


def test_texts_are_encoded_between_their_ends_and_decoded_up_to_the_first() -> None:
    made = Vocabulary("en", (*SPECIALS, "lean", "back", "."))
    assert made.encode("Lean back.") == [BOS, 4, 5, 6, EOS]
    assert made.encode("Lean far back.", ends=False) == [4, UNK, 5, 6]
    assert made.decode([BOS, 4, 5, 6, EOS, 4, PAD]) == "Lean back."
    assert made.tokens_of([4, UNK, PAD]) == ["lean", "<unk>"]
    with pytest.raises(IndexError):
        made.decode([7])


@pytest.mark.parametrize(("longest", "expected"), [(4, [BOS, 4, 5, EOS]), (2, [BOS, EOS]), (9, [BOS, 4, 5, 6, EOS])])
def test_a_long_text_is_cut_so_that_its_end_still_fits(longest: int, expected: list[int]) -> None:
    assert Vocabulary("en", (*SPECIALS, "lean", "back", ".")).encode("lean back.", longest=longest) == expected


def test_a_word_spelt_without_nukta_is_understood_as_the_known_one() -> None:
    made = Vocabulary("hi", (*SPECIALS, "ज़मीन", "जमीन"))
    assert made.encode("ज़मीन जमीन", ends=False) == [4, 5]
    assert Vocabulary("hi", (*SPECIALS, "ज़मीन", "पाँव")).encode("जमीन पांव", ends=False) == [4, 5]


def test_the_sample_is_encoded_and_decoded_without_loss_where_every_word_is_kept(vocabulary: Vocabulary) -> None:
    everything = Vocabulary.of(sample_texts(vocabulary.language), vocabulary.language, least=1)
    assert len(everything) > len(vocabulary)
    for text in sample_texts(vocabulary.language):
        assert UNK not in everything.encode(text)
        assert everything.decode(everything.encode(text)).lower() == text.lower()


def test_what_is_saved_is_loaded(vocabulary: Vocabulary, tmp_path: Path) -> None:
    path = vocabulary.save(tmp_path)
    assert path.name == f"vocabulary.{vocabulary.language}.txt"
    assert path.read_text(encoding="utf-8").splitlines() == list(vocabulary.words)
    assert Vocabulary.load(tmp_path, vocabulary.language) == vocabulary


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ((*SPECIALS, "lean", "back", "lean"), "“lean” stands in it twice"),
        (SPECIALS[1:], "does not begin with <pad>"),
        ((), "does not begin"),
        ((*SPECIALS, "lean back"), "“lean back” is not one word"),
        ((*SPECIALS, "Lean"), "“Lean” is not one word"),
        ((*SPECIALS, ""), "is not one word"),
        ((*SPECIALS, "lean\r"), "is not one word"),
    ],
)
def test_a_damaged_file_is_refused_with_its_fault(lines: tuple[str, ...], reason: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=reason) as refused:
        Vocabulary.load(written(tmp_path, *lines), "en")
    assert refused.value.code == "vocabulary_damaged"


def test_a_file_that_ends_too_early_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="its end is missing"):
        Vocabulary.load(written(tmp_path, *SPECIALS, "lean", "ba", ending=""), "en")


def test_a_file_that_is_no_text_or_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be read"):
        Vocabulary.load(tmp_path, "hi")
    vocabulary_path(tmp_path, "hi").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInputError, match="not UTF-8"):
        Vocabulary.load(tmp_path, "hi")


def test_a_file_without_end_is_not_read_to_it(tmp_path: Path) -> None:
    with vocabulary_path(tmp_path, "en").open("wb") as file:
        file.truncate(5_000_000)
    with pytest.raises(BadInputError, match="too long"):
        Vocabulary.load(tmp_path, "en")


@pytest.mark.parametrize(
    ("language", "known", "text", "unknown"),
    [
        ("hi", "हाथ उठाएं मोड़ें लें", "हाथ उठाइए मोड़िए लीजिए", "बैठिए"),
        ("en", "straighten your shoulder", "strighten your sholder", "skateboard"),
    ],
)
def test_polite_forms_and_slips_are_encoded_as_the_words_that_are_meant(
    language: str, known: str, text: str, unknown: str
) -> None:
    vocabulary = Vocabulary.of([known], language, least=1)
    assert vocabulary.numbers_as_meant(tokenise(text, language)) == vocabulary.encode(known, ends=False)
    assert vocabulary.numbers_as_meant(tokenise(unknown, language)) == [UNK]
    assert UNK in vocabulary.encode(text)

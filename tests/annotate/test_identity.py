from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.errors import RefusedError
from annotate.identity import (
    KEY_FILE,
    MAX_NAME_CHARS,
    Caller,
    IdentitySettings,
    clean_name,
    decrypt,
    encrypt,
    identify,
    keyed,
    new_guest_id,
    pseudonym_key,
)
from tests.annotate.asking import KEY
from tests.without_unix import unix_alone

HUB = IdentitySettings(KEY, admins=frozenset({"Asha"}))
LAPTOP = IdentitySettings(KEY, allow_guests=True, guests_are_owners=True)


def test_a_login_is_known_by_a_pseudonym_that_does_not_show_it() -> None:
    ben = identify("ben", None, HUB)

    assert ben == identify("ben", new_guest_id(), HUB)
    assert (ben.name, ben.via, ben.is_owner) == ("ben", "hub", False)
    assert "ben" not in ben.pseudonym
    assert ben.pseudonym != identify("eva", None, HUB).pseudonym
    assert ben.pseudonym != identify("ben", None, IdentitySettings(bytes(32))).pseudonym


def test_case_makes_no_other_person_and_no_other_owner() -> None:
    assert identify("ASHA", None, HUB).pseudonym == identify("asha", None, HUB).pseudonym
    assert identify("aSHa", None, HUB).is_owner


@pytest.mark.parametrize("name", ["", "a b", "../etc", "a\x00", "ａｓｈａ", "asha\n", "x" * 200, "-x"])
def test_a_name_that_the_hub_does_not_give_is_no_login(name: str) -> None:
    with pytest.raises(RefusedError) as refusal:
        identify(name, None, HUB)
    assert refusal.value.code == "login_needed"


def test_a_guest_is_the_person_who_holds_the_id() -> None:
    word = new_guest_id()

    guest = identify(None, word, LAPTOP, "Eva", Caller(is_here=True))

    assert guest.pseudonym == identify(None, word, LAPTOP, "somebody").pseudonym
    assert (guest.name, guest.via, guest.is_owner) == ("Eva", "guest", True)
    assert identify(None, new_guest_id(), LAPTOP).pseudonym != guest.pseudonym
    assert identify(None, word, LAPTOP).name == ""


@pytest.mark.parametrize("caller", [Caller(), Caller("127.0.0.1"), Caller("9.9.9.9")])
def test_a_guest_who_does_not_call_from_this_machine_owns_nothing_of_it(caller: Caller) -> None:
    assert not identify(None, new_guest_id(), LAPTOP, "Eva", caller).is_owner


def test_a_guest_owns_nothing_where_others_reach_the_app() -> None:
    settings = IdentitySettings(KEY, admins=frozenset({"asha"}), allow_guests=True)

    assert not identify(None, new_guest_id(), settings, "asha").is_owner


@pytest.mark.parametrize("word", [None, "", "asha", "0" * 31, "0" * 33, "G" * 32, "0" * 31 + "\n", 7, ["0" * 32]])
def test_an_id_that_was_never_made_is_refused(word: object) -> None:
    with pytest.raises(RefusedError) as refusal:
        identify(None, word, LAPTOP)
    assert refusal.value.code == "guest_unknown"


def test_a_guest_is_refused_where_a_login_is_needed() -> None:
    with pytest.raises(RefusedError) as refusal:
        identify(None, new_guest_id(), HUB)
    assert refusal.value.code == "login_needed"


@given(st.sampled_from("0123456789abcdef").map(lambda digit: digit * 32))
def test_no_guest_has_the_pseudonym_of_a_login(word: str) -> None:
    # The id is a name that the Hub could give.
    assert identify(None, word, LAPTOP).pseudonym != identify(word, None, HUB).pseudonym


@given(st.lists(st.text(max_size=4), max_size=3), st.lists(st.text(max_size=4), max_size=3))
def test_no_two_lists_of_words_read_the_same(one: list[str], other: list[str]) -> None:
    assert (keyed(KEY, *one) == keyed(KEY, *other)) == (one == other)


@given(st.text(max_size=100))
def test_a_name_shown_is_one_short_plain_line(name: str) -> None:
    shown = clean_name(name)

    assert len(shown) <= MAX_NAME_CHARS
    assert shown == " ".join(shown.split())
    assert not any(mark in shown for mark in "\u202e\u2066\x00\n\ufeff")
    assert clean_name(shown) == shown


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("  Asha\n Rao ", "Asha Rao"),
        ("क्‍षमा", "क्‍षमा"),
        ("a\u202eb", "a b"),
        (None, ""),
        (7, ""),
        ("x" * 10**6, "x" * 40),
    ],
)
def test_names_are_cleaned(name: object, shown: str) -> None:
    assert clean_name(name) == shown


@unix_alone
def test_a_key_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "data"

    key = pseudonym_key("", folder)

    assert len(key) == 32
    assert pseudonym_key("", folder) == key != pseudonym_key("", tmp_path / "other")
    assert stat.S_IMODE((folder / KEY_FILE).stat().st_mode) == 0o600
    assert [path.name for path in folder.iterdir()] == [KEY_FILE]


@unix_alone
def test_a_key_that_others_could_read_is_closed(tmp_path: Path) -> None:
    pseudonym_key("", tmp_path)
    (tmp_path / KEY_FILE).chmod(0o644)

    pseudonym_key("", tmp_path)

    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600


def test_processes_that_start_together_agree_on_one_key(tmp_path: Path) -> None:
    keys: list[bytes] = []
    threads = [threading.Thread(target=lambda: keys.append(pseudonym_key("", tmp_path))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(keys) == 8
    assert len(set(keys)) == 1


def test_a_key_of_the_settings_writes_nothing(tmp_path: Path) -> None:
    assert pseudonym_key("a long enough secret", tmp_path) == pseudonym_key("a long enough secret", tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("key_text", ["", "zz" * 32, "00" * 31])
def test_a_damaged_key_is_never_replaced(tmp_path: Path, key_text: str) -> None:
    (tmp_path / KEY_FILE).write_text(key_text, encoding="ascii")

    with pytest.raises(RefusedError) as refusal:
        pseudonym_key("", tmp_path)

    assert refusal.value.code == "key_unusable"
    assert (tmp_path / KEY_FILE).read_text(encoding="ascii") == key_text


def test_settings_do_not_show_the_key() -> None:
    assert str(KEY) not in repr(HUB)


def test_a_participant_is_the_same_in_every_browser_and_nobody_else() -> None:
    settings = IdentitySettings(bytes(32), allow_guests=True)
    one, other = (identify(None, new_guest_id(), settings, participant="p1") for _ in range(2))
    assert one.pseudonym == other.pseudonym
    guest = new_guest_id()
    others = [
        identify(None, guest, settings),
        identify(None, guest, settings, participant="p2"),
        identify(None, guest, settings, participant=guest),
        identify("p1", None, settings),
    ]
    assert len({one.pseudonym, *(person.pseudonym for person in others)}) == 5
    assert identify("p1", None, settings, participant="p1") == others[-1]  # an account is known by its login alone


def test_only_the_key_and_the_same_owner_decrypt_what_was_encrypted() -> None:
    encrypted = encrypt(bytes(32), "PROLIFIC-1 ज", "ann")
    assert decrypt(bytes(32), encrypted, "ann") == "PROLIFIC-1 ज"
    assert encrypt(bytes(32), "PROLIFIC-1 ज", "ann") != encrypted
    others = [(bytes(31) + b"1", encrypted, "ann"), (bytes(32), encrypted, "bob"), (bytes(32), encrypted[:-2], "ann")]
    nonsense = [(bytes(32), text, "ann") for text in ("", "zz", "ab" * 8, "ज" * 40, "ab" * 4000)]
    assert [decrypt(*arguments) for arguments in (*others, *nonsense)] == [None] * 8

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from demo.settings import ANY_HOST, LOCAL_HOST, SettingsError, read_settings

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("FMP_") or name == "SPACE_ID"]:
        monkeypatch.delenv(name)


def test_defaults_serve_this_machine_only() -> None:
    settings = read_settings()

    assert (settings.host, settings.port) == (LOCAL_HOST, 7860)
    assert (settings.captioner, settings.retriever) == ("", "")
    assert settings.pose_model == "full"
    assert settings.data_dir.name == "fixmypose"
    assert settings.address == "http://127.0.0.1:7860"
    assert (settings.campaign, settings.database_url, settings.dataset_repo) == ("sample", "", "")
    assert (settings.admins, settings.pseudonym_key, settings.publish_minutes) == (frozenset(), "", 10)
    assert settings.is_local
    assert settings.takes_guests


def test_a_space_serves_everyone_unless_a_host_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPACE_ID", "someone/fixmypose")
    assert read_settings().host == ANY_HOST
    assert read_settings().address == "http://127.0.0.1:7860"

    monkeypatch.setenv("FMP_HOST", "127.0.0.1")
    assert read_settings().host == LOCAL_HOST


def test_a_space_asks_for_a_login_unless_guests_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPACE_ID", "someone/fixmypose")
    monkeypatch.setenv("FMP_HOST", "127.0.0.1")
    assert not read_settings().is_local
    assert not read_settings().takes_guests

    monkeypatch.setenv("FMP_ALLOW_GUESTS", "true")
    assert read_settings().takes_guests


@pytest.mark.parametrize(
    ("host", "is_local"),
    [("localhost", True), ("::1", True), ("127.0.0.9", True), (ANY_HOST, False), ("192.168.1.7", False)],
)
def test_only_a_loopback_address_is_local(monkeypatch: pytest.MonkeyPatch, host: str, *, is_local: bool) -> None:
    monkeypatch.setenv("FMP_HOST", host)

    settings = read_settings()

    assert settings.is_local is is_local
    assert bool(settings.owner_token) is is_local


def test_the_printed_address_has_a_new_token_at_each_start_and_none_under_a_public_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second = read_settings(), read_settings()
    assert first.owner_address == f"http://127.0.0.1:7860/?owner={first.owner_token}"
    assert len(first.owner_token) >= 32
    assert first.owner_token != second.owner_token

    monkeypatch.setenv("FMP_PUBLIC_HOSTS", "poses.example.org")
    assert read_settings().owner_token == ""
    assert read_settings().owner_address == "http://127.0.0.1:7860"


def test_names_of_the_page_are_listed_with_commas_in_any_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FMP_PUBLIC_HOSTS", " Poses.Example.org., laptop ,,")

    assert read_settings().public_hosts == {"poses.example.org", "laptop"}


@pytest.mark.parametrize(("host", "address"), [("::1", "http://[::1]:7860"), ("::", "http://[::1]:7860")])
def test_an_address_of_version_6_stands_in_brackets(monkeypatch: pytest.MonkeyPatch, host: str, address: str) -> None:
    monkeypatch.setenv("FMP_HOST", host)

    assert read_settings().address == address


def test_owners_are_listed_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FMP_ADMINS", " Asha, ben-2 ,,")

    assert read_settings().admins == {"Asha", "ben-2"}


def test_parameters_that_name_a_participant_are_listed_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_settings().participant_parameters == "participant"
    monkeypatch.setenv("FMP_PARTICIPANT_PARAMETERS", " PROLIFIC_PID, workerId ,,")

    assert read_settings().participant_parameters == "PROLIFIC_PID,workerId"


def test_whom_to_ask_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FMP_CONTACT", " आशा राव, asha@lab.org ")
    assert read_settings().contact == "आशा राव, asha@lab.org"
    monkeypatch.setenv("FMP_CONTACT", "asha@lab.org\nben@lab.org")
    with pytest.raises(SettingsError, match="FMP_CONTACT must be one line"):
        read_settings()


def test_an_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FMP_PORT", "")

    assert read_settings().port == 7860


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FMP_PORT", "many"),
        ("FMP_PORT", "0"),
        ("FMP_PORT", "65536"),
        ("FMP_HOST", "not a host"),
        ("FMP_HOST", "fe80::1%eth0"),
        ("FMP_PUBLIC_HOSTS", "https://poses.example.org"),
        ("FMP_PUBLIC_HOSTS", "poses.example.org:7860"),
        ("FMP_POSE_MODEL", "/nowhere/pose.task"),
        ("FMP_CAPTIONER", "https://huggingface.co/org/name"),
        ("FMP_CAPTIONER", "org/name\t@main"),
        ("FMP_RETRIEVER", "hf://org/name"),
        ("FMP_LANGUAGE_RETRIEVER", "hf://org/name"),
        ("FMP_GALLERY", "https://example.org"),
        ("FMP_DIFFERENCE_CAPTIONER", "https://huggingface.co/org/name"),
        ("FMP_EDITOR", "https://huggingface.co/org/name"),
        ("FMP_DATA_DIR", __file__),
        ("FMP_DATA_DIR", "~nobody-here/x"),
        ("FMP_POSE_MODEL", "~nobody-here/x.task"),
        ("FMP_CAMPAIGN", "https://example.org/campaign"),
        ("FMP_DATASET_REPO", "no-owner"),
        ("FMP_DATASET_REPO", "../../etc"),
        ("FMP_PUBLISH_MINUTES", "0"),
        ("FMP_PARTICIPANT_PARAMETERS", "a b"),
        ("FMP_PARTICIPANT_PARAMETERS", "<script>"),
        ("FMP_PARTICIPANT_PARAMETERS", ","),
        ("FMP_BATCH_ANSWERS", "0"),
        ("FMP_BATCH_ANSWERS", "ten"),
        ("FMP_BATCH_SECONDS", "-1"),
        ("FMP_BATCH_SECONDS", "soon"),
        ("FMP_ADMINS", "asha, somebody else"),
        ("FMP_CONTACT", "x" * 201),
        ("FMP_ALLOW_GUESTS", "perhaps"),
    ],
)
def test_a_wrong_value_is_named_in_one_sentence(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(SettingsError) as refusal:
        read_settings()

    sentence = str(refusal.value)
    assert sentence.startswith(f"{name} must be ")
    assert value in sentence
    assert sentence.count("\n") == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FMP_DATABASE_URL", "mysql://asha:hunter2@host/name"),
        ("FMP_DATABASE_URL", "postgresql://asha:hunter2@host"),
        ("FMP_DATABASE_URL", "postgresql://[asha:hunter2"),
        ("FMP_PSEUDONYM_KEY", "hunter2"),
    ],
)
def test_a_wrong_secret_is_not_said(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(SettingsError) as refusal:
        read_settings()

    assert str(refusal.value).startswith(f"{name} must be ")
    assert "hunter2" not in str(refusal.value)


def test_secrets_do_not_show_in_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FMP_DATABASE_URL", "postgresql://asha:hunter2@host/name")
    monkeypatch.setenv("FMP_PSEUDONYM_KEY", "hunter2hunter2hunter2")

    assert "hunter2" not in repr(read_settings())


@pytest.mark.parametrize("name", ["captioner", "retriever", "editor", "campaign"])
@pytest.mark.parametrize("value", ["geometry", "captioner", "/models/my captioner", "~/model", "org/name@v1.0"])
def test_a_model_is_named_as_on_the_command_line(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"FMP_{name.upper()}", f" {value} ")

    assert getattr(read_settings(), name) == value


def test_the_app_ends_with_the_sentence_and_code_2() -> None:
    ended = subprocess.run(
        [sys.executable, "app.py"],
        cwd=ROOT,
        env=os.environ | {"FMP_PORT": "many"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr == "FMP_PORT must be a number from 1 to 65535, not “many”.\n"


@pytest.mark.parametrize(
    ("address", "port"),
    [
        ("postgresql://me:s3cret@db.example.org/answers", "5432"),
        ("postgresql://me@db.example.org:6543/answers", "6543"),
        ("postgresql+psycopg://me@[2001:db8::1]:25060/answers", "25060"),
        ("postgresql://a.example.org:443,b.example.org:5433/answers", "5433"),
        ("postgresql:///answers?host=db.example.org&port=6432", "6432"),
    ],
)
def test_a_space_refuses_a_database_at_a_port_that_it_cannot_reach(
    monkeypatch: pytest.MonkeyPatch, address: str, port: str
) -> None:
    monkeypatch.setenv("FMP_DATABASE_URL", address)
    assert read_settings().database_url == address
    monkeypatch.setenv("SPACE_ID", "org/name")
    with pytest.raises(
        SettingsError, match=f"names port {port}, but a Space can reach ports 80, 443 and 8080"
    ) as error:
        read_settings()
    assert "s3cret" not in str(error.value)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me@db.example.org:443/answers",
        "postgresql://db.example.org:8080/answers",
        "postgresql://localhost/answers",
        "postgresql://[::1]:5433/answers",
        "postgresql:///answers?host=/var/run/postgresql",
        "",
    ],
)
def test_a_space_takes_a_database_that_it_can_reach(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("SPACE_ID", "org/name")
    monkeypatch.setenv("FMP_DATABASE_URL", address)
    assert read_settings().database_url == address

"""The file of a study: the complete example of the documentation, and files that are refused in one sentence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from annotate.__main__ import main
from annotate.campaigns.campaign import Campaign
from annotate.campaigns.owner_files import read_toml
from annotate.campaigns.study import Ending, Study
from annotate.errors import RefusedError

ROOT = Path(__file__).resolve().parents[3]
DATASET = ROOT / "fmp_models" / "data" / "sample"
PAGE = (ROOT / "docs" / "annotation.md").read_text(encoding="utf-8")
EXAMPLE = re.findall(r"^```toml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[0]
AGE = "[[demographics]]\nid = 'age'\nkind = 'number'\ntext.en = 'Age?'\n"
FIT = "[[demographics]]\nid = 'fit'\nkind = 'yes_no'\ntext.en = 'Fit?'\n"


def make(folder: Path, study: str | bytes) -> int:
    (folder / "study.toml").write_bytes(study if isinstance(study, bytes) else study.encode())
    new = ["campaign", "new", folder / "mine", "--dataset", DATASET, "--items=2", "--retrieval-items=1"]
    return main([str(word) for word in [*new, f"--study={folder / 'study.toml'}"]])


def test_the_example_of_the_documentation_makes_a_campaign_with_every_part(tmp_path: Path) -> None:
    assert make(tmp_path, EXAMPLE) == 0

    study = Campaign.open(tmp_path / "mine").study
    assert study is not None
    assert study.model_fields_set == Study.model_fields.keys()
    assert [question.id for question in study.demographics] == ["exercise", "age", "sport"]
    assert study.completion.link(code=study.completion.code) == (
        "https://app.prolific.com/submissions/complete?cc=C1FMP2026"
    )
    both = {"en", "hi"}
    sentences = [study.contact, *study.consent.terms, *study.debriefing] if study.consent else []
    assert [set(sentence or ()) for sentence in sentences] == [both] * 4


@pytest.mark.parametrize(
    "study",
    [
        "\0",
        b"\xff",
        "answers = 0",
        "answers = 2026-01-01",
        "people = 'many'",
        "secret = 1",
        "contact = 'asha'",
        "[contact]",
        "[contact]\nen = ''",
        "[contact]\nEnglish = 'x'",
        "[consent]\nversion = '1'",
        "[consent]\nversion = '1'\nterms = []",
        "[[debriefing]]\nen = 7",
        AGE + "between = [9, 1]",
        AGE + "between = [1]",
        AGE + "between = ['1', '2']",
        AGE + "excludes = ['1']\noptional = false",
        AGE + "about = 'pictures'",
        AGE + AGE,
        FIT + "excludes = ['no']",
        FIT + "excludes = ['perhaps']\noptional = false",
        FIT + "excludes = ['yes', 'no']\noptional = false",
        FIT + "between = [1, 2]",
        FIT.replace("fit", "a b"),
        "[completion]\ncode = 'a b'",
        *(
            f"[completion]\nredirect = '{address}'"
            for address in (
                "http://example.org/x",
                "javascript:alert(1)",
                "https://example.org",
                "https://{code}.example.org/x",
                "https://asha:secret@example.org/x",
                "https://example.org/{name}",
                "https://example.org/{code!r}",
                "https://example.org/{code",
                'https://example.org/"><script>',
                "https://example.org/ x",
                "https://example.org/" + "x" * 2000,
            )
        ),
        "[[demographics]]\nid = 'a'\nkind = 'choice'\ntext.en='x'\nchoices = {prefer_not_to_say.en = 'y', b.en = 'z'}",
        "answers = 1\n" + "#" * 1_000_000,
        "a = " + "[" * 50_000,
    ],
    ids=lambda study: str(study)[:60],
)
def test_a_study_that_cannot_be_used_is_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], study: str | bytes
) -> None:
    assert make(tmp_path, study) == 2

    sentence = capsys.readouterr().err
    assert "study.toml” cannot be used: " in sentence
    assert sentence.count("\n") == 1
    assert not (tmp_path / "mine").exists()


def test_a_study_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError) as refusal:
        read_toml(tmp_path / "none.toml", "study")
    assert refusal.value.code == "study_unusable"


def test_what_fills_an_address_cannot_change_it() -> None:
    ending = Ending(redirect="https://example.org/done?p={participant}&s={session}")

    assert (
        ending.link(participant="a&cc=1#", session="{code}") == "https://example.org/done?p=a%26cc%3D1%23&s=%7Bcode%7D"
    )

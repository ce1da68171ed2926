"""What owners and everybody else learn of a campaign's answers."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from pathlib import Path

import pytest

from annotate.errors import RefusedError
from annotate.tabs.pages import cards, download, results_html
from demo.tabs.annotate import page_services
from tests.annotate.answered import PEOPLE, answers, campaign
from tests.annotate.asking import MODELS, ServiceRig, collect
from tests.annotate.counting import counted
from tests.annotate.sample_events import event
from tests.nonempty import nonempty


@pytest.fixture
def answered(tmp_path: Path) -> ServiceRig:
    rig = collect(tmp_path, campaign())
    rig.store.add_all(list(answers()))
    return rig


def test_an_owner_reads_everything(answered: ServiceRig) -> None:
    html = results_html(answered.service, answered.person("ann", is_owner=True), page_services())

    for phrase in nonempty([*MODELS, "V+L", "48 %", PEOPLE[0][:12], "Bradley-Terry", "$0.18"]):
        assert phrase in html, phrase


def test_who_may_still_vote_learns_of_no_writer_and_no_person(answered: ServiceRig) -> None:
    html = results_html(answered.service, answered.person("ann"), page_services())

    assert 'scope="row"' in html
    for secret in (*MODELS, "V+L", *(person[:12] for person in PEOPLE), 'data-action="download"'):
        assert secret not in html, secret
    with pytest.raises(RefusedError) as refused:
        download(answered.service, answered.person("ann"), "json")
    assert refused.value.code == "owners_only"


def test_nothing_answered_is_said_in_words(tmp_path: Path) -> None:
    rig = collect(tmp_path, campaign())
    owner = rig.person("ann", is_owner=True)

    assert "fmp-empty-results" in results_html(rig.service, owner, page_services())
    for form in ("json", "csv", "answers"):
        assert download(rig.service, owner, form).data


def test_files_hold_what_the_page_shows(answered: ServiceRig) -> None:
    owner = answered.person("ann", is_owner=True)

    report = json.loads(base64.b64decode(download(answered.service, owner, "json").data))
    assert report["votes"]["en"]["votes"] == 48
    table = base64.b64decode(download(answered.service, owner, "csv").data).decode("utf-8-sig").splitlines()
    assert table[0] == "table,language,about,name,value,low,high"
    assert any(line.startswith("share,en,relevant,model-cedar,") for line in table)
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(download(answered.service, owner, "answers").data))) as packed:
        assert {"vote.csv", "rating.csv", "description.csv", "target_choice.csv"} <= {*packed.namelist()}


def test_nobody_but_an_owner_is_told_how_far_everybody_has_come(tmp_path: Path) -> None:
    rig = collect(tmp_path, campaign())
    ann, owner = rig.person("ann"), rig.person("boss", is_owner=True)
    mine = results_html(rig.service, ann, page_services())
    assert "fmp-of" not in mine
    everybodys = results_html(rig.service, owner, page_services())
    (vote,) = (card for card in cards(rig.service, owner, "en") if card.kind == "vote")
    assert (vote.answered, vote.wanted > 0) == (0, True)
    task = rig.service.next_task(rig.person("ben"), "vote", "en")
    assert task is not None
    rig.service.give(rig.person("ben"), task.token, {"relevant": 0, "fluent": 0})
    assert results_html(rig.service, ann, page_services()) == mine
    assert results_html(rig.service, owner, page_services()) != everybodys
    assert all((card.answered, card.wanted) == (0, 0) for card in cards(rig.service, ann, "en"))


def test_no_photograph_is_read_for_the_results(answered: ServiceRig) -> None:
    owner = answered.person("boss", is_owner=True)
    pair = event("real_pair", campaign=answered.service.campaign.name)
    answered.store.add(pair)
    with counted(answered.store) as counts:
        html = results_html(answered.service, owner, page_services())
        for form in ("json", "csv", "answers"):
            download(answered.service, owner, form)
    assert html
    assert counts.rows > 0
    assert not [one for one in counts.statements if "pictures" in one]
    (kept,) = answered.store.events(kind="real_pair", pictures=False)
    assert kept.id == pair.id
    assert answered.store.events(kind="real_pair") == [pair]

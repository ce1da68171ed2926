"""What owners are told where the models that people vote on can be asked on the same page."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotate.identity import IdentitySettings
from annotate.publishing.publisher import FolderDestination, Publisher
from annotate.tabs.controller import AnnotationController
from annotate.tabs.pages import ANSWER_TERMS
from demo.i18n import text
from demo.tabs.annotate import page_services
from tests.annotate.asking import KEY, MODELS, MakeRig, ServiceRig, gold, item
from tests.annotate.tabs.test_controller import Guest

BUNDLED = frozenset({"geometry", *MODELS[1:]})
NAMED = f"{MODELS[1]}, {MODELS[2]}"
SIGN = "fmp-askable"


@pytest.fixture
def small(make_rig: MakeRig) -> ServiceRig:
    return make_rig([item(1), item(2), gold(30)], terms=ANSWER_TERMS)


def controller(rig: ServiceRig, folder: Path, asked_here: frozenset[str]) -> AnnotationController:
    state = Publisher(rig.store, FolderDestination(folder / "published")).state
    identity = IdentitySettings(KEY, admins=frozenset({"olga"}), allow_guests=True)
    return AnnotationController(rig.service, identity, page_services(), state, asked_here=asked_here)


def shown_to(guest: Guest) -> dict[str, str]:
    return {view: str(guest.sit(view)["html"]) for view in ("vote", "results", "verify")} | {
        "start": str(guest.press("start")["html"])
    }


def test_the_owner_is_told_where_the_models_that_are_compared_can_be_asked(small: ServiceRig, tmp_path: Path) -> None:
    reply = shown_to(Guest(controller(small, tmp_path, BUNDLED), "olga"))

    assert {view for view, html in reply.items() if SIGN in html} == {"vote", "results", "start"}
    for view in ("vote", "results", "start"):
        assert text("owner.askable", models=NAMED).default in reply[view]


def test_nobody_else_is_told_and_learns_no_name(small: ServiceRig, tmp_path: Path) -> None:
    for visitor in (None, "ben"):
        reply = shown_to(Guest(controller(small, tmp_path, BUNDLED), visitor))
        assert not any(SIGN in html or any(model in html for model in MODELS) for html in reply.values())


@pytest.mark.parametrize("asked_here", [frozenset(), frozenset({"geometry", "reference"})])
def test_nothing_is_told_where_none_of_them_can_be_asked(
    small: ServiceRig, tmp_path: Path, asked_here: frozenset[str]
) -> None:
    reply = shown_to(Guest(controller(small, tmp_path, asked_here), "olga"))

    assert not any(SIGN in html for html in reply.values())

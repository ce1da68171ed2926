from __future__ import annotations

import re

import pytest
from starlette.requests import Request

from demo.i18n import interface_texts
from demo.serving.documents import document
from demo.serving.documents.document import Document, early_assets, language_of, rewritten

ROOT = "https://poses.example.org"


def request(query: str = "", accepted: str = "") -> Request:
    return Request(
        {"type": "http", "query_string": query.encode(), "headers": [(b"accept-language", accepted.encode("latin-1"))]}
    )


@pytest.mark.parametrize(
    ("query", "accepted", "language"),
    [
        ("", "", "en"),
        ("lang=hi", "en-GB,en;q=0.9", "hi"),
        ("", "hi-IN,hi;q=0.9,en;q=0.8", "hi"),
        ("lang=en", "hi-IN", "en"),
        ("lang=xx", "hi-IN", "hi"),
        ("lang=%00&lang=", "fr-FR", "en"),
        ("lang=" + "h" * 5000, "\xff" * 5000, "en"),
    ],
)
def test_the_address_goes_before_what_the_browser_accepts(query: str, accepted: str, language: str) -> None:
    assert language_of(request(query, accepted)) == language


@pytest.mark.parametrize("language", ["en", "hi"])
def test_the_tags_name_the_page_in_the_language_that_is_asked_for(language: str) -> None:
    head = Document(["correct"], opening="squat").head(request(f"lang={language}"), f"{ROOT}/")
    told = interface_texts()[language]
    content = dict(re.findall(r'<meta (?:property|name)="([\w:-]+)" content="([^"]*)"', head))
    assert told["page.title"] in head.partition("</title>")[0]
    assert content["og:title"] == told["page.title"]
    assert content["og:description"] == content["description"] == told["page.description"]
    assert content["og:url"] == f"{ROOT}/"
    assert content["og:image"] == f"{ROOT}/examples/share.jpg"
    assert content["twitter:card"] == "summary_large_image"
    assert f'hreflang="hi" href="{ROOT}/?lang=hi"' in head


def test_nothing_of_gradios_own_name_is_left_and_its_configuration_stands_last() -> None:
    source = (document._FOLDER / "index.html").read_text(encoding="utf-8")
    assert 'content="Gradio"' in source
    written = rewritten(source)
    assert not re.findall(r"og:|twitter:|\{url\}|header-image", written)
    places = [
        written.index(one)
        for one in ("document.head(", "first_paint(", "<gradio-app", "own_scripts", "gradio_config =")
    ]
    assert places == sorted(places)
    assert "if (parent !== window)" in written


def test_what_every_page_needs_is_asked_for_early_and_is_there() -> None:
    names = [asset.rpartition("/")[2] for asset in early_assets()]
    assert {name.partition("-")[0] for name in names} >= {"index", "Index", "Blocks", "HTML"}
    assert all((document._FOLDER / asset).is_file() for asset in early_assets())
    assert 10 < len(names) < 40


def test_what_is_served_under_another_name_is_escaped() -> None:
    head = Document(["correct"], opening="squat").head(request(), 'https://x/"><script>alert(1)</script>')
    assert "<script>" not in head


def test_the_first_paint_names_the_example_that_the_page_opens_with() -> None:
    heading = interface_texts()["hi"]["captions.squat"]
    assert heading in Document(["correct"], opening="squat").first_paint(request("lang=hi"))
    assert heading not in Document(["correct"], opening="").first_paint(request("lang=hi"))

"""HTML document of the page: Gradio's own, with metadata of the page, a first paint and preloads.

Gradio's script needs its configuration only when it runs, so the configuration is placed last: a browser paints the
heading and requests the scripts while the rest is still arriving.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio
from jinja2 import ChoiceLoader, DictLoader
from markupsafe import Markup

from demo.gradio_parts.gradio_internals import document_environment
from demo.i18n import asked_language, interface_texts, languages
from demo.views.templating import page_file, render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

LANGUAGE_PARAMETER = "lang"
SHARE_PICTURE = "examples/share.jpg"  # 1200 x 630 pixels
_NAME = "frontend/index.html"
_FOLDER = Path(str(gradio.__file__)).parent / "templates" / "frontend"
_GRADIOS_TAGS = re.compile(r'\s*<meta\s+(?:property="og:|name="twitter:)[^>]*?/>')
_CONFIGURATION = re.compile(r"<script>window\.gradio_config = .*?gradio_api_info = .*?</script>", re.DOTALL)
_ASSET = re.compile(r"\./assets/[\w.-]+\.(?:js|css)")
_DEPENDENCIES = re.compile(r"__vite__mapDeps=.*?\[(.*?)\]", re.DOTALL)
_SECOND = ("Blocks-", "api-logo-", "settings-logo-")  # needed dependencies of the second script
_COMPONENT = "HTML-*.js"  # the component that makes up the page


@dataclass(frozen=True)
class Document:
    """Additions to Gradio's document in the language of a request."""

    tabs: Sequence[str]
    opening: str

    def head(self, request: Request, root: str) -> Markup:
        """Return the metadata tags for browsers, search engines and link previews; ``root`` is the URL of the page."""
        language = language_of(request)
        told = interface_texts()[language]
        return Markup(  # noqa: S704  # nosec - rendered with escapes
            render(
                "document_head.html",
                told=told,
                language=language,
                languages=languages(),
                root=root.rstrip("/"),
                picture=SHARE_PICTURE,
                parameter=LANGUAGE_PARAMETER,
                preloads=early_assets(),
                style=page_file("page.css").read_text(encoding="utf-8") + page_file("first.css").read_text("utf-8"),
            )
        )

    def first_paint(self, request: Request) -> Markup:
        """Return the page's heading, shown until Gradio has built the page."""
        language = language_of(request)
        told = interface_texts()[language]
        return Markup(render("first_paint.html", told=told, **vars(self), language=language))  # noqa: S704  # nosec


def language_of(request: Request) -> str:
    """Return the language of ``?lang=``, else of the Accept-Language header."""
    asked = request.query_params.get(LANGUAGE_PARAMETER, "")
    accepted = request.headers.get("accept-language", "")
    return asked if asked in languages() else asked_language(accepted=accepted)


def install(tabs: Sequence[str], scripts: str, opening: str = "") -> None:
    """Serve Gradio's document in this form from now on; ``scripts`` is the HTML of the page's own scripts.

    The first paint lists the ``tabs`` and, if not empty, ``opening``, the example that the first tab shows.
    """
    environment = document_environment()
    loader = environment.loader
    source = (_FOLDER.parent / _NAME).read_text(encoding="utf-8")
    environment.loader = ChoiceLoader([DictLoader({_NAME: rewritten(source)}), *([loader] if loader else [])])
    environment.globals.update(document=Document(tabs, opening), language_of=language_of, own_scripts=Markup(scripts))  # noqa: S704  # nosec
    if environment.cache is not None:
        environment.cache.clear()


def rewritten(source: str) -> str:
    """Return Gradio's template with the app's tags instead of its own, and its configuration at the end."""
    configuration: Any = _CONFIGURATION.search(source)
    source = _CONFIGURATION.sub("", _GRADIOS_TAGS.sub("", source))
    source = source.replace('<link rel="manifest" href="/manifest.json" />', "")
    source = source.replace("document.head.appendChild(script)", "if (parent !== window) document.head.append(script)")
    source = source.replace('lang="en"', 'lang="{{ language_of(request) }}"', 1)
    source = re.sub(r'(<meta charset="utf-8" />)', r"\1{{ document.head(request, config.root) }}", source, count=1)
    source = re.sub(r"(<gradio-app)", r"{{ document.first_paint(request) }}\1", source, count=1)
    last = f"{{{{ own_scripts }}}}{configuration[0] if configuration else ''}</body>"
    return last.join(source.rsplit("</body>", 1))


@cache
def early_assets() -> tuple[str, ...]:
    """Return the Gradio scripts and styles to preload: every page needs them, and the scripts load them one by one."""
    first = _ASSET.findall((_FOLDER / "index.html").read_text(encoding="utf-8"))
    second = [asset for script in first if script.endswith(".js") for asset in _asked_by(_FOLDER / script)]
    third = [asset for script in second[:1] for asset in _asked_by(_FOLDER / script)]
    third = [asset for asset in third if asset.rpartition("/")[2].startswith(_SECOND)]
    component = [f"./assets/{file.name}" for file in (_FOLDER / "assets").glob(_COMPONENT)]
    return tuple(dict.fromkeys([*first, *second, *third, *component]))


def _asked_by(script: Path) -> list[str]:
    listed = _DEPENDENCIES.search(script.read_text(encoding="utf-8")) if script.is_file() else None
    return [f"./assets/{name}" for name in re.findall(r'"\./([\w.-]+)"', listed[1] if listed else "")]

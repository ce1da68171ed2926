"""HTML document of the page, and the compression of what a browser loads.

The document is Gradio's own, with metadata of the page, a first paint and preloads. Gradio's script needs its
configuration only when it runs, so the configuration is placed last: a browser paints the heading and requests the
scripts while the rest is still arriving.

Documents, scripts, styles and drawings are compressed; each version is compressed once and cached. Event streams,
uploads, photographs and responses to POST requests are not compressed.
"""

from __future__ import annotations

import gzip
import re
from collections import OrderedDict
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio.to_thread
import brotli
import gradio
from jinja2 import ChoiceLoader, DictLoader
from markupsafe import Markup
from starlette.datastructures import Headers, MutableHeaders

from demo.gradio_parts import document_environment
from demo.i18n import asked_language, interface_texts, languages, page_file, render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


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


def install_document(tabs: Sequence[str], scripts: str, opening: str = "") -> None:
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


_COMPRESSIBLE = re.compile(r"(text/(html|css|javascript)|application/(javascript|json)|image/svg\+xml)\b")
_HASHED = re.compile(r"/assets/.+-[\w-]{8,}\.\w+$")  # the name changes with the content
_NEVER = re.compile(r"/(gradio_api|live)/")
_NOT_WANTED = re.compile(r";\s*q=0(\.0*)?\s*$")  # marks an encoding as not accepted
_FOR_A_YEAR = "public, max-age=31536000, immutable"
_MIN_BYTES = 400
_MAX_BYTES = 4_000_000  # of a body that is buffered for compression
_MAX_KEPT_BYTES = 30_000_000  # size of the cache of compressed bodies, least recently used first out
_GZIP_LEVEL = 6
_ONCE, _OFTEN = 11, 9  # Brotli's qualities: for a file that never changes, and for a document


class Compress:
    """ASGI middleware that compresses bodies in an encoding the browser accepts, and lets it cache hashed files."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._kept: OrderedDict[tuple[bytes, str], bytes] = OrderedDict()
        self._kept_bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass all other requests on."""
        path = str(scope.get("path", ""))
        if scope["type"] != "http" or scope["method"] != "GET" or _NEVER.search(path):
            await self._app(scope, receive, send)
            return
        await self._app(scope, receive, _Answer(self, Headers(scope=scope), path, send).send)

    async def body(self, body: bytes, encoding: str, *, lasting: bool) -> bytes:
        """Return a body in an encoding, from the cache if it was compressed before."""
        key = blake2b(body, digest_size=16).digest(), encoding
        compressed = self._kept.get(key)
        if compressed is None:
            compressed = await anyio.to_thread.run_sync(_compressed, body, encoding, lasting)
            self._kept_bytes += len(compressed) - len(self._kept.get(key, b""))
            self._kept[key] = compressed
        self._kept.move_to_end(key)
        while self._kept_bytes > _MAX_KEPT_BYTES:
            self._kept_bytes -= len(self._kept.popitem(last=False)[1])
        return compressed


class _Answer:
    """One response in progress, held back while it may be compressed."""

    def __init__(self, compress: Compress, asked: Headers, path: str, send: Send) -> None:
        self._compress, self._path, self._send = compress, path, send
        wanted = [one for one in asked.get("accept-encoding", "").lower().split(",") if not _NOT_WANTED.search(one)]
        accepted = {one.partition(";")[0].strip() for one in wanted}
        self._encoding = next((one for one in ("br", "gzip") if one in accepted), "")
        self._start: Message | None = None
        self._held = bytearray()

    async def send(self, message: Message) -> None:
        """Pass a message on, or hold it until the body is complete."""
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=message["headers"])
            hashed = bool(_HASHED.search(self._path)) and message["status"] == 200  # noqa: PLR2004
            if hashed:
                headers["cache-control"] = _FOR_A_YEAR
            if message["status"] == 200 and self._may_compress(headers):  # noqa: PLR2004
                headers.add_vary_header("Accept-Encoding")
                if headers["content-type"].startswith("text/html"):  # its language depends on the request
                    headers.add_vary_header("Accept-Language")
                if self._encoding:
                    self._start = message
                    return
            await self._send(message)
        elif message["type"] != "http.response.body" or self._start is None:
            await self._send(message)
        else:
            self._held += message.get("body", b"")
            if not message.get("more_body", False):
                await self._send_whole(self._start)
            elif len(self._held) > _MAX_BYTES:  # too large: pass it on uncompressed
                start, self._start = self._start, None
                await self._send(start)
                await self._send({**message, "body": bytes(self._held)})

    @staticmethod
    def _may_compress(headers: Headers) -> bool:
        return "content-encoding" not in headers and bool(_COMPRESSIBLE.match(headers.get("content-type", "")))

    async def _send_whole(self, start: Message) -> None:
        body = bytes(self._held)
        if len(body) >= _MIN_BYTES:
            body = await self._compress.body(body, self._encoding, lasting=bool(_HASHED.search(self._path)))
            headers = MutableHeaders(raw=start["headers"])
            headers["content-encoding"] = self._encoding
            headers["content-length"] = str(len(body))
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body})


def _compressed(body: bytes, encoding: str, lasting: bool) -> bytes:  # noqa: FBT001  run_sync takes no names
    if encoding == "br":
        return bytes(brotli.compress(body, quality=_ONCE if lasting else _OFTEN))
    return gzip.compress(body, _GZIP_LEVEL, mtime=0)

"""The page around the tabs: header, language switch, tabs and footer."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import gradio as gr
from starlette.middleware import Middleware
from starlette.routing import Route

from annotate.tabs import AnnotationController
from demo.examples import EXAMPLES, OPENING, ExampleRoutes
from demo.gradio_parts import (
    OF_MODELS,
    REFUSED_CALL_HANDLERS,
    AppBlocks,
    CloseRoutes,
    LoginErrorRedirect,
    cut_connections,
    forget_files,
    install_function_lookup,
    queue_of,
    waiting_events,
)
from demo.i18n import interface_texts, page_file, render, script, text
from demo.live import WEB_BUILD, WEB_BUILD_NAME, CameraLooks
from demo.serving import (
    AllowedHosts,
    AnswerStreams,
    BoundBodies,
    CheckHosts,
    Compress,
    CountUploads,
    LoopRoute,
    UploadFolder,
    UploadLedger,
    install_call_queue,
    install_document,
    install_plain_log,
    install_tool_server,
    install_upload_parser,
    limit_connections,
    texts_in,
)
from demo.settings import Settings
from demo.tabs import LiveTab, ProgramsPage, Tab, page_tabs
from fmp_models.common import MAX_BYTES
from fmp_models.editing import TextEditor
from fmp_models.errors import BadInputError
from fmp_models.estimators import Lacking
from fmp_models.inference import Corrector, DifferenceCaptioner, TargetFinder
from fmp_models.preprocessing import read_photograph

_SCRIPTS = (
    "page.js",
    "voice.js",
    "queue.js",
    "asking.js",
    "shrinking.js",
    "turning.js",
    "camera.js",
    "kept.js",
    "slot_camera.js",
    "photo_slot.js",
)  # scripts of the page itself; each tab adds its own
_GRACE_SECONDS = 1.0  # seconds for open requests to finish after a shutdown signal
_MAX_WAITING = 32  # maximum queue length; beyond it the page says that it is busy
_FONTS = (
    "system-ui",
    "-apple-system",
    "Segoe UI",
    "Roboto",
    "Noto Sans",
    "Noto Sans Devanagari",
    "Nirmala UI",
    "sans-serif",
)
PAPER = "https://arxiv.org/abs/2104.01703"
_MAX_SESSIONS = 1000  # sessions that Gradio keeps, 50 kB each; a request of a dropped session takes 5 ms longer


@dataclass
class Page:
    """A built page and the private folder of its uploads."""

    blocks: gr.Blocks
    ledger: UploadLedger
    uploads: tempfile.TemporaryDirectory[str]
    routes: list[Route]
    examples: ExampleRoutes | None = None
    tabs: Sequence[Tab] = ()

    def launch(self, settings: Settings) -> None:
        """Start serving the page and return; raise :class:`OSError` if the port is taken."""
        install_plain_log()
        install_function_lookup()
        limit_connections()
        install_call_queue()
        self.blocks.queue(max_size=_MAX_WAITING, api_open=False)
        install_tool_server()
        install_upload_parser()
        install_document([tab.name for tab in self.tabs], _scripts(), "" if settings.close_models else OPENING)
        # Gradio announces its tool server even with "quiet"; only the app's own line matters.
        with contextlib.redirect_stdout(io.StringIO()):
            self._launch(settings)
        if self.examples is not None:
            self.examples.prepare()

    def _launch(self, settings: Settings) -> None:
        folder = UploadFolder(
            Path(self.uploads.name),
            self.ledger,
            settings.uploads_mb * 1_000_000,
            owned=self._waiting_texts,
            swept=self._forget_swept,
        )
        folder.start()
        self.blocks.launch(
            server_name=settings.host_in_address,
            server_port=settings.port,
            prevent_thread_lock=True,
            quiet=True,
            show_error=False,
            run_history=False,
            enable_monitoring=False,
            strict_cors=True,
            max_file_size=MAX_BYTES,
            state_session_capacity=_MAX_SESSIONS,
            allowed_paths=[],
            footer_links=[],
            mcp_server=not settings.close_models,
            ssr_mode=False,
            pwa=False,
            share=False,
            favicon_path=page_file("favicon.svg"),
            theme=gr.themes.Base(font=_FONTS, font_mono=("ui-monospace", "monospace")),
            css_paths=[page_file(name) for name in ("page.css", *chain(*(tab.styles for tab in self.tabs)))],
            app_kwargs={
                "routes": self.routes,
                "middleware": [
                    Middleware(CheckHosts, hosts=AllowedHosts.of(settings)),
                    Middleware(Compress),
                    Middleware(CloseRoutes, more=OF_MODELS if settings.close_models else ()),
                    Middleware(BoundBodies, folder=folder),
                    Middleware(LoginErrorRedirect),
                    Middleware(CountUploads, ledger=self.ledger),
                    Middleware(AnswerStreams, queue=lambda: queue_of(self.blocks)),
                ],
                "exception_handlers": REFUSED_CALL_HANDLERS,
                "docs_url": None,
                "redoc_url": None,
                "openapi_url": None,
            },
        )

    def _waiting_texts(self) -> Iterator[str]:
        """Yield every text in the queued requests, including the paths and URLs of uploads."""
        for event in waiting_events(self.blocks):
            yield from texts_in(event.data.data if event.data is not None else None)

    def _forget_swept(self) -> None:
        """Remove deleted uploads from Gradio's record, which otherwise keeps every upload."""
        forget_files(self.blocks, lambda path: not os.path.lexists(path))

    def close(self) -> None:
        """Stop serving, abort connections that do not end in time, and remove the remaining uploads."""
        closing = threading.Thread(target=self.blocks.close, kwargs={"verbose": False}, daemon=True)
        closing.start()
        closing.join(_GRACE_SECONDS)
        if closing.is_alive():
            self._cut_off()
            closing.join(_GRACE_SECONDS)
        self.uploads.cleanup()

    def _cut_off(self) -> None:
        """Abort every connection, as if the visitors had left."""
        with contextlib.suppress(RuntimeError):  # the event loop has just ended
            cut_connections(self.blocks)


def build(  # noqa: PLR0913  each is a thing of its own
    corrector: Corrector,
    finder: TargetFinder,
    work: AnnotationController,
    ledger: UploadLedger,
    lacking: Lacking | None = None,
    *,
    closed: bool = False,
    forgets: bool = False,
    live_visitors: int = 0,
    links: Mapping[str, str] | None = None,
    live_browser_visitors: int = 0,
    models: Path = WEB_BUILD.parent,
    editor: TextEditor | None = None,
    differences: DifferenceCaptioner | None = None,
) -> Page:
    """Build the page with all its tabs; raise :class:`BadInputError` if the pose model cannot be read.

    ``lacking`` is the part of MediaPipe that is missing here; the page says so above every tab. If ``closed``, nobody
    can call models, and the page only collects annotations. If ``forgets``, submitted data would not be
    kept, so the page collects none. ``live_visitors`` limits how many visitors use the live coach at once, and
    ``live_browser_visitors`` how many more do so with pose estimation in their own browser; its files come from the
    environment or from the folder ``models``. ``links`` are the URLs of code, models and data in the footer. ``editor``
    edits visitors' own texts, by default by rules. ``differences`` describes pictures without a person, if it is given.
    """
    _warm_up(corrector)
    uploads = tempfile.TemporaryDirectory(prefix="fixmypose-", ignore_cleanup_errors=True)
    os.environ["GRADIO_TEMP_DIR"] = uploads.name
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    programs = {} if closed else {"api": "programs", "mcp": "programs#mcp"}
    coach = LiveTab(corrector.estimator, 0 if closed else live_visitors, live_browser_visitors, models / WEB_BUILD_NAME)
    coach.fetch()
    tabs, shut = page_tabs(
        corrector,
        finder,
        coach,
        work,
        ledger,
        closed=closed,
        forgets=forgets,
        editor=editor,
        differences=differences,
    )
    with AppBlocks(title=text("page.title").default, analytics_enabled=False, fill_width=True) as blocks:
        header = render("header.html", tabs=[tab.name for tab in tabs], shut=shut, lacking=lacking)
        gr.HTML(header, apply_default_css=False, js_on_load=None, elem_id="fmp-header")
        for tab in tabs:
            if tab.name not in shut:
                with gr.Column(elem_id=f"panel-{tab.name}", elem_classes="fmp-panel"):
                    tab.build()
        footer = render("footer.html", links={"paper": PAPER, **programs, **(links or {})})
        gr.HTML(footer, apply_default_css=False, js_on_load=None, elem_id="fmp-footer")
    examples = ExampleRoutes(None if closed else corrector)
    own = [] if closed else [*CameraLooks(corrector.estimator).routes(), *LoopRoute().routes()]
    own += ProgramsPage(closed, differences is not None).routes()
    return Page(blocks, ledger, uploads, [*coach.routes(), *own, *examples.routes()], examples, tabs)


def _warm_up(corrector: Corrector) -> None:
    """Load the pose model now, so that an unusable one stops the start and the first visitor does not wait for it."""
    try:
        with _native_log_muted():
            corrector.estimator.estimate(read_photograph(EXAMPLES[0].current))
    except BadInputError as error:
        if error.code != "no_person":
            raise


@contextlib.contextmanager
def _native_log_muted() -> Iterator[None]:
    """Silence standard error while C++ libraries print their greetings; Python exceptions still pass."""
    original = os.dup(2)
    try:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(original, 2)
        os.close(original)


def _scripts() -> str:
    # The page for programs has its words in its own markup.
    texts = {
        language: {key: value for key, value in texts.items() if not key.startswith("programs.")}
        for language, texts in interface_texts().items()
    }
    # "</" in any text would end the script element early.
    words = json.dumps(texts, ensure_ascii=False).replace("</", "<\\/")
    return f"<script>window.FMP_TEXTS = {words};\n{script(*_SCRIPTS)}</script>"

"""The tab "Correct my pose": two photographs in, a correction out; the same for programs as ``/correct``."""

from __future__ import annotations

import base64
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

from demo.answer import correction_html, empty_html, fault_html, refusal_html
from demo.components import AnswerLanguage, Form, Request, UploadedPhotograph, is_address
from demo.examples import EXAMPLES
from demo.interface_texts import languages
from demo.markup import render
from demo.uploads import UploadLedger
from fmp_models.errors import BadInputError
from fmp_models.photograph import MAX_BYTES
from fmp_models.pipelines import Corrector, Which

TAB = "correct"
_PAGE = Path(__file__).with_name("page")
_DELAY = 5  # seconds to step back from the camera
_MODEL = "model"  # one queue for everything that runs a model
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class CorrectTab:
    """The tab's handlers, closed over what they need."""

    corrector: Corrector
    ledger: UploadLedger

    def build(self) -> None:
        """Lay the tab out in the Blocks context that is open."""
        form = Form(
            html_template="${markup}",
            markup=_form_html(),
            js_on_load=_script("correct_form.js"),
            apply_default_css=False,
        )
        answer = gr.HTML(empty_html(), js_on_load=_script("answer.js"), apply_default_css=False, elem_id="answer")
        asked = form.submit(
            self.answer,
            form,
            answer,
            api_visibility="private",
            concurrency_id=_MODEL,
            concurrency_limit=1,
            show_progress="hidden",
        )
        asked.failure(None, None, None, js="() => window.FMP.failed()", api_visibility="private")
        form.clear(empty_html, None, answer, api_visibility="private", queue=False, show_progress="hidden")

        # Endpoints take their types from components; these are never drawn.
        gr.Button(visible=False).click(
            self.correct,
            [
                UploadedPhotograph(label="current", visible=False),
                UploadedPhotograph(label="target", visible=False),
                AnswerLanguage(list(languages()), value="en", label="language", visible=False),
            ],
            gr.JSON(label="correction", visible=False),
            api_name="correct",
            concurrency_id=_MODEL,
            concurrency_limit=1,
        )

    def answer(self, request: Request | None) -> str:
        """The page's answer to the form."""
        if request is None:
            return refusal_html(BadInputError("photo_missing"))
        try:
            current = self._read(request.current.path, "current")
            target = self._read(request.target.path, "target")
            correction, seen = self.corrector.correct(current, target, language=request.language)
            return correction_html(correction, seen, same_picture=current == target)
        except BadInputError as error:
            return refusal_html(error)
        except Exception:  # noqa: BLE001 - logged with its traceback, which a visitor never meets
            _log.exception("the correction failed")
            return fault_html()
        finally:
            self._forget(request.current.path, request.target.path)

    def correct(self, current: str | None, target: str | None, language: str = "en") -> dict[str, Any]:
        """Say how to get from one body pose to another: compares two photographs of a person and gives short steps.

        The photographs should each show one person from head to feet. JPEG, PNG, WebP and HEIC are read, sent as a
        file or as a data URI; addresses of the web are not fetched. Nothing that is sent is kept.

        Parameters:
            current: Photograph of the pose the person has now.
            target: Photograph of the pose the person wants to have.
            language: Language of the steps: "en" for English, "hi" for Hindi.

        Returns:
            Text, words with confidence (0 to 1), clauses with part, direction and agreement, model, people, times.
        """
        try:
            pictures = self._read(current, "current"), self._read(target, "target")
            correction, _ = self.corrector.correct(*pictures, language=language)
        except BadInputError as error:
            raise gr.Error(error.sentence, print_exception=False) from None
        finally:
            self._forget(current, target)
        return correction.as_json()

    @staticmethod
    def _read(path: str | None, which: Which) -> bytes:
        if path is None:
            raise BadInputError("photo_missing", which=which)
        if is_address(path):
            raise BadInputError("photo_is_address", which=which)
        try:
            with Path(path).open("rb") as file:
                return file.read(MAX_BYTES + 1)  # one more than allowed is enough to refuse it
        except (OSError, ValueError):
            raise BadInputError("photo_missing", which=which) from None

    def _forget(self, *paths: str | None) -> None:
        for path in paths:
            if path is not None:
                self.ledger.used(path)


def _form_html() -> str:
    return render(
        "correct_form.html", max_bytes=MAX_BYTES, limit_mb=MAX_BYTES // 1_000_000, delay=_DELAY, examples=_examples()
    )


def _examples() -> list[dict[str, str]]:
    """The example pairs as data URIs: small enough to travel with the page."""
    return [
        {"name": pair.name, "current": _jpeg_uri(pair.current), "target": _jpeg_uri(pair.target)} for pair in EXAMPLES
    ]


def _jpeg_uri(file: bytes) -> str:
    return f"data:image/jpeg;base64,{base64.b64encode(file).decode('ascii')}"


def _script(name: str) -> str:
    return (_PAGE / name).read_text(encoding="utf-8")

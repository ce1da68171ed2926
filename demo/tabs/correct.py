"""The tab "Correct my pose": two photographs in, a correction out; the same for programs as ``/correct``."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

import gradio as gr

from demo.examples import EXAMPLES
from demo.gradio_parts.components import (
    MODEL_QUEUE,
    WORKERS,
    AnswerLanguage,
    AnswerModel,
    Form,
    Request,
    Sent,
    UploadedPhotograph,
)
from demo.gradio_parts.forms import connect
from demo.gradio_parts.uploads import UploadLedger, read_upload
from demo.i18n import languages
from demo.views.correction import correction_html, empty_html, fault_html, refusal_html
from demo.views.model_choices import speakers
from demo.views.templating import jpeg_uri, render, script
from fmp_models.common.hostile_photograph import MAX_BYTES
from fmp_models.errors import BadInputError
from fmp_models.inference.corrector import Corrector
from fmp_models.inference.measured_pair import measured

TAB = "correct"
_ANSWER_SCRIPTS = ("answer.js", "looks.js", "lights.js", "enlarged.js", "one_picture.js")
_DELAY = 5  # seconds to step back from the camera
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class CorrectTab:
    """The tab's handlers, closed over what they need."""

    corrector: Corrector
    ledger: UploadLedger

    def build(self) -> None:
        """Lay the tab out in the Blocks context that is open."""
        models = self.corrector.models
        form = Form(
            html_template="${markup}",
            markup=_form_html(models),
            js_on_load=script("correct_form.js"),
            apply_default_css=False,
        )
        answer = gr.HTML(empty_html(), js_on_load=script(*_ANSWER_SCRIPTS), apply_default_css=False, elem_id="answer")
        connect(form, self.answer, empty_html, answer, TAB)
        gr.HTML(render("earlier.html"), js_on_load=script("earlier.js"), apply_default_css=False, elem_id="earlier")

        # Endpoints take their types from components; these are never drawn.
        gr.Button(visible=False).click(
            self.correct,
            [
                UploadedPhotograph(label="current", visible=False),
                UploadedPhotograph(label="target", visible=False),
                AnswerLanguage(list(languages()), value="en", label="language", visible=False),
                AnswerModel(list(models), value=models[0], label="model", visible=False),
            ],
            gr.JSON(label="correction", visible=False),
            api_name="correct",
            concurrency_id=MODEL_QUEUE,
            concurrency_limit=WORKERS,
        )

    def answer(self, request: Request | None) -> str:
        """The page's answer to the form."""
        if request is None:
            return refusal_html(BadInputError("photo_missing"))
        try:
            current = read_upload(request.current.path, "current")
            target = read_upload(request.target.path, "target")
            correction, seen = self.corrector.correct(
                current, target, language=request.language, model=request.model, whom=request.whom
            )
            return correction_html(correction, seen, same_picture=current == target)
        except BadInputError as error:
            return refusal_html(error)
        except Exception:  # noqa: BLE001 - logged with its traceback, which a visitor never meets
            _log.exception("the correction failed")
            return fault_html()
        finally:
            self.ledger.forget([request.current.path, request.target.path])

    def correct(self, current: Sent, target: Sent, language: str = "en", model: str | None = None) -> dict[str, Any]:
        """Say how to get from one body pose to another: compares two photographs of a person and gives short steps.

        The photographs should each show one person from head to feet. JPEG, PNG, WebP and HEIC are read, sent as a
        file or as a data URI; addresses of the web are not fetched. Nothing that is sent is kept.

        Parameters:
            current: Photograph of the pose the person has now.
            target: Photograph of the pose the person wants to have.
            language: Language of the steps: "en" for English, "hi" for Hindi.
            model: Who writes the steps: "geometry" measures the joints, any other name is a trained captioner.

        Returns:
            A JSON object: text, words with confidence (0 to 1), clauses with part, direction, agreement, confidence
            and by, the model that said the clause: the geometry adds what a captioner left out
            dropped, how many steps of a captioner were left out because the joints do not bear them out
            a clause with the direction "unseen" tells what could not be judged, so nothing is known of that part
            joints (names, both poses in metres: x to the right of the picture, y down, z away from the camera)
            distances (centimetres that each body part moves), model, people, times. Where nobody's joints can be
            measured a captioner answers from the pictures alone; joints and distances are null then.
        """
        try:
            pictures = read_upload(current, "current"), read_upload(target, "target")
            correction, seen = self.corrector.correct(*pictures, language=language, model=model)
        except BadInputError as error:
            raise gr.Error(error.sentence, print_exception=False) from None
        finally:
            self.ledger.forget([current, target])
        return {**correction.as_json(), **measured(seen.pair)}


def _form_html(models: tuple[str, ...]) -> str:
    return render(
        "correct_form.html",
        max_bytes=MAX_BYTES,
        limit_mb=MAX_BYTES // 1_000_000,
        delay=_DELAY,
        examples=_examples(),
        speakers=speakers(models),
    )


def _examples() -> list[dict[str, str]]:
    """The example pairs as data URIs: small enough to travel with the page."""
    return [
        {"name": pair.name, "current": jpeg_uri(pair.current), "target": jpeg_uri(pair.target)} for pair in EXAMPLES
    ]

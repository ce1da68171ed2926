"""The tab "Correct my pose": two photographs in, a correction out, and any text done; for programs ``/correct``."""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gradio as gr

from demo.examples import EXAMPLES
from demo.examples.routes import OPENING
from demo.gradio_parts.components import (
    AnswerLanguage,
    AnswerModel,
    DescriptionLanguage,
    Form,
    ProgramText,
    Request,
    Sent,
    UploadedPhotograph,
)
from demo.gradio_parts.forms import connect, connect_own_words, offer
from demo.gradio_parts.given_joints import OwnWords, OwnWordsForm, ProgramJoints, body
from demo.gradio_parts.given_place import ProgramOrientation, ProgramParts, ProgramPlace, orientation, parts, place
from demo.gradio_parts.uploads import UploadLedger, read_upload
from demo.i18n import asked_language, error_text, languages, refusal_sentence, text
from demo.views.correction import (
    Seal,
    correction_html,
    empty_html,
    fault_html,
    in_other_languages,
    no_seal,
    refusal_html,
)
from demo.views.demonstration import played
from demo.views.model_choices import speakers
from demo.views.templating import render, script
from fmp_models.common.hostile_photograph import MAX_BYTES
from fmp_models.errors import BadInputError
from fmp_models.geometry.left_out import SINGLE_PARTS
from fmp_models.inference.corrector import Corrector
from fmp_models.inference.demonstration import demonstrate_description
from fmp_models.inference.measured_pair import measured

TAB = "correct"
_FIGURE = ("body_motion.js", "moving_figure.js", "demonstration.js")
_KEPT = ("faces.js", "one_picture.js", "share.js", "loop.js")  # what is saved or handed on
_ANSWER_SCRIPTS = ("answer.js", "looks.js", "lights.js", "enlarged.js", *_FIGURE, *_KEPT)
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class CorrectTab:
    """The tab's handlers, closed over what they need.

    ``seal`` makes what people judge steps by, and ``build_feedback`` lays out what takes their presses.
    """

    corrector: Corrector
    ledger: UploadLedger
    seal: Seal = no_seal
    build_feedback: Callable[[], None] = lambda: None

    def build(self) -> None:
        """Lay the tab out in the Blocks context that is open."""
        models = self.corrector.models
        form = Form(
            html_template="${markup}",
            markup=_form_html(models),
            js_on_load=script("correct_form.js", "examples.js"),
            apply_default_css=False,
            elem_id="correct-form",
        )
        answer = gr.HTML(
            empty_html(),
            css_template=script("answer.css"),
            js_on_load=script(*_ANSWER_SCRIPTS),
            apply_default_css=False,
            elem_id="answer",
        )
        connect(form, self.answer, empty_html, answer, TAB)
        self.build_feedback()
        gr.HTML(render("earlier.html"), js_on_load=script("earlier.js"), apply_default_css=False, elem_id="earlier")

        own_words = OwnWordsForm(html_template="", js_on_load=script("own_words.js"), apply_default_css=False)
        tried = gr.HTML(html_template="", js_on_load=script("tried.js"), apply_default_css=False)
        connect_own_words(own_words, self.try_words, tried)

        offer(
            self.correct,
            [
                UploadedPhotograph(label="current", visible=False),
                UploadedPhotograph(label="target", visible=False),
                AnswerLanguage(list(languages()), value="en", label="language", visible=False),
                AnswerModel(list(models), value=models[0], label="model", visible=False),
                ProgramPlace(label="current_person", visible=False),
                ProgramPlace(label="target_person", visible=False),
                ProgramParts(label="leave_out", visible=False),
                ProgramOrientation(label="current_orientation", visible=False),
                ProgramOrientation(label="target_orientation", visible=False),
            ],
            "correct",
            "correction",
        )
        offer(
            self.demonstrate,
            [
                ProgramText(label="text", visible=False),
                ProgramJoints(label="current", visible=False),
                ProgramJoints(label="target", visible=False),
                DescriptionLanguage(list(languages()), label="language", visible=False),
            ],
            "demonstrate",
            "demonstration",
        )

    def answer(self, request: Request | None) -> str:
        """The page's answer to the form."""
        if request is None:
            return refusal_html(BadInputError("photo_missing"))
        try:
            current = read_upload(request.current.path, "current")
            target = read_upload(request.target.path, "target")
            first, second = request.orientations
            orientations = orientation(first, "current"), orientation(second, "target")
            correction, measurements = self.corrector.correct(
                current,
                target,
                language=request.language,
                model=request.model,
                whom=request.whom,
                leave_out=request.leave_out,
                orientations=orientations,
            )
            same_picture = current == target and orientations[0] == orientations[1]
            return correction_html(
                correction,
                measurements,
                same_picture=same_picture,
                seal=self.seal,
                translated=in_other_languages(self.corrector, correction, measurements),
            )
        except BadInputError as error:
            return refusal_html(error)
        except Exception:  # noqa: BLE001 - logged with its traceback, which a visitor never meets
            _log.exception("the correction failed")
            return fault_html()
        finally:
            self.ledger.forget([request.current.path, request.target.path])

    def correct(  # noqa: PLR0913, PLR0917  what programs may say
        self,
        current: Sent,
        target: Sent,
        language: str = "en",
        model: str | None = None,
        current_person: object = None,
        target_person: object = None,
        leave_out: object = None,
        current_orientation: object = None,
        target_orientation: object = None,
    ) -> dict[str, Any]:
        """Say how to get from one body pose to another: compares two photographs of a person and gives short steps.

        The photographs should each show one person from head to feet. JPEG, PNG, WebP, HEIC, AVIF, GIF and BMP are
        read, of several pictures in a file the first, but no animations. Send each as a file or as a data URI;
        addresses of the web are not fetched. Nothing that is sent is kept.

        Parameters:
            current: Photograph of the pose the person has now.
            target: Photograph of the pose the person wants to have.
            language: Language of the steps: "en" for English, "hi" for Hindi.
            model: Who writes the steps: "geometry" measures the joints, any other name is a trained captioner.
            current_person: Where the person is who is meant, if the current photograph shows several: two shares of
                its width and height, from the left and the top, when it is upright. The largest where it is left out.
            target_person: The same in the target photograph.
            leave_out: Parts of the body that nothing is to be said of, such as ["legs"]: left_arm, right_arm, arms,
                left_leg, right_leg, legs, trunk or head.
            current_orientation: How the current photograph is turned and mirrored, which is undone before it is
                measured: {"turned_by": 90, "mirrored": true}. turned_by is 0, 90, 180 or 270 degrees clockwise.
                Joints are those of the upright photograph. As it was taken where it is left out.
            target_orientation: The same of the target photograph.

        Returns:
            A JSON object. text is the whole correction, and words are its words, each with its confidence (0 to 1).
            clauses are the changes that it asks for, each with part, direction, agrees (what the joints say),
            confidence and by, the model that said it: the geometry adds what a captioner left out. A clause with the
            direction "unseen" tells what could not be judged, so nothing is known of that part. steps are the
            sentences of the text in the order of doing, each with text, kind, the places of its clauses, words (first
            and one beyond the last), confidence and by. Its kind is "step", "fine" (fine tuning), "watch" (general
            advice that nobody measured, without confidence) or "unseen". There are no steps from pictures alone.
            dropped is how many steps of a captioner were left out because the joints do not bear them out. joints has
            names and both poses in metres: x to the right of the picture, y down, z away from the camera. distances
            are the centimetres that each body part moves. model, people and milliseconds tell who spoke, how many
            people were seen in each photograph and how long it took. carried_out is the share of the way to the target
            that the text alone leads: 1 is there, below 0 is further away. Where nobody's joints can be measured a
            captioner answers from the pictures alone; joints, distances and carried_out are null then.
        """
        try:
            pictures = read_upload(current, "current"), read_upload(target, "target")
            correction, measurements = self.corrector.correct(
                *pictures,
                language=language,
                model=model,
                whom=(place(current_person, "current"), place(target_person, "target")),
                leave_out=parts(leave_out),
                orientations=(orientation(current_orientation, "current"), orientation(target_orientation, "target")),
                carry_out=True,
            )
        except BadInputError as error:
            raise gr.Error(refusal_sentence(error, asked_language(language)), print_exception=False) from None
        finally:
            self.ledger.forget([current, target])
        return {**correction.as_json(), **measured(measurements.pair)}

    def try_words(self, words: OwnWords | None) -> str:
        """The demonstration of somebody's own words, or why there is none, as JSON that is never the same twice."""
        reply: dict[str, Any]
        words = words or OwnWords()
        try:
            visibility = words.visibility
            current = body(words.current, "current", visibility)
            target = None if words.target is None else body(words.target, "target", visibility)
            typed = words.text if isinstance(words.text, str) else ""
            reply = {"played": played(demonstrate_description(typed, None, current, target))}
        except BadInputError as error:
            ours = error.code.startswith("joints_")  # which nobody typed
            reply = {"refusal": (text("faults.ours") if ours else error_text(error)).by_language}
        except Exception:  # noqa: BLE001 - logged with its traceback, which a visitor never meets
            _log.exception("the demonstration failed")
            reply = {"refusal": text("faults.ours").by_language}
        return json.dumps({**reply, "number": secrets.token_hex(4)})

    def demonstrate(
        self, text: str | None, current: object, target: object = None, language: str | None = None
    ) -> dict[str, Any]:
        """Do what a text says: any correction is carried out on the joints of a body, step by step.

        Nothing that is sent is kept.

        Parameters:
            text: What to change in the pose, in English or Hindi, up to 1000 characters.
            current: Joints of the body as it is: 20 lists of three metres, as /correct answers them.
            target: Joints of the pose that is wanted, likewise; left out where there is none.
            language: Language of the text, "en" or "hi"; known by its script where it is left out.

        Returns:
            A JSON object. joints are the names of the joints, and bones the pairs of them that are joined. poses are
            bodies: the current one first, then one after each step that was carried out. steps are those of the text in
            its order, each with its text, words and whether it was carried. target is the pose that is wanted, on the
            bones of the current body. way is the share of the way to the target that the text leads: 1 is there, below
            0 is further away.
        """
        try:
            aim = None if target is None else body(target, "target")
            return demonstrate_description(text or "", language, body(current, "current"), aim).as_json()
        except BadInputError as error:
            raise gr.Error(refusal_sentence(error, asked_language(language, text)), print_exception=False) from None


def _form_html(models: tuple[str, ...]) -> str:
    return render(
        "correct_form.html",
        max_bytes=MAX_BYTES,
        limit_mb=MAX_BYTES // 1_000_000,
        examples=[pair.name for pair in EXAMPLES],
        opening=OPENING,
        speakers=speakers(models),
        parts=tuple(SINGLE_PARTS),
    )

"""The tab "Correct my pose" and its endpoints, such as ``/correct`` and ``/difference``."""

from __future__ import annotations

import json
import logging
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, TypeVar

import gradio as gr

from demo.examples import EXAMPLES, OPENING
from demo.gradio_parts import (
    AnswerLanguage,
    AnswerModel,
    ApiBody,
    ApiChanges,
    ApiHistory,
    ApiJoints,
    ApiOrientation,
    ApiParts,
    ApiPoint,
    ApiText,
    DescriptionLanguage,
    Form,
    OwnWords,
    OwnWordsForm,
    Request,
    Sent,
    UploadedPhotograph,
    add_endpoint,
    bind_chat,
    bind_edit,
    bind_form,
    bind_own_words,
    read_body,
    read_changes,
    read_history,
    read_orientation,
    read_parts,
    read_point,
)
from demo.i18n import DEFAULT_LANGUAGE, asked_language, error_text, languages, refusal_sentence, render, script, text
from demo.serving import UploadLedger, read_upload
from demo.views import (
    Seal,
    answer_fault_html,
    answer_refusal_html,
    chat_fault,
    chat_refusal,
    chat_reply,
    correction_html,
    difference_html,
    edit_fault_html,
    edit_refusal_html,
    edited_html,
    empty_answer_html,
    imaginable,
    imagined_html,
    in_other_languages,
    no_seal,
    played,
    speakers,
)
from fmp_models.common import MAX_BYTES, MAX_DESCRIPTION_CHARS
from fmp_models.counterfactual import imagine
from fmp_models.dialogue import SceneGraph, ask_about
from fmp_models.editing import EditedText, TextEditor, open_editor
from fmp_models.errors import BadInputError
from fmp_models.estimators import NOBODY, PersonPoint
from fmp_models.geometry import SINGLE_EXCLUDABLE_PARTS
from fmp_models.inference import (
    Corrector,
    DifferenceCaptioner,
    MeasuredPhotographs,
    correct_joints,
    demonstrate_description,
    read_description,
    read_joints,
)
from fmp_models.languages import language_of, transliterated
from fmp_models.pose import PosePair

_FIGURE = ("body_motion.js", "moving_figure.js", "demonstration.js")
_KEPT = ("faces.js", "one_picture.js", "share.js", "loop.js")  # saving and sharing
_ANSWER_SCRIPTS = ("answer.js", "looks.js", "highlights.js", "enlarged.js", *_FIGURE, *_KEPT)
_log = logging.getLogger(__name__)
_Read = TypeVar("_Read")
Measured = Callable[[], MeasuredPhotographs]
_People = tuple[object, object, object, object, object]  # as the endpoints about two photographs have them


@dataclass(frozen=True)
class CorrectTab:
    """The tab's handlers with their dependencies.

    ``editor`` edits a visitor's own text. ``differences`` describes pictures without a person, if it is given.
    ``seal`` seals the record of an answer for later judgement, and ``build_feedback`` adds the components that
    receive the judgements.
    """

    name: ClassVar[str] = "correct"
    styles: ClassVar[tuple[str, ...]] = ("correct.css", "camera.css", "opening.css")
    corrector: Corrector
    ledger: UploadLedger
    editor: TextEditor = field(default_factory=open_editor)
    differences: DifferenceCaptioner | None = None
    seal: Seal = no_seal
    build_feedback: Callable[[], None] = lambda: None

    def build(self) -> None:
        """Add the tab's components to the current Blocks context."""
        models = self.corrector.models
        form = Form(
            html_template="${markup}",
            markup=_form_html(models),
            js_on_load=script("correct_form.js", "examples.js", "edit.js"),
            apply_default_css=False,
            elem_id="correct-form",
        )
        answer = gr.HTML(
            empty_answer_html(),
            css_template=script("answer.css"),
            js_on_load=script(*_ANSWER_SCRIPTS),
            apply_default_css=False,
            elem_id="answer",
        )
        bind_form(form, self.answer, empty_answer_html, answer, self.name)
        edited = gr.HTML(html_template="", js_on_load=script("edited.js"), apply_default_css=False)
        bind_edit(form, self.edit_own, edited, self.name)
        self.build_feedback()
        with gr.Column(elem_id="about-answer"):
            self._build_chat()
            self._build_what_if()
        gr.HTML(render("earlier.html"), js_on_load=script("earlier.js"), apply_default_css=False, elem_id="earlier")

        own_words = OwnWordsForm(html_template="", js_on_load=script("own_words.js"), apply_default_css=False)
        tried = gr.HTML(html_template="", js_on_load=script("tried.js"), apply_default_css=False)
        bind_own_words(own_words, self.try_words, tried)

        chosen = AnswerLanguage(list(languages()), value=DEFAULT_LANGUAGE, label="language", visible=False)
        model = AnswerModel(list(models), value=models[0], label="model", visible=False)
        recognised = DescriptionLanguage(list(languages()), label="language", visible=False)
        asked = [ApiText(label="question", visible=False), ApiHistory(label="history", visible=False)]
        bodies = [ApiBody(label=f"{moment}_joints", visible=False) for moment in ("current", "target")]
        add_endpoint(self.correct, [*_of_two(chosen, model), *bodies], "correct", "correction")
        add_endpoint(self.edit, _of_two(ApiText(label="text", visible=False), recognised), "edit", "edited text")
        add_endpoint(self.ask, _of_two(*asked, recognised), "ask", "reply")
        changes = ApiChanges(label="changes", visible=False)
        add_endpoint(self.imagine, _of_two(changes, recognised), "imagine", "imagined correction")
        add_endpoint(
            self.demonstrate,
            [
                ApiText(label="text", visible=False),
                ApiJoints(label="current", visible=False),
                ApiJoints(label="target", visible=False),
                recognised,
            ],
            "demonstrate",
            "demonstration",
        )
        if self.differences is not None:
            pictures = [UploadedPhotograph(label=moment, visible=False) for moment in ("current", "target")]
            add_endpoint(self.difference, [*pictures, chosen], "difference", "difference")

    def _build_chat(self) -> None:
        """Add the conversation about an answer; the browser keeps it and sends the earlier questions along."""
        with gr.Column(elem_id="ask"):
            gr.HTML(render("ask_heading.html"), js_on_load=None, apply_default_css=False, elem_id="ask-heading")
            gr.HTML("", js_on_load=None, apply_default_css=False, elem_id="ask-pictures")
            chat = gr.Chatbot(
                elem_id="ask-chat",
                show_label=False,
                container=False,
                height=None,
                max_height="52vh",
                buttons=[],
                latex_delimiters=[],
                allow_tags=False,
                layout="bubble",
            )
            form = Form(
                html_template="${markup}",
                markup=render("ask_form.html"),
                js_on_load=script("ask.js"),
                apply_default_css=False,
                elem_id="ask-form",
            )
            reply = gr.HTML(html_template="", js_on_load=None, apply_default_css=False)
        bind_chat(form, self.reply, reply, chat)

    def _build_what_if(self) -> None:
        """Add what a visitor imagines in the target pose of an answer."""
        form = Form(
            html_template="${markup}",
            markup=render("what_if.html", groups=imaginable()),
            js_on_load=script("what_if.js"),
            apply_default_css=False,
            elem_id="what-if",
        )
        imagined = gr.HTML(html_template="", js_on_load=script("imagined.js"), apply_default_css=False)
        bind_edit(form, self.imagine_own, imagined, "imagine")

    def answer(self, request: Request | None) -> str:
        """Return the HTML that answers the form."""

        def refusal_html(error: BadInputError) -> str:
            return answer_refusal_html(error, describable=self.differences is not None and error.code in NOBODY)

        return self._html(request, self._correction_html, refusal_html, answer_fault_html)

    def edit_own(self, request: Request | None) -> str:
        """Return the HTML of the visitor's own text, edited."""
        return self._html(request, self._edited_html, edit_refusal_html, edit_fault_html)

    def imagine_own(self, request: Request | None) -> str:
        """Return the HTML of the text about a target that a visitor imagines otherwise."""
        return self._html(request, self._imagined_html, edit_refusal_html, edit_fault_html)

    def reply(self, request: Request | None) -> str:
        """Return the reply to a visitor's question as JSON for the page."""
        return self._html(request, self._chat_reply, chat_refusal, chat_fault)

    def _html(
        self,
        request: Request | None,
        html_of: Callable[[Request], str],
        refusal_html: Callable[[BadInputError], str],
        fault_html: Callable[[], str],
    ) -> str:
        """Return what is made of a request for the page, or what prevents that."""
        if request is None:
            return refusal_html(BadInputError("photo_missing"))
        try:
            return html_of(request)
        except BadInputError as error:
            return refusal_html(error)
        except Exception:  # noqa: BLE001 - logged with its traceback, which a visitor never meets
            _log.exception("a request of the form failed")
            return fault_html()
        finally:
            self.ledger.forget([request.current.path, request.target.path])

    def _correction_html(self, request: Request) -> str:
        current, target = _both(read_upload, request.current.path, request.target.path)
        orientations = _both(read_orientation, *request.orientations)
        if request.difference and self.differences is not None:
            told = self.differences.describe(current, target, request.language, orientations)
            return difference_html(told, self.differences.languages)
        correction, measurements = self.corrector.correct(
            current,
            target,
            language=request.language,
            model=request.model,
            person_points=request.whom,
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

    def _edited_html(self, request: Request) -> str:
        return edited_html(self._edited(request.text, None, self._asked(request)))

    def _chat_reply(self, request: Request) -> str:
        language = _language_of(request.text, request.language)
        graph = _graph(self._asked(request))
        return chat_reply(ask_about(graph, request.text, language, request.history), language)

    def _imagined_html(self, request: Request) -> str:
        pair = _pair(self._asked(request))
        return imagined_html(imagine(pair, request.changes, request.language), pair)

    def correct(  # noqa: PLR0913, PLR0917  what programs may say
        self,
        current: Sent,
        target: Sent,
        language: str = DEFAULT_LANGUAGE,
        model: str | None = None,
        current_person: object = None,
        target_person: object = None,
        leave_out: object = None,
        current_orientation: object = None,
        target_orientation: object = None,
        current_joints: object = None,
        target_joints: object = None,
    ) -> dict[str, Any]:
        """Return short steps that lead from one body pose to another, by comparing two photographs of a person.

        The photographs should each show one person from head to feet. JPEG, PNG, WebP, HEIC, AVIF, GIF and BMP files
        are read; if a file has several pictures, the first is used; animations are rejected. Send each photograph as a
        file or as a data URI; web addresses are not fetched. Nothing that is sent is kept.

        Parameters:
            current: Photograph of the pose the person has now.
            target: Photograph of the pose the person wants to have.
            language: Code of the language of the steps, such as "en" for English.
            model: Model that writes the steps: "geometry" measures the joints, any other name is a trained captioner.
            current_person: Point on the person to correct, if the current photograph shows several: two shares of the
                width and height of the upright photograph, from the left and the top. Default: the largest person.
            target_person: The same for the target photograph.
            leave_out: Parts of the body to leave out of the steps, such as ["legs"]: left_arm, right_arm, arms,
                left_leg, right_leg, legs, trunk or head.
            current_orientation: How the current photograph is turned and mirrored; this is undone before measuring:
                {"turned_by": 90, "mirrored": true}. turned_by is 0, 90, 180 or 270 degrees clockwise. Joints are those
                of the upright photograph. Default: neither turned nor mirrored.
            target_orientation: The same for the target photograph.
            current_joints: Joints of the current body in place of both photographs, which are then null: {"format":
                "coco-17", "units": "mm", "axes": "y-up", "joints": [[x, y, z], null, ...]}. format is fixmypose-20,
                mediapipe-33, coco-17, h36m-17 or smpl-24, units m, cm or mm, and axes y-down, y-up, z-up or three
                letters such as RUB (x right, y up, z back for a viewer); null is a missing joint. A frame of a BVH
                capture is {"format": "bvh", "text": "HIERARCHY …", "frame": 0}. "geometry" answers.
            target_joints: The same for the target body.

        Returns:
            A JSON object. text is the whole correction, and words are its words, each with its confidence (0 to
            1). clauses are the changes it asks for, each with part, direction, agrees (whether the joints agree),
            confidence and by, the model that wrote it: the geometry adds changes that a captioner missed. A clause with
            the direction "unseen" names a part that could not be judged. steps are the sentences of the text in the
            order to follow them, each with text, kind, the indices of its clauses, words (first, and one past the
            last), confidence and by. Its kind is "step", "fine" (fine tuning), "watch" (general advice that is not
            measured, without confidence) or "unseen". A correction from the pictures alone has no steps. dropped is the
            number of a captioner's steps that were removed because the joints contradict them. joints has names and
            both poses in metres: x to the right of the picture, y down, z away from the camera. distances are the
            centimetres that each body part moves. model, people and milliseconds are the model, the number of people
            found in each photograph and the time. goal_progress is the share of the way to the target that following
            the text alone covers: 1 reaches it, below 0 is further away. If no joints can be measured, a captioner
            answers from the pictures alone; joints, distances and goal_progress are then null.
        """
        with self._refusing(current, target, language):
            if current_joints is not None or target_joints is not None:
                bodies = _both(read_joints, current_joints, target_joints)
                return correct_joints(*bodies, language=language, leave_out=read_parts(leave_out)).as_json()
            correction, _ = self.corrector.correct(
                *_both(read_upload, current, target),
                language=language,
                model=model,
                person_points=_both(read_point, current_person, target_person),
                leave_out=read_parts(leave_out),
                orientations=_both(read_orientation, current_orientation, target_orientation),
                with_progress=True,
            )
            return correction.as_json()

    def difference(self, current: Sent, target: Sent, language: str = DEFAULT_LANGUAGE) -> dict[str, Any]:
        """Describe the difference of two pictures of anything in a sentence, by a trained captioner.

        The pictures are sent as for /correct: as files or as data URIs; web addresses are not fetched. Nothing that is
        sent is kept. Nobody needs to be in the pictures, and nothing in the text is checked.

        Parameters:
            current: The first picture.
            target: The second picture.
            language: Code of the language of the text, such as "en". If the captioner lacks it, another one is used.

        Returns:
            A JSON object. text is the difference in words. language is the language of the text, and model is the
            captioner.
        """
        with self._refusing(current, target, language):
            if self.differences is None:
                raise ValueError("there is no captioner of differences")
            return self.differences.describe(*_both(read_upload, current, target), language).as_json()

    def edit(  # noqa: PLR0913, PLR0917  what programs may say
        self,
        current: Sent,
        target: Sent,
        text: str | None,
        language: str | None = None,
        current_person: object = None,
        target_person: object = None,
        leave_out: object = None,
        current_orientation: object = None,
        target_orientation: object = None,
    ) -> dict[str, Any]:
        """Edit a text about two photographs of a person: what they contradict is changed in as few words as possible.

        The photographs are sent as for /correct: as files or as data URIs; web addresses are not fetched. Nothing that
        is sent is kept.

        Parameters:
            current: Photograph of the pose the person has now.
            target: Photograph of the pose the person wants to have.
            text: The text to edit, in English or another language of the page, up to 1000 characters.
            language: Code of the language of the text, such as "en". Default: detected from its script.
            current_person: Point on the person to measure, if the current photograph shows several: two shares of the
                width and height of the upright photograph, from the left and the top. Default: the largest person.
            target_person: The same for the target photograph.
            leave_out: Parts of the body that are not judged, such as ["legs"]: left_arm, right_arm, arms, left_leg,
                right_leg, legs, trunk or head. What the text says about them stays, and no word is added about them.
            current_orientation: How the current photograph is turned and mirrored; this is undone before measuring:
                {"turned_by": 90, "mirrored": true}. Default: neither turned nor mirrored.
            target_orientation: The same for the target photograph.

        Returns:
            A JSON object. text is the edited text; given is the text that was edited: the one sent, or, if that is
            Hindi in Latin letters, its words in Devanagari. operations are the words of both in order, each with op
            ("KEEP", "DELETE" or "ADD"), token, round (0 for kept words, from 1 for the others) and reason ("false": the
            joints contradict the clause; "missing": a certain change was not said; "wording"; null for kept words).
            rounds is their number and editing_steps the number of words deleted and added; both are 0 if nothing is
            wrong. clauses are the changes that the edited text asks for, each with text, part, direction, agrees
            (whether the joints agree, null if they cannot tell), confidence and words (first, and one past the last);
            removed are those of the given text that the joints contradict. language is that of the text, model is the
            editor, and milliseconds is its time, without that of finding the joints.
        """
        people = (current_person, target_person, leave_out, current_orientation, target_orientation)
        with self._refusing(current, target, language, text):
            return self._edited(text or "", language, self._given(current, target, people)).as_json()

    def _edited(self, written: str, language: str | None, measured: Measured) -> EditedText:
        """Return the text edited for two photographs; Hindi in Latin letters is transliterated first."""
        read = read_description(written, language)
        return self.editor.edit(read.read_as or written, read.language, measured())

    def _given(self, current: Sent, target: Sent, people: _People) -> Measured:
        """Return a function that measures the photographs of a program: its other input is read first."""
        points, leave_out, orientations = _both(read_point, *people[:2]), read_parts(people[2]), people[3:]
        return lambda: self._measured((current, target), points, leave_out, orientations)

    def _asked(self, request: Request) -> Measured:
        """Return the same for a request of the page."""
        photographs = request.current.path, request.target.path
        return lambda: self._measured(photographs, request.whom, request.leave_out, request.orientations)

    def _measured(
        self,
        photographs: tuple[Sent, Sent],
        person_points: tuple[PersonPoint | None, PersonPoint | None],
        leave_out: Iterable[object],
        orientations: tuple[object, object],
    ) -> MeasuredPhotographs:
        return self.corrector.measure(
            *_both(read_upload, *photographs),
            person_points=person_points,
            leave_out=leave_out,
            orientations=_both(read_orientation, *orientations),
        )

    @contextmanager
    def _refusing(self, current: Sent, target: Sent, *written: object) -> Iterator[None]:
        """Tell a program what is wrong, in the language of what it has ``written``; forget its photographs."""
        try:
            yield
        except BadInputError as error:
            raise gr.Error(refusal_sentence(error, asked_language(*written)), print_exception=False) from None
        finally:
            self.ledger.forget([current, target])

    def ask(  # noqa: PLR0913, PLR0917  what programs may say
        self,
        current: Sent,
        target: Sent,
        question: str | None,
        history: object = None,
        language: str | None = None,
        current_person: object = None,
        target_person: object = None,
        leave_out: object = None,
        current_orientation: object = None,
        target_orientation: object = None,
    ) -> dict[str, Any]:
        """Answer a question about two photographs of a person: how the body changes from one pose to the other.

        The photographs are sent as for /correct: as files or as data URIs; web addresses are not fetched. Nothing that
        is sent is kept, so the earlier questions of a conversation are sent along. Every answer is that of a program
        executed on the measured joints.

        Parameters:
            current: Photograph of the pose the person has now.
            target: Photograph of the pose the person wants to have.
            question: The question, in English or another language of the page, up to 500 characters.
            history: Earlier questions of the conversation, the oldest first, such as ["Does my left knee move?"]; words
                such as "it" or "the other one" refer to them. Default: none.
            language: Code of the language of the answer, such as "en". Default: the language of the question.
            current_person: Point on the person to measure, if the current photograph shows several: two shares of the
                width and height of the upright photograph, from the left and the top. Default: the largest person.
            target_person: The same for the target photograph.
            leave_out: Parts of the body that nothing is said about, such as ["legs"]: left_arm, right_arm, arms,
                left_leg, right_leg, legs, trunk or head.
            current_orientation: How the current photograph is turned and mirrored; this is undone before measuring:
                {"turned_by": 90, "mirrored": true}. Default: neither turned nor mirrored.
            target_orientation: The same for the target photograph.

        Returns:
            A JSON object. answer is the answer to the question. outcome is "answer"; "none" if there is nothing that
            the question is about; "unseen" if the photographs do not show it well enough; or "unread" if the question
            could not be understood. program is the program whose result is the answer, and kind its kind. parts are the
            body parts meant, such as "left knee", and joints the names of their joints. explanation says in words how
            the answer was found, with the measured figures. suggestions are three questions that can be asked next.
            language is that of the answer, and milliseconds is the time, without that of finding the joints.
        """
        people = (current_person, target_person, leave_out, current_orientation, target_orientation)
        with self._refusing(current, target, language, question):
            earlier, asked = read_history(history), question or ""
            graph = _graph(self._given(current, target, people))
            answered_in, started = language or _language_of(asked), time.perf_counter()
            reply = ask_about(graph, asked, answered_in, earlier)
            return {**asdict(reply), "language": answered_in, "milliseconds": _since(started)}

    def imagine(  # noqa: PLR0913, PLR0917  what programs may say
        self,
        current: Sent,
        target: Sent,
        changes: object,
        language: str | None = None,
        current_person: object = None,
        target_person: object = None,
        leave_out: object = None,
        current_orientation: object = None,
        target_orientation: object = None,
    ) -> dict[str, Any]:
        """Imagine the target pose of two photographs otherwise: a change in words, and the correction that follows it.

        The photographs are sent as for /correct: as files or as data URIs; web addresses are not fetched. Nothing that
        is sent is kept. A change turns only the bones of the limb that it names, within the limits of the joints.

        Parameters:
            current: Photograph of the pose the person has now.
            target: Photograph of the pose the person wants to have.
            changes: One to three changes, such as ["left hand at head height", "right knee straight"]: a body part with
                its side, and where it ends or which way it moves; in English or another language of the page.
            language: Code of the language of the text, such as "en". Default: the language of the first change.
            current_person: Point on the person to measure, if the current photograph shows several: two shares of the
                width and height of the upright photograph, from the left and the top. Default: the largest person.
            target_person: The same for the target photograph.
            leave_out: Parts of the body that nothing is said about, such as ["legs"]: left_arm, right_arm, arms,
                left_leg, right_leg, legs, trunk or head.
            current_orientation: How the current photograph is turned and mirrored; this is undone before measuring:
                {"turned_by": 90, "mirrored": true}. Default: neither turned nor mirrored.
            target_orientation: The same for the target photograph.

        Returns:
            A JSON object. imagined is the sentence for the changes, such as "Imagine the left hand at head height.".
            text is the correction that leads to the imagined pose, by the geometry. clauses are what it asks for, each
            with text, part, direction and changed: "new", or "kept" if the correction without the changes asks for it
            too. gone are the clauses that only the correction without the changes asks for. outcome is "changed", or
            "unchanged" if nothing is new or gone: the change is too small, or concerns parts that are left out or not
            seen well enough. target_joints is the imagined pose: 20 lists of three metres, as /demonstrate takes them.
            language is that of the text, and milliseconds is the time, without that of finding the joints.
        """
        people = (current_person, target_person, leave_out, current_orientation, target_orientation)
        first = next(iter(changes), "") if isinstance(changes, list) else changes
        with self._refusing(current, target, language, first):
            told = read_changes(changes)
            pair = _pair(self._given(current, target, people))
            answered_in, started = language or _language_of(told[0] if told else ""), time.perf_counter()
            said = imagine(pair, told, answered_in)
            return {**said.as_json(), "milliseconds": _since(started)}

    def try_words(self, words: OwnWords | None) -> str:
        """Return the demonstration of a visitor's own text, or an error, as JSON that is unique for each call."""
        reply: dict[str, Any]
        words = words or OwnWords()
        try:
            visibility = words.visibility
            current = read_body(words.current, "current", visibility)
            target = None if words.target is None else read_body(words.target, "target", visibility)
            typed = words.text if isinstance(words.text, str) else ""
            reply = {"played": played(demonstrate_description(typed, None, current, target))}
        except BadInputError as error:
            ours = error.code.startswith("joints_")  # the page sends the joints
            reply = {"refusal": (text("faults.ours") if ours else error_text(error)).by_language}
        except Exception:  # noqa: BLE001 - logged with its traceback, which a visitor never meets
            _log.exception("the demonstration failed")
            reply = {"refusal": text("faults.ours").by_language}
        return json.dumps({**reply, "number": secrets.token_hex(4)})

    def demonstrate(
        self, text: str | None, current: object, target: object = None, language: str | None = None
    ) -> dict[str, Any]:
        """Execute a text: apply any correction to the joints of a body, step by step.

        Nothing that is sent is kept.

        Parameters:
            text: What to change in the pose, in English or another language of the page, up to 1000 characters.
            current: Joints of the current body: 20 lists of three metres, as returned by /correct.
            target: Joints of the target pose, in the same form; optional.
            language: Code of the language of the text, such as "en". Default: detected from its script.

        Returns:
            A JSON object. joints are the names of the joints, and bones the pairs of joints that are connected.
            poses are bodies: the current one first, then one after each executed step. steps are the steps of the text
            in order, each with its text, words and carried, whether it was executed. target is the target pose with the
            bone lengths of the current body. way is the share of the way to the target that the text covers: 1 reaches
            it, below 0 is further away.
        """
        with self._refusing(None, None, language, text):
            aim = None if target is None else read_body(target, "target")
            return demonstrate_description(text or "", language, read_body(current, "current"), aim).as_json()


def _both(read: Callable[[Any, Any], _Read], current: object, target: object) -> tuple[_Read, _Read]:
    """Return what is read of both photographs."""
    return read(current, "current"), read(target, "target")


def _language_of(question: str, otherwise: str = DEFAULT_LANGUAGE) -> str:
    """Return the language that a question is written in."""
    in_script = transliterated(question[:MAX_DESCRIPTION_CHARS])
    return in_script[0] if in_script else language_of(question) or otherwise


def _pair(measured: Measured) -> PosePair:
    pair = measured().pair
    if pair is None:
        raise BadInputError("no_person", which="current")
    return pair


def _graph(measured: Measured) -> SceneGraph:
    return SceneGraph.of_pair(_pair(measured))


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 1)


def _of_two(*own: gr.components.Component) -> list[gr.components.Component]:
    """Return the components of an endpoint about two photographs; ``own`` are those between them and the people."""
    return [
        UploadedPhotograph(label="current", visible=False),
        UploadedPhotograph(label="target", visible=False),
        *own,
        ApiPoint(label="current_person", visible=False),
        ApiPoint(label="target_person", visible=False),
        ApiParts(label="leave_out", visible=False),
        ApiOrientation(label="current_orientation", visible=False),
        ApiOrientation(label="target_orientation", visible=False),
    ]


def _form_html(models: tuple[str, ...]) -> str:
    return render(
        "correct_form.html",
        max_bytes=MAX_BYTES,
        longest=MAX_DESCRIPTION_CHARS,
        limit_mb=MAX_BYTES // 1_000_000,
        examples=[pair.name for pair in EXAMPLES],
        opening=OPENING,
        speakers=speakers(models),
        parts=tuple(SINGLE_EXCLUDABLE_PARTS),
    )

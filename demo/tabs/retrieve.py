"""The tab "Find the pose": ranks candidate photographs by a description. The endpoint for programs is ``/retrieve``."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import gradio as gr

from demo.examples import RETRIEVAL
from demo.gradio_parts import (
    ApiPage,
    ApiPoint,
    ApiText,
    DescriptionLanguage,
    FindForm,
    FindRequest,
    Sent,
    UploadedPhotograph,
    UploadedPhotographs,
    add_endpoint,
    bind_form,
    read_point,
)
from demo.i18n import asked_language, languages, refusal_sentence, render, script
from demo.serving import UploadLedger, read_upload
from demo.views import collection_html, empty_ranking_html, ranking_fault_html, ranking_html, ranking_refusal_html
from fmp_models.common import MAX_BYTES, MAX_CANDIDATES, MAX_DESCRIPTION_CHARS, MIN_CANDIDATES
from fmp_models.errors import BadInputError
from fmp_models.inference import TargetFinder
from fmp_models.languages import grammar, spellings_of

_PROGRESS = gr.Progress()  # Gradio replaces this default by a new one for each call
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RetrieveTab:
    """The tab's handlers with their dependencies."""

    name: ClassVar[str] = "retrieve"
    styles: ClassVar[tuple[str, ...]] = ("retrieve.css",)
    finder: TargetFinder
    ledger: UploadLedger

    def build(self) -> None:
        """Add the tab's components to the current Blocks context."""
        form = FindForm(
            html_template="${markup}",
            markup=_form_html(installed=self.finder.retrievers.installed, collection=self.finder.gallery is not None),
            js_on_load=script("retrieve_form.js"),
            apply_default_css=False,
        )
        ranking = gr.HTML(
            empty_ranking_html(),
            js_on_load=script("enlarged.js", "ranking.js"),
            apply_default_css=False,
            elem_id="ranking",
        )
        bind_form(form, self.answer, empty_ranking_html, ranking, self.name)

        add_endpoint(
            self.retrieve,
            [
                UploadedPhotograph(label="current", visible=False),
                ApiText(label="description", visible=False),
                UploadedPhotographs(label="candidates", visible=False),
                DescriptionLanguage(list(languages()), label="language", visible=False),
                ApiPoint(label="current_person", visible=False),
                ApiPage(label="page", visible=False),
            ],
            "retrieve",
            "ranking",
        )

    def answer(self, request: FindRequest | None, progress: gr.Progress = _PROGRESS) -> str:
        """Return the HTML that answers the form; ``progress`` reports the picture that is being measured."""
        if request is None:
            return ranking_refusal_html(BadInputError("pictures_missing"))
        current, candidates = request.current.path, [file.path for file in request.candidates]
        try:
            if self.finder.gallery is not None and not candidates:
                photograph = read_upload(current, "current")
                return collection_html(
                    self.finder.gallery.poses(photograph, request.description, person_point=request.whom)
                )
            ranking, photographs = self.finder.find(
                *_read(current, request.description, candidates),
                person_point=request.whom,
                measuring=lambda number, of: progress((number, of)),
            )
            return ranking_html(ranking, photographs)
        except BadInputError as error:
            return ranking_refusal_html(error)
        except Exception:  # noqa: BLE001 - logged with its traceback, which a visitor never meets
            _log.exception("the search failed")
            return ranking_fault_html()
        finally:
            self.ledger.forget([current, *candidates])

    def retrieve(  # noqa: PLR0913, PLR0917  what programs send
        self,
        current: Sent,
        description: str,
        candidates: list[Sent],
        language: str | None = None,
        current_person: object = None,
        page: int | None = None,
    ) -> dict[str, Any]:
        """Find the photograph that a description leads to: rank candidates for the target pose of a current pose.

        The photographs should each show one person from head to feet. JPEG, PNG, WebP, HEIC, AVIF, GIF and BMP files
        are read; if a file has several pictures, the first is used; animations are rejected. Send each photograph as a
        file or as a data URI; web addresses are not fetched. The photographs and the poses found in them are
        kept in memory for at most ten minutes, so that a second request is fast; no file of them is left on disk.

        Parameters:
            current: Photograph of the pose the person has now.
            description: What to change in that pose, in English or another language of the page, up to 1000 characters.
            candidates: 2 to 20 photographs, one of which should show the target pose. An empty list searches the
                collection of this app, if its owner set one.
            language: Code of the language of the description, such as "en". Default: detected from its script.
            current_person: Point on the person to use, if the current photograph shows several: two shares of its width
                and height, from the left and the top. Default: the largest person.
            page: Page of ten results of a collection. Default: the first.

        Returns:
            A JSON object. Of a collection: results are the pictures of the page, each with its rank, its name and,
            for the first hundred, its probability among them. Of candidates: ranking are the candidates, counted from
            0, best first, each with its probability (score is the same number under its old name, for one more
            version). margin is the lead of the first. words and parts are the words of the description and the body
            parts with their weights. clauses are the changes that the description asks for, each with whether the
            joints of the best candidate agree, and deciding are the indices, from 0, of those that distinguish it
            from the others. shapes are the poses that the description names, such as a squat, each with its name,
            side ("none" if either is valid), words, the share (0 to 1) to which the best candidate holds it, and
            whether that was deciding. agreed has, for each candidate in the order of the ranking, whether its joints
            agree with each clause and shape.
        """
        try:
            place = read_point(current_person, "current")
            if self.finder.gallery is not None and not candidates:
                photograph = read_upload(current, "current")
                return self.finder.gallery.find(photograph, description or "", language, page or 1, person_point=place)
            question = _read(current, description, candidates)
            ranking, _ = self.finder.find(*question, language=language, person_point=place)
        except BadInputError as error:
            raise gr.Error(
                refusal_sentence(error, asked_language(language, description)), print_exception=False
            ) from None
        finally:
            self.ledger.forget([current, *candidates])
        return ranking.as_json()


def _read(current: Sent, description: str | None, candidates: Sequence[Sent]) -> tuple[bytes, str, list[bytes]]:
    """Return the current file, the description and the candidates; raise before reading if the count is invalid."""
    if not MIN_CANDIDATES <= len(candidates) <= MAX_CANDIDATES:
        raise BadInputError("candidates_count", least=MIN_CANDIDATES, most=MAX_CANDIDATES, found=len(candidates))
    read: dict[Sent, bytes] = {}  # a file that is sent twice is read once
    try:
        read[current] = read_upload(current, "current")
        for number, path in enumerate(candidates, 1):
            if path not in read:
                read[path] = read_upload(path, "candidate", number=number, of=len(candidates))
        return read[current], description or "", [read[path] for path in candidates]
    except BadInputError as error:
        if error.code != "photo_missing":
            raise
        raise BadInputError("pictures_missing") from None


def _form_html(*, installed: bool, collection: bool = False) -> str:
    return render(
        "retrieve_form.html",
        installed=installed,
        collection=collection,
        max_bytes=MAX_BYTES,
        limit_mb=MAX_BYTES // 1_000_000,
        least=MIN_CANDIDATES,
        most=MAX_CANDIDATES,
        longest=MAX_DESCRIPTION_CHARS,
        scripts=json.dumps({code: grammar(code).script for code in languages()}),
        spelt=json.dumps({code: spellings.for_scripts() for code in languages() if (spellings := spellings_of(code))}),
        example={"candidates": range(len(RETRIEVAL.candidates)), "descriptions": RETRIEVAL.descriptions},
    )

"""Bad input, said once: a code that an interface can translate and one English sentence that says what to do."""

from __future__ import annotations

SENTENCES: dict[str, str] = {
    "photo_missing": "Please give a photograph: none was received.",
    "photo_is_address": "An address of the web is not fetched; please send the photograph itself.",
    "photo_empty": "This file is empty; please choose the photograph again.",
    "photo_too_many_bytes": "This file is larger than {limit_mb} MB; please give a smaller photograph.",
    "photo_too_many_pixels": "This picture is larger than {limit_mp} megapixels; please make it smaller and try again.",
    "photo_too_small": "This picture is smaller than {limit_px} pixels on a side; please give a larger one.",
    "photo_unknown_type": "This file is not a JPEG, PNG, WebP or HEIC picture; please save it as one of these.",
    "photo_broken": "This picture is damaged or incomplete; please save or send it again.",
    "photo_animated": "This is an animation; please give a single still picture.",
    "no_person": "No person was found in the {which} photograph; please use one that shows the whole body, well lit.",
    "body_hidden": (
        "Too little of the body can be seen in the {which} photograph; please use one that shows it from head to feet."
    ),
    "pose_model_missing": (
        "The pose model is missing and could not be downloaded; "
        "get {url} on a connected machine and set FMP_POSE_MODEL to its path."
    ),
    "pose_model_unreadable": "This is not a readable pose model; set FMP_POSE_MODEL to a pose_landmarker .task file.",
    "unknown_language": "The language must be one of: {known}.",
    "unknown_model": "There is no model called “{model}”; please choose one of: {known}.",
    "file_unreadable": "The file “{path}” cannot be read; please check the path.",
}


class BadInputError(Exception):
    """Something a user gave cannot be used; ``code`` and ``details`` let an interface say it in its own language."""

    def __init__(self, code: str, **details: str | float) -> None:
        """Raise ``KeyError`` when ``code`` is not one of :data:`SENTENCES`."""
        self.code = code
        self.details = details
        super().__init__(SENTENCES[code].format(**details))

    @property
    def sentence(self) -> str:
        """The English sentence, led by the photograph it is about where it does not name it itself."""
        which = self.details.get("which")
        if which is None or "{which}" in SENTENCES[self.code]:
            return str(self)
        return f"{str(which).capitalize()} photograph: {self}"

    def about(self, which: str) -> BadInputError:
        """The same error, said of one of two photographs: ``current`` or ``target``."""
        return BadInputError(self.code, **{**self.details, "which": which})
